// The whole tower in one kernel: activations never leave shared memory.
//
// A block holds BOARDS boards, a row of a matrix for each square, CHANNELS halves in a row. A convolution is nine products, one for each
// tap: the rows of the left factor are read from shared memory by address, shifted by the tap, and a row of zeros stands for squares outside
// the board. WARPGROUPS warpgroups of consumers compute TILES * 64 rows each and keep all sums in registers. In one more one thread copies
// weights ahead of them, in STAGES stages of 32 inputs of one tap, and one warp copies the positions of the next boards. There are two buffers
// of activations: the first convolution of a residual block reads X and writes T, the second reads T, adds X and writes X.
//
// With DENSE the positions are planes that were written out: for each position and plane a float for each square.
//
// Products run beside the loads for the next ones, so the left factor has two sets of registers, used in turn.

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
// Bytes of a number that products read. With FP8 these have eight bits (e4m3); a third buffer, S, keeps the numbers that are added to the
// result of a block as halves, and the heads read that one. Channels lie in it in the order of the sums of a warp.
#define NUMBER_BYTES (FP8 ? 1 : 2)
#define ROW_BYTES (NUMBER_BYTES * CHANNELS)
#define INPUT_ROW_BYTES (NUMBER_BYTES * INPUTS)
#define SKIP_ROW_BYTES (2 * CHANNELS)
#define T_ROW_BYTES (ROW_BYTES > INPUT_ROW_BYTES ? ROW_BYTES : INPUT_ROW_BYTES)
#define WIDEST_ROW (SKIP_ROW_BYTES > INPUT_ROW_BYTES ? SKIP_ROW_BYTES : INPUT_ROW_BYTES)
// Inputs of a stage of weights.
#define STEP (64 / NUMBER_BYTES)
#define STAGE_BYTES (64 * CHANNELS)
// Tiles take turns with two sets of registers for the left factor; a single tile does so step by step.
#define TURNS (TILES == 1 ? 2 : 1)
// The heads are computed HEAD_GROUP outputs at a time.
#define HEAD_GROUPS ((HEADS + HEAD_GROUP - 1) / HEAD_GROUP)
#define HEAD_STAGE_BYTES (64 * HEAD_GROUP)

// Shared memory. `plan.rs` counts the same bytes.
#define WEIGHTS_AT 0
#define S_AT (STAGES * STAGE_BYTES)
#define X_AT (S_AT + (FP8 ? ROWS * SKIP_ROW_BYTES : 0))
#define T_AT (X_AT + ROWS * ROW_BYTES)
#define ZEROS_AT (T_AT + ROWS * T_ROW_BYTES)
// Where rows that belong to no square are written.
#define WASTE_AT (ZEROS_AT + WIDEST_ROW)
#define POSITIONS_AT (WASTE_AT + SKIP_ROW_BYTES)
#define BARRIERS_AT (POSITIONS_AT + 2 * BOARDS * STRIDE)
#define SCRATCH_AT S_AT
static_assert(BARRIERS_AT + 8 * (2 * STAGES + 4) == SHARED_BYTES, "plan.rs counts other bytes");
static_assert(4 * BOARDS * SCRATCH_WORDS <= T_AT - SCRATCH_AT, "no room for what planes are made of");
static_assert(HEAD_STAGE_BYTES <= STAGE_BYTES, "a stage has no room for weights of the heads");

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

