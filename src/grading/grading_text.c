// grading_text: a table with a row for each submission, then why something has not passed.
#include <string.h>
#include "exercise.h"
#include "fence.h"
#include "grading.h"
#include "json.h"
#include "utf8.h"

enum { CELL_USUAL = 3, CELL_OF_COURSE = 6, COLUMNS = 88, WHAT_COLUMNS = 120, ALIKE_MAX = 3 };

// Columns of an exercise: a course may count in parts of points.
static int cell(const Grading *grading)
{
    return grading->course.is_given ? CELL_OF_COURSE : CELL_USUAL;
}

static void pad_to(const Grading *grading, const char *text)
{
    const char *head = exercise_word(grading->language, EXERCISE_SAYS_GRADE_HEAD);
    int width = utf8_width(head) > grading->name_width ? utf8_width(head) : grading->name_width;
    fprintf(grading->out, "%s%*s", text, width - utf8_width(text), "");
}

// The name as rows and notes have it: nobody's widens everybody's rows.
static const char *name_of(Grading *grading, Arena *arena)
{
    Error err;
    char *name = arena_take(arena, strlen(grading->name) + 4, 1, &err);
    grading->is_whole = grading->is_whole && name;
    if (name)
        utf8_shorten(grading->name, GRADING_NAME_COLUMNS, name);
    return name ? name : "";
}

static void begin(Grading *grading)
{
    grading_notes_begin(grading);
    json_whole_begin();
    grading->list = json_array(); // whoever has no list of hints
    grading->tested = 0;          // submissions
    pad_to(grading, exercise_word(grading->language, EXERCISE_SAYS_GRADE_HEAD));
    for (int i = grading->first; i < grading->end; i++)
        if (grading_asks(grading, i))
            fprintf(grading->out, "%*d", cell(grading), i + 1);
    fprintf(grading->out, "  %s\n", exercise_word(grading->language, EXERCISE_SAYS_GRADE_POINTS));
}

static void submission(Grading *grading)
{
    Arena arena = {0};
    grading->tested++;
    grading->entry = json_array(); // pairs of an exercise and why it has not passed
    pad_to(grading, name_of(grading, &arena));
    arena_finish(&arena);
}

