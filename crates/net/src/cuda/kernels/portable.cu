// Layer by layer, for any board and width: activations lie in device memory, a row of CHANNELS halves for each square, with SINGLE followed by
// what these leave. One kernel expands
// planes; one is a convolution by tensor cores, of 3x3 for the tower and of 1x1 for the heads.

#define BOARDS 1
#define THREADS 128
#define GROUP_SYNC() __syncthreads()
#define GROUP_ANY(x) __syncthreads_or(x)

extern "C" __global__ void __launch_bounds__(THREADS) expand(const u8* __restrict__ positions, uint4* __restrict__ planes) {
    __shared__ u8 packed[STRIDE];
    __shared__ u32 scratch[SCRATCH_WORDS + 1];
    const int thread = threadIdx.x;
    const u8* position = positions + (u64)blockIdx.x * STRIDE;
    if (thread < STRIDE / 16) ((uint4*)packed)[thread] = ((const uint4*)position)[thread];
    __syncthreads();
    prepare(packed, scratch, 1, thread);
    for (int square = thread; square < SQUARES; square += THREADS) {
        const Planes bits = planes_of(packed, scratch, 0, square);
        uint4* const row = planes + ((u64)blockIdx.x * SQUARES + square) * (TERMS * INPUTS / 8);
        for (int chunk = 0; chunk < INPUTS / 8; chunk++) {
            row[chunk] = plane_chunk(bits, chunk);
            if (SINGLE) row[INPUTS / 8 + chunk] = left_of_chunk(bits, chunk);
        }
    }
}

// Planes that were written out, for each position and plane a float for each square, as rows of halves.
extern "C" __global__ void __launch_bounds__(THREADS) take_planes(const float* __restrict__ from, uint4* __restrict__ planes) {
    const float* own = from + (u64)blockIdx.x * (PLANES * SQUARES);
    for (int square = threadIdx.x; square < SQUARES; square += THREADS) {
        for (int chunk = 0; chunk < INPUTS / 8; chunk++) {
            float x[8];
#pragma unroll
            for (int i = 0; i < 8; i++) x[i] = 8 * chunk + i < PLANES ? own[(8 * chunk + i) * SQUARES + square] : 0.0f;
            uint4* const row = planes + ((u64)blockIdx.x * SQUARES + square) * (TERMS * INPUTS / 8);
            const uint4 eight = make_uint4(halves(x[0], x[1]), halves(x[2], x[3]), halves(x[4], x[5]), halves(x[6], x[7]));
            row[chunk] = eight;
            if (SINGLE)
                row[INPUTS / 8 + chunk] = make_uint4(left_by(eight.x, x[0], x[1]), left_by(eight.y, x[2], x[3]),
                                                     left_by(eight.z, x[4], x[5]), left_by(eight.w, x[6], x[7]));
        }
    }
}

// A block computes 128 rows by 64 outputs in steps of 32 inputs of one tap; four steps are on their way from memory.
#define TILE_ROWS 128
#define TILE_OUTPUTS 64
#define DEPTH 4
#define LEFT_BYTES (TILE_ROWS * 64)
#define RIGHT_BYTES (TILE_OUTPUTS * 64)

__device__ __forceinline__ void copy_chunk(u32 to, const void* from, bool there) {
    const int bytes = there ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" :: "r"(to), "l"(from), "r"(bytes) : "memory");
}

// Both: `taps` is 9 for a convolution of the tower, which activates (and adds `skip` first, if there is one) and writes `to`; 1 for the
// heads, which go to `heads`.
__device__ __forceinline__ void convolve(const u16* __restrict__ from, const u8* __restrict__ weights, const float* __restrict__ bias,
                                         const u16* __restrict__ skip, u16* __restrict__ to, const Heads& heads, int rows, int inputs,
                                         int outputs, int taps) {
    __shared__ __align__(128) u8 memory[DEPTH * (LEFT_BYTES + RIGHT_BYTES)];
    const u32 base = shared_address(memory);
    const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    const int row0 = blockIdx.x * TILE_ROWS, output0 = blockIdx.y * TILE_OUTPUTS;
    const int chunks = PRODUCTS * inputs / 32, steps = taps * chunks;
    // This thread copies two chunks of the left factor and one of the right one.
    int rows_of[2], ys[2], xs[2];
    u32 left_to[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int local = (thread >> 2) + 64 * i, square = (row0 + local) % SQUARES;
        rows_of[i] = row0 + local;
        ys[i] = square / BOARD;
        xs[i] = square % BOARD;
        left_to[i] = base + local * 64 + (((thread & 3) ^ swizzle<32>(local)) << 4);
    }
    const u32 right_to = base + DEPTH * LEFT_BYTES + (thread >> 2) * 64 + (((thread & 3) ^ swizzle<32>(thread >> 2)) << 4);
    auto copy_step = [&](int step) {
        const int slot = step % DEPTH, tap = taps == 1 ? 4 : step / chunks, chunk = step % chunks;
        const int dy = tap / 3 - 1, dx = tap % 3 - 1;
        // The third product reads what the first has read.
        const int place = chunk < TERMS * inputs / 32 ? chunk : chunk - TERMS * inputs / 32;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const bool there = rows_of[i] < rows && (unsigned)(ys[i] + dy) < BOARD && (unsigned)(xs[i] + dx) < BOARD;
            const u64 row = there ? rows_of[i] + dy * BOARD + dx : 0;
            copy_chunk(left_to[i] + slot * LEFT_BYTES, from + row * (TERMS * inputs) + place * 32 + (thread & 3) * 8, there);
        }
        copy_chunk(right_to + slot * RIGHT_BYTES, weights + ((u64)step * outputs + output0 + (thread >> 2)) * 64 + (thread & 3) * 16, true);
    };
    float sums[2][4][4] = {};
