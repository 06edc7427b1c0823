// From a packed position to planes: the same as `Layout::expand`. Threads work together on several boards, a row for each square.
//
// GROUP_SYNC() is a barrier of the THREADS threads that expand, GROUP_ANY(x) the same and whether x holds for any of them.

// Planes that are set on a square, one bit each; on Go boards also the value of the plane that is neither 0 nor 1.
struct Planes {
    u64 low, high;
    // In its upper bits what rounding to half leaves of it.
    u32 komi;
    __device__ __forceinline__ void set(u32 plane) {
        if (plane < 64) low |= 1ull << plane;
        else high |= 1ull << (plane - 64);
    }
    // The first `count` planes from `first` on.
    __device__ __forceinline__ void set_first(u32 first, u32 count) {
        const u64 bits = (1ull << count) - 1;
        if (first < 64) low |= bits << first;
        if (first >= 64) high |= bits << (first - 64);
        else if (first > 0) high |= bits >> (64 - first);
    }
};

// Two halves, 0.0 or 1.0, of two bits.
__device__ __forceinline__ u32 bits_to_halves(u32 bits) { return ((bits & 1) ? 0x3C00u : 0u) | ((bits & 2) ? 0x3C000000u : 0u); }

// Eight halves: planes 8 * chunk and the seven that follow.
__device__ __forceinline__ uint4 plane_chunk(const Planes& planes, int chunk) {
    const u32 bits = (u32)((chunk < 8 ? planes.low >> (8 * chunk) : planes.high >> (8 * (chunk - 8))) & 255);
    uint4 eight = make_uint4(bits_to_halves(bits), bits_to_halves(bits >> 2), bits_to_halves(bits >> 4), bits_to_halves(bits >> 6));
#if LAYOUT == LAYOUT_GO
    if (chunk == 1) eight.z = (eight.z & 0xFFFFu) | planes.komi << 16;
#endif
    return eight;
}

// What halves leave of the same planes.
__device__ __forceinline__ uint4 left_of_chunk(const Planes& planes, int chunk) {
    uint4 eight = make_uint4(0, 0, 0, 0);
#if LAYOUT == LAYOUT_GO
    if (chunk == 1) eight.z = planes.komi & 0xFFFF0000u;
#endif
    return eight;
}

// Sixteen numbers of eight bits (e4m3): planes 16 * chunk and the fifteen that follow.
__device__ __forceinline__ u32 bits_to_bytes(u32 bits) {
    return ((bits & 1) ? 0x38u : 0u) | ((bits & 2) ? 0x3800u : 0u) | ((bits & 4) ? 0x380000u : 0u) | ((bits & 8) ? 0x38000000u : 0u);
}

__device__ __forceinline__ uint4 plane_chunk_of_bytes(const Planes& planes, int chunk) {
    const u32 bits = (u32)((chunk < 4 ? planes.low >> (16 * chunk) : planes.high >> (16 * (chunk - 4))) & 65535);
    uint4 all = make_uint4(bits_to_bytes(bits), bits_to_bytes(bits >> 4), bits_to_bytes(bits >> 8), bits_to_bytes(bits >> 12));
#if LAYOUT == LAYOUT_GO && FP8
    if (chunk == 0) {
        u16 komi;
        asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;\n" : "=h"(komi) : "r"(planes.komi));
        all.w = (all.w & 0xFFFF00FFu) | (u32)(komi & 255) << 8;
    }
#endif
    return all;
}

__device__ __forceinline__ bool bit_of(const u8* field, int index) { return field[index >> 3] >> (index & 7) & 1; }

#if LAYOUT == LAYOUT_SHOGI || LAYOUT == LAYOUT_MINISHOGI
// PLANE_OF_CODE: one more than the plane of each byte of a square, 0 for none. HAND_FIRST, HAND_MOST: the first plane and the number of
// planes of each kind in hand, own first.
__constant__ u8 plane_of_code[32] = {PLANE_OF_CODE};