static void write_cell(const Grading *grading, const Judging *judging)
{
    const VerdictTest *failure = verdict_first_failure(&judging->verdict);
    switch (judging->end) {
    case JUDGING_UNTOUCHED:
        fprintf(grading->out, "%*s", cell(grading), "~");
        return;
    case JUDGING_NOT_COMPILED:
        fprintf(grading->out, "%*s", cell(grading), "C");
        return;
    case JUDGING_NOT_JUDGED:
        fprintf(grading->out, "%*s", cell(grading), "?");
        return;
    case JUDGING_DONE:
        break;
    }
    if (failure && failure->end == VERDICT_BROKEN && judging->verdict.points == 0)
        fprintf(grading->out, "%*s", cell(grading), "!");
    else
        fprintf(grading->out, "%*.*g", cell(grading), 4, grading->mark.score);
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    Arena arena = {0};
    const char *why = grading_why(grading, judging, &arena);
    write_cell(grading, judging);
    if (*why && !judging->is_nowhere) // a note tells it, once
        json_array_append_new(grading->entry,
                              json_pack("{s:s, s:s, s:b}", "exercise",
                                        grading->workspace.exercises.exercises[number].name, "why",
                                        why, "closed", judging->is_closed));
    arena_finish(&arena);
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

// Closed files are alike although each has its name.
static bool is_alike(const json_t *one, const json_t *other)
{
    bool both_closed = json_is_true(json_object_get(one, "closed")) &&
                       json_is_true(json_object_get(other, "closed"));
    return both_closed || strcmp(text_of(one, "why"), text_of(other, "why")) == 0;
}

// How many rows from `at` on are like that one; 0 where one before it is, and has told of it.
static int count_alike(const json_t *rows, size_t at)
{
    const json_t *one = json_array_get(rows, at);
    int count = 0;
    for (size_t i = 0; i < json_array_size(rows); i++)
        count += is_alike(one, json_array_get(rows, i));
    for (size_t i = 0; i < at && count > ALIKE_MAX; i++)
        if (is_alike(one, json_array_get(rows, i)))
            return 0;
    return count;
}

// One line for all that are alike: "kim  24 files cannot be read: change their mode".
static void write_alike(Grading *grading, const json_t *row, int count)
{
    char number[16];
    FILE *out = grading->notes.out;
    snprintf(number, sizeof number, "%d", count);
    if (json_is_true(json_object_get(row, "closed"))) {
        exercise_say(out, grading->language, EXERCISE_SAYS_FILES_CLOSED, number);
    } else {
        exercise_say(out, grading->language, EXERCISE_SAYS_GRADE_ALIKE, count,
                     text_of(row, "exercise"));
        fprintf(out, ": %s", text_of(row, "why"));
    }
    fputc('\n', out);
}

// Why exercises of the submission have not passed, before what else there is to say of it.
static void write_whys(Grading *grading)
{
    json_t *rows = grading->entry;
    Arena arena = {0};
    for (size_t i = 0; grading->notes.out && i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        int count = count_alike(rows, i);
        if (count == 0)
            continue;
        fprintf(grading->notes.out, "%s  ", name_of(grading, &arena));
        if (count > ALIKE_MAX)
            write_alike(grading, row, count);
        else
            fprintf(grading->notes.out, "%s: %s\n", text_of(row, "exercise"), text_of(row, "why"));
    }
    json_array_clear(rows);
    arena_finish(&arena);
}

// A list of hints that one has not and others have is worth a look; where nobody has one, it is said once.
static void write_hintless(Grading *grading)
{
    size_t count = json_array_size(grading->list);
    bool is_nobody = count > 1 && count == (size_t)grading->tested;
    if (is_nobody)
        exercise_say(grading->out, grading->language, EXERCISE_SAYS_HANDED_ALL_HINTLESS,
                     HINT_FILE_NAME);
    for (size_t i = 0; i < count && !is_nobody; i++) {
        fprintf(grading->out, "%s  ", json_string_value(json_array_get(grading->list, i)));
        exercise_say(grading->out, grading->language, EXERCISE_SAYS_HANDED_HINTLESS,
                     HINT_FILE_NAME);
        fputc('\n', grading->out);
    }
    if (is_nobody)
        fputc('\n', grading->out);
}

static void note(Grading *grading, const GradingNote *note)
{
    write_whys(grading);
    if (note->word == EXERCISE_SAYS_HANDED_HINTLESS) {
        Arena names = {0};
        json_array_append_new(grading->list, json_string(name_of(grading, &names)));
        arena_finish(&names);
        return;
    }
    if (!grading->notes.out)
        return;
    Arena arena = {0};
    Error err;
    char *shorter = arena_take(&arena, strlen(note->what) + 4, 1, &err);
    if (shorter)
        utf8_shorten(note->what, WHAT_COLUMNS, shorter);
    fprintf(grading->notes.out, "%s  ", name_of(grading, &arena));
    GradingNote shown = *note;
    shown.what = shorter ? shorter : note->what;
    grading_note(grading, &shown);
    arena_finish(&arena);
}

static void submission_end(Grading *grading)
{
    write_whys(grading);
    json_decref(grading->entry);
    fprintf(grading->out, "  %.6g/%.6g\n", grading->sum.score, grading->sum.max);
}

// Which exercise a column is: "1 pad  5 project", as much in a line as fits.
static void name_columns(const Grading *grading)
{
    int column = 0;
    for (int i = grading->first; i < grading->end; i++) {
        const char *name = grading->lessons->exercises[i].name;
        int width = snprintf(NULL, 0, "%d %s", i + 1, name);
        if (!grading_asks(grading, i))
            continue;
        const char *before = column == 0 ? "" : column + 2 + width > COLUMNS ? "\n" : "  ";
        column = *before == ' ' ? column + 2 + width : width;
        fprintf(grading->out, "%s%d %s", before, i + 1, name);
    }
    fputc('\n', grading->out);
}

static void end(Grading *grading)
{
    char fence[WORKER_FENCE_TEXT_MAX];
    fputc('\n', grading->out);
    name_columns(grading);
    exercise_say(grading->out, grading->language, EXERCISE_SAYS_GRADE_LEGEND);
    if (*grading->fence.text && grading->fence.parts != FENCE_WHOLE)
        exercise_say(grading->out, grading->language, EXERCISE_SAYS_GRADE_FENCE,
                     worker_fence_tell(grading->fence.text, fence));
    const char *notes = grading_notes_end(grading);
    if (*notes || json_array_size(grading->list) > 0)
        fprintf(grading->out, "\n%s", notes);
    write_hintless(grading);
    Error err;
    grading->is_whole = grading->is_whole && json_whole(&err);
    json_decref(grading->list);
    grading_notes_drop(grading);
}

const GradingFormat grading_text = {
    .name = "text",
    .tells_fence = true,
    .begin = begin,
    .submission = submission,
    .exercise = exercise,
    .note = note,
    .submission_end = submission_end,
    .end = end,
};