#pragma unroll
    for (int i = 0; i < DEPTH - 1; i++) {
        if (i < steps) copy_step(i);
        asm volatile("cp.async.commit_group;\n" ::: "memory");
    }
    const int warp_row = (warp >> 1) * 32, warp_output = (warp & 1) * 32;
    for (int step = 0; step < steps; step++) {
        asm volatile("cp.async.wait_group 2;\n" ::: "memory");
        __syncthreads();
        if (step + DEPTH - 1 < steps) copy_step(step + DEPTH - 1);
        asm volatile("cp.async.commit_group;\n" ::: "memory");
        const u32 left = base + step % DEPTH * LEFT_BYTES, right = base + DEPTH * LEFT_BYTES + step % DEPTH * RIGHT_BYTES;
#pragma unroll
        for (int k = 0; k < 2; k++) {
            u32 a[2][4], b[2][4];
#pragma unroll
            for (int t = 0; t < 2; t++) {
                const u32 row = warp_row + 16 * t + (lane & 15);
                load_matrices(a[t], left + row * 64 + (((2 * k + (lane >> 4)) ^ swizzle<32>(row)) << 4));
                const u32 output = warp_output + 16 * t + (lane & 7) + 8 * (lane >> 4);
                load_matrices(b[t], right + output * 64 + (((2 * k + ((lane >> 3) & 1)) ^ swizzle<32>(output)) << 4));
            }
#pragma unroll
            for (int t = 0; t < 2; t++) {
#pragma unroll
                for (int n = 0; n < 4; n++) multiply(sums[t][n], a[t], b[n >> 1][2 * (n & 1)], b[n >> 1][2 * (n & 1) + 1]);
            }
        }
    }
#pragma unroll
    for (int n = 0; n < 4; n++) {
        const int output = output0 + warp_output + 8 * n + 2 * (lane & 3);
        const float2 biases = __ldg((const float2*)(bias + output));
#pragma unroll
        for (int t = 0; t < 2; t++) {
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const int row = row0 + warp_row + 16 * t + 8 * half + (lane >> 2);
                if (row >= rows) continue;
                float low = sums[t][n][2 * half] + biases.x, high = sums[t][n][2 * half + 1] + biases.y;
                if (taps == 1) {
                    store_head(heads, row / SQUARES, row % SQUARES, output, low);
                    store_head(heads, row / SQUARES, row % SQUARES, output + 1, high);
                    continue;
                }
                const u64 at = (u64)row * (TERMS * outputs) + output;
                if (skip) add_halves(*(const u32*)(skip + at), low, high);
                if (SINGLE && skip) add_halves(*(const u32*)(skip + at + outputs), low, high);
                low = activate(low);
                high = activate(high);
                const u32 both = halves(low, high);
                *(u32*)(to + at) = both;
                if (SINGLE) *(u32*)(to + at + outputs) = left_by(both, low, high);
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(256) convolution(
    const u16* __restrict__ from, const u8* __restrict__ weights, const float* __restrict__ bias, const u16* __restrict__ skip,
    u16* __restrict__ to, int rows, int inputs)
{
    const Heads none = {0, 0, 0};
    convolve(from, weights, bias, skip, to, none, rows, inputs, CHANNELS, 9);
}

extern "C" __global__ void __launch_bounds__(256) heads(
    const u16* __restrict__ from, const u8* __restrict__ weights, const float* __restrict__ bias, float* __restrict__ policy,
    u16* __restrict__ reduced, float* __restrict__ ownership, int rows)
{
    const Heads to = {policy, reduced, ownership};
    convolve(from, weights, bias, 0, 0, to, rows, CHANNELS, HEADS_PADDED, 1);
}
