// Where a learner's file says that it is a line of another one (#line), and what is told all the same.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "scratch.h"
#include "suite.h"
#include "worker_case.h"

static WorkerProgram program;
static Error err;

static bool build_text(const char *text)
{
    char header[1024];
    snprintf(header, sizeof header, "%s/exercises/header/attnscope.h", getenv("ATTNSCOPE_LESSONS"));
    WorkerBuild how = {.source = scratch_write("mine.c", text, strlen(text)),
                       .header = header,
                       .exercise = "test-score",
                       .optimisation = 1};
    return worker_build(&how, &program, &err);
}

static const char right[] = "#include \"attnscope.h\"\n"
                            "void score(const Tensor *q, const Tensor *k, Tensor *scores)\n"
                            "{\n    (void)q, (void)k, (void)scores;\n}\n";

// What says that it is a line of another file, in every way that compilers read it.
static const char *const marks[] = {
    "#line 7 \"solution.c\"\n",
    "# 7 \"solution.c\"\n",
    " /* so */ # /* it */ line /* is */ 7 \"solution.c\"\n",
    "%: line 7 \"solution.c\"\n",
    "?\?=line 7 \"solution.c\"\n",
    "#define WHERE 7 \"solution.c\"\n#line WHERE\n",
    "#li\\\nne 7 \"solution.c\"\n",
    "#li\\ \t\nne 7 \"solution.c\"\n",
    "#li?\?/\nne 7 \"solution.c\"\n",
    "// a comment ?\?/\n'\n#line 7 \"solution.c\"\n",
    "\xEF\xBB\xBF#line 7 \"solution.c\"\n",
    "\v\f#line 7 \"solution.c\"\n",
    "int a;\r#line 7 \"solution.c\"\r",
    "int a;\r\n#line 7 \"solution.c\"\r\n\r",
    "#if 1 // it's\n#line 7 \"solution.c\"\n#endif\n",
};

LOOP_TEST(the_place_of_an_error_is_the_true_one, sizeof marks / sizeof *marks)
{
    char text[1024], place[64];
    int lines = 1;
    for (const char *at = marks[_i]; *at; at++)
        lines += *at == '\n' || (*at == '\r' && at[1] != '\n');
    snprintf(text, sizeof text, "%sint wrong = ;\n", marks[_i]);
    snprintf(place, sizeof place, "mine.c:%d:13: error: ", lines);
    ck_assert(!build_text(text));
    ck_assert_msg(strstr(program.said, place) && !strstr(program.said, "solution.c"), "%s: %s",
                  place, program.said);
}

// However far such a mark stands from the beginning of its line.
TEST(no_line_is_too_long_to_say_where_it_is)
{
    static char text[20000];
    memset(text, ' ', sizeof text);
    text[9000] = '#';
    strcpy(text + 18000, "line 7 \"solution.c\"\nint wrong = ;\n");
    ck_assert(!build_text(text));
    ck_assert_msg(strstr(program.said, "mine.c:2:13: error: "), "%.300s", program.said);
}

// A text that only looks like a mark stays what it is.
TEST(text_that_looks_like_a_mark_is_left_alone)
{
    char text[1024];
    snprintf(text, sizeof text,
             "%s_Static_assert(sizeof \"\\\n#line 7\" == 8, \"\");\n"
             "#define TEXT(x) #x\n_Static_assert(sizeof TEXT(1) == 2, \"\");\n",
             right);
    ck_assert_msg(build_text(text), "%s\n%s", err.text, program.said);
}

FIXTURE_ONCE(worker_case_begin, worker_case_finish)

SUITE_WITH("worker_place", scratch_open, scratch_close)
