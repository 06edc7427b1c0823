// The tower for small batches: a cluster of CLUSTER blocks shares BOARDS boards, so that more of the device works for each of them.
//
// Every block keeps all activations of its boards and computes OWN of the CHANNELS outputs of each layer, with weights of its own. It writes
// them to its shared memory, then to that of the others. The first convolution of a residual block reads X and writes T, the second reads T,
// adds X and writes X.
//
// A layer begins when all warps of all blocks have said that their part of the last one is there. That is also why nothing is overwritten that
// is still read: who writes to T has seen every block finish the layer that read T before, and the same holds for X. Two barriers take turns, so
// that a warp that is a layer ahead does not count for one that is behind.
//
// One more warpgroup has a thread that copies weights ahead, in stages of STAGE_STEPS * 32 inputs of one tap. With DENSE the positions are planes that were written out.

#define THREADS (128 * WARPGROUPS)
#define GROUP_SYNC() asm volatile("bar.sync 1, %0;\n" :: "n"(THREADS) : "memory")
__device__ __forceinline__ bool group_any(bool x) {
    u32 any;
    asm volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0; barrier.cta.red.or.pred q, 1, %2, p; selp.u32 %0, 1, 0, q;}\n"
                 : "=r"(any) : "r"((u32)x), "n"(THREADS) : "memory");
    return any;
}
#define GROUP_ANY(x) group_any(x)

#define ROWS (BOARDS * SQUARES)
#define OWN (CHANNELS / CLUSTER)
#define OWN_CHUNKS (OWN / 8)
#define ROW_BYTES (2 * CHANNELS)
#define INPUT_ROW_BYTES (2 * INPUTS)
#define WIDEST_ROW (ROW_BYTES > INPUT_ROW_BYTES ? ROW_BYTES : INPUT_ROW_BYTES)
#define STAGE_STEPS (INPUTS % 64 == 0 && CHANNELS % 64 == 0 ? 2 : 1)
#define TOWER_STAGE_BYTES (64 * STAGE_STEPS * OWN)
#define HEAD_GROUPS ((HEADS + HEAD_GROUP - 1) / HEAD_GROUP)
// Of the heads, 32 inputs.
#define HEAD_STAGE_BYTES (64 * HEAD_GROUP)
#define STAGE_BYTES (TOWER_STAGE_BYTES > HEAD_STAGE_BYTES ? TOWER_STAGE_BYTES : HEAD_STAGE_BYTES)
// Sets of registers for the left factor that take turns.
#define MOST_SETS 3

// Shared memory. `plan.rs` counts the same bytes.
#define WEIGHTS_AT 0
#define X_AT (STAGES * STAGE_BYTES)
#define T_AT (X_AT + ROWS * ROW_BYTES)
#define ZEROS_AT (T_AT + ROWS * WIDEST_ROW)
#define POSITIONS_AT (ZEROS_AT + WIDEST_ROW)
#define BARRIERS_AT (POSITIONS_AT + BOARDS * STRIDE)
// Before the first layer, and before another block writes there.
#define SCRATCH_AT X_AT
static_assert(BARRIERS_AT + 8 * (2 * STAGES + 2) == SHARED_BYTES, "plan.rs counts other bytes");
static_assert(4 * BOARDS * SCRATCH_WORDS <= T_AT - SCRATCH_AT, "no room for what planes are made of");

__device__ __forceinline__ void store_in(u32 address, uint4 x) {
    asm volatile("st.shared::cluster.v4.b32 [%0], {%1,%2,%3,%4};\n" :: "r"(address), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w) : "memory");
}

__device__ __forceinline__ void barrier_arrive_in(u32 address) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];\n" :: "r"(address) : "memory");
}

// Four 8x8 matrices, if `wanted`, which is the same for all lanes; else the registers stay as they are.
__device__ __forceinline__ void load_matrices_if(u32 (&to)[4], u32 address, bool wanted) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %5, 0; @p ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];}\n"
                 : "+r"(to[0]), "+r"(to[1]), "+r"(to[2]), "+r"(to[3]) : "r"(address), "r"((u32)wanted) : "memory");
}

// Whether the square of a row has a neighbour on the board through each of nine taps, one bit each.
__device__ __forceinline__ u32 taps_on_board(int row) {
    const int square = row % SQUARES, y = square / BOARD, x = square % BOARD;
    u32 taps = 0;
    for (int tap = 0; tap < 9; tap++) {
        const int ty = y + tap / 3 - 1, tx = x + tap % 3 - 1;
        if (row < ROWS && (unsigned)ty < BOARD && (unsigned)tx < BOARD) taps |= 1u << tap;
    }
    return taps;
}

