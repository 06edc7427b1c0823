// The tower with squares as columns of the products: the left factor are weights, the right one activations.
//
// CLUSTER blocks, or one, have a board. Activations lie in chunks of eight channels, and in a chunk in rows of 16 bytes, one for each square. Lines of the
// board have a row of zeros between them, so that a tap is a fixed distance: a product reads the rows of its squares, shifted, and finds zeros
// outside the board. Every thread keeps its part of the trunk as floats, so that what goes around a block of the tower is never rounded.
//
// Each block keeps all activations and computes OWN of the CHANNELS outputs of each layer, with weights of its own. A warp sends what it has
// computed to the other blocks. A layer begins when the parts of all warps are there; that is also why nothing is overwritten that is still
// read: a sender has seen every warp of every block finish the layer before. Two barriers take turns.
//
// One more warpgroup has a thread that copies weights ahead, in stages of STAGE_STEPS * 32 inputs of one tap. With DENSE the positions are planes
// that were written out.

#define OWN (CHANNELS / CLUSTER)
#define THREADS (128 * WARPGROUPS)
#define GROUP_SYNC() asm volatile("bar.sync 1, %0;\n" :: "n"(THREADS) : "memory")
__device__ __forceinline__ bool group_any(bool x) {
    u32 any;
    asm volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0; barrier.cta.red.or.pred q, 1, %2, p; selp.u32 %0, 1, 0, q;}\n"
                 : "=r"(any) : "r"((u32)x), "n"(THREADS) : "memory");
    return any;
}
#define GROUP_ANY(x) group_any(x)

// Rows of a line of the board, and how far a tap reaches.
#define LINE (BOARD + 1)
#define REACH (LINE + 1)
#define CHUNK_ROWS (COLUMNS + 2 * REACH)
#define CHUNK_BYTES (16 * CHUNK_ROWS)
#define WIDEST (CHANNELS > INPUTS ? CHANNELS : INPUTS)
#define STAGE_STEPS (INPUTS % 64 == 0 && CHANNELS % 64 == 0 ? 2 : 1)
#define TOWER_STAGE_BYTES (64 * STAGE_STEPS * OWN)
#define HEAD_GROUPS ((HEADS + HEAD_GROUP - 1) / HEAD_GROUP)
// Of the heads, 32 inputs.
#define HEAD_STAGE_BYTES (64 * HEAD_GROUP)
#define STAGE_BYTES (TOWER_STAGE_BYTES > HEAD_STAGE_BYTES ? TOWER_STAGE_BYTES : HEAD_STAGE_BYTES)
// What a warp computes of a layer: two chunks.
#define WARP_BYTES (2 * CHUNK_BYTES)

// Shared memory. `plan.rs` counts the same bytes.
#define WEIGHTS_AT 0
#define X_AT (STAGES * STAGE_BYTES)
#define T_AT (X_AT + CHANNELS / 8 * CHUNK_BYTES)
// Where columns that belong to no square are written.
#define WASTE_AT (T_AT + WIDEST / 8 * CHUNK_BYTES)
#define POSITION_AT (WASTE_AT + 16)
#define SCRATCH_AT (POSITION_AT + STRIDE)
#define BARRIERS_AT (SCRATCH_AT + 8 * SQUARES + 8 * SQUARES % 16)
static_assert(BARRIERS_AT + 8 * (2 * STAGES + 2) == SHARED_BYTES, "plan.rs counts other bytes");
static_assert(4 * SCRATCH_WORDS <= BARRIERS_AT - SCRATCH_AT, "no room for what planes are made of");

// A copy from this block's shared memory to that of another; `to` and `barrier` are addresses there.
__device__ __forceinline__ void copy_to_block(u32 to, u32 from, u32 bytes, u32 barrier) {
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n"
                 :: "r"(to), "r"(from), "r"(bytes), "r"(barrier) : "memory");
}

// What threads have written is seen by products and copies that begin after a barrier.
__device__ __forceinline__ void show_to_products() { asm volatile("fence.proxy.async;\n" ::: "memory"); }

// Four 8x8 matrices, transposed; each lane gives the address of a row.
__device__ __forceinline__ void store_transposed(u32 address, u32 a, u32 b, u32 c, u32 d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};\n"
                 :: "r"(address), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}

