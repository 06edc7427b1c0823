// The last kernel of a batch: blocks below `value_blocks` compute value and score of sixteen positions, the others gather the logits of the
// moves that were asked for, a warp for each position.
//
// Each block of the first kind has 32 hidden numbers of its sixteen positions, and its warps share the features: a block alone would take as
// long for the weights of all of them as for a layer of the tower. The one that is done last adds up.

// Steps of 16 features; groups of 32 hidden numbers.
#define FEATURE_STEPS (PRODUCTS * FEATURES / 16)
#define FEATURE_ROW (TERMS * FEATURES)
#define HIDDEN_GROUPS (HIDDEN / 32)
#define FINISH_WARPS 16
// Sums of a warp's product: tiles of 8 hidden numbers.
#define HIDDEN_TILES 4

// What a group of hidden numbers adds to the four outputs of each of sixteen positions.
#define PART_NUMBERS 64

// The outputs of a position as the answer.
__device__ __forceinline__ float4 answer_of(const float (&logits)[4]) {
    float4 answer;
    answer.w = logits[3];
#if WIN_DRAW_LOSS
    const float most = fmaxf(logits[0], fmaxf(logits[1], logits[2]));
    const float win = expf(logits[0] - most), draw = expf(logits[1] - most), loss = expf(logits[2] - most);
    const float all = win + draw + loss;
    answer.x = win / all;
    answer.y = draw / all;
    answer.z = loss / all;
#else
    answer.x = 1.0f / (1.0f + expf(-logits[0]));
    answer.y = 0.0f;
    answer.z = 1.0f - answer.x;
#endif
    return answer;
}

__device__ void values(int block, const u16* __restrict__ reduced, const uint4* __restrict__ hidden_weights,
                       const float* __restrict__ hidden_bias, const float* __restrict__ last_weights, const float* __restrict__ last_bias,
                       float4* __restrict__ answers, float* __restrict__ parts, u32* __restrict__ done, int count) {
    __shared__ float4 shares[FINISH_WARPS][HIDDEN_TILES][32];
    __shared__ float of_tiles[HIDDEN_TILES][16][4];
    __shared__ bool is_last;
    const int thread = threadIdx.x, warp = thread >> 5, lane = thread & 31;
    const int group = block % HIDDEN_GROUPS, sixteen = block / HIDDEN_GROUPS, first = 16 * sixteen;
    // Rows of the left factor beyond the batch repeat its last position.
    const int upper = min(first + (lane >> 2), count - 1), lower = min(first + (lane >> 2) + 8, count - 1);
    const u32* upper_row = (const u32*)(reduced + (u64)upper * FEATURE_ROW) + (lane & 3);
    const u32* lower_row = (const u32*)(reduced + (u64)lower * FEATURE_ROW) + (lane & 3);
    const uint4* weights = hidden_weights + ((u64)group * FEATURE_STEPS * 32 + lane) * 2;
    const int last_step = FEATURE_STEPS * (warp + 1) / FINISH_WARPS;
    float sums[HIDDEN_TILES][4] = {};
#pragma unroll 6
    for (int step = FEATURE_STEPS * warp / FINISH_WARPS; step < last_step; step++) {
        // The third product reads what the first has read.
        const int at = 8 * (step < FEATURE_ROW / 16 ? step : step - FEATURE_ROW / 16);
        const u32 a[4] = {__ldg(upper_row + at), __ldg(lower_row + at), __ldg(upper_row + at + 4), __ldg(lower_row + at + 4)};
        const uint4 b = __ldg(weights + 64 * step), c = __ldg(weights + 64 * step + 1);
        multiply(sums[0], a, b.x, b.y);
        multiply(sums[1], a, b.z, b.w);
        multiply(sums[2], a, c.x, c.y);
        multiply(sums[3], a, c.z, c.w);
    }
#pragma unroll
    for (int tile = 0; tile < HIDDEN_TILES; tile++) shares[warp][tile][lane] = make_float4(sums[tile][0], sums[tile][1], sums[tile][2], sums[tile][3]);
    __syncthreads();
    if (warp < HIDDEN_TILES) {
        float all[4] = {};
        for (int other = 0; other < FINISH_WARPS; other++) {
            const float4 share = shares[other][warp][lane];
            all[0] += share.x;
            all[1] += share.y;
            all[2] += share.z;
            all[3] += share.w;
        }
        float outputs[2][4] = {};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int column = group * 32 + warp * 8 + 2 * (lane & 3) + (k & 1);
            const float hidden = activate(all[k] + __ldg(hidden_bias + column));
#pragma unroll
            for (int output = 0; output < 4; output++) outputs[k >> 1][output] += hidden * __ldg(last_weights + output * HIDDEN + column);
        }
#pragma unroll
        for (int half = 0; half < 2; half++) {
#pragma unroll
            for (int output = 0; output < 4; output++) {
                float sum = outputs[half][output];
                sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 1);
                sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 2);
                if ((lane & 3) == 0) of_tiles[warp][(lane >> 2) + 8 * half][output] = sum;
            }
        }
    }
    __syncthreads();
    float* const own = parts + (u64)sixteen * HIDDEN_GROUPS * PART_NUMBERS;
    if (thread < PART_NUMBERS) {
        float sum = 0.0f;
#pragma unroll
        for (int tile = 0; tile < HIDDEN_TILES; tile++) sum += (&of_tiles[tile][0][0])[thread];
        __stcg(own + group * PART_NUMBERS + thread, sum);
        __threadfence();
    }
    __syncthreads();
    // The count is zero again after the last one, for the next batch.
    if (thread == 0) is_last = atomicInc(done + sixteen, HIDDEN_GROUPS - 1) == HIDDEN_GROUPS - 1;
    __syncthreads();
    if (!is_last || thread >= 16 || first + thread >= count) return;
    __threadfence();
    float logits[4];
