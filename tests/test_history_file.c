// The lines typed at the prompt, from one run to the next.
#include "history_file.h"

#include "scratch.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static History history;

START_TEST(what_one_run_typed_the_next_one_knows)
{
    const char *path = scratch_path("state/deeper/history");
    history_file_read(path, &history);
    ck_assert_int_eq(history.count, 0);
    history_file_add(path, "goto score");
    history_file_add(path, "/ > 0.4");
    history_file_add(path, "goto score");
    history_file_read(path, &history);
    ck_assert_int_eq(history.count, 2);
    ck_assert_str_eq(history_line(&history, 1), "goto score");
    ck_assert_str_eq(history_line(&history, 2), "/ > 0.4");
    ck_assert_int_eq(scratch_count(), 1); // and nothing left beside it
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(remove(scratch_path("state/deeper")), 0);
}
END_TEST

START_TEST(only_so_many_lines_are_kept)
{
    const char *path = scratch_path("many");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fprintf(file, "pick %d\n", i);
    fclose(file);
    history_file_add(path, "next");
    history_file_read(path, &history);
    ck_assert_int_eq(history.count, HISTORY_MAX);
    ck_assert_str_eq(history_line(&history, 1), "next");
    ck_assert_str_eq(history_line(&history, 2), "pick 999");
    struct stat kept;
    ck_assert_int_eq(stat(path, &kept), 0);
    // 199 lines of "pick NNN\n" and "next\n"
    ck_assert_int_eq(kept.st_size, 199 * 9 + 5);
}
END_TEST

START_TEST(a_file_that_somebody_spoilt_harms_nothing)
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
END_TEST

START_TEST(a_place_that_cannot_be_written_is_no_error)
{
    const char *path = scratch_path("file/history");
    fclose(fopen(scratch_path("file"), "w")); // a file where a folder should be
    history_file_add(path, "next");
    history_file_read(path, &history);
    ck_assert_int_eq(history.count, 0);
    history_file_add("/proc/nowhere/history", "next");
}
END_TEST

START_TEST(it_lies_where_the_system_keeps_such_things)
{
    char path[HISTORY_PATH_MAX];
    setenv("HOME", "/home/someone", 1);
    unsetenv("XDG_STATE_HOME");
    ck_assert(history_file_path(path));
    ck_assert_str_eq(path, "/home/someone/.local/state/attnscope/history");
    setenv("XDG_STATE_HOME", "/var/state", 1);
    ck_assert(history_file_path(path));
    ck_assert_str_eq(path, "/var/state/attnscope/history");
    setenv("XDG_STATE_HOME", "not/absolute", 1); // counts as unset
    ck_assert(history_file_path(path));
    ck_assert_str_eq(path, "/home/someone/.local/state/attnscope/history");
    unsetenv("HOME");
    ck_assert(!history_file_path(path));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("history_file");
    TCase *cases = tcase_create("history_file");
    tcase_add_checked_fixture(cases, scratch_open, scratch_close);
    tcase_add_test(cases, what_one_run_typed_the_next_one_knows);
    tcase_add_test(cases, only_so_many_lines_are_kept);
    tcase_add_test(cases, a_file_that_somebody_spoilt_harms_nothing);
    tcase_add_test(cases, a_place_that_cannot_be_written_is_no_error);
    tcase_add_test(cases, it_lies_where_the_system_keeps_such_things);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