__device__ __forceinline__ bool on_board(int column) { return column / LINE < BOARD && column % LINE < BOARD; }

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

// How many rows further a product reads through a tap.
__device__ __forceinline__ long long distance_of(int tap) { return (tap / 3 - 1) * LINE + tap % 3 - 1; }

// One convolution: adds products of all weights with `activations`. The weights of one warpgroup come from shared memory; three are quicker when
// each has them in registers.
#if WARPGROUPS == 1
__device__ __forceinline__ void convolve(float (&sums)[COLUMNS / 2], u64 activations, int stages_of_tap, u32 base, u32 full, u32 empty, Stage& stage,
                                         int, int lane) {
#pragma unroll 1
    for (int tap = 0; tap < 9; tap++) {
        u64 right = activations + distance_of(tap);
#pragma unroll 1
        for (int i = 0; i < stages_of_tap; i++) {
            u64 left = matrix_at(base + WEIGHTS_AT + stage.index * STAGE_BYTES, 16 * OWN);
            barrier_wait(full + 8 * stage.index, stage.phase);
            products_fence();
#pragma unroll
            for (int step = 0; step < 2 * STAGE_STEPS; step++) {
                product_of_shared(sums, left, right);
                left += 2 * OWN;
                right += 2 * CHUNK_ROWS;
            }
            products_commit();
            PRODUCTS_WAIT_FOR_ALL_BUT(1);
            // All products with the stage before this one are done.
            if (tap | i) release(empty, stage.before(), lane);
            stage.next();
        }
    }
    PRODUCTS_WAIT_FOR_ALL_BUT(0);
    release(empty, stage.before(), lane);
}
#else
__device__ __forceinline__ void convolve(float (&sums)[COLUMNS / 2], u64 activations, int stages_of_tap, u32 base, u32 full, u32 empty, Stage& stage,
                                         int warp, int lane) {
    const int stages = 9 * stages_of_tap;
    u32 left[2][2 * STAGE_STEPS][4];
    u64 right = 0;
    int tap = 0, of_tap = 0;
#pragma unroll 1
    for (int done = 0; done < stages; done += 2) {
#pragma unroll
        for (int turn = 0; turn < 2; turn++) {
            if (done + turn >= stages) continue;
            if (of_tap == 0) right = activations + distance_of(tap);
            // The products before the last ones are done, and their registers free.
            PRODUCTS_WAIT_FOR_ALL_BUT(1);
            barrier_wait(full + 8 * stage.index, stage.phase);
            const u32 from = base + WEIGHTS_AT + stage.index * STAGE_BYTES + (lane >> 4) * (16 * OWN) + 256 * warp + 16 * (lane & 15);
#pragma unroll
            for (int step = 0; step < 2 * STAGE_STEPS; step++) load_matrices(left[turn][step], from + step * (32 * OWN));
            products_fence();
#pragma unroll
            for (int step = 0; step < 2 * STAGE_STEPS; step++) {
                product_columns(sums, left[turn][step], right);
                right += 2 * CHUNK_ROWS;
            }
            products_commit();
            // Its weights are in registers.
            release(empty, stage.index, lane);
            stage.next();
            if (++of_tap == stages_of_tap) {
                of_tap = 0;
                tap++;
            }
        }
    }
    PRODUCTS_WAIT_FOR_ALL_BUT(0);
}
#endif

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS + 128, 1) tower(
    const u8* __restrict__ positions, const u8* __restrict__ weights, const float* __restrict__ biases,
    float* __restrict__ policy, u16* __restrict__ reduced, float* __restrict__ ownership, int first, int count, int blocks)
{
    extern __shared__ __align__(1024) u8 shared[];
    const u32 base = shared_address(shared);
    const int thread = threadIdx.x, lane = thread & 31;
    const u32 rank = block_of_cluster();
    const int position = blockIdx.x / CLUSTER;
    const u32 full = base + BARRIERS_AT, empty = full + 8 * STAGES, arrived = empty + 8 * STAGES;
    if (thread == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(full + 8 * i, 1);
            barrier_init(empty + 8 * i, 4 * WARPGROUPS);
        }
        for (int i = 0; i < 2; i++) barrier_init(arrived + 8 * i, 4 * WARPGROUPS);
        barrier_init_fence();
    }
    for (int i = thread; i < (POSITION_AT - X_AT) / 16; i += THREADS + 128) *(uint4*)(shared + X_AT + 16 * i) = make_uint4(0, 0, 0, 0);
    show_to_products();
    __syncthreads();
    // From here on the other blocks may send to this one.
    cluster_arrive();

    if (thread >= THREADS) {
#if WARPGROUPS == 3
        // Of 128 registers a thread: 128 * (128 - 32) given are 384 * (160 - 128) taken.
        REGISTERS_GIVE(32);
#endif
        if (thread == THREADS) produce(base, full, empty, weights, blocks, rank);
        cluster_wait();
    } else {
#if WARPGROUPS == 3
        REGISTERS_TAKE(160);
#endif
        // Several threads for each square.
        constexpr int EACH = THREADS / SQUARES > 0 ? THREADS / SQUARES : 1;
#if DENSE
        for (int i = thread; i < EACH * SQUARES; i += THREADS) {
            const int square = i % SQUARES, row = REACH + square / BOARD * LINE + square % BOARD;
            const float* own = (const float*)positions + (u64)(first + position) * (PLANES * SQUARES) + square;
            for (int chunk = i / SQUARES; chunk < INPUTS / 8; chunk += EACH) {
                float x[8];
#pragma unroll
                for (int k = 0; k < 8; k++) {
                    const int plane = 8 * chunk + k;
                    x[k] = position < count && plane < PLANES ? __ldg(own + plane * SQUARES) : 0.0f;
                }
                *(uint4*)(shared + T_AT + chunk * CHUNK_BYTES + 16 * row) =
                    make_uint4(halves(x[0], x[1]), halves(x[2], x[3]), halves(x[4], x[5]), halves(x[6], x[7]));
            }
        }
#else
        const u8* packed = shared + POSITION_AT;
        u32* scratch = (u32*)(shared + SCRATCH_AT);
        if (thread < STRIDE / 16)
            *(uint4*)(shared + POSITION_AT + 16 * thread) =
                position < count ? *((const uint4*)(positions + (u64)(first + position) * STRIDE) + thread) : make_uint4(0, 0, 0, 0);
        GROUP_SYNC();
        prepare(packed, scratch, 1, thread);
        for (int i = thread; i < EACH * SQUARES; i += THREADS) {
            const int square = i % SQUARES, row = REACH + square / BOARD * LINE + square % BOARD;
            const Planes planes = planes_of(packed, scratch, 0, square);
            for (int chunk = i / SQUARES; chunk < INPUTS / 8; chunk += EACH)
                *(uint4*)(shared + T_AT + chunk * CHUNK_BYTES + 16 * row) = plane_chunk(planes, chunk);
        }
#endif
        show_to_products();
        GROUP_SYNC();
        cluster_wait();

        const int warp = thread >> 5;
        // The two outputs of this thread in a layer: of its warp's sixteen.
        const int output = rank * OWN + 16 * warp + (lane >> 2);
        // Where this lane's row of four matrices goes: two chunks of eight outputs, two times eight columns.
        const u32 store_chunk = (rank * OWN / 8 + 2 * warp + (lane >> 3 & 1)) * CHUNK_BYTES;
        const int store_column = (lane >> 4) * 8 + (lane & 7);
        u32 inside = 0;
#pragma unroll
        for (int i = 0; i < COLUMNS / 16; i++) inside |= on_board(16 * i + store_column) ? 1u << i : 0u;
        Stage stage = {0, 0};
        const float* bias = biases;
        float trunk[COLUMNS / 2];
#pragma unroll
        for (int i = 0; i < COLUMNS / 2; i++) trunk[i] = 0.0f;
#pragma unroll 1
        for (int layer = 0; layer <= 2 * blocks; layer++) {
            const bool first_half = layer & 1;
            const u32 to = base + (first_half ? T_AT : X_AT);
            const float near = __ldg(bias + output), far = __ldg(bias + output + 8);
            const int stages_of_tap = (layer == 0 ? INPUTS : CHANNELS) / (32 * STAGE_STEPS);
            // The first column, in rows: a row further is one more.
            const u64 activations = matrix_at(base + (first_half ? X_AT : T_AT) + 16 * REACH, CHUNK_BYTES);
            float sums[COLUMNS / 2];
#pragma unroll
            for (int i = 0; i < COLUMNS / 2; i++) sums[i] = 0.0f;
            products_fence();
            convolve(sums, activations, stages_of_tap, base, full, empty, stage, warp, lane);
#pragma unroll
            for (int i = 0; i < COLUMNS / 8; i++) {
                float* const s = &sums[4 * i];
                float* const x = &trunk[4 * i];
                s[0] = activate(s[0] + near + (first_half ? 0.0f : x[0]));
                s[1] = activate(s[1] + near + (first_half ? 0.0f : x[1]));
                s[2] = activate(s[2] + far + (first_half ? 0.0f : x[2]));
                s[3] = activate(s[3] + far + (first_half ? 0.0f : x[3]));
#pragma unroll
                for (int k = 0; k < 4; k++) x[k] = first_half ? x[k] : s[k];
            }
#pragma unroll
            for (int i = 0; i < COLUMNS / 16; i++) {
                const u32 at = (inside >> i & 1) ? to + store_chunk + 16 * (REACH + 16 * i + store_column) : base + WASTE_AT;
                const float* s = &sums[8 * i];
                store_transposed(at, halves(s[0], s[1]), halves(s[2], s[3]), halves(s[4], s[5]), halves(s[6], s[7]));
            }
            show_to_products();
#if CLUSTER > 1
            __syncwarp();
            const u32 barrier = arrived + 8 * (layer & 1), own = to + (rank * OWN / 8 + 2 * warp) * CHUNK_BYTES;
            if (lane == 0) barrier_expect(barrier, (CLUSTER - 1) * WARP_BYTES);
            if (lane > 0 && lane < CLUSTER) {
                const u32 other = (rank + lane) % CLUSTER;
                copy_to_block(address_in(own, other), own, WARP_BYTES, address_in(barrier, other));
            }
            barrier_wait_for_cluster(barrier, layer >> 1 & 1);
#else
            GROUP_SYNC();
#endif
            bias += CHANNELS;
        }
        const Heads heads = {policy, reduced, ownership};
        if (rank == 0) {
#pragma unroll 1
            for (int head_group = 0; head_group < HEAD_GROUPS; head_group++) {
                float sums[COLUMNS / 2];
#pragma unroll
                for (int i = 0; i < COLUMNS / 2; i++) sums[i] = 0.0f;
                products_fence();
                u64 right = matrix_at(base + X_AT + 16 * REACH, CHUNK_BYTES);
#pragma unroll 1
                for (int step = 0; step < CHANNELS / 32; step++) {
                    // The last rows of the left factor may lie beyond the group: what they give is not used.
                    const u32 from = base + WEIGHTS_AT + stage.index * STAGE_BYTES + (lane >> 4) * (16 * HEAD_GROUP) + 256 * (warp & 3) + 16 * (lane & 15);
                    u32 left[2][4];
                    barrier_wait(full + 8 * stage.index, stage.phase);
                    load_matrices(left[0], from);
                    load_matrices(left[1], from + 32 * HEAD_GROUP);
                    products_fence();
                    product_columns(sums, left[0], right);
                    product_columns(sums, left[1], right + 2 * CHUNK_ROWS);
                    products_commit();
                    PRODUCTS_WAIT_FOR_ALL_BUT(0);
                    release(empty, stage.index, lane);
                    right += 4 * CHUNK_ROWS;
                    stage.next();
                }
                if (warp < 4 && position < count) {
#pragma unroll
                    for (int half = 0; half < 2; half++) {
                        const int row = 16 * warp + (lane >> 2) + 8 * half, head = head_group * HEAD_GROUP + row;
                        if (row >= HEAD_GROUP) continue;
                        const float own_bias = __ldg(bias + head);
#pragma unroll
                        for (int i = 0; i < COLUMNS / 8; i++) {
#pragma unroll
                            for (int k = 0; k < 2; k++) {
                                const int column = 8 * i + 2 * (lane & 3) + k;
                                if (on_board(column))
                                    store_head(heads, first + position, column / LINE * BOARD + column % LINE, head, sums[4 * i + 2 * half + k] + own_bias);
                            }
                        }
                    }
                }
            }
        }
    }
#if CLUSTER > 1
    // A copy to another block reads this block's shared memory and is counted there: no block ends, and leaves its memory to the next one, before
    // the others have seen all that was sent to them. Not before the heads, whose weights need stages that only they free.
    __syncwarp();
    cluster_arrive();
    cluster_wait();
#endif
}
