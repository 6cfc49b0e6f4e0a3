// The code that is compiled in as text is the code in the source files, for every stage, and the code
// panel shows it.
#include "stage_code.h"

#include "suite.h"
#include "talking_screen.h"

#include <stdio.h>
#include <string.h>

static FILE *source_of(const StageCode *code)
{
    char name[128];
    snprintf(name, sizeof name, "../src/stages/%s", code->file);
    FILE *file = fopen(test_file(name), "r");
    ck_assert_msg(file != NULL, "%s", name);
    return file;
}

static bool next_line(FILE *file, char line[512])
{
    bool more = fgets(line, 512, file) != NULL;
    if (more)
        line[strcspn(line, "\n")] = '\0';
    return more;
}

// Where the function begins whose name is the stage's with this behind it.
static int function_after(const StageCode *code, const char *ending)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s", code->stage, ending);
    return stage_code_function(code, name);
}

TEST(every_stage_has_its_code)
{
    int count = 0;
    while (stage_get(count)) {
        const StageCode *code = stage_code(stage_get(count)->name);
        ck_assert_ptr_nonnull(code);
        ck_assert_str_eq(stage_codes[count].stage, stage_get(count)->name);
        ck_assert_int_ge(stage_code_function(code, code->stage), 0);
        ck_assert_int_eq(function_after(code, "_run"), -1);
        ck_assert_int_eq(function_after(code, "_origin"), -1);
        count++;
    }
    ck_assert_int_eq(count, stage_code_count);
    ck_assert_ptr_null(stage_code("nothing"));
    ck_assert_int_ge(stage_code_function(stage_code("project"), "project_per_head"), 0);
    ck_assert_int_ge(stage_code_function(stage_code("softmax"), "softmax_row"), 0);
    ck_assert_int_ge(stage_code_function(stage_code("mask"), "decide"), 0);
}

// What the descriptor says of its own code is there: the function with the loop, and for every kind of
// term that it names a line of one of those functions.
LOOP_TEST(the_loop_and_the_line_of_every_term_are_in_the_code, stage_code_count)
{
    const Stage *stage = stage_get(_i);
    const StageCode *code = stage_code(stage->name);
    const char *loop = stage->loop ? stage->loop : stage->name;
    int start = stage_code_function(code, loop);
    ck_assert_msg(start >= 0, "%s has no %s", stage->name, loop);
    for (const StageCall *call = stage->calls; call->reads[0].role; call++)
        if (call->loop)
            ck_assert_msg(stage_code_function(code, call->loop) >= 0, "%s", call->loop);
    for (int kind = 0; kind < 2 * TERM_KINDS; kind++) {
        const char *piece =
            kind < TERM_KINDS ? stage->terms[kind] : stage->other_terms[kind - TERM_KINDS];
        ck_assert_msg(!piece || stage_code_line(code, piece, start) >= start,
                      "%s has no line with %s below %s", stage->name, piece, loop);
    }
}

static bool begins_run(const char *line, const char *stage)
{
    char run[128], macro[128];
    snprintf(run, sizeof run, "static bool %s_run(", stage);
    snprintf(macro, sizeof macro, "(%s)", stage);
    return strncmp(line, run, strlen(run)) == 0 ||
           (strncmp(line, "RUN_ON_", 7) == 0 && strcmp(strchr(line, '('), macro) == 0);
}

LOOP_TEST(the_text_is_the_one_in_the_source_file_up_to_run, stage_code_count)
{
    const StageCode *code = &stage_codes[_i];
    FILE *file = source_of(code);
    char line[512];
    int number = 1, first = 0; // the first function of the section
    while (number < code->first_line && next_line(file, line)) {
        if (strncmp(line, "// --- ", 7) == 0)
            first = 0;
        else if (first == 0 && strncmp(line, "static ", 7) == 0 && strchr(line, '('))
            first = number;
        number++;
    }
    ck_assert_msg(first == 0, "%s:%d is a function before the text", code->file, first);
    for (int i = 0; i < code->count; i++) {
        ck_assert(next_line(file, line));
        ck_assert_str_eq(code->lines[i], line);
    }
    ck_assert_str_eq(line, "}");
    while (next_line(file, line) && !begins_run(line, code->stage))
        ck_assert_msg(strchr(line, '(') == NULL || strncmp(line, "//", 2) == 0, "%s: left out: %s",
                      code->file, line);
    fclose(file);
}

// --- the panel

// Lines are broken between words; a word longer than half a panel may be broken too.
static void check_words_shown(const char *line)
{
    enum { UNBROKEN = 16 };
    char copy[512];
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        word[strlen(word) > UNBROKEN ? UNBROKEN : strlen(word)] = '\0';
        ck_assert_msg(shows(word), "\"%s\" of \"%s\" is not on screen", word, line);
    }
}

