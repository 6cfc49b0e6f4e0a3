// grading_cases: see grading_cases.h.
#include "grading_cases.h"

#include <string.h>
#include "exercise_words.h"
#include "utf8.h"
#include "grading_words.h"

// One more thing to tell, behind the others. NULL: no memory.
static const char * and (const char *text, const char *more, Arena *arena)
{
    Error err;
    return text ? arena_format(arena, &err, "%s%s%s", text, *text ? "; " : "", more) : NULL;
}

// How a test failed, in itself: what ended it, its first wrong number, or what it asked.
static const char *failure_of(const Grading *grading, const VerdictTest *test, Arena *arena)
{
    Error err;
    char title[VERDICT_TITLE_MAX];
    const char *why = verdict_told(test->why, grading->language);
    if (why)
        return why;
    if (test->where || test->hidden)
        return grading_number_told(grading, test, arena);
    return arena_text(arena, verdict_title(test, grading->language, title), &err);
}

// What a test tells a learner; of hidden numbers none.
static const char *words_of(Grading *grading, const VerdictTest *test, Arena *arena)
{
    const char *relation = verdict_told(test->relation, grading->language);
    if (test->end == VERDICT_PASSED)
        return "";
    const char *text = failure_of(grading, test, arena);
    for (int i = 0; text && i < VERDICT_MISTAKES_MAX && test->mistakes[i]; i++) {
        const char *mistake = grading_mistake(grading, test->mistakes[i], arena);
        text = mistake ? and(text, mistake, arena) : NULL;
    }
    if (relation)
        text = and(text, relation, arena);
    grading->is_whole = grading->is_whole && text;
    return text ? text : "";
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
    char told[VERDICT_TITLE_MAX];
    const char *title = arena_text(arena, verdict_title(test, grading->language, told), &err);
    grading->is_whole = grading->is_whole && title;
    double all = verdict->max, best = verdict->points;
    return (GradingCase){
        .title = title ? title : test->name,
        .hidden = test->hidden,
        .end = ends[test->end],
        .score = best > 0 ? grading->mark.score * test->points / best : 0,
        .max = all > 0 ? grading->mark.max * test->max / all : 0,
        .words = words_of(grading, test, arena),
    };
}

static const char *line_of(const GradingCase *one, Arena *arena)
{
    Error err;
    bool is_whole = strcmp(one->exercise, one->title) == 0;
    return is_whole ? one->exercise
                    : arena_format(arena, &err, "%s: %s%s", one->exercise, one->title,
                                   one->hidden ? TELL(WITH_OTHER_NUMBERS) : "");
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
            .words = judging->end == JUDGING_UNTOUCHED
                         ? exercise_word(grading->language, EXERCISE_SAYS_GRADE_NOT_BEGUN)
                         : grading_why(grading, judging, arena),
        };
    for (int i = 0; i < count; i++)
        if (cases[i].end == GRADING_FAILED) {
            const char *words = grading_warned(grading, judging, cases[i].words, arena);
            grading->is_whole = grading->is_whole && words;
            cases[i].words = words ? words : "";
            break; // once
        }
    for (int i = 0; i < count; i++) {
        cases[i].exercise = exercise->name;
        const char *line = line_of(&cases[i], arena);
        grading->is_whole = grading->is_whole && line;
        cases[i].line = line ? line : exercise->name;
    }
    return count;
}

void grading_count(Grading *grading, const GradingCase cases[], int count)
{
    for (int i = 0; i < count; i++) {
        bool is_asked = cases[i].end != GRADING_NOT_BEGUN || cases[i].max > 0;
        grading->tests_unjudged += cases[i].end == GRADING_UNJUDGED;
        grading->tests_failed +=
            is_asked && cases[i].end != GRADING_PASSED && cases[i].end != GRADING_UNJUDGED;
    }
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
        size_t length = strlen(who);
        if (length > 5 && strcmp(who + length - 5, "_LATE") == 0)
            who[length - 5] = '\0';
        return;
    }
}
