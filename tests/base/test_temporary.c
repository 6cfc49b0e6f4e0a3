// What a program leaves behind: nothing when it ends by a signal, and only until the next sweep when
// it is killed. What looks alike and belongs to somebody else stays.
#include "place.h"

#include "scratch.h"
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *folder;

static void begin(void)
{
    signal(SIGTERM, SIG_DFL); // Check has handlers of its own
    signal(SIGINT, SIG_DFL);
    scratch_open();
    folder = scratch_folder("here");
}

static void put_file(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "here/%s", name);
    scratch_write(path, "12345", 5);
}

static bool is_there(const char *name)
{
    char path[1024];
    struct stat about;
    snprintf(path, sizeof path, "here/%s", name);
    return lstat(scratch_path(path), &about) == 0;
}

// The number of a process that is no more.
static long gone(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    return (long)child;
}

// How a process ends that makes a file and a folder with files in it, and then `end`s.
static int end_of(void (*end)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        Temporary file, inner;
        char path[TEMPORARY_PATH_MAX + 16];
        temporary_watch_signals();
        if (!temporary_file(&file, folder, 0600) || !temporary_folder(&inner, folder))
            _exit(99);
        snprintf(path, sizeof path, "%s/deeper", inner.path);
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/deeper/file", inner.path);
        close(open(path, O_WRONLY | O_CREAT, 0600));
        end();
        _exit(98);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static int number;

static void by_signal(void)
{
    raise(number);
}

static int left(void)
{
    return temporary_sweep(folder, false).count;
}

LOOP_TEST(a_signal_takes_everything_with_it, 3)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    number = numbers[_i];
    signal(number, SIG_DFL); // it may have come to us ignored: under nohup
    int status = end_of(by_signal);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == number, "status %d", status);
    ck_assert_int_eq(left(), 0);
    ck_assert_int_eq(rmdir(folder), 0); // so nothing else is there either
}

TEST(what_a_killed_program_leaves_is_found_and_removed)
{
    number = SIGKILL;
    end_of(by_signal);
    ck_assert_int_eq(left(), 2);
    ck_assert_int_eq(temporary_sweep(folder, true).count, 2);
    ck_assert_int_eq(rmdir(folder), 0);
}

static int over[2]; // a pipe that ends when the helper does

// Works in a folder until its lifeline is closed, and then once more, as a compiler may: it makes the
// folder anew where it is gone.
static pid_t start_helper(const char *path, int *lifeline)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t helper = fork();
    if (helper == 0) {
        char byte;
        signal(SIGTERM, SIG_IGN);
        close(ends[1]);
        if (read(ends[0], &byte, 1) == 0)
            mkdir(path, 0700);
        _exit(0);
    }
    close(ends[0]);
    close(over[1]);
    *lifeline = ends[1];
    return helper;
}

static void with_helper(void)
{
    Temporary work;
    int lifeline = -1;
    if (!temporary_folder(&work, folder))
        _exit(97);
    pid_t helper = start_helper(work.path, &lifeline);
    temporary_helper(helper, lifeline);
    raise(SIGTERM);
}

TEST(who_works_in_a_folder_ends_before_it_is_removed)
{
    char byte;
    ck_assert_int_eq(pipe(over), 0);
    int status = end_of(with_helper);
    close(over[1]);
    ck_assert_int_eq(read(over[0], &byte, 1), 0);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "status %d", status);
    ck_assert_int_eq(rmdir(folder), 0); // it is empty
}

TEST(what_is_ignored_stays_ignored)
{
    number = SIGHUP;
    signal(SIGHUP, SIG_IGN);
    int status = end_of(by_signal);
    signal(SIGHUP, SIG_DFL);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 98, "status %d", status);
}

static void grow_beyond_the_limit(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4, 4});
    int file = open(scratch_path("here/large"), O_RDWR | O_CREAT, 0600);
    bool first = write(file, "12345678", 8) == 4;
    bool then = write(file, "12345678", 8) == -1 && errno == EFBIG;
    _exit(first && then ? 0 : 1);
}

TEST(a_file_that_grows_too_large_is_an_error_and_no_end)
{
    int status = end_of(grow_beyond_the_limit);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
}

