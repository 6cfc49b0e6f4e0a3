// Progress: what was noted is there again, by name, after kills, two programs at once and edits.
#include "progress.h"

#include "scratch.h"
#include "suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static Error err;

static PageMark mark_in(const char *path, const char *lecture, const char *page)
{
    Progress progress;
    ck_assert_msg(progress_read(&progress, path, &err), "%s", err.text);
    PageMark mark = progress_mark(&progress, lecture, page);
    progress_finish(&progress);
    return mark;
}

TEST(what_was_noted_is_there_again)
{
    const char *path = scratch_path("progress");
    ck_assert_msg(progress_note(path, "01", "a", PAGE_SEEN, &err), "%s", err.text);
    ck_assert(progress_note(path, "01", "b", PAGE_RIGHT, &err));
    ck_assert(progress_note(path, "02", "a", PAGE_WRONG, &err));
    ck_assert_int_eq(mark_in(path, "01", "a"), PAGE_SEEN);
    ck_assert_int_eq(mark_in(path, "01", "b"), PAGE_RIGHT);
    ck_assert_int_eq(mark_in(path, "02", "a"), PAGE_WRONG);
    ck_assert_int_eq(mark_in(path, "02", "b"), PAGE_UNSEEN);
}

TEST(a_right_answer_is_not_forgotten_when_the_page_is_seen_again)
{
    const char *path = scratch_path("progress");
    ck_assert(progress_note(path, "01", "a", PAGE_RIGHT, &err));
    ck_assert(progress_note(path, "01", "a", PAGE_SEEN, &err));
    ck_assert_int_eq(mark_in(path, "01", "a"), PAGE_RIGHT);
}

TEST(the_last_page_is_the_one_noted_last)
{
    const char *path = scratch_path("progress");
    Progress progress;
    ck_assert(progress_note(path, "01", "a", PAGE_SEEN, &err));
    ck_assert(progress_note(path, "01", "b", PAGE_SEEN, &err));
    ck_assert(progress_note(path, "02", "c", PAGE_SEEN, &err));
    ck_assert(progress_note(path, "01", "a", PAGE_SEEN, &err));
    ck_assert(progress_read(&progress, path, &err));
    ck_assert_str_eq(progress_last(&progress, PROGRESS_PAGE, NULL)->name, "01");
    ck_assert_str_eq(progress_last(&progress, PROGRESS_PAGE, "01")->key, "a");
    ck_assert_str_eq(progress_last(&progress, PROGRESS_PAGE, "02")->key, "c");
    ck_assert_ptr_null(progress_last(&progress, PROGRESS_PAGE, "03"));
    progress_finish(&progress);
}

TEST(lines_that_nobody_understands_are_left_out)
{
    const char text[] = "garbage\n\t\t\nseen\t01\ta\nnew-word\t01\tb\nright\t01";
    const char *path = scratch_write("progress", text, sizeof text - 1);
    ck_assert_int_eq(mark_in(path, "01", "a"), PAGE_SEEN);
    ck_assert_int_eq(mark_in(path, "01", "b"), PAGE_UNSEEN);
}

// A progress that was read; the caller finishes it.
static Progress read_from(const char *path)
{
    Progress progress;
    ck_assert_msg(progress_read(&progress, path, &err), "%s", err.text);
    return progress;
}

// What nobody understands, whoever wrote it, is there after a note as it was before.
TEST(lines_that_nobody_understands_stay)
{
    static const char lines[] = "attnscope\tprogress\t7\n"
                                "garbage\n"
                                "seen\t01\ta\n"
                                "new-word\t01\tb\n"
                                "seen/2\t01\tc\n"
                                "right\t01\td\tand more\n"
                                "zero\0byte\t01\te\n"
                                "seen\t01\tz\0z\n"
                                "passed\tscale\tno points\n"
                                "broken \xff\n"
                                "right\t02\tb";
    static const char kept[] = "attnscope\tprogress\t7\n"
                               "seen\t03\tx\n"
                               "seen\t01\ta\n"
                               "right\t02\tb\n"
                               "garbage\n"
                               "new-word\t01\tb\n"
                               "seen/2\t01\tc\n"
                               "right\t01\td\tand more\n"
                               "zero\0byte\t01\te\n"
                               "seen\t01\tz\0z\n"
                               "passed\tscale\tno points\n"
                               "broken \xff\n";
    const char *path = scratch_write("progress", lines, sizeof lines - 1);
    size_t length;
    ck_assert_int_eq(mark_in(path, "02", "b"), PAGE_RIGHT); // behind a zero byte
    for (int turn = 0; turn < 2; turn++) {
        ck_assert_msg(progress_note(path, "03", "x", PAGE_SEEN, &err), "%s", err.text);
        unsigned char *bytes = scratch_read(path, &length);
        ck_assert_uint_eq(length, sizeof kept - 1);
        ck_assert_mem_eq(bytes, kept, length);
        free(bytes);
    }
}