#define SCRATCH_WORDS 0
__device__ __forceinline__ void prepare(const u8*, u32*, int, int) {}

__device__ __forceinline__ Planes planes_of(const u8* packed, const u32*, int, int square) {
    constexpr u8 first[14] = {HAND_FIRST};
    constexpr u8 most[14] = {HAND_MOST};
    Planes planes = {0, 0, 0};
    const u32 plane = plane_of_code[packed[square] & 31];
    if (plane) planes.set(plane - 1);
#pragma unroll
    for (int i = 0; i < 14; i++) {
        const u32 held = packed[SQUARES + i];
        planes.set_first(first[i], held < most[i] ? held : most[i]);
    }
    return planes;
}
#endif

#if LAYOUT == LAYOUT_DLSHOGI
// Eight directions as (file, rank) steps: up, up to both sides, sideways, down, down to both sides; and the opposite of each.
__constant__ signed char step_file[8] = {0, -1, 1, -1, 1, 0, -1, 1};
__constant__ signed char step_rank[8] = {-1, -1, -1, 0, 0, 1, 1, 1};
__constant__ u8 opposite[8] = {5, 7, 6, 4, 3, 0, 2, 1};
// Directions in which each kind takes one step, and in which it slides.
__constant__ u8 steps_of[14] = {0x01, 0, 0, 0xC7, 0, 0, 0x3F, 0xFF, 0x3F, 0x3F, 0x3F, 0x3F, 0x39, 0xC6};
__constant__ u8 slides_of[14] = {0, 0x01, 0, 0, 0xC6, 0x39, 0, 0, 0, 0, 0, 0, 0xC6, 0x39};
#define KNIGHT 2
#define KING_CODE 8

// Bits of the kinds that attack a square, and by how many pieces it is attacked, for each side.
struct Attacks {
    u32 kinds[2], times[2];
    __device__ __forceinline__ void add(u32 side, u32 kind) {
        kinds[side] |= 1u << kind;
        times[side]++;
    }
};

__device__ Attacks attacks_on(const u8* packed, int square) {
    Attacks attacks = {{0, 0}, {0, 0}};
    const int file = square / 9, rank = square % 9;
    for (int direction = 0; direction < 8; direction++) {
        int f = file, r = rank;
        for (int distance = 1; distance < 9; distance++) {
            f += step_file[direction];
            r += step_rank[direction];
            if ((unsigned)f >= 9 || (unsigned)r >= 9) break;
            const u32 code = packed[9 * f + r];
            if (code == 0 || code > 28) {
                if (code) break;
                continue;
            }
            const u32 side = code > 14, kind = (code - 1) % 14;
            // The viewer's pieces move as the tables say, the opponent's the other way round.
            const u32 way = 1u << (side ? direction : opposite[direction]);
            if ((slides_of[kind] & way) || (distance == 1 && (steps_of[kind] & way))) attacks.add(side, kind);
            break;
        }
    }
    for (int i = 0; i < 4; i++) {
        const u32 side = i >> 1;
        const int f = file + ((i & 1) ? 1 : -1), r = rank + (side ? -2 : 2);
        if ((unsigned)f < 9 && (unsigned)r < 9 && packed[9 * f + r] == 14 * side + KNIGHT + 1) attacks.add(side, KNIGHT);
    }
    return attacks;
}

// A word for each board: whether the viewer is in check.
#define SCRATCH_WORDS 1
__device__ __forceinline__ void prepare(const u8* packed, u32* scratch, int boards, int thread) {
    for (int board = thread; board < boards; board += THREADS) scratch[board] = 0;
    GROUP_SYNC();
    for (int row = thread; row < boards * SQUARES; row += THREADS) {
        const u8* position = packed + row / SQUARES * STRIDE;
        if (position[row % SQUARES] == KING_CODE && attacks_on(position, row % SQUARES).times[1]) scratch[row / SQUARES] = 1;
    }
    GROUP_SYNC();
}

