// An exercise's result as tests with points, for all grading platforms; and the formats of test runners; see
// grading_internal.h.
#include "grading_internal.h"

#include <string.h>

#include "class.h"
#include "compiler_words.h"
#include "exercise.h"
#include "fence.h"
#include "grading.h"
#include "html.h"
#include "json.h"
#include "judging.h"
#include "mistake.h"
#include "utf8.h"

// --- requested exercises

bool grading_asks(const Grading *grading, int number)
{
    return number >= grading->first && number < grading->end &&
           grading->course.exercises[number].is_asked;
}

const char *grading_kept(Grading *grading, const char *text)
{
    grading->is_whole = grading->is_whole && text;
    return text ? text : "";
}

// --- why an exercise failed, in one line

// A mistake's name, by which commands find it, and description. NULL without memory.
static const char *grading_mistake(const char *name, Arena *arena)
{
    Error err;
    const Mistake *mistake = mistake_find(name);
    return mistake ? arena_format(arena, &err, "%s: %s", name, mistake->words[language_now()].title)
                   : name;
}

// If several mistakes fit, only their names.
static const char *mistakes_text(const VerdictTest *test, Arena *arena, Error *err)
{
    const char *text = test->mistakes[0];
    if (text && !test->mistakes[1])
        return grading_mistake(text, arena);
    for (int i = 1; text && i < VERDICT_MISTAKES_MAX && test->mistakes[i]; i++)
        text = arena_format(arena, err, "%s, %s", text, test->mistakes[i]);
    return text;
}

static const char *failure_text(const VerdictTest *test, Arena *arena, Error *err)
{
    const char *why = verdict_in_language(test->why);
    const char *mistakes = mistakes_text(test, arena, err);
    if (!mistakes && test->mistakes[0])
        return NULL;
    char title[VERDICT_TITLE_MAX];
    verdict_title(test, title);
    const char *relation = verdict_in_language(test->relation);
    const char *property = verdict_in_language(test->property);
    const char *unset = arena_format(arena, err, exercise_word(SAY_GRADE_UNSET_COUNT),
                                     (int)test->unwritten, (int)test->all);
    const char *text = mistakes              ? mistakes
                       : why                 ? why
                       : relation            ? relation
                       : property            ? property
                       : test->unwritten > 0 ? unset
                                             : arena_text(arena, title, err);
    if (!test->hidden || why)
        return text;
    return arena_format(arena, err, exercise_word(SAY_GRADE_OTHER_NUMBERS), text);
}

static const char *compiler_text(const Grading *grading, const Judging *judging, Arena *arena,
                                 Error *err)
{
    size_t length;
    const char *first = compiler_words_first(judging->plain.said, &length);
    char *line = arena_format(arena, err, "%.*s", (int)length, first);
    if (line)
        judging_without(line, grading->workspace.folder);
    return line && *line ? arena_format(arena, err, exercise_word(SAY_GRADE_NOT_COMPILED), line)
                         : judging_why(judging);
}

// Appends to a reason the uninitialised variable that a compiler warned of; that alone is no reason. In the arena; NULL
// without a reason or memory.
static const char *grading_warned(const Judging *judging, const char *text, Arena *arena)
{
    Error err;
    CompilerUnset unset;
    const VerdictTest *failure = verdict_first_failure(&judging->verdict);
    bool is_named =
        failure && failure->why[LANGUAGE_ENGLISH]; // why two answers differ, or there is none
    if (!text || is_named || !compiler_words_unset(judging->plain.said, &unset))
        return text;
    size_t length = strlen(text);
    length -= length > 0 && text[length - 1] == '.';
    const char *shorter = arena_format(arena, &err, "%.*s", (int)length, text);
    return shorter ? arena_format(arena, &err, exercise_word(SAY_GRADE_WARNED), shorter, unset.line,
                                  unset.name)
                   : NULL;
}

const char *grading_why(Grading *grading, const Judging *judging, Arena *arena)
{
    Error err;
    const char *text = "";
    const VerdictTest *failure = verdict_first_failure(&judging->verdict);
    if (judging->end == JUDGING_NOT_COMPILED)
        text = compiler_text(grading, judging, arena, &err);
    else if (judging->end == JUDGING_NOT_JUDGED)
        text = arena_format(
            arena, &err,
            exercise_word(judging->is_nowhere ? SAY_GRADE_NOWHERE : SAY_GRADE_NOT_JUDGED),
            judging_why(judging));
    else if (judging->end == JUDGING_DONE && failure)
        text = grading_warned(judging, failure_text(failure, arena, &err), arena);
    return grading_kept(grading, text);
}

