// The file system as a test wants it: the linker hands the calls of writing (--wrap) to disk.c, which
// counts them, and refuses what is set here. Calls with a 64 are what the C library makes of the names
// without.
#ifndef DISK_H
#define DISK_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct Disk {
    int calls_left, signal; // the signal comes when no calls are left; 0: none comes
    bool no_nameless;       // O_TMPFILE is not there
    int refusal;            // of a new file in a folder called here: EACCES; 0: none
    bool is_mounted;        // what is there cannot be replaced: EBUSY
    bool is_full;           // no room for more
    bool no_links;          // no file has a second name: EPERM
    const char *is_made;    // a file that somebody else makes before bytes are on the disk; NULL
} Disk;

extern Disk disk;

int __real_open64(const char *name, int flags, ...);
int __real_rename(const char *from, const char *to);
int __real_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __real_unlink(const char *name);
int __real_fsync(int file);
int __real_fchmod(int file, mode_t mode);
int __real_ftruncate64(int file, off_t length);
int __real_posix_fallocate64(int file, off_t from, off_t bytes);
ssize_t __real_write(int file, const void *bytes, size_t count);
int __wrap_open64(const char *name, int flags, ...);
int __wrap_rename(const char *from, const char *to);
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __wrap_unlink(const char *name);
int __wrap_fsync(int file);
int __wrap_fchmod(int file, mode_t mode);
int __wrap_ftruncate64(int file, off_t length);
int __wrap_posix_fallocate64(int file, off_t from, off_t bytes);
ssize_t __wrap_write(int file, const void *bytes, size_t count);

#endif