// A child of a program that works on something is not the one to take it away.
TEST(a_child_that_ends_leaves_its_parents_alone)
{
    Temporary file;
    int status;
    ck_assert(temporary_file(&file, folder, 0600));
    pid_t child = fork();
    if (child == 0) {
        temporary_watch_signals();
        raise(SIGTERM);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(access(file.path, F_OK), 0);
    temporary_drop(&file);
    ck_assert_int_eq(rmdir(folder), 0);
}

TEST(names_that_others_may_have_given_stay)
{
    long no_more = gone();
    char names[10][80];
    static const char *const forms[] = {"%s.attnscope-%ld-0.new~",  "%s.attnscope-%ld-0.New",
                                        "%s.attnscope-%ld.new",     "%s.attnscope-%ld--1.new",
                                        "%s.attnscope-%ld-00.new",  "%s.attnscope-0%ld-0.new",
                                        "a%s.attnscope-%ld-0.new",  "%s.attnscope- %ld-0.new",
                                        "%s.attnscope-%ld-0.newer", "%s.attnscope-%ld-0x1.new"};
    for (int i = 0; i < 10; i++) {
        snprintf(names[i], sizeof names[i], forms[i], "", no_more);
        put_file(names[i]);
    }
    ck_assert_int_eq(temporary_sweep(folder, true).count, 0);
    for (int i = 0; i < 10; i++)
        ck_assert_msg(is_there(names[i]), "%s", names[i]);
}

TEST(what_is_no_such_file_stays)
{
    char name[80];
    long no_more = gone();
    scratch_write("precious", "1", 1);
    snprintf(name, sizeof name, "here/.attnscope-%ld-0.new", no_more);
    ck_assert_int_eq(symlink("../precious", scratch_path(name)), 0);
    snprintf(name, sizeof name, "here/.attnscope-%ld-1.new", no_more);
    ck_assert_int_eq(mkfifo(scratch_path(name), 0600), 0);
    snprintf(name, sizeof name, "here/.attnscope-%ld-2.new", no_more);
    scratch_folder(name);
    snprintf(name, sizeof name, "here/.attnscope-%ld-3.dir", no_more);
    ck_assert_int_eq(symlink("..", scratch_path(name)), 0);
    snprintf(name, sizeof name, ".attnscope-%ld-4.dir", no_more);
    put_file(name);
    ck_assert_int_eq(temporary_sweep(folder, true).count, 0);
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, ".attnscope-%ld-%d.%s", no_more, i, i < 3 ? "new" : "dir");
        ck_assert_msg(is_there(name), "%s", name);
    }
    ck_assert_int_eq(access(scratch_path("precious"), F_OK), 0);
}

TEST(what_somebody_works_on_stays)
{
    char name[80], path[96];
    snprintf(name, sizeof name, ".attnscope-%ld-0.new", (long)getppid()); // it runs, and locks not
    put_file(name);
    ck_assert_int_eq(temporary_sweep(folder, true).count, 0);
    snprintf(name, sizeof name, ".attnscope-%ld-0.new", gone()); // on another machine, say
    put_file(name);
    snprintf(path, sizeof path, "here/%s", name);
    int held = open(scratch_path(path), O_RDONLY | O_CLOEXEC);
    ck_assert_int_eq(flock(held, LOCK_EX | LOCK_NB), 0);
    ck_assert_int_eq(temporary_sweep(folder, true).count, 0);
    close(held);
    TemporaryLeft swept = temporary_sweep(folder, true);
    ck_assert_int_eq(swept.count, 1);
    ck_assert_uint_eq(swept.bytes, 5);
    ck_assert(!is_there(name));
}

TEST(own_names_that_an_earlier_process_left_are_not_taken_for_ones_own)
{
    char name[80];
    Temporary file;
    snprintf(name, sizeof name, ".attnscope-%ld-0.new", (long)getpid());
    put_file(name);
    ck_assert(temporary_file(&file, folder, 0600));
    ck_assert_ptr_nonnull(strstr(file.path, "-1.new"));
    ck_assert_int_eq(temporary_sweep(folder, true).count, 1);
    ck_assert_int_eq(access(file.path, F_OK), 0);
    temporary_drop(&file);
}

TEST(a_folder_that_cannot_be_looked_at_is_no_error)
{
    ck_assert_int_eq(temporary_sweep("/nowhere/at/all", true).count, 0);
    Temporary file;
    ck_assert(!temporary_file(&file, "/nowhere/at/all", 0600));
    ck_assert_int_eq(errno, ENOENT);
    temporary_drop(&file);
    temporary_drop(&(Temporary){.path = NULL});
}

SUITE_APART("temporary", begin, scratch_close)