const char *grading_number(const VerdictTest *test, Arena *arena)
{
    Error err;
    const char *where = test->where ? test->where : test->name;
    const char *expected = test->expected ? test->expected : "?";
    if (test->kind == VERDICT_KIND_UNWRITTEN)
        return arena_format(arena, &err, exercise_word(SAY_GRADE_UNSET), where, expected);
    if (test->kind == VERDICT_KIND_ADDED)
        return arena_format(arena, &err, exercise_word(SAY_GRADE_ADDED), where, expected);
    return arena_format(arena, &err, exercise_word(SAY_GRADE_NUMBERS), where,
                        test->got ? test->got : "?", expected);
}

// For hidden numbers: only the kind of difference.
static const char *hidden_text(const VerdictTest *test)
{
    static const Words kinds[VERDICT_KINDS] = {
        [VERDICT_KIND_NONE] = WORDS_ROW(HIDDEN_NUMBER),
        [VERDICT_KIND_NUMBER] = WORDS_ROW(HIDDEN_NUMBER),
        [VERDICT_KIND_NAN] = WORDS_ROW(HIDDEN_NAN),
        [VERDICT_KIND_INFINITE] = WORDS_ROW(HIDDEN_INFINITE),
        [VERDICT_KIND_FINITE] = WORDS_ROW(HIDDEN_FINITE),
        [VERDICT_KIND_SHAPE] = WORDS_ROW(HIDDEN_SHAPE),
        [VERDICT_KIND_UNWRITTEN] = WORDS_ROW(HIDDEN_UNWRITTEN),
        [VERDICT_KIND_ADDED] = WORDS_ROW(HIDDEN_ADDED),
    };
    return words_tell(kinds[test->kind]);
}

// For learners: of hidden numbers only how they are wrong.
static const char *grading_number_told(const VerdictTest *test, Arena *arena)
{
    Error err;
    return test->hidden ? arena_text(arena, hidden_text(test), &err) : grading_number(test, arena);
}

// --- remarks about a submission

enum { NOTES_OF_A_KIND = 3, ODD_OF_A_KIND = 20 };

void grading_report_note(Grading *grading, ExerciseWord word, const char *what)
{
    if (grading->format->note)
        grading->format->note(grading, &(GradingNote){.word = word, .what = what});
}

void grading_report_note_of(Grading *grading, ExerciseWord word, const char *what, int before)
{
    if (before < NOTES_OF_A_KIND || grading->format->has_all_notes)
        grading_report_note(grading, word, what);
}

void grading_report_more(Grading *grading, int count)
{
    char more[16];
    snprintf(more, sizeof more, "%d", count - NOTES_OF_A_KIND);
    if (count > NOTES_OF_A_KIND && !grading->format->has_all_notes)
        grading_report_note(grading, SAY_GRADE_MORE, more);
}

void grading_report_notes(Grading *grading, const SubmissionNote *notes)
{
    bool is_said[SAY_COUNT] = {false};
    for (; notes; notes = notes->next) {
        int count = 0;
        for (const SubmissionNote *note = notes; note && !is_said[notes->word]; note = note->next)
            if (note->word == notes->word && !note->is_result)
                grading_report_note_of(grading, note->word, note->what, count++);
        is_said[notes->word] = true;
        grading_report_more(grading, count);
    }
}

static void report_one_odd(ExerciseWord word, const char *what)
{
    fputs("attnscope: ", stderr);
    exercise_say(stderr, word, what);
    fputc('\n', stderr);
}

void grading_report_odd(const SubmissionNote *notes)
{
    bool is_said[SAY_COUNT] = {false};
    for (; notes; notes = notes->next) {
        char more[16];
        int count = 0;
        for (const SubmissionNote *note = notes; note && !is_said[notes->word]; note = note->next)
            if (note->word == notes->word && count++ < ODD_OF_A_KIND)
                report_one_odd(note->word, note->what);
        is_said[notes->word] = true;
        snprintf(more, sizeof more, "%d", count - ODD_OF_A_KIND);
        if (count > ODD_OF_A_KIND)
            report_one_odd(SAY_GRADE_MORE, more);
    }
}

void grading_notes_begin(Grading *grading)
{
    Error err;
    if (!written_begin(&grading->notes, &err))
        grading->is_whole = false;
}