__device__ __forceinline__ void produce(u32 base, u32 full, u32 empty, const u8* weights, int blocks, u32 rank) {
    Stage stage = {0, 1};
    const int tower_stages = 9 * (INPUTS + 2 * blocks * CHANNELS) / (32 * STAGE_STEPS);
    const u8* from = weights + (u64)rank * tower_stages * TOWER_STAGE_BYTES;
    const int stages = tower_stages + (rank == 0 ? HEAD_GROUPS * (CHANNELS / 32) : 0);
    for (int i = 0; i < stages; i++) {
        const u32 bytes = i < tower_stages ? TOWER_STAGE_BYTES : HEAD_STAGE_BYTES;
        if (i == tower_stages) from = weights + (u64)CLUSTER * tower_stages * TOWER_STAGE_BYTES;
        const u32 barrier = full + 8 * stage.index;
        barrier_wait(empty + 8 * stage.index, stage.phase);
        barrier_expect(barrier, bytes);
        copy_to_shared(base + WEIGHTS_AT + stage.index * STAGE_BYTES, from, bytes, barrier);
        from += bytes;
        stage.next();
    }
}

// What a thread knows of its rows.
struct Rows {
    int first, lane;
    u32 upper, taps[TILES];
    bool used[TILES];
};

// One convolution whose inputs are STEPS steps of 32 channels in rows of as many halves.
template <int STEPS>
__device__ __forceinline__ void convolve(float (&sums)[TILES][OWN / 2], const Rows& rows, u32 from, u32 base, u32 full, u32 empty, Stage& stage) {
    constexpr int GROUPS = STEPS * TILES, SETS = GROUPS < MOST_SETS ? GROUPS : MOST_SETS;
    // Products with the stages before the last HELD may be taken to be done when a stage begins.
    constexpr int HELD = 1 + (SETS - 1 + STAGE_STEPS * TILES - 1) / (STAGE_STEPS * TILES);
    int begun = 0;
    u32 left_factor[SETS][2][4] = {};
#pragma unroll
    for (int t = 0; t < TILES; t++) {
#pragma unroll
        for (int i = 0; i < OWN / 2; i++) sums[t][i] = 0.0f;
    }
    products_fence();
#pragma unroll 1
    for (int tap = 0; tap < 9; tap++) {
        const int shift = (tap / 3 - 1) * BOARD + tap % 3 - 1;
        u32 left[TILES], swizzled[TILES];
#pragma unroll
        for (int t = 0; t < TILES; t++) {
            const int row = rows.first + 64 * t + shift;
            swizzled[t] = swizzle<32 * STEPS>(row) << 4;
            left[t] = ((rows.taps[t] >> tap) & 1) ? from + row * (64 * STEPS) : base + ZEROS_AT;
        }
        u64 right = 0;
#pragma unroll
        for (int group = 0; group < GROUPS; group++) {
            const int step = group / TILES, t = group % TILES;
            u32 (&a)[2][4] = left_factor[group % SETS];
            // Products that may still run: those that began after the last ones with this set of registers.
            const int last = (GROUPS - 1 - group) / SETS * SETS + group;
            const int since = GROUPS - 1 - last + group;
            const int running = group >= SETS || since > SETS - 1 ? SETS - 1 : since;
            if (running == 0) PRODUCTS_WAIT_FOR_ALL_BUT(0);
            else if (running == 1) PRODUCTS_WAIT_FOR_ALL_BUT(1);
            else PRODUCTS_WAIT_FOR_ALL_BUT(2);
            if (group % (STAGE_STEPS * TILES) == 0) {
                if (begun >= HELD) release(empty, stage.before(HELD), rows.lane);
                barrier_wait(full + 8 * stage.index, stage.phase);
                right = matrix_at(base + WEIGHTS_AT + stage.index * STAGE_BYTES, 16 * OWN);
                begun++;
                stage.next();
            }
            const u32 chunk = (step * 4 + rows.upper) << 4;
            load_matrices_if(a[0], left[t] + (chunk ^ swizzled[t]), rows.used[t]);
            load_matrices_if(a[1], left[t] + ((chunk + 32) ^ swizzled[t]), rows.used[t]);
            products_fence();
            product_tower(sums[t], a[0], right + (64 * OWN * (step % STAGE_STEPS) >> 4));
            product_tower(sums[t], a[1], right + (64 * OWN * (step % STAGE_STEPS) + 32 * OWN >> 4));
            products_commit();
        }
    }
    PRODUCTS_WAIT_FOR_ALL_BUT(0);
#pragma unroll
    for (int held = HELD; held > 0; held--) release(empty, stage.before(held), rows.lane);
}

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS + 128, 1) tower(
    const u8* __restrict__ positions, const u8* __restrict__ weights, const float* __restrict__ biases,
    float* __restrict__ policy, u16* __restrict__ reduced, float* __restrict__ ownership, int first, int count, int blocks)
{
    extern __shared__ __align__(1024) u8 shared[];
    const u32 base = shared_address(shared);
    const int thread = threadIdx.x, lane = thread & 31;
    const u32 rank = block_of_cluster();
    const int board0 = (int)(blockIdx.x / CLUSTER) * BOARDS;
    const u32 full = base + BARRIERS_AT, empty = full + 8 * STAGES, arrived = empty + 8 * STAGES;
    if (thread == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(full + 8 * i, 1);
            barrier_init(empty + 8 * i, 4 * WARPGROUPS);
        }
        for (int i = 0; i < 2; i++) barrier_init(arrived + 8 * i, CLUSTER * 4 * WARPGROUPS);
        barrier_init_fence();
    }
    for (int i = thread; i < WIDEST_ROW / 4; i += THREADS + 128) *(u32*)(shared + ZEROS_AT + 4 * i) = 0;
    __syncthreads();

    if (thread >= THREADS) {
        cluster_arrive();
        if (thread == THREADS) produce(base, full, empty, weights, blocks, rank);
        cluster_wait();
        return;
    }