#pragma unroll
    for (int output = 0; output < 4; output++) logits[output] = __ldg(last_bias + output);
#pragma unroll 4
    for (int part = 0; part < HIDDEN_GROUPS; part++) {
        const float4 more = __ldcg((const float4*)(own + part * PART_NUMBERS) + thread);
        logits[0] += more.x;
        logits[1] += more.y;
        logits[2] += more.z;
        logits[3] += more.w;
    }
    answers[first + thread] = answer_of(logits);
}

extern "C" __global__ void __launch_bounds__(32 * FINISH_WARPS) finish(
    const u16* __restrict__ reduced, const float* __restrict__ policy, const uint4* __restrict__ hidden_weights,
    const float* __restrict__ hidden_bias, const float* __restrict__ last_weights, const float* __restrict__ last_bias,
    const float* __restrict__ label_bias, const u16* __restrict__ labels, const u32* __restrict__ ends,
    float4* __restrict__ answers, float* __restrict__ logits, float* __restrict__ parts, u32* __restrict__ done, int count, int value_blocks)
{
    if ((int)blockIdx.x < value_blocks) {
        values(blockIdx.x, reduced, hidden_weights, hidden_bias, last_weights, last_bias, answers, parts, done, count);
        return;
    }
    const int position = ((int)blockIdx.x - value_blocks) * FINISH_WARPS + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (position >= count) return;
    const float* own = policy + (u64)position * POLICY_STRIDE;
    const u32 begin = position ? ends[position - 1] : 0, end = ends[position];
    float pass = 0.0f;
#if PASS
    for (int square = lane; square < SQUARES; square += 32) pass += own[POLICY_PLANES * SQUARES + square];
    for (int other = 16; other; other >>= 1) pass += __shfl_xor_sync(0xFFFFFFFFu, pass, other);
    pass = pass / SQUARES + __ldg(last_bias + 4);
#endif
    for (u32 i = begin + lane; i < end; i += 32) {
        const u32 label = labels[i];
        float logit = label < POLICY_PLANES * SQUARES ? own[label] : pass;
        if (label_bias) logit += __ldg(label_bias + label);
        logits[i] = logit;
    }
}
