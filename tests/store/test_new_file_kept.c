// Files written whole or not at all, ended at every system call of the writing: what is there is the
// old file or the new one, in every way that a file system may force. Mode, owner and other names
// stay.
#include "new_file.h"

#include "disk.h"
#include "scratch.h"
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OLD = 3000, NEW = 200000 };

static Arena arena;
static Error err;
static char here[1024], temporaries[1024], path[1040]; // the target, and the folders
static bool only_new;                                  // what is there is not written over

// --- writing

static void begin(void)
{
    signal(SIGTERM, SIG_DFL); // Check has a handler of its own
    memset(&disk, 0, sizeof disk);
    only_new = false;
    scratch_open();
    snprintf(here, sizeof here, "%s", scratch_folder("here"));
    snprintf(temporaries, sizeof temporaries, "%s", scratch_folder("temporaries"));
    snprintf(path, sizeof path, "%s/file", here);
    setenv("TMPDIR", temporaries, 1);
}

static void finish(void)
{
    arena_finish(&arena);
    scratch_close();
}

static void put_old(mode_t mode)
{
    char bytes[OLD];
    memset(bytes, 'o', OLD);
    __real_unlink(path); // it may be one that nobody can write to
    ck_assert_str_eq(scratch_write("here/file", bytes, OLD), path);
    ck_assert_int_eq(chmod(path, mode), 0);
}

static bool write_new(void)
{
    static char bytes[NEW];
    NewFile file;
    memset(bytes, 'n', NEW);
    bool begun = only_new ? new_file_begin_new(&file, path, &arena, &err)
                          : new_file_begin(&file, path, &arena, &err);
    if (!begun)
        return false;
    int to = open(file.temporary, O_WRONLY | O_TRUNC | O_CLOEXEC);
    bool written = to >= 0;
    for (int done = 0; written && done < NEW; done += NEW / 4)
        written = write(to, bytes + done, NEW / 4) == NEW / 4;
    written = to >= 0 && close(to) == 0 && written;
    if (written)
        return new_file_keep(&file, &err);
    new_file_drop(&file);
    return error_set(&err, "not written");
}

// 'o', 'n', or 0 when there is none; anything else than a whole file fails.
static char what_is_in(const char *name)
{
    size_t length;
    struct stat about;
    if (stat(name, &about) != 0)
        return 0;
    unsigned char *bytes = scratch_read(name, &length);
    char kind = length > 0 ? (char)bytes[0] : '-';
    ck_assert_msg((kind == 'o' && length == OLD) || (kind == 'n' && length == NEW),
                  "%zu bytes beginning with '%c'", length, kind);
    size_t same = 0;
    while (same < length && bytes[same] == kind)
        same++;
    ck_assert_uint_eq(same, length);
    free(bytes);
    return kind;
}