void grading_note(Grading *grading, const GradingNote *note)
{
    if (!grading->notes.out)
        return;
    exercise_say(grading->notes.out, note->word, note->what, note->more[0], note->more[1],
                 note->more[2]);
    fputc('\n', grading->notes.out);
}

const char *grading_notes_end(Grading *grading)
{
    Error err;
    if (!written_end(&grading->notes, &err))
        grading->is_whole = false;
    return grading->notes.text ? grading->notes.text : "";
}

void grading_notes_drop(Grading *grading)
{
    written_drop(&grading->notes);
}

// --- the list of tests

// Appends a text. NULL without memory.
static const char * and (const char *text, const char *more, Arena *arena)
{
    Error err;
    return text ? arena_format(arena, &err, "%s%s%s", text, *text ? "; " : "", more) : NULL;
}

// How a test failed: how it ended, its first wrong number, or its title.
static const char *failure_of(const VerdictTest *test, Arena *arena)
{
    Error err;
    char title[VERDICT_TITLE_MAX];
    const char *why = verdict_in_language(test->why);
    if (why)
        return why;
    if (test->where || test->hidden)
        return grading_number_told(test, arena);
    return arena_text(arena, verdict_title(test, title), &err);
}

// The message of a test for learners, without hidden numbers.
static const char *words_of(Grading *grading, const VerdictTest *test, Arena *arena)
{
    const char *relation = verdict_in_language(test->relation);
    if (test->end == VERDICT_PASSED)
        return "";
    const char *text = failure_of(test, arena);
    for (int i = 0; text && i < VERDICT_MISTAKES_MAX && test->mistakes[i]; i++) {
        const char *mistake = grading_mistake(test->mistakes[i], arena);
        text = mistake ? and(text, mistake, arena) : NULL;
    }
    if (relation)
        text = and(text, relation, arena);
    return grading_kept(grading, text);
}

static GradingCase case_of(Grading *grading, const VerdictTest *test, const Verdict *verdict,
                           Arena *arena)
{
    static const GradingCaseEnd ends[] = {
        [VERDICT_PASSED] = GRADING_PASSED,
        [VERDICT_WRONG] = GRADING_FAILED,
        [VERDICT_BROKEN] = GRADING_BROKEN,
        [VERDICT_NOT_RUN] = GRADING_UNJUDGED,
    };
    Error err;
    char title_text[VERDICT_TITLE_MAX];
    const char *title = arena_text(arena, verdict_title(test, title_text), &err);
    double all = verdict->max, best = verdict->points;
    return (GradingCase){
        .title = grading_kept(grading, title),
        .hidden = test->hidden,
        .end = ends[test->end],
        .score = best > 0 ? grading->mark.score * test->points / best : 0,
        .max = all > 0 ? grading->mark.max * test->max / all : 0,
        .words = words_of(grading, test, arena),
    };
}

int grading_cases(Grading *grading, const Judging *judging, int number,
                  GradingCase cases[GRADING_CASES_MAX], Arena *arena)
{
    static const GradingCaseEnd ends[] = {
        [JUDGING_UNTOUCHED] = GRADING_NOT_BEGUN,
        [JUDGING_NOT_COMPILED] = GRADING_BROKEN,
        [JUDGING_NOT_JUDGED] = GRADING_UNJUDGED,
    };
    const Exercise *exercise = &grading->workspace.exercises.exercises[number];
    int count = judging->end == JUDGING_DONE ? judging->verdict.count : 0;
    for (int i = 0; i < count; i++)
        cases[i] = case_of(grading, &judging->verdict.tests[i], &judging->verdict, arena);
    if (count == 0)
        cases[count++] = (GradingCase){
            .title = exercise->name,
            .end = ends[judging->end],
            .max = grading->mark.max,
            .words = judging->end == JUDGING_UNTOUCHED ? exercise_word(SAY_GRADE_NOT_BEGUN)
                                                       : grading_why(grading, judging, arena),
        };
    for (int i = 0; i < count; i++)
        if (cases[i].end == GRADING_FAILED) {
            cases[i].words = grading_kept(grading, grading_warned(judging, cases[i].words, arena));
            break; // once
        }
    Error err;
    const char *file =
        grading_kept(grading, workspace_below(&grading->workspace, number, arena, &err));
    for (int i = 0; i < count; i++) {
        const char *title = cases[i].title;
        const char *line = strcmp(exercise->name, title) == 0
                               ? title
                               : arena_format(arena, &err, "%s: %s%s", exercise->name, title,
                                              cases[i].hidden ? TELL(WITH_OTHER_NUMBERS) : "");
        cases[i].exercise = exercise->name;
        cases[i].line = grading_kept(grading, line);
        cases[i].file = file;
    }
    return count;
}