// Scrolls through the code, `at_once` lines at a time.
static void check_panel(int columns, int rows, int at_once, bool whole_lines)
{
    char torch[TRACE_FORMULA_MAX];
    char scroll[32];
    const StageCode *code = session_code(&it.session);
    snprintf(scroll, sizeof scroll, "term-next %d", at_once);
    say("term-previous 1000"); // to the top
    for (int line = 0; line < code->count; line++) {
        if (line % at_once == 0)
            draw(columns, rows);
        if (whole_lines)
            ck_assert_msg(shows(code->lines[line]), "%s", code->lines[line]);
        else
            check_words_shown(code->lines[line]);
        if (line % at_once == at_once - 1)
            say(scroll);
    }
    ck_assert(shows(trace_torch(&it.session.run.trace, it.session.cursor.step, torch)) ||
              !whole_lines);
}

SLICE_TEST(the_panel_shows_every_line_of_every_step, tiny_shape_count, 3)
{
    stepping_open_tiny(&it, tiny_shapes[_i], 1);
    say("source");
    for (int step = 1; step <= it.session.run.trace.step_count; step++) {
        char words[32];
        snprintf(words, sizeof words, "goto %d", step);
        say(words);
        check_panel(400, 60, 20, true);
        check_panel(80, 24, 2, false);
    }
    close_screen();
}

TEST(the_panel_opens_at_the_loop_that_runs)
{
    TinyShape per_head = {.batch = 1,
                          .queries = 2,
                          .keys = 2,
                          .heads = 2,
                          .d_k = 2,
                          .d_v = 2,
                          .d_in = 3,
                          .d_out = 4,
                          .per_head = true};
    stepping_open_tiny(&it, per_head, 1);
    const char *const *lines = session_code(&it.session)->lines;
    say("source");
    ck_assert_str_eq(session_code(&it.session)->stage, "project");
    ck_assert(strstr(lines[it.session.code.line], "project_per_head(") != NULL);
    say("goto softmax");
    lines = session_code(&it.session)->lines;
    ck_assert(strstr(lines[it.session.code.line], "softmax_row(") != NULL);
    say("term-next 2");
    ck_assert_int_eq(it.session.code.line, session_code_definition(&it.session) + 2);
    say("next"); // another step, another text from its beginning
    ck_assert_int_eq(it.session.code.line, session_code_definition(&it.session));
    stepping_close(&it);
}

TEST(at_term_depth_the_line_that_computes_the_term_is_marked)
{
    stepping_open_printed(&it);
    say("source");
    say("depth term");
    draw(400, 60);
    ck_assert(shows("\u25b8                        sum = fmaf(*tensor_at4(q"));
    say("goto softmax");
    draw(400, 60);
    ck_assert(shows("\u25b8        if (*tensor_at4(scores, b, h, i, j) > max)"));
    say("next 3"); // three maxima, then the first exp
    draw(400, 60);
    ck_assert(shows("\u25b8        float e = exponential("));
    say("depth stage");
    draw(400, 60);
    ck_assert(!shows("\u25b8        float e = exponential("));
    close_screen();
}

// A line number with the mark after it.
static bool is_a_line_marked(void)
{
    for (const char *at = screen; (at = strstr(at, " \u25b8")) != NULL; at++)
        if (at > screen && at[-1] >= '0' && at[-1] <= '9')
            return true;
    return false;
}

TEST(the_loop_around_the_marked_line_is_in_sight_until_the_person_scrolls)
{
    stepping_open_printed(&it);
    say("source");
    say("goto softmax");
    say("depth term");
    say("next 3");
    draw(80, 24);
    ck_assert(shows(" \u25b8    float e ="));
    ck_assert(shows("for (ptrdiff_t j = 0; j <"));
    ck_assert(shows("lanes[j % SUM_LANES] += e;"));
    say("term-previous 100");
    draw(80, 24);
    ck_assert(!is_a_line_marked());
    say("next"); // the same line again
    draw(80, 24);
    ck_assert(!is_a_line_marked());
    say("next 2"); // the first quotient
    draw(80, 24);
    ck_assert(is_a_line_marked());
    close_screen();
}

SLICE_TEST(every_kind_of_term_has_its_line, tiny_shape_count, 1)
{
    stepping_open_tiny(&it, tiny_shapes[_i], 1);
    say("source");
    say("depth term");
    for (int step = 1; step <= it.session.run.trace.step_count; step++) {
        char words[32];
        snprintf(words, sizeof words, "goto %d", step);
        say(words);
        SessionTerm now;
        int kind = -1; // of the term before
        for (ptrdiff_t number = 0; session_term(&it.session, &now) && number < now.count;
             number++, kind = (int)now.term.kind, say("next")) {
            if ((int)now.term.kind == kind)
                continue;
            bool computes = now.term.kind != TERM_RULE && now.term.kind != TERM_PLACE &&
                            now.term.kind != TERM_COPY;
            draw(400, 70);
            ck_assert_msg(is_a_line_marked() == computes, "%s: %s", stepping_step(&it),
                          now.term.what);
            draw(80, 24);
            ck_assert_msg(is_a_line_marked() == computes, "%s at 80x24: %s", stepping_step(&it),
                          now.term.what);
        }
    }
    close_screen();
}

SUITE("stage_code")
