#include "CHearth.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#if defined(__linux__)
#include <sys/auxv.h>
#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
#endif
#endif

#define POLYNOMIAL 0x82F63B78u

// Long inputs are cut into three streams of one of these lengths, since the instruction has a latency of three cycles
// and a throughput of one; a table then shifts one stream's sum over the next one's length. Both are multiples of 8, and
// fit a 4 KiB sector and a small frame best (measured).
#define LONG_STREAM 1344
#define SHORT_STREAM 168

static uint32_t slice[8][256];
static uint32_t shift_long[4][256];
static uint32_t shift_short[4][256];
static int has_instruction;

static uint64_t load64(const uint8_t *p) {
  uint64_t word;
  memcpy(&word, p, sizeof word);
  return word;
}

// A sum after `length` zero bytes, bit by bit over the table; only used to fill the shift tables.
static uint32_t after_zeros(uint32_t crc, size_t length) {
  while (length--) crc = slice[0][crc & 0xFF] ^ (crc >> 8);
  return crc;
}

static void fill_shift(uint32_t table[4][256], size_t length) {
  uint32_t of_bit[32];
  for (int bit = 0; bit < 32; bit++) of_bit[bit] = after_zeros(1u << bit, length);
  for (int byte = 0; byte < 4; byte++) {
    for (uint32_t value = 0; value < 256; value++) {
      uint32_t sum = 0;
      for (int bit = 0; bit < 8; bit++) {
        if (value & (1u << bit)) sum ^= of_bit[byte * 8 + bit];
      }
      table[byte][value] = sum;
    }
  }
}

// Runs before main, so that no call has to ask whether the tables are there.
__attribute__((constructor)) static void prepare(void) {
  for (uint32_t value = 0; value < 256; value++) {
    uint32_t crc = value;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (POLYNOMIAL & (0u - (crc & 1)));
    slice[0][value] = crc;
  }
  for (int k = 1; k < 8; k++) {
    for (uint32_t value = 0; value < 256; value++) {
      slice[k][value] = slice[0][slice[k - 1][value] & 0xFF] ^ (slice[k - 1][value] >> 8);
    }
  }
  fill_shift(shift_long, LONG_STREAM);
  fill_shift(shift_short, SHORT_STREAM);
#if defined(__x86_64__)
  __builtin_cpu_init();
  has_instruction = __builtin_cpu_supports("sse4.2") != 0;
#elif defined(__aarch64__) && defined(__linux__)
  has_instruction = (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
  has_instruction = 1;
#endif
}

uint32_t hearth_crc32c_portable(uint32_t seed, const void *bytes, size_t length) {
  const uint8_t *p = bytes;
  uint32_t crc = ~seed;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  while (length >= 8) {
    uint64_t word = load64(p) ^ crc;
    crc = slice[7][word & 0xFF] ^ slice[6][(word >> 8) & 0xFF] ^ slice[5][(word >> 16) & 0xFF] ^
          slice[4][(word >> 24) & 0xFF] ^ slice[3][(word >> 32) & 0xFF] ^ slice[2][(word >> 40) & 0xFF] ^
          slice[1][(word >> 48) & 0xFF] ^ slice[0][word >> 56];
    p += 8;
    length -= 8;
  }
#endif
  while (length--) crc = slice[0][(crc ^ *p++) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

#if defined(__x86_64__) || (defined(__aarch64__) && (defined(__linux__) || defined(__ARM_FEATURE_CRC32)))

#if defined(__x86_64__)
#define WITH_INSTRUCTION __attribute__((target("sse4.2")))
#define CRC_WORD(crc, word) ((uint32_t)_mm_crc32_u64((crc), (word)))
#define CRC_BYTE(crc, byte) _mm_crc32_u8((crc), (byte))
#else
#if defined(__ARM_FEATURE_CRC32)
#define WITH_INSTRUCTION
#else
#define WITH_INSTRUCTION __attribute__((target("crc")))
#endif
#define CRC_WORD(crc, word) __builtin_arm_crc32cd((crc), (word))
#define CRC_BYTE(crc, byte) __builtin_arm_crc32cb((crc), (byte))
#endif

static uint32_t shift(uint32_t table[4][256], uint32_t crc) {
  return table[0][crc & 0xFF] ^ table[1][(crc >> 8) & 0xFF] ^ table[2][(crc >> 16) & 0xFF] ^ table[3][crc >> 24];
}

WITH_INSTRUCTION
static uint32_t three_streams(uint32_t crc, const uint8_t *p, size_t stream, uint32_t table[4][256]) {
  uint32_t second = 0, third = 0;
  for (size_t i = 0; i < stream; i += 8) {
    crc = CRC_WORD(crc, load64(p + i));
    second = CRC_WORD(second, load64(p + stream + i));
    third = CRC_WORD(third, load64(p + 2 * stream + i));
  }
  return shift(table, shift(table, crc) ^ second) ^ third;
}

WITH_INSTRUCTION
static uint32_t by_instruction(uint32_t seed, const uint8_t *p, size_t length) {
  uint32_t crc = ~seed;
  while (length >= 3 * LONG_STREAM) {
    crc = three_streams(crc, p, LONG_STREAM, shift_long);
    p += 3 * LONG_STREAM;
    length -= 3 * LONG_STREAM;
  }
  while (length >= 3 * SHORT_STREAM) {
    crc = three_streams(crc, p, SHORT_STREAM, shift_short);
    p += 3 * SHORT_STREAM;
    length -= 3 * SHORT_STREAM;
  }
  while (length >= 8) {
    crc = CRC_WORD(crc, load64(p));
    p += 8;
    length -= 8;
  }
  while (length--) crc = CRC_BYTE(crc, *p++);
  return ~crc;
}

uint32_t hearth_crc32c(uint32_t seed, const void *bytes, size_t length) {
  if (__builtin_expect(has_instruction, 1)) return by_instruction(seed, bytes, length);
  return hearth_crc32c_portable(seed, bytes, length);
}

#else

uint32_t hearth_crc32c(uint32_t seed, const void *bytes, size_t length) {
  return hearth_crc32c_portable(seed, bytes, length);
}

#endif

const char *hearth_crc32c_kind(void) {
  if (!has_instruction) return "portable";
#if defined(__x86_64__)
  return "sse4.2";
#else
  return "armv8";
#endif
}
