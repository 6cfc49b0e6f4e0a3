// The lines typed at the prompt, from one run to the next.
#include "state_file.h"

#include "scratch.h"
#include "suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static History history;
static Error err;

static void add(const char *path, const char *line)
{
    ck_assert_msg(history_file_add(path, line, &err), "%s", err.text);
}

TEST(what_one_run_typed_the_next_one_knows)
{
    const char *path = scratch_path("state/deeper/history");
    history_file_read(path, &history);
    ck_assert_int_eq(history.count, 0);
    add(path, "goto score");
    add(path, "/ > 0.4");
    add(path, "goto score");
    history_file_read(path, &history);
    ck_assert_int_eq(history.count, 2);
    ck_assert_str_eq(history_line(&history, 1), "goto score");
    ck_assert_str_eq(history_line(&history, 2), "/ > 0.4");
    ck_assert_int_eq(scratch_count(), 1);
    ck_assert_int_eq(remove(scratch_path("state/deeper/history.lock")), 0);
    ck_assert_int_eq(remove(path), 0); // and nothing else is left beside it
    ck_assert_int_eq(remove(scratch_path("state/deeper")), 0);
}

TEST(only_so_many_lines_are_kept)
{
    const char *path = scratch_path("many");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fprintf(file, "pick %d\n", i);
    fclose(file);
    add(path, "next");
    history_file_read(path, &history);
    ck_assert_int_eq(history.count, HISTORY_MAX);
    ck_assert_str_eq(history_line(&history, 1), "next");
    ck_assert_str_eq(history_line(&history, 2), "pick 999");
    struct stat kept;
    ck_assert_int_eq(stat(path, &kept), 0);
    // "\thistory\t1\n", 199 lines of "pick NNN\n" and "next\n"
    ck_assert_int_eq(kept.st_size, 11 + 199 * 9 + 5);
}

TEST(a_file_that_somebody_spoilt_harms_nothing)
{
    const char *path = scratch_path("spoilt");
    FILE *file = fopen(path, "w");
    fputs("goto score\n\033[31mred\n\xff\xfe\n\n", file);
    for (int i = 0; i < 100000; i++)
        fputc('a', file);
    fputs("\n\uadf8\nno end", file);
    fclose(file);
    history_file_read(path, &history);
    ck_assert_int_eq(history.count, 3);
    ck_assert_str_eq(history_line(&history, 3), "goto score");
    ck_assert_str_eq(history_line(&history, 2), "\uadf8");
    ck_assert_str_eq(history_line(&history, 1), "no end");
}

// A folder that is there and in which nothing can be made: one of this user's, or for root, whom no
// permission stops, that of the kernel. NULL: neither is here.
static const char *closed_folder(void)
{
    if (geteuid() == 0)
        return access("/sys/kernel", F_OK) == 0 ? "/sys" : NULL;
    const char *path = scratch_folder("closed");
    ck_assert_int_eq(chmod(path, 0555), 0);
    return path;
}

TEST(a_place_that_cannot_be_written_is_no_error)
{
    const char *path = scratch_path("file/history");
    fclose(fopen(scratch_path("file"), "w")); // a file where a folder should be
    ck_assert(!history_file_add(path, "next", &err));
    ck_assert_ptr_nonnull(strstr(err.text, "/file"));
    history_file_read(path, &history);
    ck_assert_int_eq(history.count, 0);
    // What is said is why the folder cannot be made, and not that it is not there.
    const char *closed = closed_folder();
    char inside[1024];
    if (closed) {
        snprintf(inside, sizeof inside, "%s/nowhere/history", closed);
        ck_assert(!history_file_add(inside, "next", &err));
        ck_assert_ptr_null(strstr(err.text, strerror(ENOENT)));
    }
}

static char *text_of(const char *path)
{
    static char text[4096];
    size_t length;
    unsigned char *bytes = scratch_read(path, &length);
    ck_assert_uint_lt(length, sizeof text);
    memcpy(text, bytes, length);
    text[length] = '\0';
    free(bytes);
    return text;
}

TEST(what_newer_versions_write_stays)
{
    const char newer[] = "\thistory\t3\n\tpinned\tgoto score\nnext\n\t\xff\n\tcolour\n";
    const char *path = scratch_write("newer", newer, sizeof newer - 1);
    add(path, "back");
    ck_assert_str_eq(text_of(path), "\thistory\t3\n\tpinned\tgoto score\n\tcolour\nnext\nback\n");
    HistoryState state;
    ck_assert(history_file_look(path, &state, &err));
    ck_assert_int_eq(state.version, 3);
    ck_assert_int_eq(state.typed, 2);
    ck_assert_int_eq(state.others, 2);
    ck_assert_int_eq(state.not_typed, 0);
}

static void add_many(const char *path, int program)
{
    char line[32];
    for (int i = 0; i < 40; i++) {
        snprintf(line, sizeof line, "pick %d.%d", program, i);
        if (!history_file_add(path, line, &err))
            _exit(1);
    }
    _exit(0);
}

TEST(four_programs_at_once_lose_nothing)
{
    enum { PROGRAMS = 4 };
    pid_t programs[PROGRAMS];
    char path[1024];
    int found[PROGRAMS] = {0};
    snprintf(path, sizeof path, "%s", scratch_path("shared"));
    for (int i = 0; i < PROGRAMS; i++)
        if ((programs[i] = fork()) == 0)
            add_many(path, i);
    for (int i = 0; i < PROGRAMS; i++) {
        int status;
        ck_assert_int_eq(waitpid(programs[i], &status, 0), programs[i]);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    history_file_read(path, &history);
    ck_assert_int_eq(history.count, 40 * PROGRAMS);
    for (int i = 0; i < history.count; i++) { // each program's in the order in which it typed them
        int program, line;
        ck_assert_int_eq(sscanf(history.lines[i], "pick %d.%d", &program, &line), 2);
        ck_assert_int_eq(line, found[program]++);
    }
}

TEST(a_long_file_is_read_and_written_in_one_go)
{
    enum { LINES = 1 << 19 };
    const char *path = scratch_path("long");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < LINES; i++)
        fprintf(file, "p %05d\n", i % 199); // of 4 MiB, and never more than 199 different ones
    fclose(file);
    add(path, "next");
    history_file_read(path, &history);
    ck_assert_int_eq(history.count, HISTORY_MAX);
    ck_assert_str_eq(history_line(&history, 1), "next");
}

LOOP_TEST(what_is_no_file_is_told_and_not_waited_for, 3)
{
    char path[1024];
    snprintf(path, sizeof path, "%s", scratch_path(_i == 2 ? "history.lock" : "history"));
    if (_i == 1)
        ck_assert_int_eq(mkdir(path, 0700), 0);
    else
        ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert(!history_file_add(scratch_path("history"), "next", &err));
    ck_assert_msg(strstr(err.text, path) != NULL, "%s", err.text);
    history_file_read(scratch_path("history"), &history);
    ck_assert_int_eq(history.count, 0);
}

SUITE_WITH("history_file", scratch_open, scratch_close)