void grading_field(FILE *out, const char *text)
{
    uint32_t character;
    fputs(*text && strchr("=+-@\t\r", *text) ? "\"'" : "\"", out);
    for (size_t bytes; (bytes = utf8_next(text, &character)) > 0; text += bytes)
        if (character == '"')
            fputs("\"\"", out);
        else if (character == '\n' || (character >= 0x20 && character != 0x7f))
            fprintf(out, "%.*s", (int)bytes, text);
    fputc('"', out);
}

void grading_person(const char *name, char *who, char *id, size_t room)
{
    snprintf(who, room, "%s", name);
    *id = '\0';
    for (char *at = strchr(who, '_'); at; at = strchr(at + 1, '_')) {
        size_t digits = strspn(at + 1, "0123456789");
        if (digits < 3 || (at[1 + digits] != '_' && at[1 + digits] != '\0'))
            continue;
        snprintf(id, room, "%.*s", (int)digits, at + 1);
        *at = '\0';
        if (*who != '_' && text_ends(who, "_LATE"))
            who[strlen(who) - 5] = '\0';
        return;
    }
}

// --- as JSON

void grading_object_begin(Grading *grading)
{
    json_whole_begin();
    grading->list = json_array();
    grading->entry = json_object();
    grading->tested = grading->tests_failed = grading->tests_unjudged = 0;
    grading_notes_begin(grading);
}

void grading_add(Grading *grading, const Judging *judging, int number)
{
    GradingCase cases[GRADING_CASES_MAX];
    Arena arena = {0};
    int count = grading_cases(grading, judging, number, cases, &arena);
    for (int i = 0; i < count; i++) {
        bool is_unjudged = cases[i].end == GRADING_UNJUDGED;
        bool is_asked = cases[i].end != GRADING_NOT_BEGUN || cases[i].max > 0;
        grading->tests_unjudged += is_unjudged;
        grading->tests_failed += is_asked && cases[i].end != GRADING_PASSED && !is_unjudged;
        json_array_append_new(grading->list, grading->format->form(&cases[i]));
    }
    arena_finish(&arena);
}

void grading_object_end(Grading *grading, json_t *object, size_t flags)
{
    Error err;
    grading->is_whole = grading->is_whole && json_whole_print(object, flags, grading->out, &err);
    json_decref(grading->entry);
    json_decref(grading->list);
    grading_notes_drop(grading);
}

// --- formats of test runners: JUnit, TAP, JSON

// --- JUnit
//
// XML for CI servers: a suite per exercise, a case per test. Only exercises have a time, because their tests are one run
// of the judge.

static const char not_judged[] = "not-judged";

static void attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    html_text(out, value);
    fputc('"', out);
}

static void junit_begin(Grading *grading)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attnscope\">\n",
          grading->out);
}

static int ended(const Judging *judging, VerdictEnd end)
{
    int found = 0;
    for (int i = 0; i < judging->verdict.count; i++)
        found += judging->verdict.tests[i].end == end;
    return found;
}

// An exercise without tests becomes a suite with one case, skipped if it was not begun.
static void open_suite(Grading *grading, const Judging *judging, const char *name)
{
    bool has_tests = judging->verdict.count > 0, is_skipped = judging->end == JUDGING_UNTOUCHED;
    char fence[WORKER_FENCE_TEXT_MAX];
    int errors =
        has_tests ? ended(judging, VERDICT_BROKEN) + ended(judging, VERDICT_NOT_RUN) : !is_skipped;
    fputs("  <testsuite name=\"", grading->out);
    html_text(grading->out, grading->name);
    fprintf(grading->out,
            ".%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\">\n",
            name, has_tests ? judging->verdict.count : 1, ended(judging, VERDICT_WRONG), errors,
            is_skipped, judging->verdict.spent / 1000.0);
    fputs("    <properties><property name=\"fence\"", grading->out);
    attribute(grading->out, "value", worker_fence_text(grading->fence.text, fence));
    fprintf(grading->out, "/><property name=\"fence-whole\" value=\"%s\"/></properties>\n",
            grading->fence.parts == FENCE_WHOLE ? "true" : "false");
}