__device__ __forceinline__ Planes planes_of(const u8* packed, const u32* scratch, int board, int square) {
    Planes planes = {0, 0, 0};
    const u32 code = packed[square];
    if (code && code <= 28) planes.set((code - 1) / 14 * 31 + (code - 1) % 14);
    const Attacks attacks = attacks_on(packed, square);
    constexpr u8 kinds[7] = {0, 1, 2, 3, 6, 4, 5}, most[7] = {8, 4, 4, 4, 4, 2, 2};
#pragma unroll
    for (int side = 0; side < 2; side++) {
        // Fourteen bits of kinds do not cross from one word into the other: 14..28 and 45..59.
        planes.low |= (u64)attacks.kinds[side] << (31 * side + 14);
        planes.set_first(31 * side + 28, attacks.times[side] < 3 ? attacks.times[side] : 3);
        u32 first = 62 + 28 * side;
#pragma unroll
        for (int i = 0; i < 7; i++) {
            const u32 held = packed[81 + 7 * side + kinds[i]];
            planes.set_first(first, held < most[i] ? held : most[i]);
            first += most[i];
        }
    }
    if (scratch[board]) planes.set(118);
    return planes;
}
#endif

#if LAYOUT == LAYOUT_GO
#define OPPONENT_AT 46
#define KO_AT 92
#define LAST_AT 94
#define BEFORE_AT 96
#define KOMI_AT 98
#define FLAGS_AT 100
#define PASSED 65534

__device__ __forceinline__ u32 word_at(const u8* packed, int at) { return packed[at] | packed[at + 1] << 8; }

// 0 for an empty point, 1 for the viewer, 2 for the opponent.
__device__ __forceinline__ u32 stone_at(const u8* packed, int point) {
    return bit_of(packed, point) ? 1 : bit_of(packed + OPPONENT_AT, point) ? 2 : 0;
}

// The neighbour of a point in one of four directions, or -1.
__device__ __forceinline__ int beside(int point, int direction) {
    const int x = point % BOARD, y = point / BOARD;
    switch (direction) {
        case 0: return x > 0 ? point - 1 : -1;
        case 1: return x + 1 < BOARD ? point + 1 : -1;
        case 2: return y > 0 ? point - BOARD : -1;
        default: return y + 1 < BOARD ? point + BOARD : -1;
    }
}

// Two words for each point: the least point of its chain, and for that point how many liberties the chain has.
#define SCRATCH_WORDS (2 * SQUARES)
__device__ void prepare(const u8* packed, u32* scratch, int boards, int thread) {
    const int rows = boards * SQUARES;
    volatile u32* root = scratch;
    u32* liberties = scratch + rows;
    for (int row = thread; row < rows; row += THREADS) {
        root[row] = row % SQUARES;
        liberties[row] = 0;
    }
    GROUP_SYNC();
    bool changed;
    do {
        changed = false;
        for (int row = thread; row < rows; row += THREADS) {
            const int board = row / SQUARES, point = row % SQUARES;
            const u8* position = packed + board * STRIDE;
            const u32 stone = stone_at(position, point);
            if (!stone) continue;
            volatile u32* roots = root + board * SQUARES;
            const u32 old = roots[point];
            u32 least = roots[old];
            for (int direction = 0; direction < 4; direction++) {
                const int next = beside(point, direction);
                if (next >= 0 && stone_at(position, next) == stone) {
                    const u32 other = roots[next];
                    least = other < least ? other : least;
                }
            }
            if (least < old) {
                roots[point] = least;
                changed = true;
            }
        }
    } while (GROUP_ANY(changed));
    for (int row = thread; row < rows; row += THREADS) {
        const int board = row / SQUARES, point = row % SQUARES;
        const u8* position = packed + board * STRIDE;
        if (stone_at(position, point)) continue;
        u32 chains[4];
        for (int direction = 0; direction < 4; direction++) {
            const int next = beside(point, direction);
            chains[direction] = next >= 0 && stone_at(position, next) ? root[board * SQUARES + next] : 0xFFFFu;
            bool counted = chains[direction] == 0xFFFFu;
            for (int earlier = 0; earlier < direction; earlier++) counted |= chains[earlier] == chains[direction];
            if (!counted) atomicAdd(&liberties[board * SQUARES + chains[direction]], 1u);
        }
    }
    GROUP_SYNC();
}

