/* A seam between a table process and its medium, laid there by LD_PRELOAD.
 *
 * It knows files by their descriptors: only those below $SEAM_DIR are concerned. $SEAM_ORDER names a file with one
 * order in it, read before every call, so that a test can change its mind while the process runs:
 *
 *   slow MS              every flush takes MS milliseconds longer
 *   eio N [NAME]         the Nth flush from now fails with EIO, once (of files whose name has NAME in it)
 *   enospc BYTES [NAME]  after so many more bytes nothing more fits (into files whose name has NAME in it)
 *   erofs                nothing can be written
 *   (empty)              all is well
 *
 * $SEAM_LOG gets a line for every flush and every write: CALL NAME RESULT BYTES BEGIN_NS END_NS (monotonic).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static char order[128];
static long left; /* flushes before the failing one, or bytes that still fit */

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static long long now_ns(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1000000000LL + at.tv_nsec;
}

/* The part of the file's path below $SEAM_DIR, or NULL if it lies elsewhere. */
static const char *inside(int fd, char path[PATH_MAX]) {
    const char *dir = getenv("SEAM_DIR");
    char link[40];
    if (dir == NULL) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return NULL;
    path[length] = 0;
    size_t skip = strlen(dir);
    if (strncmp(path, dir, skip) != 0 || (path[skip] != '/' && path[skip] != 0)) return NULL;
    return path[skip] == 0 ? "." : path + skip + 1;
}

/* Read the order; a new one begins to count anew. */
static void listen_for_orders(void) {
    char fresh[sizeof order] = "";
    const char *name = getenv("SEAM_ORDER");
    int fd = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t length = read(fd, fresh, sizeof fresh - 1);
        fresh[length > 0 ? length : 0] = 0;
        close(fd);
    }
    if (strcmp(fresh, order) != 0) {
        strcpy(order, fresh);
        left = 0;
        if (sscanf(order, "eio %ld", &left) != 1) sscanf(order, "enospc %ld", &left);
    }
}

static void tell(const char *call, const char *name, int failed, size_t bytes, long long begin) {
    const char *log = getenv("SEAM_LOG");
    if (log == NULL) return;
    char line[PATH_MAX + 128];
    int length = snprintf(line, sizeof line, "%s %s %s %zu %lld %lld\n", call, name,
                          failed ? strerrorname_np(failed) : "ok", bytes, begin, now_ns());
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || REAL(write)(fd, line, length) != length) abort();
    close(fd);
}

static int concerns(const char *word, const char *name) {
    char said[16], part[64] = "";
    long number;
    return sscanf(order, "%15s %ld %63s", said, &number, part) >= 2 && strcmp(said, word) == 0 &&
           strstr(name, part) != NULL;
}

static int flush_fails(const char *name) {
    return concerns("eio", name) && --left == 0 ? EIO : 0;
}

static int write_fails(const char *name, size_t bytes) {
    if (strncmp(order, "erofs", 5) == 0) return EROFS;
    if (!concerns("enospc", name)) return 0;
    if (left < (long)bytes) return ENOSPC;
    left -= (long)bytes;
    return 0;
}

static int flush(const char *call, int fd, int (*real)(int)) {
    char path[PATH_MAX];
    const char *name = inside(fd, path);
    if (name == NULL) return real(fd);
    long long begin = now_ns();
    pthread_mutex_lock(&one_at_a_time);
    listen_for_orders();
    long ms = 0;
    sscanf(order, "slow %ld", &ms);
    int failed = flush_fails(name);
    pthread_mutex_unlock(&one_at_a_time);
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
    if (failed == 0 && real(fd) != 0) failed = errno;
    tell(call, name, failed, 0, begin);
    errno = failed;
    return failed ? -1 : 0;
}

/* Whether a write is let through; if not, errno says why. */
static int may_write(const char *call, int fd, size_t bytes) {
    char path[PATH_MAX];
    const char *name = inside(fd, path);
    if (name == NULL) return 1;
    pthread_mutex_lock(&one_at_a_time);
    listen_for_orders();
    int failed = write_fails(name, bytes);
    pthread_mutex_unlock(&one_at_a_time);
    tell(call, name, failed, bytes, now_ns());
    errno = failed;
    return failed == 0;
}

int fsync(int fd) { return flush("fsync", fd, REAL(fsync)); }
int fdatasync(int fd) { return flush("fdatasync", fd, REAL(fdatasync)); }

ssize_t write(int fd, const void *data, size_t bytes) {
    return may_write("write", fd, bytes) ? REAL(write)(fd, data, bytes) : -1;
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at) {
    return may_write("pwrite", fd, bytes) ? REAL(pwrite)(fd, data, bytes, at) : -1;
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t at) {
    return may_write("pwrite", fd, bytes) ? REAL(pwrite64)(fd, data, bytes, at) : -1;
}
