// Instructions of compute capability 9.0a.

__device__ __forceinline__ void store_matrices(u32 address, u32 a, u32 b, u32 c, u32 d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};\n"
                 :: "r"(address), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}

// Two activated floats as numbers of eight bits (e4m3), the low one in the low bits.
__device__ __forceinline__ u32 activated_bytes(float low, float high) {
    u16 both;
#if SWISH
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\n" : "=h"(both) : "f"(activate(high)), "f"(activate(low)));
#else
    asm("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;\n" : "=h"(both) : "f"(high), "f"(low));
#endif
    return both;
}

// Barriers in shared memory that count arrivals and bytes of bulk copies.
__device__ __forceinline__ void barrier_init(u32 barrier, u32 arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" :: "r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void barrier_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory"); }

__device__ __forceinline__ void barrier_expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" :: "r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void barrier_arrive(u32 barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" :: "r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_wait(u32 barrier, u32 phase) {
    asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra DONE;\nbra AGAIN;\nDONE:\n}\n"
                 :: "r"(barrier), "r"(phase) : "memory");
}

// Bulk copies from device memory; the barrier counts the bytes that have arrived.
__device__ __forceinline__ void copy_to_shared(u32 to, const void* from, u32 bytes, u32 barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n"
                 :: "r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}

// Warpgroup products run beside the instructions that follow, in groups.
__device__ __forceinline__ void products_fence() { asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory"); }
__device__ __forceinline__ void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory"); }
// The waits do not name the sums that are there after them, as CUTLASS's do: the assembler knows which products are under way and puts no reading
// of their sums before a wait, or says that it makes products wait for each other, which `scripts/cuda_compile_check` takes for an error. Naming
// them gives the towers other registers, and was not measured.
#define PRODUCTS_WAIT_FOR_ALL_BUT(n) PRODUCTS_WAIT_TEXT(n)
#define PRODUCTS_WAIT_TEXT(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";\n" ::: "memory")

// A matrix in shared memory for a product: core matrices of 8 rows of 16 bytes, `columns` bytes from one column of them to the next.
__device__ __forceinline__ u64 matrix_at(u32 address, u32 columns) {
    return ((u64)(address >> 4) & 0x3FFF) | ((u64)(columns >> 4) << 16) | ((u64)(128 >> 4) << 32);
}

// The four warps of a group give registers away, or take them.
#define REGISTERS_GIVE(n) asm volatile("setmaxnreg.dec.sync.aligned.u32 " #n ";\n")
#define REGISTERS_TAKE(n) asm volatile("setmaxnreg.inc.sync.aligned.u32 " #n ";\n")

// A stage of weights, and which time round it is used.
struct Stage {
    u32 index, phase;
    __device__ __forceinline__ void next() {
        if (++index == STAGES) {
            index = 0;
            phase ^= 1;
        }
    }
    // The one that was used `n` stages ago.
    __device__ __forceinline__ u32 before(u32 n = 1) const { return index < n ? index + STAGES - n : index - n; }
};

// This warp has read a stage.
__device__ __forceinline__ void release(u32 empty, u32 stage, int lane) {
    if (lane == 0) barrier_arrive(empty + 8 * stage);
}

// Blocks of a cluster.
__device__ __forceinline__ u32 block_of_cluster() {
    u32 rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank));
    return rank;
}

// The address of the same place in the shared memory of another block.
__device__ __forceinline__ u32 address_in(u32 address, u32 rank) {
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;\n" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

// As `barrier_wait`, and sees what the other blocks have written before they arrived.
__device__ __forceinline__ void barrier_wait_for_cluster(u32 barrier, u32 phase) {
    asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n@done bra DONE;\nbra AGAIN;\nDONE:\n}\n"
                 :: "r"(barrier), "r"(phase) : "memory");
}

__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.release;\n" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire;\n" ::: "memory"); }
