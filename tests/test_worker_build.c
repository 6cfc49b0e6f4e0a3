// Building a learner's file: what the compiler says reaches the person, nothing is compiled twice,
// and what cannot be built ends in a sentence.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "scratch.h"
#include "suite.h"
#include "worker_case.h"

static WorkerProgram program;
static Error err;

static bool build(const char *source, const char *compiler)
{
    char headers[1024];
    snprintf(headers, sizeof headers, "%s/exercises", getenv("ATTNSCOPE_LESSONS"));
    WorkerBuild how = {.source = source,
                       .header_folder = headers,
                       .exercise = "test-score",
                       .compiler = compiler,
                       .optimisation = 1};
    err.text[0] = '\0';
    return worker_build(&how, &program, &err);
}

static bool build_text(const char *name, const char *text)
{
    return build(scratch_write(name, text, strlen(text)), NULL);
}

static const char right[] = "#include \"attnscope.h\"\n"
                            "void score(const Tensor *q, const Tensor *k, Tensor *scores)\n"
                            "{\n    (void)q, (void)k, (void)scores;\n}\n";

START_TEST(the_same_file_is_compiled_once)
{
    ck_assert_msg(build_text("mine.c", right), "%s\n%s", err.text, program.said);
    ck_assert(!program.was_built);
    ck_assert(build_text("mine.c", right) && program.was_built);
    ck_assert_str_eq(program.said, "");
}
END_TEST

START_TEST(a_change_is_compiled)
{
    char text[sizeof right + 32];
    ck_assert(build_text("mine.c", right));
    snprintf(text, sizeof text, "%sint extra = %d;\n", right, 1);
    ck_assert(build_text("mine.c", text) && !program.was_built);
}
END_TEST

START_TEST(a_header_beside_it_counts)
{
    char text[sizeof right + 32];
    snprintf(text, sizeof text, "#include \"own.h\"\n%s", right);
    scratch_write("own.h", "enum { OWN = 1 };\n", 18);
    ck_assert_msg(build_text("mine.c", text), "%s", program.said);
    scratch_write("own.h", "enum { OWN = 2 };\n", 18);
    ck_assert(build_text("mine.c", text) && !program.was_built);
    ck_assert(build_text("mine.c", text) && program.was_built);
}
END_TEST

START_TEST(warnings_are_kept_for_the_next_time)
{
    for (int again = 0; again < 2; again++) {
        ck_assert_msg(worker_case_build("worker/warned.c", "test-score", false, &program, &err),
                      "%s", err.text);
        ck_assert_int_eq(program.was_built, again);
        ck_assert_msg(strstr(program.said, "unused_number") != NULL, "%s", program.said);
    }
}
END_TEST

typedef struct Refusal {
    const char *file, *sentence, *said;
} Refusal;

static const Refusal refusals[] = {
    {"worker/not_c.c", "not_c.c does not compile", "not_c.c:6"},
    {"worker/own_main.c", "own_main.c has a main of its own: take it out", "main"},
    {"worker/sets_sanitizer.c", "sets_sanitizer.c defines __asan_default_options, but",
     "definition"},
    {"worker/misnamed.c", "misnamed.c does not define a function that is called", "score"},
};

START_TEST(what_does_not_build_is_told)
{
    for (int sanitize = 0; sanitize < 2; sanitize++) {
        ck_assert(!worker_case_build(refusals[_i].file, "test-score", sanitize, &program, &err));
        ck_assert_msg(strstr(err.text, refusals[_i].sentence) != NULL, "%s", err.text);
        ck_assert_msg(strstr(program.said, refusals[_i].said) != NULL, "%s", program.said);
    }
}
END_TEST

START_TEST(a_file_that_never_ends_is_given_up)
{
    ck_assert(!build_text("zero.c", "#include \"/dev/zero\"\n"));
    ck_assert_str_ne(err.text, "");
    ck_assert(!build_text("large.c", "char large[8ull << 30] = {1};\n"));
    ck_assert_str_ne(err.text, "");
}
END_TEST

