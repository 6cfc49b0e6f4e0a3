// class_report: gathering what a class believes; see class_report.h.
#include "class_report.h"

#include <string.h>
#include "compiler_words.h"
#include "input_file.h"

enum { SOURCE_BYTES_MAX = 1 << 20, EXAMPLE_BYTES_MAX = 4000 };

// --- an example

// The end of the comment or the text in quotes that begins here; `at` itself where none does.
static const char *skip(const char *at, bool *is_comment)
{
    const char *end = at;
    *is_comment = at[0] == '/' && (at[1] == '/' || at[1] == '*');
    if (at[0] == '/' && at[1] == '/') {
        end += strcspn(at, "\n");
    } else if (at[0] == '/' && at[1] == '*') {
        const char *found = strstr(at + 2, "*/");
        end = found ? found + 2 : at + strlen(at);
    } else if (*at == '"' || *at == '\'') {
        for (end = at + 1; *end && *end != *at && *end != '\n'; end++)
            end += *end == '\\' && end[1];
        end += *end == *at;
    }
    return end;
}

// Without comments, since people write their names there.
static char *without_comments(const char *text, Arena *arena, Error *err)
{
    char *out = arena_take(arena, strlen(text) + 2, 1, err), *to = out;
    while (out && *text && to - out < EXAMPLE_BYTES_MAX) {
        bool is_comment;
        const char *end = skip(text, &is_comment);
        end += end == text;
        for (; text < end; text++)
            if (!is_comment &&
                !(*text == '\n' && to - out >= 2 && to[-1] == '\n' && to[-2] == '\n'))
                *to++ = *text;
    }
    return out;
}

static const char *example_of(Grading *grading, int number)
{
    Arena *arena = &grading->report->arena;
    Error err;
    const char *path = workspace_path(&grading->workspace, number, arena, &err);
    const char *text = path ? input_file_text(path, SOURCE_BYTES_MAX, arena, &err) : NULL;
    const char *example = text ? without_comments(text, arena, &err) : NULL;
    return example ? example : "";
}

// --- groups

// What the compiler took offence at first: its kind where that is known, else its words without the place.
static void describe_compiling(Grading *grading, const Judging *judging, ClassGroup *group)
{
    enum { MEANING_MAX = 512 };
    Arena *arena = &grading->report->arena;
    Error err;
    char meaning[MEANING_MAX];
    size_t length;
    const char *not_compiled = exercise_word(grading->language, EXERCISE_SAYS_REPORT_NOT_COMPILED);
    int kind = compiler_words_kind(judging->plain.said, grading->language, meaning, sizeof meaning);
    if (kind < 0) {
        const char *first = compiler_words_first(judging->plain.said, &length);
        const char *error = strstr(first, "error: ");
        bool is_in_line = error && error < first + length;
        length -= is_in_line ? (size_t)(error - first) : 0;
        snprintf(meaning, sizeof meaning, "%.*s", (int)length, is_in_line ? error : first);
    }
    group->what =
        *meaning ? arena_format(arena, &err, "%s: %s", not_compiled, meaning) : not_compiled;
    group->key = kind < 0 ? group->what : arena_format(arena, &err, "%s: %d", not_compiled, kind);
}

// What is known of numbers that no mistake and no relation explains.
static ExerciseWord kind_of(const VerdictTest *test)
{
    static const ExerciseWord words[VERDICT_KINDS] = {
        [VERDICT_KIND_NAN] = EXERCISE_SAYS_REPORT_NAN,
        [VERDICT_KIND_INFINITE] = EXERCISE_SAYS_REPORT_INFINITE,
        [VERDICT_KIND_FINITE] = EXERCISE_SAYS_REPORT_FINITE,
        [VERDICT_KIND_SHAPE] = EXERCISE_SAYS_REPORT_SHAPE,
        [VERDICT_KIND_UNWRITTEN] = EXERCISE_SAYS_REPORT_UNWRITTEN,
        [VERDICT_KIND_ADDED] = EXERCISE_SAYS_REPORT_ADDED,
    };
    bool has_words = test->kind != VERDICT_KIND_NONE && test->kind != VERDICT_KIND_NUMBER;
    return has_words ? words[test->kind] : EXERCISE_SAYS_REPORT_UNEXPLAINED;
}

