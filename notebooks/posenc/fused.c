/* The rotation of posenc.rotary in one pass over memory: float32 or bfloat16 vectors, float32 turns.

   x and out: (a, b, time, width) with strides in elements, the last one 1. turns: (a, b, time, columns)
   likewise, cosine and sine side by side. The first `columns` of each row turn, the others are copied. */
#include <stdint.h>

static inline float from_bf16(uint16_t half) {
    union { uint32_t bits; float value; } wide = {.bits = (uint32_t)half << 16};
    return wide.value;
}

/* To nearest, ties to even; a NaN stays one. */
static inline uint16_t to_bf16(float value) {
    union { float value; uint32_t bits; } wide = {.value = value};
    uint16_t rounded = (wide.bits + 0x7fff + ((wide.bits >> 16) & 1)) >> 16;
    return value == value ? rounded : 0x7fc0;
}

static inline float from_float(float value) { return value; }
static inline float to_float(float value) { return value; }

/* Rows in a stretch of one thread. */
#define TIMES 64

#define ROTATE(NAME, TYPE, FROM, TO)                                                                      \
    static inline __attribute__((always_inline)) void NAME##_row(const TYPE *restrict x, TYPE *restrict out, const float *restrict turn, \
                                  int64_t pairs, int64_t step, int64_t apart) {                           \
        _Pragma("omp simd")                                                                               \
        for (int64_t i = 0; i < pairs; i++) {                                                             \
            float a = FROM(x[step * i]), b = FROM(x[step * i + apart]);                                   \
            float cos = turn[2 * i], sin = turn[2 * i + 1];                                               \
            out[step * i] = TO(a * cos - b * sin);                                                        \
            out[step * i + apart] = TO(a * sin + b * cos);                                                \
        }                                                                                                 \
    }                                                                                                     \
    void NAME(const TYPE *x, TYPE *out, const float *turns, const int64_t *size, const int64_t *along_x,  \
              const int64_t *along_out, const int64_t *along_turns, int64_t columns, int interleaved,     \
              int threads) {                                                                              \
        int64_t pairs = columns / 2;                                                                      \
        _Pragma("omp parallel for collapse(3) num_threads(threads) schedule(static)")                     \
        for (int64_t a = 0; a < size[0]; a++)                                                             \
        for (int64_t b = 0; b < size[1]; b++)                                                             \
        for (int64_t start = 0; start < size[2]; start += TIMES) {                                        \
            int64_t end = start + TIMES < size[2] ? start + TIMES : size[2];                              \
            const TYPE *from = x + a * along_x[0] + b * along_x[1] + start * along_x[2];                  \
            TYPE *to = out + a * along_out[0] + b * along_out[1] + start * along_out[2];                  \
            const float *turn = turns + a * along_turns[0] + b * along_turns[1] + start * along_turns[2]; \
            for (int64_t t = start; t < end; t++) {                                                       \
                if (interleaved)                                                                          \
                    NAME##_row(from, to, turn, pairs, 2, 1);                                              \
                else                                                                                      \
                    NAME##_row(from, to, turn, pairs, 1, pairs);                                          \
                for (int64_t i = columns; i < size[3]; i++) to[i] = from[i];                              \
                from += along_x[2], to += along_out[2], turn += along_turns[2];                           \
            }                                                                                             \
        }                                                                                                 \
    }

ROTATE(rotate_float32, float, from_float, to_float)
ROTATE(rotate_bfloat16, uint16_t, from_bf16, to_bf16)
