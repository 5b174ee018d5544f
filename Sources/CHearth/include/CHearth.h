// The few things Swift cannot say: CRC-32C by instruction, flags and calls that the C library module does not import.
// Calls that can fail return 0 or the error number, so that nothing in between can change errno.
#pragma once
#include <stddef.h>
#include <stdint.h>

// CRC-32C (Castagnoli) of `length` bytes, continued from `seed` (0 to start). Uses SSE4.2 or ARMv8 CRC where the
// processor has it, a table otherwise.
uint32_t hearth_crc32c(uint32_t seed, const void *bytes, size_t length);

// The same by table, whatever the processor has; for tests.
uint32_t hearth_crc32c_portable(uint32_t seed, const void *bytes, size_t length);

// "sse4.2", "armv8" or "portable": what hearth_crc32c uses here.
const char *hearth_crc32c_kind(void);

// Makes a file's bytes and size durable: fdatasync, F_FULLFSYNC on Darwin, fsync where those are missing.
int hearth_sync_file(int descriptor);

// Makes a folder's entries durable.
int hearth_sync_directory(int descriptor);

// Takes an exclusive lock on the whole file that belongs to the open file description, without waiting.
// EAGAIN when someone else has it. The descriptor must be open for writing.
int hearth_lock_exclusive(int descriptor);

// Sets *held to 1 when another open file description holds the lock, else to 0. Takes nothing.
int hearth_lock_query(int descriptor, int *held);

// Names the calling thread (cut to what the system takes).
void hearth_set_thread_name(const char *name);

// The system's text for an error number, always ended by a zero byte. `capacity` is at least 1.
void hearth_error_text(int number, char *text, size_t capacity);

// Asks for the cache line at `address`, which need not be readable.
static inline void hearth_prefetch(const void *address) { __builtin_prefetch(address); }