static void open_case(Grading *grading, const char *name, const char *test, bool hidden)
{
    fputs("    <testcase classname=\"", grading->out);
    html_text(grading->out, grading->name);
    fprintf(grading->out, ".%s\"", name);
    fputs(" name=\"", grading->out);
    html_text(grading->out, test);
    fprintf(grading->out, "%s\"", hidden ? TELL(WITH_OTHER_NUMBERS) : "");
}

// `kind` is "failure", "error" or "skipped"; `type` distinguishes wrong numbers ("wrong"), a function that ended
// ("ended") and a fault of the machine ("not-judged"), or is NULL.
static void close_case(Grading *grading, const char *kind, const char *type, const char *message,
                       const char *text)
{
    fprintf(grading->out, "><%s", kind);
    if (type)
        attribute(grading->out, "type", type);
    attribute(grading->out, "message", message);
    fputc('>', grading->out);
    html_text(grading->out, text);
    fprintf(grading->out, "</%s></testcase>\n", kind);
}

static void write_test(Grading *grading, const char *name, const VerdictTest *test)
{
    Arena arena = {0};
    open_case(grading, name, test->name, test->hidden);
    if (test->end == VERDICT_PASSED) {
        fputs("/>\n", grading->out);
        return;
    }
    const char *why = verdict_in_language(test->why);
    const char *numbers =
        test->where ? grading_kept(grading, grading_number_told(test, &arena)) : NULL;
    char title[VERDICT_TITLE_MAX];
    const char *message = why ? why : numbers ? numbers : verdict_title(test, title);
    const char *relation = verdict_in_language(test->relation);
    const char *mistake = test->mistakes[0] ? grading_mistake(test->mistakes[0], &arena)
                          : relation        ? relation
                                            : "";
    bool is_wrong = test->end == VERDICT_WRONG;
    const char *type = is_wrong ? "wrong" : test->end == VERDICT_NOT_RUN ? not_judged : "ended";
    close_case(grading, is_wrong ? "failure" : "error", type, message,
               grading_kept(grading, mistake));
    arena_finish(&arena);
}

static void junit_exercise(Grading *grading, const Judging *judging, int number)
{
    Arena arena = {0};
    const char *name = grading->workspace.exercises.exercises[number].name;
    open_suite(grading, judging, name);
    for (int i = 0; i < judging->verdict.count; i++)
        write_test(grading, name, &judging->verdict.tests[i]);
    if (judging->verdict.count == 0) {
        bool is_ours = judging->end == JUDGING_NOT_JUDGED;
        open_case(grading, name, name, false);
        if (judging->end == JUDGING_UNTOUCHED)
            close_case(grading, "skipped", NULL, TELL(NOT_BEGUN), "");
        else
            close_case(grading, "error", is_ours ? not_judged : "not-compiled",
                       grading_why(grading, judging, &arena), judging->plain.said);
    }
    fputs("  </testsuite>\n", grading->out);
    arena_finish(&arena);
}

static void junit_note(Grading *grading, const GradingNote *note)
{
    Arena arena = {0};
    Error err;
    const char *message = arena_format(&arena, &err, exercise_word(note->word), note->what,
                                       note->more[0], note->more[1], note->more[2]);
    fputs("  <testsuite name=\"", grading->out);
    html_text(grading->out, grading->name);
    fputs("\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\" time=\"0.000\">\n",
          grading->out);
    open_case(grading, "files", note->what, false);
    close_case(grading, "skipped", NULL, grading_kept(grading, message), "");
    fputs("  </testsuite>\n", grading->out);
    arena_finish(&arena);
}

static void junit_end(Grading *grading)
{
    fputs("</testsuites>\n", grading->out);
}

const GradingFormat grading_junit = {
    .name = "junit",
    .tells_fence = true,
    .begin = junit_begin,
    .exercise = junit_exercise,
    .note = junit_note,
    .end = junit_end,
};

// --- TAP
//
// The Test Anything Protocol, version 14: a line per test, with a YAML block for failures. The plan comes last.

// Escapes text that TAP would read as a directive or a new line.
static void describe(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '#' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
}

// A string in double quotes for YAML.
static void quote(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fputs(*text == '\n' ? "\\n" : " ", out);
        else
            fputc(*text, out);
    fputc('"', out);
}

