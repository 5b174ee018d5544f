// The few things Swift cannot say: CRC-32C by instruction, flags and calls that the C library module does not import.
#pragma once
#include <stddef.h>
#include <stdint.h>

// CRC-32C (Castagnoli) of `length` bytes, continued from `seed` (0 to start). Uses SSE4.2 or ARMv8 CRC where the
// processor has it, a table otherwise.
uint32_t hearth_crc32c(uint32_t seed, const void *bytes, size_t length);