TEST(a_new_file_says_which_version_wrote_it)
{
    const char *path = scratch_path("progress");
    size_t length;
    ck_assert(progress_note(path, "01", "a", PAGE_SEEN, &err));
    unsigned char *bytes = scratch_read(path, &length);
    ck_assert_uint_eq(length, 21 + 10);
    ck_assert_mem_eq(bytes, "attnscope\tprogress\t1\nseen\t01\ta\n", length);
    free(bytes);
}

// As large as it may be: read, and written, once for each line and not once for each pair of lines.
TEST(a_long_file_is_read_and_written_in_one_go)
{
    enum { LINES = 160000 };
    const char *path = scratch_path("progress");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < LINES; i++) {
        if (i % 4 == 0)
            fprintf(file, "seen\t01\tp%d\n", i);
        else if (i % 4 == 1)
            fprintf(file, "passed\te%d\td%d 10\n", i, i);
        else
            fprintf(file, i % 4 == 2 ? "hint\te%d\t1\n" : "new-word\te%d\t1\n", i);
    }
    fclose(file);
    ck_assert_msg(progress_note(path, "02", "a", PAGE_SEEN, &err), "%s", err.text);
    Progress progress = read_from(path);
    ck_assert_str_eq(progress_last(&progress, PROGRESS_PAGE, NULL)->name, "02");
    ck_assert_int_eq(progress_mark(&progress, "01", "p159996"), PAGE_SEEN);
    ck_assert(progress_has_passed(&progress, "e159997"));
    ck_assert_int_eq(progress_hint(&progress, "e159998"), 1);
    progress_finish(&progress);
}

static void put_something(int kind, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (kind == 0)
        ck_assert_int_eq(mkfifo(path, 0600), 0);
    else if (kind == 1)
        ck_assert_int_eq(mkdir(path, 0700), 0);
    else if (kind == 2)
        ck_assert_int_eq(symlink("/dev/zero", path), 0);
    else
        ck_assert_int_eq(bind(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
                              (struct sockaddr *)(void *)&address, sizeof address),
                         0);
}

LOOP_TEST(what_is_no_file_is_told_and_not_waited_for, 8)
{
    const char *path = scratch_path("progress"), *lock = scratch_path("progress.lock");
    const char *place = _i < 4 ? path : lock;
    Progress progress;
    put_something(_i % 4, place);
    ck_assert(!progress_note(path, "01", "a", PAGE_SEEN, &err));
    ck_assert_msg(strstr(err.text, place) != NULL, "%s", err.text);
    ck_assert(progress_read(&progress, path, &err) == (place == lock));
    progress_finish(&progress);
}

static void note_many(const char *path, const char *lecture, int count)
{
    char page[16];
    for (int i = 0; i < count; i++) {
        snprintf(page, sizeof page, "p%d", i);
        if (!progress_note(path, lecture, page, PAGE_SEEN, &err))
            _exit(1);
    }
    _exit(0);
}

