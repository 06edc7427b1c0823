// Types, and instructions that C++ has no words for, one function each. Everything here runs on compute capability 8.0 and later.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SQUARES (BOARD * BOARD)

__device__ __forceinline__ u32 shared_address(const void* pointer) {
    u32 address;
    asm("{.reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t;}\n" : "=r"(address) : "l"((u64)pointer));
    return address;
}

__device__ __forceinline__ void prefetch(const void* address) { asm volatile("prefetch.global.L1 [%0];\n" :: "l"(address)); }

// Four 8x8 matrices of halves; each lane gives the address of a row.
__device__ __forceinline__ void load_matrices(u32 (&to)[4], u32 address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(address) : "memory");
}

// Two floats as halves, the low one in the low bits.
__device__ __forceinline__ u32 halves(float low, float high) {
    u32 both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;\n" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

__device__ __forceinline__ void add_halves(u32 both, float& low, float& high) {
    float l, h;
    asm("{.reg .b16 l,h; mov.b32 {l,h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h;}\n" : "=f"(l), "=f"(h) : "r"(both));
    low += l;
    high += h;
}

// With SINGLE a number is kept as two halves, it and what rounding leaves of it, and a product is three: of both factors, of what is left of the
// first, of what is left of the second.
#define TERMS (SINGLE ? 2 : 1)
#define PRODUCTS (SINGLE ? 3 : 1)

// What two halves leave of the floats that they were.
__device__ __forceinline__ u32 left_by(u32 both, float low, float high) {
    float l = 0.0f, h = 0.0f;
    add_halves(both, l, h);
    return halves(low - l, high - h);
}

// A product of 16x16 by 16x8 halves, added to floats, by one warp.
__device__ __forceinline__ void multiply(float (&sum)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ float activate(float x) {
#if SWISH
    return x / (1.0f + __expf(-x));
#else
    return fmaxf(x, 0.0f);
#endif
}

__device__ __forceinline__ u32 activated_halves(float low, float high) {
#if SWISH
    return halves(activate(low), activate(high));
#else
    u32 both;
    asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;\n" : "=r"(both) : "f"(high), "f"(low));
    return both;
#endif
}

// Chunks of 16 bytes lie in a row in an order that depends on the row, so that eight rows read at once lie in different banks. A row has
// `WIDTH` halves, a multiple of 32.
template <int WIDTH>
__device__ __forceinline__ u32 swizzle(u32 row) {
    return WIDTH % 64 == 0 ? row & 7 : (row >> 1) & 3;
}

// What the 1x1 convolutions of the heads give for one square goes where the last kernel looks for it. Outputs are the planes of the policy,
// the plane whose mean is the logit of passing, the planes of the value head, ownership.
struct Heads {
    float* policy;
    u16* reduced;
    float* ownership;
};

#define VALUE_FIRST (POLICY_PLANES + PASS)
#define OWNERSHIP_FIRST (VALUE_FIRST + VALUE_PLANES)
#define HEADS (OWNERSHIP_FIRST + OWNERSHIP)
#define POLICY_STRIDE (VALUE_FIRST * SQUARES)

__device__ __forceinline__ void store_head(const Heads& heads, int position, int square, int output, float value) {
    if (output < VALUE_FIRST) {
        heads.policy[(u64)position * POLICY_STRIDE + output * SQUARES + square] = value;
    } else if (output < OWNERSHIP_FIRST) {
        u16* const to = heads.reduced + (u64)position * (TERMS * FEATURES) + square * VALUE_PLANES + output - VALUE_FIRST;
        const u32 half = activated_halves(value, 0.0f);
        *to = (u16)half;
#if SINGLE
        to[FEATURES] = (u16)left_by(half, activate(value), 0.0f);
#endif
    } else if (output < HEADS) {
        heads.ownership[(u64)position * SQUARES + square] = tanhf(value);
    }
}
