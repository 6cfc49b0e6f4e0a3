// Files that are written whole or not at all, where the name is not a plain file: a pipe and a device
// stay what they are and get the bytes; a symbolic link goes on leading to its file.
#include "new_file.h"

#include "scratch.h"
#include "suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MANY = 10000 }; // bytes, more than one buffer of 4096 and fewer than a pipe holds

static Arena arena;
static Error err;

static void begin(void)
{
    scratch_open();
    setenv("TMPDIR", scratch_folder("temporaries"), 1);
}

static void forget(void)
{
    arena_finish(&arena);
    scratch_close();
}

// Writes MANY letters in turn, a to z.
static bool write_letters(const char *path)
{
    NewFile file;
    ck_assert_msg(new_file_begin(&file, path, &arena, &err), "%s", err.text);
    FILE *out = fopen(file.temporary, "w");
    ck_assert_ptr_nonnull(out);
    for (int i = 0; i < MANY; i++)
        fputc('a' + i % 26, out);
    ck_assert_int_eq(fclose(out), 0);
    bool kept = new_file_keep(&file, &err);
    ck_assert_int_ne(access(file.temporary, F_OK), 0);
    return kept;
}

static void check_letters(const unsigned char *bytes, size_t length)
{
    ck_assert_uint_eq(length, MANY);
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(bytes[i], 'a' + i % 26);
}

TEST(a_pipe_gets_the_bytes_and_stays_a_pipe)
{
    static unsigned char bytes[MANY];
    const char *path = scratch_path("pipe");
    struct stat status;
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    ck_assert_int_ge(reader, 0);
    ck_assert_msg(write_letters(path), "%s", err.text);
    check_letters(bytes, (size_t)read(reader, bytes, sizeof bytes));
    close(reader);
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert(S_ISFIFO(status.st_mode));
}

// A device of the test's own, or for those who may not make one a link that they cannot harm.
static bool make_full_device(const char *path)
{
    struct stat status;
    if (mknod(path, S_IFCHR | 0600, makedev(1, 7)) == 0)
        return true;
    return geteuid() != 0 && stat("/dev/full", &status) == 0 && S_ISCHR(status.st_mode) &&
           symlink("/dev/full", path) == 0;
}

TEST(a_device_that_takes_nothing_is_told_and_stays_a_device)
{
    struct stat status;
    const char *path = scratch_path("full");
    if (!make_full_device(path))
        return;
    ck_assert(!write_letters(path));
    ck_assert_ptr_nonnull(strstr(err.text, "full: No space left on device"));
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert(S_ISCHR(status.st_mode));
}

TEST(a_link_goes_on_leading_to_its_file)
{
    struct stat status;
    size_t length;
    scratch_write("there", "old", 3);
    const char *path = scratch_path("link");
    ck_assert_int_eq(symlink("there", path), 0);
    ck_assert_msg(write_letters(path), "%s", err.text);
    ck_assert_int_eq(lstat(path, &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    unsigned char *bytes = scratch_read(scratch_path("there"), &length);
    check_letters(bytes, length);
    free(bytes);
}

// What leads to an open file, as /dev/stdout may, adds to it.
TEST(an_open_file_is_added_to_and_stays_the_one_that_is_open)
{
    char path[64];
    size_t length;
    const char *name = scratch_write("open", "before", 6);
    int descriptor = open(name, O_WRONLY | O_CLOEXEC);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(lseek(descriptor, 0, SEEK_END), 6);
    snprintf(path, sizeof path, "/dev/fd/%d", descriptor);
    if (access(path, F_OK) == 0) {
        ck_assert_msg(write_letters(path), "%s", err.text);
        ck_assert_int_eq(write(descriptor, "after", 5), 5);
        unsigned char *bytes = scratch_read(name, &length);
        ck_assert_uint_eq(length, MANY + 11);
        ck_assert_mem_eq(bytes, "before", 6);
        check_letters(bytes + 6, MANY);
        ck_assert_mem_eq(bytes + 6 + MANY, "after", 5);
        free(bytes);
    }
    close(descriptor);
}

// A name for what is open is never one for a new file, though nothing may be open there, or the system
// not know the name: as root one could make a file of it.
TEST(a_name_of_an_open_file_makes_no_file)
{
    ck_assert(new_file_is_stream("/dev/stdout"));
    ck_assert(new_file_is_stream("/dev/fd/987"));
    ck_assert(!write_letters("/dev/fd/987"));
    ck_assert_str_eq(err.text, "cannot write /dev/fd/987: Bad file descriptor");
}

// /dev/shm holds plain files: what is there is replaced, not added to.
TEST(a_file_in_memory_is_replaced)
{
    char path[64];
    size_t length;
    snprintf(path, sizeof path, "/dev/shm/attnscope_test_%ld", (long)getpid());
    FILE *before = fopen(path, "w");
    if (!before)
        return;
    ck_assert_int_ge(fputs("before", before), 0);
    ck_assert_int_eq(fclose(before), 0);
    bool written = write_letters(path);
    unsigned char *bytes = scratch_read(path, &length);
    unlink(path);
    ck_assert_msg(written, "%s", err.text);
    check_letters(bytes, length);
    free(bytes);
}

SUITE_APART("new_file", begin, forget)