TEST(two_programs_at_once_lose_nothing)
{
    enum { COUNT = 40 };
    const char *path = scratch_path("progress");
    pid_t one = fork();
    if (one == 0)
        note_many(path, "one", COUNT);
    pid_t two = fork();
    if (two == 0)
        note_many(path, "two", COUNT);
    int status;
    ck_assert(waitpid(one, &status, 0) == one && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert(waitpid(two, &status, 0) == two && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (int i = 0; i < COUNT; i++) {
        char page[16];
        snprintf(page, sizeof page, "p%d", i);
        ck_assert_int_eq(mark_in(path, "one", page), PAGE_SEEN);
        ck_assert_int_eq(mark_in(path, "two", page), PAGE_SEEN);
    }
}

// A program is killed wherever it happens to be; what it noted before is whole, and the lock is free.
TEST(a_killed_program_leaves_whole_lines_and_no_lock)
{
    const char *path = scratch_path("progress");
    for (int round = 0; round < 10; round++) {
        ck_assert(progress_note(path, "kept", "a", PAGE_RIGHT, &err));
        pid_t child = fork();
        if (child == 0)
            note_many(path, "killed", 100000);
        while (mark_in(path, "killed", "p0") == PAGE_UNSEEN)
            usleep(100);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        ck_assert_int_eq(mark_in(path, "kept", "a"), PAGE_RIGHT);
        ck_assert_int_eq(mark_in(path, "killed", "p0"), PAGE_SEEN);
        ck_assert(progress_note(path, "after", "a", PAGE_SEEN, &err));
    }
}

static void check(const char *path, const char *digest, int points, bool passed)
{
    const ProgressLine noted = {.name = "scale", .key = digest, .number = points, .passed = passed};
    ck_assert_msg(progress_note_check(path, &noted, &err), "%s", err.text);
}

TEST(what_passed_is_known_by_the_code_that_did)
{
    const char *path = scratch_path("progress");
    check(path, "aaaa", 4, false);
    check(path, "bbbb", 10, true);
    ck_assert(progress_note(path, "01", "a", PAGE_SEEN, &err));
    check(path, "cccc", 7, false);
    Progress progress = read_from(path);
    ck_assert(progress_check(&progress, "scale", "bbbb")->passed);
    ck_assert_int_eq(progress_check(&progress, "scale", "bbbb")->number, 10);
    ck_assert(!progress_check(&progress, "scale", "cccc")->passed);
    ck_assert_int_eq(progress_check(&progress, "scale", "cccc")->number, 7);
    ck_assert_ptr_null(progress_check(&progress, "scale", "aaaa")); // only the last that failed
    ck_assert_ptr_null(progress_check(&progress, "score", "bbbb"));
    ck_assert(progress_has_passed(&progress, "scale"));
    ck_assert(!progress_has_passed(&progress, "score"));
    ck_assert_str_eq(progress_last(&progress, PROGRESS_PAGE, NULL)->name, "01");
    progress_finish(&progress);
}

TEST(the_same_code_may_fail_later)
{
    const char *path = scratch_path("progress");
    check(path, "aaaa", 10, true);
    check(path, "aaaa", 3, false);
    Progress progress = read_from(path);
    ck_assert(!progress_check(&progress, "scale", "aaaa")->passed);
    ck_assert(!progress_has_passed(&progress, "scale"));
    progress_finish(&progress);
}

TEST(the_highest_hint_is_remembered)
{
    const char *path = scratch_path("progress");
    ck_assert(progress_note_hint(path, "scale", 2, &err));
    ck_assert(progress_note_hint(path, "scale", 1, &err));
    ck_assert(progress_note_hint(path, "score", 1, &err));
    Progress progress = read_from(path);
    ck_assert_int_eq(progress_hint(&progress, "scale"), 2);
    ck_assert_int_eq(progress_hint(&progress, "score"), 1);
    ck_assert_int_eq(progress_hint(&progress, "pad"), 0);
    progress_finish(&progress);
}

// However often somebody passes with other code, the file stays small.
TEST(old_passes_are_forgotten_some_day)
{
    const char *path = scratch_path("progress");
    char digest[16];
    for (int i = 0; i < 40; i++) {
        snprintf(digest, sizeof digest, "%04d", i);
        check(path, digest, 10, true);
    }
    Progress progress = read_from(path);
    int count = 0;
    for (const ProgressLine *at = progress.lines; at; at = at->next)
        count += at->kind == PROGRESS_CHECK;
    ck_assert_int_eq(count, 21); // the new one and 20 before it
    ck_assert_ptr_nonnull(progress_check(&progress, "scale", "0039"));
    progress_finish(&progress);
}

TEST(it_lives_in_the_state_directory)
{
    Arena arena = {0};
    setenv("XDG_STATE_HOME", "/somewhere", 1);
    ck_assert_str_eq(progress_path(&arena, &err), "/somewhere/attnscope/progress");
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", "/home/learner", 1);
    ck_assert_str_eq(progress_path(&arena, &err), "/home/learner/.local/state/attnscope/progress");
    unsetenv("HOME");
    ck_assert_ptr_null(progress_path(&arena, &err));
    arena_finish(&arena);
}

SUITE_WITH("progress", scratch_open, scratch_close)