#if DENSE
    for (int row = thread; row < ROWS; row += THREADS) {
        const int board = row / SQUARES;
        const float* own = (const float*)positions + (u64)(first + board0 + board) * (PLANES * SQUARES) + row % SQUARES;
#pragma unroll 2
        for (int chunk = 0; chunk < INPUTS / 8; chunk++) {
            float x[8];
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const int plane = 8 * chunk + i;
                x[i] = board0 + board < count && plane < PLANES ? __ldg(own + plane * SQUARES) : 0.0f;
            }
            *(uint4*)(shared + T_AT + row * INPUT_ROW_BYTES + ((chunk ^ swizzle<INPUTS>(row)) << 4)) =
                make_uint4(halves(x[0], x[1]), halves(x[2], x[3]), halves(x[4], x[5]), halves(x[6], x[7]));
        }
    }
#else
    const u8* packed = shared + POSITIONS_AT;
    u32* scratch = (u32*)(shared + SCRATCH_AT);
    for (int i = thread; i < BOARDS * (STRIDE / 16); i += THREADS) {
        if (board0 + i / (STRIDE / 16) < count)
            *(uint4*)(shared + POSITIONS_AT + 16 * i) = *((const uint4*)(positions + (u64)(first + board0) * STRIDE) + i);
    }
    GROUP_SYNC();
    prepare(packed, scratch, BOARDS, thread);
    for (int row = thread; row < ROWS; row += THREADS) {
        const int board = row / SQUARES;
        Planes planes = {0, 0, 0};
        if (board0 + board < count) planes = planes_of(packed + board * STRIDE, scratch, board, row % SQUARES);
#pragma unroll
        for (int chunk = 0; chunk < INPUT_ROW_BYTES / 16; chunk++)
            *(uint4*)(shared + T_AT + row * INPUT_ROW_BYTES + ((chunk ^ swizzle<INPUTS>(row)) << 4)) = plane_chunk(planes, chunk);
    }
#endif
    // All blocks have their barriers, and no scratch in the way of what the others write.
    cluster_arrive();
    cluster_wait();

    const int warp_row = (thread >> 7) * 64 * TILES + ((thread >> 5) & 3) * 16;
    // The row of the left factor whose address this lane gives, in the first tile of its warpgroup.
    Rows rows = {warp_row + (lane & 15), lane, (u32)lane >> 4};
#pragma unroll
    for (int t = 0; t < TILES; t++) {
        rows.taps[t] = taps_on_board(rows.first + 64 * t);
        rows.used[t] = warp_row + 64 * t < ROWS;
    }
    Stage stage = {0, 0};
    const float* bias = biases;
