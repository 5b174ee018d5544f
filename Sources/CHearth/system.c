// Open-file-description locks and pthread_setname_np are GNU extensions in glibc's headers.
#define _GNU_SOURCE

#include "CHearth.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

int hearth_sync_file(int descriptor) {
#if defined(__APPLE__)
  // fsync there only hands the bytes to the drive; where F_FULLFSYNC is not known (network volumes), it is all there is.
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
  if (errno != ENOTSUP && errno != EINVAL && errno != ENOTTY) return errno;
  return fsync(descriptor) == 0 ? 0 : errno;
#elif defined(__linux__)
  // A changed size is flushed too; only times are not.
  return fdatasync(descriptor) == 0 ? 0 : errno;
#else
  return fsync(descriptor) == 0 ? 0 : errno;
#endif
}

int hearth_sync_directory(int descriptor) {
#if defined(__APPLE__)
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
#endif
  return fsync(descriptor) == 0 ? 0 : errno;
}

static struct flock whole_file(void) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

int hearth_lock_exclusive(int descriptor) {
#if defined(F_OFD_SETLK)
  struct flock lock = whole_file();
  if (fcntl(descriptor, F_OFD_SETLK, &lock) == 0) return 0;
  return errno == EACCES ? EAGAIN : errno;
#else
  // flock's locks belong to the open file description too.
  return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
#endif
}

int hearth_lock_query(int descriptor, int *held) {
  struct flock lock = whole_file();
#if defined(F_OFD_GETLK)
  if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) return errno;
#else
  // On the BSDs F_GETLK sees flock's locks as well.
  if (fcntl(descriptor, F_GETLK, &lock) != 0) return errno;
#endif
  *held = lock.l_type != F_UNLCK;
  return 0;
}

void hearth_set_thread_name(const char *name) {
#if defined(__APPLE__)
  pthread_setname_np(name);
#elif defined(__linux__)
  // Longer names are refused, not cut.
  char cut[16];
  snprintf(cut, sizeof cut, "%s", name);
  pthread_setname_np(pthread_self(), cut);
#else
  (void)name;
#endif
}

// strerror_r comes in two shapes; the choice of ours follows from the types of the library's.
static const char *chosen_text(char *result, char *buffer) {
  (void)buffer;
  return result;
}

static const char *chosen_text_posix(int result, char *buffer) { return result == 0 ? buffer : "unknown error"; }

void hearth_error_text(int number, char *text, size_t capacity) {
  char buffer[256];
  buffer[0] = 0;
  const char *chosen = _Generic(strerror_r(number, buffer, sizeof buffer), int: chosen_text_posix, default: chosen_text)(
      strerror_r(number, buffer, sizeof buffer), buffer);
  snprintf(text, capacity, "%s", chosen);
}