__device__ __forceinline__ void produce(u32 base, u32 full, u32 empty, const u8* weights, int blocks, int rounds) {
    Stage stage = {0, 1};
    const int tower_stages = 9 * (INPUTS / STEP) + 2 * blocks * 9 * (CHANNELS / STEP);
    const int stages = tower_stages + HEAD_GROUPS * (CHANNELS / 32);
    for (int round = 0; round < rounds; round++) {
        const u8* from = weights;
        for (int i = 0; i < stages; i++) {
            const u32 bytes = i < tower_stages ? STAGE_BYTES : HEAD_STAGE_BYTES;
            const u32 to = base + WEIGHTS_AT + stage.index * STAGE_BYTES, barrier = full + 8 * stage.index;
            barrier_wait(empty + 8 * stage.index, stage.phase);
            barrier_expect(barrier, bytes);
            copy_to_shared(to, from, bytes, barrier);
            from += bytes;
            stage.next();
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS + 128, 1) tower(
    const u8* __restrict__ positions, const u8* __restrict__ weights, const float* __restrict__ biases,
    float* __restrict__ policy, u16* __restrict__ reduced, float* __restrict__ ownership, int first, int count, int blocks)
{
    extern __shared__ __align__(1024) u8 shared[];
    const u32 base = shared_address(shared);
    const int thread = threadIdx.x, lane = thread & 31;
    const u32 full = base + BARRIERS_AT, empty = full + 8 * STAGES, filled = empty + 8 * STAGES, taken = filled + 16;
    if (thread == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(full + 8 * i, 1);
            barrier_init(empty + 8 * i, 4 * WARPGROUPS);
        }
        for (int i = 0; i < 2; i++) {
            barrier_init(filled + 8 * i, 1);
            barrier_init(taken + 8 * i, 4 * WARPGROUPS);
        }
        barrier_init_fence();
    }
    for (int i = thread; i < WIDEST_ROW / 4; i += THREADS + 128) *(u32*)(shared + ZEROS_AT + 4 * i) = 0;
    const int tiles = (count + BOARDS - 1) / BOARDS;
    const int rounds = (int)blockIdx.x < tiles ? (tiles - 1 - (int)blockIdx.x) / (int)gridDim.x + 1 : 0;
    __syncthreads();

    if (thread >= THREADS) {
        // A block starts with 168 registers a thread and has no others (128 with three warpgroups of consumers): 128 * (168 - 24) given are
        // 256 * (240 - 168) taken, and 128 * (128 - 24) are enough for 384 * (160 - 128). One register less given, and the consumers wait
        // for ever.
        REGISTERS_GIVE(24);
        if (thread == THREADS) produce(base, full, empty, weights, blocks, rounds);
        if (!DENSE && thread >= THREADS + 32 && thread < THREADS + 64) {
            for (int round = 0; round < rounds; round++) {
                const int buffer = round & 1, board0 = ((int)blockIdx.x + round * (int)gridDim.x) * BOARDS;
                barrier_wait(taken + 8 * buffer, (round >> 1 & 1) ^ 1);
                for (int i = lane; i < BOARDS * (STRIDE / 16); i += 32) {
                    if (board0 + i / (STRIDE / 16) < count) {
                        const uint4* from = (const uint4*)(positions + (u64)(first + board0) * STRIDE) + i;
                        *(uint4*)(shared + POSITIONS_AT + buffer * BOARDS * STRIDE + 16 * i) = *from;
                    }
                }
                __syncwarp();
                if (lane == 0) barrier_arrive(filled + 8 * buffer);
            }
        }
    } else {
#if WARPGROUPS == 2
        REGISTERS_TAKE(240);
#else
        REGISTERS_TAKE(160);
#endif
        const u32 upper = lane >> 4;
        // The row of the left factor whose address this lane gives, in the first tile of its warpgroup.
        const int row0 = (thread >> 7) * 64 * TILES + ((thread >> 5) & 3) * 16 + (lane & 15);
        u32 taps[TILES];
#pragma unroll
        for (int t = 0; t < TILES; t++) taps[t] = taps_on_board(row0 + 64 * t);
        Stage stage = {0, 0};
        for (int round = 0; round < rounds; round++) {
            const int board0 = ((int)blockIdx.x + round * (int)gridDim.x) * BOARDS;
            {
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
                const int buffer = round & 1;
                const u8* packed = shared + POSITIONS_AT + buffer * BOARDS * STRIDE;
                u32* scratch = (u32*)(shared + SCRATCH_AT);
                barrier_wait(filled + 8 * buffer, round >> 1 & 1);
                prepare(packed, scratch, BOARDS, thread);
                for (int row = thread; row < ROWS; row += THREADS) {
                    const int board = row / SQUARES;
                    Planes planes = {0, 0, 0};
                    if (board0 + board < count) planes = planes_of(packed + board * STRIDE, scratch, board, row % SQUARES);
#pragma unroll
                    for (int chunk = 0; chunk < INPUT_ROW_BYTES / 16; chunk++)
                        *(uint4*)(shared + T_AT + row * INPUT_ROW_BYTES + ((chunk ^ swizzle<INPUT_ROW_BYTES / 2>(row)) << 4)) =
                            FP8 ? plane_chunk_of_bytes(planes, chunk) : plane_chunk(planes, chunk);
                }
                __syncwarp();
                if (lane == 0) barrier_arrive(taken + 8 * buffer);
#endif
            }
            GROUP_SYNC();
            const float* bias = biases;
#pragma unroll 1
            for (int layer = 0; layer <= 2 * blocks; layer++) {
                float sums[TILES][CHANNELS / 2];
#pragma unroll
                for (int t = 0; t < TILES; t++) {
#pragma unroll
                    for (int i = 0; i < CHANNELS / 2; i++) sums[t][i] = 0.0f;
                }
                products_fence();
                const bool first_half = layer & 1;
                const u32 from = base + (first_half ? X_AT : T_AT), to = base + (first_half ? T_AT : X_AT);
                const u32 stride = layer == 0 ? INPUT_ROW_BYTES : ROW_BYTES;
                // The biases are on their way while products run. (Larger forms have no register left for it.)
                if (TILES == 1 && thread < CHANNELS / 32) prefetch(bias + 32 * thread);
                const int steps = layer == 0 ? INPUTS / STEP : CHANNELS / STEP;
                u32 left_factor[2][2][4];
#pragma unroll 1
                for (int tap = 0; tap < 9; tap++) {
                    const int shift = (tap / 3 - 1) * BOARD + tap % 3 - 1;
                    u32 left[TILES], swizzled[TILES];
#pragma unroll
                    for (int t = 0; t < TILES; t++) {
                        const int row = row0 + 64 * t + shift;
                        swizzled[t] = (layer == 0 ? swizzle<INPUT_ROW_BYTES / 2>(row) : swizzle<ROW_BYTES / 2>(row)) << 4;
                        left[t] = ((taps[t] >> tap) & 1) ? from + row * stride : base + ZEROS_AT;
                    }
#pragma unroll 1
                    for (int steps_done = 0; steps_done < steps; steps_done += TURNS) {
#pragma unroll
                        for (int turn = 0; turn < TURNS; turn++) {
                            const int step = steps_done + turn;
                            if (TURNS > 1 && step >= steps) continue;
                            const u32 chunk = (step * 4 + upper) << 4;
                            const u64 right = matrix_at(base + WEIGHTS_AT + stage.index * STAGE_BYTES, 16 * CHANNELS);
                            barrier_wait(full + 8 * stage.index, stage.phase);
#pragma unroll
                            for (int t = 0; t < TILES; t++) {
                                u32 (&a)[2][4] = left_factor[(t + turn) & 1];
                                // The products before the last ones are done, and their registers free. After an odd number of turns the
                                // last ones have used the same set.
                                if (t == 0 && (TILES == 1 ? step == 0 && (steps & 1) : TILES % 2 == 1)) PRODUCTS_WAIT_FOR_ALL_BUT(0);
                                else PRODUCTS_WAIT_FOR_ALL_BUT(1);
                                // Then all products with the stage before this one are done.
                                if (t == 1 && (tap | step)) release(empty, stage.before(), lane);
                                load_matrices(a[0], left[t] + (chunk ^ swizzled[t]));
                                load_matrices(a[1], left[t] + ((chunk + 32) ^ swizzled[t]));
                                products_fence();
                                product_tower(sums[t], a[0], right);
                                product_tower(sums[t], a[1], right + (32 * CHANNELS >> 4));
                                products_commit();
                            }
                            if (TILES == 1) {
                                PRODUCTS_WAIT_FOR_ALL_BUT(1);
                                if (tap | step) release(empty, stage.before(), lane);
                            }
                            stage.next();
                        }
                    }
                }
                PRODUCTS_WAIT_FOR_ALL_BUT(0);
                release(empty, stage.before(), lane);
                const bool skip = layer && !first_half;
#if FP8
                const float* scale = bias + CHANNELS;
#pragma unroll
                for (int i = 0; i < CHANNELS / 8; i += 4) {
#pragma unroll
                    for (int t = 0; t < TILES; t++) {
                        const int row = row0 + 64 * t;
                        u32 bytes[4];
#pragma unroll
                        for (int half = 0; half < 2; half++) {
                            const int column = i + 2 * half, place = 8 * column + 2 * (lane & 3);
                            const float2 near = __ldg((const float2*)(bias + place)), far = __ldg((const float2*)(bias + place + 8));
                            const float2 by = __ldg((const float2*)(scale + place)), far_by = __ldg((const float2*)(scale + place + 8));
                            const float* s = &sums[t][4 * column];
                            float v0 = s[0] * by.x + near.x, v1 = s[1] * by.y + near.y, v2 = s[2] * by.x + near.x, v3 = s[3] * by.y + near.y;
                            float v4 = s[4] * far_by.x + far.x, v5 = s[5] * far_by.y + far.y, v6 = s[6] * far_by.x + far.x, v7 = s[7] * far_by.y + far.y;
                            const u32 at = (row < ROWS ? base + S_AT + row * SKIP_ROW_BYTES : base + WASTE_AT) + (((column + upper) ^ swizzle<CHANNELS>(row)) << 4);
                            if (skip) {
                                u32 old[4];
                                load_matrices(old, at);
                                add_halves(old[0], v0, v1);
                                add_halves(old[1], v2, v3);
                                add_halves(old[2], v4, v5);
                                add_halves(old[3], v6, v7);
                            }
                            if (!first_half)
                                store_matrices(at, activated_halves(v0, v1), activated_halves(v2, v3), activated_halves(v4, v5), activated_halves(v6, v7));
                            bytes[2 * half] = activated_bytes(v0, v1) | activated_bytes(v4, v5) << 16;
                            bytes[2 * half + 1] = activated_bytes(v2, v3) | activated_bytes(v6, v7) << 16;
                        }
                        const u32 at = (row < ROWS ? to + row * ROW_BYTES : base + WASTE_AT) + (((i / 2 + upper) ^ swizzle<ROW_BYTES / 2>(row)) << 4);
                        store_matrices(at, bytes[0], bytes[1], bytes[2], bytes[3]);
                    }
                }
                bias += 2 * CHANNELS;
#else
#pragma unroll
                for (int i = 0; i < CHANNELS / 8; i += 2) {
                    const float2 near = __ldg((const float2*)(bias + 8 * i + 2 * (lane & 3)));
                    const float2 far = __ldg((const float2*)(bias + 8 * i + 8 + 2 * (lane & 3)));
#pragma unroll
                    for (int t = 0; t < TILES; t++) {
                        const float* s = &sums[t][4 * i];
                        float v0 = s[0] + near.x, v1 = s[1] + near.y, v2 = s[2] + near.x, v3 = s[3] + near.y;
                        float v4 = s[4] + far.x, v5 = s[5] + far.y, v6 = s[6] + far.x, v7 = s[7] + far.y;
                        const int row = row0 + 64 * t;
                        const u32 at = (row < ROWS ? to + row * ROW_BYTES : base + WASTE_AT) + (((i + upper) ^ swizzle<CHANNELS>(row)) << 4);
                        if (skip) {
                            u32 old[4];
                            load_matrices(old, at);
                            add_halves(old[0], v0, v1);
                            add_halves(old[1], v2, v3);
                            add_halves(old[2], v4, v5);
                            add_halves(old[3], v6, v7);
                        }
                        store_matrices(at, activated_halves(v0, v1), activated_halves(v2, v3), activated_halves(v4, v5), activated_halves(v6, v7));
                    }
                }
                bias += CHANNELS;
#endif
                GROUP_SYNC();
            }
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
                        const int row = row0 + 64 * t;
                        const u32 left = row < ROWS ? base + S_AT + row * SKIP_ROW_BYTES : base + ZEROS_AT;
                        PRODUCTS_WAIT_FOR_ALL_BUT(1);
                        load_matrices(a[t & 1][0], left + (((step * 4 + upper) ^ swizzle<CHANNELS>(row)) << 4));
                        load_matrices(a[t & 1][1], left + (((step * 4 + 2 + upper) ^ swizzle<CHANNELS>(row)) << 4));
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
                    const int result = (thread >> 7) * 64 * TILES + 64 * t + ((thread >> 5) & 3) * 16 + (lane >> 2);
#pragma unroll
                    for (int half = 0; half < 2; half++) {
                        const int row = result + 8 * half, board = row / SQUARES;
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
            GROUP_SYNC();
        }
    }
}