__device__ __forceinline__ Planes planes_of(const u8* packed, const u32* scratch, int board, int point) {
    // `prepare` was called for BOARDS boards.
    const u32* root = scratch + board * SQUARES;
    const u32* liberties = scratch + (BOARDS + board) * SQUARES;
    Planes planes = {0, 0, 0};
    const u32 stone = stone_at(packed, point);
    if (stone) {
        const u32 count = liberties[root[point]];
        planes.set(stone - 1);
        planes.set(2 + 3 * (stone - 1) + (count < 1 ? 0 : count > 3 ? 2 : count - 1));
    }
    if (word_at(packed, KO_AT) == point) planes.set(8);
    if (word_at(packed, LAST_AT) == point) planes.set(9);
    if (word_at(packed, BEFORE_AT) == point) planes.set(10);
    planes.set(11);
    if (word_at(packed, LAST_AT) == PASSED) planes.set(12);
    const float komi = (float)(short)word_at(packed, KOMI_AT) / 30.0f;
    const u32 half = halves(komi, 0.0f);
    planes.komi = half | left_by(half, komi, 0.0f) << 16;
    if (packed[FLAGS_AT] & 1) planes.set(14);
    return planes;
}
#endif

#if LAYOUT == LAYOUT_BLOKUS
#define OPPONENT_AT 25
#define HAND_AT 50
#define FLAGS_AT 56
#define PIECES 21

#define SCRATCH_WORDS 0
__device__ __forceinline__ void prepare(const u8*, u32*, int, int) {}

__device__ __forceinline__ bool taken_by(const u8* packed, int side, int x, int y) {
    return (unsigned)x < BOARD && (unsigned)y < BOARD && bit_of(packed + OPPONENT_AT * side, y * BOARD + x);
}

__device__ __forceinline__ Planes planes_of(const u8* packed, const u32*, int, int square) {
    Planes planes = {0, 0, 0};
    const int x = square % BOARD, y = square / BOARD;
    const bool taken = taken_by(packed, 0, x, y) || taken_by(packed, 1, x, y);
#pragma unroll
    for (int side = 0; side < 2; side++) {
        u32 any = 0;
        for (int i = 0; i < 25; i++) any |= packed[OPPONENT_AT * side + i];
        const bool edge = taken_by(packed, side, x - 1, y) || taken_by(packed, side, x + 1, y) || taken_by(packed, side, x, y - 1) ||
                          taken_by(packed, side, x, y + 1);
        const bool corner = taken_by(packed, side, x - 1, y - 1) || taken_by(packed, side, x + 1, y - 1) ||
                            taken_by(packed, side, x - 1, y + 1) || taken_by(packed, side, x + 1, y + 1);
        const bool start = square == (side ? SECOND_START : FIRST_START) ||
                           ((packed[FLAGS_AT] & 1) && (square == FIRST_START || square == SECOND_START));
        if (taken_by(packed, side, x, y)) planes.set(3 * side);
        if (taken || edge) planes.set(3 * side + 1);
        if (!taken && (any ? corner && !edge : start)) planes.set(3 * side + 2);
        const u8* hand = packed + HAND_AT + 3 * side;
        planes.low |= (u64)((hand[0] | hand[1] << 8 | hand[2] << 16) & ((1u << PIECES) - 1)) << (6 + PIECES * side);
    }
    planes.set(48);
    return planes;
}
#endif