// Where everybody has other numbers, equal ones are chance: what is known of them tells groups apart, and where
// nothing is known each has one of its own.
static void tell_apart(Grading *grading, ClassGroup *group)
{
    Error err;
    const char *own = group->is_unexplained && !group->property ? grading->name : group->property;
    group->key = arena_format(&grading->report->arena, &err, "%s\n%s", group->what, own ? own : "");
    group->is_numbers = false;
    group->is_kind = true;
    group->is_unexplained = false;
}

// Equal numbers belong together; what is known of them is said, and the numbers are its example.
static void describe_numbers(Grading *grading, const VerdictTest *test, ClassGroup *group)
{
    Arena *arena = &grading->report->arena;
    const char *property = verdict_told(test->property, grading->language);
    ExerciseWord kind = kind_of(test);
    Error err;
    group->is_numbers = test->where != NULL;
    group->is_unexplained = group->is_numbers && kind == EXERCISE_SAYS_REPORT_UNEXPLAINED;
    group->number = grading_number(grading, test, arena);
    // One number may be equal by chance, a whole number above all.
    group->key =
        arena_format(arena, &err, "%s\n%lld %.17g", group->number, test->wrong, test->worst);
    group->property = property ? arena_text(arena, property, &err) : NULL;
    group->what = exercise_word(grading->language, kind);
    if (grading->course.seeds)
        tell_apart(grading, group);
}

// What tells a failure from others: the mistake, or the very numbers.
static ClassGroup describe(Grading *grading, const Judging *judging)
{
    Arena *arena = &grading->report->arena;
    Error err;
    const VerdictTest *test = verdict_first_failure(&judging->verdict);
    ClassGroup group = {.what = "", .compiles = judging->end == JUDGING_DONE};
    if (judging->end != JUDGING_DONE || !test)
        describe_compiling(grading, judging, &group);
    else if (test->mistakes[0] && (group.mistake = mistake_find(test->mistakes[0])) != NULL)
        group.what = group.mistake->name;
    else if (test->why[LANGUAGE_ENGLISH])
        group.what = arena_text(arena, grading_why(grading, judging, arena), &err);
    else if (verdict_told(test->relation, grading->language)) {
        group.is_relation = true;
        group.what = arena_text(arena, verdict_told(test->relation, grading->language), &err);
    } else {
        describe_numbers(grading, test, &group);
    }
    group.what = group.what ? group.what : "";
    group.key = group.key ? group.key : group.what;
    return group;
}

static void count_in(Grading *grading, ClassExercise *exercise, const Judging *judging, int number)
{
    Arena *arena = &grading->report->arena;
    Error err;
    ClassGroup group = describe(grading, judging), **at = &exercise->groups;
    while (*at && strcmp((*at)->key, group.key) != 0)
        at = &(*at)->next;
    if (!*at) {
        group.example = example_of(grading, number);
        ClassGroup *kept = arena_take(arena, 1, sizeof *kept, &err);
        if (!kept) {
            grading->is_whole = false;
            return;
        }
        *kept = group;
        *at = kept;
    }
    ClassGroup *found = *at;
    found->count++;
    const char *names = found->names
                            ? arena_format(arena, &err, "%s, %s", found->names, grading->name)
                            : arena_text(arena, grading->name, &err);
    found->names = names ? names : "";
}

static void sort(ClassGroup **groups)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (ClassGroup **at = groups; *at && (*at)->next; at = &(*at)->next) {
            ClassGroup *one = *at, *other = one->next;
            if (one->count >= other->count)
                continue;
            one->next = other->next;
            other->next = one;
            *at = other;
            moved = true;
        }
    }
}

// --- as a form of results

static void submission(Grading *grading)
{
    grading->report->submissions++;
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    ClassExercise *counted = &grading->report->exercises[number];
    bool passed = judging_passed(judging);
    counted->ended[judging->end]++;
    counted->passed += passed;
    if (!passed && (judging->end == JUDGING_DONE || judging->end == JUDGING_NOT_COMPILED))
        count_in(grading, counted, judging, number);
}

static void note(Grading *grading, const GradingNote *told)
{
    ClassNote *counted = &grading->report->notes[told->word];
    counted->count += counted->last != grading->report->submissions;
    counted->last = grading->report->submissions;
}

static void nothing(Grading *grading)
{
    (void)grading;
}

static void end(Grading *grading)
{
    for (int i = grading->first; i < grading->end; i++)
        sort(&grading->report->exercises[i].groups);
    class_report_write(grading);
}

const GradingFormat class_report_format = {
    .name = "report",
    .begin = nothing,
    .submission = submission,
    .exercise = exercise,
    .note = note,
    .has_all_notes = true,
    .end = end,
};