static void tap_begin(Grading *grading)
{
    grading->tested = 0;
    fputs("TAP version 14\n", grading->out);
}

static void write_case(Grading *grading, const GradingCase *one)
{
    FILE *out = grading->out;
    bool passed = one->end == GRADING_PASSED;
    fprintf(out, "%sok %d - ", passed ? "" : "not ", ++grading->tested);
    describe(out, grading->name);
    fputs(" ", out);
    describe(out, one->line);
    if (one->end == GRADING_NOT_BEGUN)
        fprintf(out, " # SKIP %s", TELL(NOT_BEGUN));
    fputc('\n', out);
    if (passed || one->end == GRADING_NOT_BEGUN)
        return;
    fputs("  ---\n  message: ", out);
    quote(out, one->words);
    fprintf(out, "\n  severity: %s\n  score: %.6g\n  max: %.6g\n  ...\n",
            one->end == GRADING_FAILED ? "fail" : "error", one->score, one->max);
}

static void tap_exercise(Grading *grading, const Judging *judging, int number)
{
    GradingCase cases[GRADING_CASES_MAX];
    Arena arena = {0};
    int count = grading_cases(grading, judging, number, cases, &arena);
    for (int i = 0; i < count; i++)
        write_case(grading, &cases[i]);
    arena_finish(&arena);
}

static void tap_note(Grading *grading, const GradingNote *note)
{
    fprintf(grading->out, "# %s: ", grading->name);
    exercise_say(grading->out, note->word, note->what, note->more[0], note->more[1], note->more[2]);
    fputc('\n', grading->out);
}

static void tap_end(Grading *grading)
{
    fprintf(grading->out, "1..%d\n", grading->tested);
}

const GradingFormat grading_tap = {
    .name = "tap",
    .begin = tap_begin,
    .exercise = tap_exercise,
    .note = tap_note,
    .end = tap_end,
};

// --- JSON
//
// Per submission what `attnscope check all --json` prints.

static void json_begin(Grading *grading)
{
    json_whole_begin();
    grading->list = json_array();
}

static void json_submission(Grading *grading)
{
    grading->entry =
        json_pack("{s:s, s:s, s:b, s:[], s:[], s:[]}", "submission", grading->name, "fence",
                  grading->fence.text, "fence_whole", grading->fence.parts == FENCE_WHOLE,
                  "exercises", "other_files", "notes");
}

static void json_exercise(Grading *grading, const Judging *judging, int number)
{
    const Exercise *which = &grading->workspace.exercises.exercises[number];
    json_array_append_new(json_object_get(grading->entry, "exercises"),
                          judging_json(judging, which));
}

static void json_note(Grading *grading, const GradingNote *note)
{
    Arena arena = {0};
    Error err;
    const char *text = arena_format(&arena, &err, exercise_word_in(LANGUAGE_ENGLISH, note->word),
                                    note->what, note->more[0], note->more[1], note->more[2]);
    bool is_file = note->word == SAY_GRADE_NO_EXERCISE;
    json_t *list = json_object_get(grading->entry, is_file ? "other_files" : "notes");
    json_array_append_new(list, json_string(is_file ? note->what : grading_kept(grading, text)));
    arena_finish(&arena);
}

static void json_submission_end(Grading *grading)
{
    json_t *rest = json_pack(
        "{s:f, s:f, s:I, s:I, s:{s:i, s:i, s:f}, s:i, s:i, s:i}", "score", grading->sum.score,
        "score_max", grading->sum.max, "days_late", (json_int_t)grading->days_late, "seed",
        (json_int_t)grading->person_seed, "budget", "seconds", BUDGET_SECONDS, "megabytes",
        BUDGET_MEGABYTES, "seconds_used", (double)grading->budget.spent / 1000.0, "points",
        grading->points, "max", grading->max, "not_judged", grading->not_judged);
    json_object_update(grading->entry, rest);
    json_decref(rest);
    json_array_append_new(grading->list, grading->entry);
}

static void json_end(Grading *grading)
{
    Error err;
    grading->is_whole =
        grading->is_whole && json_whole_print(grading->list, JSON_INDENT(2), grading->out, &err);
    json_decref(grading->list);
}

const GradingFormat grading_json = {
    .name = "json",
    .tells_fence = true,
    .has_all_notes = true,
    .begin = json_begin,
    .submission = json_submission,
    .exercise = json_exercise,
    .note = json_note,
    .submission_end = json_submission_end,
    .end = json_end,
};
