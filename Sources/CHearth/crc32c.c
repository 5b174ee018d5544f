#include "CHearth.h"
uint32_t hearth_crc32c(uint32_t seed, const void *bytes, size_t length) {
  const uint8_t *p = bytes;
  uint32_t c = ~seed;
  while (length--) {
    c ^= *p++;
    for (int k = 0; k < 8; k++) c = (c >> 1) ^ (0x82F63B78u & (0u - (c & 1)));
  }
  return ~c;
}