// Ends a process at the first call of writing, then at the second, until one comes to its end: there
// is always the whole old file or the whole new one. The number of calls it was.
static int end_everywhere(int signal, bool has_old, bool leaves_nothing)
{
    for (int calls = 0;; calls++) {
        int status;
        ck_assert_int_lt(calls, 1000);
        __real_unlink(path);
        if (has_old)
            put_old(0640);
        pid_t child = fork();
        if (child == 0) {
            temporary_watch_signals();
            disk.calls_left = calls;
            disk.signal = signal;
            bool kept = write_new();
            disk.signal = 0;
            _exit(kept ? 0 : 1);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        char there = what_is_in(path);
        ck_assert(has_old ? there == 'o' || there == 'n' : there == 0 || there == 'n');
        if (leaves_nothing) {
            ck_assert_int_eq(temporary_sweep(here, false).count, 0);
            ck_assert_int_eq(temporary_sweep(temporaries, false).count, 0);
        }
        if (WIFEXITED(status)) {
            ck_assert_int_eq(WEXITSTATUS(status), 0);
            ck_assert_int_eq(there, 'n');
            return calls;
        }
        ck_assert_int_eq(WTERMSIG(status), signal);
    }
}

// --- tests

LOOP_TEST(killed_anywhere_the_file_is_the_old_or_the_new_one, 4)
{
    disk.no_nameless = _i & 1;
    end_everywhere(SIGKILL, _i & 2, false);
    // The last one to write took away what those before it had left.
    ck_assert_int_eq(temporary_sweep(here, false).count, 0);
}

LOOP_TEST(asked_to_end_anywhere_nothing_stays_behind, 4)
{
    disk.no_nameless = _i & 1;
    end_everywhere(SIGTERM, _i & 2, true);
}

LOOP_TEST(written_in_place_the_end_waits_until_it_is_whole, 2)
{
    disk.refusal = _i == 0 ? EACCES : 0;
    disk.is_mounted = _i == 1;
    end_everywhere(SIGTERM, true, true);
}

LOOP_TEST(a_new_file_is_whole_or_not_there, 4)
{
    only_new = true;
    disk.no_nameless = _i > 0;
    disk.no_links = _i > 1;
    end_everywhere(_i > 2 ? SIGKILL : SIGTERM, false, _i <= 2);
}

LOOP_TEST(what_is_there_is_no_new_file, 3)
{
    only_new = true;
    disk.no_nameless = _i > 0;
    disk.no_links = _i > 1;
    put_old(0600);
    ck_assert(!write_new());
    ck_assert_ptr_nonnull(strstr(err.text, "here/file: File exists"));
    ck_assert_int_eq(what_is_in(path), 'o');
    __real_unlink(path);
    disk.is_made = path; // between looking and keeping
    ck_assert(!write_new());
    struct stat about;
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_eq(about.st_size, 0);
    ck_assert_int_eq(temporary_sweep(here, false).count, 0);
}

static void check_kept(mode_t mode)
{
    struct stat before, after;
    put_old(mode);
    ck_assert_int_eq(stat(path, &before), 0);
    ck_assert_msg(write_new(), "%s", err.text);
    ck_assert_int_eq(what_is_in(path), 'n');
    ck_assert_int_eq(stat(path, &after), 0);
    ck_assert_int_eq(after.st_mode & 07777, mode);
    ck_assert_int_eq(after.st_uid, before.st_uid);
    ck_assert_int_eq(after.st_gid, before.st_gid);
}

LOOP_TEST(who_may_read_it_stays_as_it_was, 6)
{
    static const mode_t modes[] = {0600, 0640, 0444, 0755, 0666};
    disk.no_nameless = _i & 1;
    disk.refusal = _i / 2 == 1 ? EROFS : 0;
    disk.is_mounted = _i / 2 == 2;
    for (int i = 0; i < 5; i++)
        if (modes[i] != 0444 || geteuid() == 0 || _i / 2 == 0)
            check_kept(modes[i]);
}

LOOP_TEST(a_new_file_is_open_to_whom_the_mask_says, 2)
{
    struct stat about;
    disk.no_nameless = _i & 1;
    umask(027);
    ck_assert_msg(write_new(), "%s", err.text);
    umask(022);
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_eq(about.st_mode & 07777, 0640);
}

// Only the superuser may give files away.
LOOP_TEST(it_goes_on_belonging_to_whom_it_belonged, 2)
{
    struct stat about;
    disk.no_nameless = _i & 1;
    put_old(0640);
    if (chown(path, 1234, 567) != 0)
        return;
    ck_assert_msg(write_new(), "%s", err.text);
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_eq(about.st_uid, 1234);
    ck_assert_int_eq(about.st_gid, 567);
    ck_assert_int_eq(about.st_mode & 07777, 0640);
}

LOOP_TEST(all_names_of_a_file_go_on_meaning_it, 2)
{
    struct stat one, other;
    const char *again = scratch_path("again");
    disk.no_nameless = _i & 1;
    put_old(0600);
    ck_assert_int_eq(link(path, again), 0);
    ck_assert_msg(write_new(), "%s", err.text);
    ck_assert_int_eq(stat(path, &one), 0);
    ck_assert_int_eq(stat(again, &other), 0);
    ck_assert_uint_eq(one.st_ino, other.st_ino);
    ck_assert_int_eq(what_is_in(again), 'n');
    ck_assert_int_eq(one.st_mode & 07777, 0600);
}

TEST(a_full_disk_leaves_what_is_written_in_place)
{
    disk.refusal = EACCES;
    disk.is_full = true;
    put_old(0600);
    ck_assert(!write_new());
    ck_assert_ptr_nonnull(strstr(err.text, "No space left"));
    ck_assert_int_eq(what_is_in(path), 'o');
    ck_assert_int_eq(temporary_sweep(temporaries, false).count, 0);
}

TEST(a_folder_that_takes_no_new_file_says_so)
{
    disk.refusal = EACCES;
    ck_assert(!write_new());
    ck_assert_ptr_nonnull(strstr(err.text, "here/file: Permission denied"));
}

SUITE_APART("new_file_kept", begin, finish)
