// The last kernel of a batch: blocks below `value_blocks` compute value and score of sixteen positions each, the others gather the logits
// of the moves that were asked for, a warp for each position.

// K steps of 16 features; groups of 32 hidden numbers. A group's steps are shared by SHARES warps: one after the other they would take as
// long as a layer of the tower.
#define FEATURE_STEPS (FEATURES / 16)
#define HIDDEN_GROUPS (HIDDEN / 32)
#define SHARES 3
#define GROUPS_AT_ONCE 8
#define FINISH_WARPS (SHARES * GROUPS_AT_ONCE)

__device__ void values(int block, const u16* __restrict__ reduced, const uint4* __restrict__ hidden_weights,
                       const float* __restrict__ hidden_bias, const float* __restrict__ last_weights, const float* __restrict__ last_bias,
                       float4* __restrict__ answers, int count) {
    __shared__ float parts[GROUPS_AT_ONCE][16][4];
    __shared__ float4 shares[SHARES - 1][GROUPS_AT_ONCE][4][32];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int share = warp / GROUPS_AT_ONCE, place = warp % GROUPS_AT_ONCE;
    const int first = block * 16;
    // Rows of the left factor beyond the batch repeat its last position.
    const int upper = min(first + (lane >> 2), count - 1), lower = min(first + (lane >> 2) + 8, count - 1);
    const u32* upper_row = (const u32*)(reduced + (u64)upper * FEATURES) + (lane & 3);
    const u32* lower_row = (const u32*)(reduced + (u64)lower * FEATURES) + (lane & 3);
    float outputs[2][4] = {};
    for (int round = 0; round < (HIDDEN_GROUPS + GROUPS_AT_ONCE - 1) / GROUPS_AT_ONCE; round++) {
        const int group = round * GROUPS_AT_ONCE + place;
        const bool there = group < HIDDEN_GROUPS;
        float sums[4][4] = {};
        const uint4* weights = hidden_weights + ((u64)(there ? group : 0) * FEATURE_STEPS * 32 + lane) * 2;
        const int last = FEATURE_STEPS * (share + 1) / SHARES;
#pragma unroll 8
        for (int step = FEATURE_STEPS * share / SHARES; step < last; step++) {
            const u32 a[4] = {__ldg(upper_row + 8 * step), __ldg(lower_row + 8 * step), __ldg(upper_row + 8 * step + 4),
                              __ldg(lower_row + 8 * step + 4)};
            const uint4 b = __ldg(weights + 64 * step), c = __ldg(weights + 64 * step + 1);
            multiply(sums[0], a, b.x, b.y);
            multiply(sums[1], a, b.z, b.w);
            multiply(sums[2], a, c.x, c.y);
            multiply(sums[3], a, c.z, c.w);
        }
        if (share > 0) {
#pragma unroll
            for (int tile = 0; tile < 4; tile++) shares[share - 1][place][tile][lane] = make_float4(sums[tile][0], sums[tile][1], sums[tile][2], sums[tile][3]);
        }
        __syncthreads();
        if (share == 0 && there) {
#pragma unroll
            for (int tile = 0; tile < 4; tile++) {
                for (int other = 0; other < SHARES - 1; other++) {
                    const float4 more = shares[other][place][tile][lane];
                    sums[tile][0] += more.x;
                    sums[tile][1] += more.y;
                    sums[tile][2] += more.z;
                    sums[tile][3] += more.w;
                }
            }
        }
        __syncthreads();
        if (share > 0 || !there) continue;
#pragma unroll
        for (int tile = 0; tile < 4; tile++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const int column = group * 32 + tile * 8 + 2 * (lane & 3) + (k & 1);
                const float hidden = activate(sums[tile][k] + __ldg(hidden_bias + column));
#pragma unroll
                for (int output = 0; output < 4; output++) outputs[k >> 1][output] += hidden * __ldg(last_weights + output * HIDDEN + column);
            }
        }
    }
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll
        for (int output = 0; output < 4; output++) {
            float sum = outputs[half][output];
            sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 1);
            sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 2);
            if (share == 0 && (lane & 3) == 0) parts[place][(lane >> 2) + 8 * half][output] = sum;
        }
    }
    __syncthreads();
    const int row = threadIdx.x;
    if (row >= 16 || first + row >= count) return;
    float logits[4];
#pragma unroll
    for (int output = 0; output < 4; output++) {
        logits[output] = __ldg(last_bias + output);
        for (int part = 0; part < GROUPS_AT_ONCE; part++) logits[output] += parts[part][row][output];
    }
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
    answers[first + row] = answer;
}

extern "C" __global__ void __launch_bounds__(32 * FINISH_WARPS) finish(
    const u16* __restrict__ reduced, const float* __restrict__ policy, const uint4* __restrict__ hidden_weights,
    const float* __restrict__ hidden_bias, const float* __restrict__ last_weights, const float* __restrict__ last_bias,
    const float* __restrict__ label_bias, const u16* __restrict__ labels, const u32* __restrict__ ends,
    float4* __restrict__ answers, float* __restrict__ logits, int count, int value_blocks)
{
    if ((int)blockIdx.x < value_blocks) {
        values(blockIdx.x, reduced, hidden_weights, hidden_bias, last_weights, last_bias, answers, count);
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