#pragma unroll 1
    for (int layer = 0; layer <= 2 * blocks; layer++) {
        const bool first_half = layer & 1, skip = layer && !first_half;
        const u32 to = first_half ? T_AT : X_AT;
        // On their way while products run.
        float2 own_bias[OWN_CHUNKS];
#pragma unroll
        for (int i = 0; i < OWN_CHUNKS; i++) own_bias[i] = __ldg((const float2*)(bias + rank * OWN + 8 * i + 2 * (lane & 3)));
        float sums[TILES][OWN / 2];
        if (layer == 0) convolve<INPUTS / 32>(sums, rows, base + T_AT, base, full, empty, stage);
        else convolve<CHANNELS / 32>(sums, rows, base + (first_half ? X_AT : T_AT), base, full, empty, stage);
#pragma unroll
        for (int t = 0; t < TILES; t++) {
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const int row = warp_row + 64 * t + (lane >> 2) + 8 * half;
                if (row >= ROWS) continue;
                u8* const at = shared + to + row * ROW_BYTES + 4 * (lane & 3);
#pragma unroll
                for (int i = 0; i < OWN_CHUNKS; i++) {
                    float low = sums[t][4 * i + 2 * half] + own_bias[i].x, high = sums[t][4 * i + 2 * half + 1] + own_bias[i].y;
                    u32* const place = (u32*)(at + (((rank * OWN_CHUNKS + i) ^ swizzle<CHANNELS>(row)) << 4));
                    if (skip) add_halves(*place, low, high);
                    *place = activated_halves(low, high);
                }
            }
        }
        __syncwarp();
        // What this warp has written goes to the other blocks.
#pragma unroll
        for (int t = 0; t < TILES; t++) {
#pragma unroll
            for (int i = lane; i < 16 * OWN_CHUNKS; i += 32) {
                const int row = warp_row + 64 * t + i / OWN_CHUNKS;
                if (row >= ROWS) continue;
                const u32 at = to + row * ROW_BYTES + (((rank * OWN_CHUNKS + i % OWN_CHUNKS) ^ swizzle<CHANNELS>(row)) << 4);
                const uint4 chunk = *(const uint4*)(shared + at);
#pragma unroll
                for (u32 other = 1; other < CLUSTER; other++) store_in(address_in(base + at, (rank + other) % CLUSTER), chunk);
            }
        }
        __syncwarp();
        const u32 barrier = arrived + 8 * (layer & 1);
        if (lane < CLUSTER) barrier_arrive_in(address_in(barrier, lane));
        barrier_wait_for_cluster(barrier, layer >> 1 & 1);
        bias += CHANNELS;
    }
    if (rank != 0) return;
    const Heads to = {policy, reduced, ownership};
#pragma unroll 1
    for (int group = 0; group < HEAD_GROUPS; group++) {
        float sums[TILES][HEAD_GROUP / 2];
#pragma unroll
        for (int t = 0; t < TILES; t++) {
#pragma unroll
            for (int i = 0; i < HEAD_GROUP / 2; i++) sums[t][i] = 0.0f;
        }
        products_fence();
#pragma unroll 1
        for (int step = 0; step < CHANNELS / 32; step++) {
            const u64 right = matrix_at(base + WEIGHTS_AT + stage.index * STAGE_BYTES, 16 * HEAD_GROUP);
            u32 a[2][2][4];
            barrier_wait(full + 8 * stage.index, stage.phase);
#pragma unroll
            for (int t = 0; t < TILES; t++) {
                const int row = rows.first + 64 * t;
                const u32 left = row < ROWS ? base + X_AT + row * ROW_BYTES : base + ZEROS_AT;
                PRODUCTS_WAIT_FOR_ALL_BUT(1);
                load_matrices(a[t & 1][0], left + (((step * 4 + rows.upper) ^ swizzle<CHANNELS>(row)) << 4));
                load_matrices(a[t & 1][1], left + (((step * 4 + 2 + rows.upper) ^ swizzle<CHANNELS>(row)) << 4));
                products_fence();
                product_heads(sums[t], a[t & 1][0], right);
                product_heads(sums[t], a[t & 1][1], right + (32 * HEAD_GROUP >> 4));
                products_commit();
            }
            PRODUCTS_WAIT_FOR_ALL_BUT(0);
            release(empty, stage.index, lane);
            stage.next();
        }
#pragma unroll
        for (int t = 0; t < TILES; t++) {
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const int row = warp_row + 64 * t + (lane >> 2) + 8 * half, board = row / SQUARES;
                if (row >= ROWS || board0 + board >= count) continue;
#pragma unroll
                for (int i = 0; i < HEAD_GROUP / 8; i++) {
                    const int output = group * HEAD_GROUP + 8 * i + 2 * (lane & 3);
                    const float2 both = __ldg((const float2*)(bias + output));
                    store_head(to, first + board0 + board, row % SQUARES, output, sums[t][4 * i + 2 * half] + both.x);
                    store_head(to, first + board0 + board, row % SQUARES, output + 1, sums[t][4 * i + 2 * half + 1] + both.y);
                }
            }
        }
    }
}