// A folder of somebody who builds at this moment stays; an old one belongs to nobody any more.
START_TEST(what_an_interrupted_build_left_is_taken_away)
{
    char old[1024], fresh[1024];
    const struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    ck_assert(build_text("mine.c", right)); // now there is a cache
    snprintf(old, sizeof old, "%s/attnscope/workers/build-old", getenv("XDG_CACHE_HOME"));
    snprintf(fresh, sizeof fresh, "%s/attnscope/workers/build-new", getenv("XDG_CACHE_HOME"));
    ck_assert(mkdir(old, 0700) == 0 && mkdir(fresh, 0700) == 0);
    ck_assert_int_eq(utimensat(AT_FDCWD, old, long_ago, 0), 0);
    ck_assert(build_text("other.c", right));
    ck_assert_int_ne(access(old, F_OK), 0);
    ck_assert_int_eq(access(fresh, F_OK), 0);
    rmdir(fresh);
}
END_TEST

START_TEST(paths_may_hold_spaces_and_other_letters)
{
    ck_assert_msg(build_text("내 점수 (1).c", right), "%s\n%s", err.text, program.said);
}
END_TEST

START_TEST(no_compiler_is_a_sentence)
{
    ck_assert(!build(test_file("worker/score.c"), "no-such-compiler"));
    ck_assert_msg(strstr(err.text, "no compiler called no-such-compiler") != NULL, "%s", err.text);
    setenv("PATH", "/nowhere", 1);
    unsetenv("CC");
    ck_assert(!build(test_file("worker/score.c"), NULL));
    ck_assert_msg(strstr(err.text, "there is no C compiler") != NULL, "%s", err.text);
}
END_TEST

START_TEST(a_cache_that_cannot_be_made_is_a_sentence)
{
    setenv("XDG_CACHE_HOME", scratch_write("file", "", 0), 1);
    ck_assert(!build(test_file("worker/score.c"), NULL));
    ck_assert_msg(strstr(err.text, "XDG_CACHE_HOME") != NULL, "%s", err.text);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    ck_assert(!build(test_file("worker/score.c"), NULL));
    ck_assert_msg(strstr(err.text, "neither XDG_CACHE_HOME nor HOME") != NULL, "%s", err.text);
}
END_TEST

// What a compiler without the sanitizers' libraries says, and what happens then.
START_TEST(a_compiler_without_sanitizers_is_enough)
{
    static const char script[] = "#!/bin/sh\n"
                                 "case \"$*\" in *-fsanitize*)\n"
                                 "  echo 'ld: cannot find -lasan'; exit 1;;\n"
                                 "esac\n"
                                 "exec cc \"$@\"\n";
    const char *compiler = scratch_write("plain-cc", script, sizeof script - 1);
    ck_assert_int_eq(chmod(compiler, 0700), 0);
    setenv("CC", compiler, 1);
    ck_assert_msg(worker_case_build("worker/score.c", "test-score", true, &program, &err), "%s\n%s",
                  err.text, program.said);
    ck_assert(!program.sanitized);
    ck_assert_msg(strstr(program.said, "has no AddressSanitizer") != NULL, "%s", program.said);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("worker_build");
    TCase *tcase = tcase_create("worker_build");
    tcase_add_unchecked_fixture(tcase, worker_case_begin, worker_case_finish);
    tcase_add_checked_fixture(tcase, scratch_open, scratch_close);
    tcase_add_test(tcase, the_same_file_is_compiled_once);
    tcase_add_test(tcase, a_change_is_compiled);
    tcase_add_test(tcase, a_header_beside_it_counts);
    tcase_add_test(tcase, warnings_are_kept_for_the_next_time);
    tcase_add_loop_test(tcase, what_does_not_build_is_told, 0, 4);
    tcase_add_test(tcase, a_file_that_never_ends_is_given_up);
    tcase_add_test(tcase, what_an_interrupted_build_left_is_taken_away);
    tcase_add_test(tcase, paths_may_hold_spaces_and_other_letters);
    tcase_add_test(tcase, no_compiler_is_a_sentence);
    tcase_add_test(tcase, a_cache_that_cannot_be_made_is_a_sentence);
    tcase_add_test(tcase, a_compiler_without_sanitizers_is_enough);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
