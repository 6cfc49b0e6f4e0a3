// grading_why: why an exercise has not passed, in one line; see grading.h.
#include <string.h>
#include "compiler_words.h"
#include "exercise_words.h"
#include "grading.h"
#include "grading_words.h"
#include "judging_keep.h"
#include "mistake.h"

const char *grading_mistake(const Grading *grading, const char *name, Arena *arena)
{
    Error err;
    const Mistake *mistake = mistake_find(name);
    return mistake ? arena_format(arena, &err, "%s: %s", name,
                                  mistake->words[language_beside(grading->language)].title)
                   : name;
}

// Numbers that fit several mistakes are told their names alone.
static const char *mistakes_text(const Grading *grading, const VerdictTest *test, Arena *arena,
                                 Error *err)
{
    const char *text = test->mistakes[0];
    if (text && !test->mistakes[1])
        return grading_mistake(grading, text, arena);
    for (int i = 1; text && i < VERDICT_MISTAKES_MAX && test->mistakes[i]; i++)
        text = arena_format(arena, err, "%s, %s", text, test->mistakes[i]);
    return text;
}

static const char *failure_text(const Grading *grading, const VerdictTest *test, Arena *arena,
                                Error *err)
{
    Language language = grading->language;
    const char *why = verdict_told(test->why, language);
    const char *mistakes = mistakes_text(grading, test, arena, err);
    if (!mistakes && test->mistakes[0])
        return NULL;
    char title[VERDICT_TITLE_MAX];
    verdict_title(test, language, title);
    const char *relation = verdict_told(test->relation, language);
    const char *property = verdict_told(test->property, language);
    const char *unset =
        arena_format(arena, err, exercise_word(language, EXERCISE_SAYS_GRADE_UNSET_COUNT),
                     (int)test->unwritten, (int)test->all);
    const char *text = mistakes              ? mistakes
                       : why                 ? why
                       : relation            ? relation
                       : property            ? property
                       : test->unwritten > 0 ? unset
                                             : arena_text(arena, title, err);
    if (!test->hidden || why)
        return text;
    return arena_format(arena, err,
                        exercise_word(grading->language, EXERCISE_SAYS_GRADE_OTHER_NUMBERS), text);
}

static const char *compiler_text(const Grading *grading, const Judging *judging, Arena *arena,
                                 Error *err)
{
    size_t length;
    const char *first = compiler_words_first(judging->plain.said, &length);
    char *line = arena_format(arena, err, "%.*s", (int)length, first);
    if (line)
        judging_without(line, grading->workspace.folder);
    return line && *line
               ? arena_format(arena, err,
                              exercise_word(grading->language, EXERCISE_SAYS_GRADE_NOT_COMPILED),
                              line)
               : judging_why(judging, grading->language);
}

const char *grading_warned(const Grading *grading, const Judging *judging, const char *text,
                           Arena *arena)
{
    Error err;
    CompilerUnset unset;
    const VerdictTest *failure = verdict_first_failure(&judging->verdict);
    bool is_told =
        failure && failure->why[LANGUAGE_ENGLISH]; // why two answers differ, or none came
    if (!text || is_told || !compiler_words_unset(judging->plain.said, &unset))
        return text;
    size_t length = strlen(text);
    length -= length > 0 && text[length - 1] == '.';
    const char *shorter = arena_format(arena, &err, "%.*s", (int)length, text);
    return shorter ? arena_format(arena, &err,
                                  exercise_word(grading->language, EXERCISE_SAYS_GRADE_WARNED),
                                  shorter, unset.line, unset.name)
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
        text = arena_format(arena, &err,
                            exercise_word(grading->language, judging->is_nowhere
                                                                 ? EXERCISE_SAYS_GRADE_NOWHERE
                                                                 : EXERCISE_SAYS_GRADE_NOT_JUDGED),
                            judging_why(judging, grading->language));
    else if (judging->end == JUDGING_DONE && failure)
        text = grading_warned(grading, judging, failure_text(grading, failure, arena, &err), arena);
    grading->is_whole = grading->is_whole && text;
    return text ? text : "";
}

const char *grading_number(const Grading *grading, const VerdictTest *test, Arena *arena)
{
    Error err;
    const char *where = test->where ? test->where : test->name;
    const char *expected = test->expected ? test->expected : "?";
    if (test->kind == VERDICT_KIND_UNWRITTEN)
        return arena_format(arena, &err,
                            exercise_word(grading->language, EXERCISE_SAYS_GRADE_UNSET), where,
                            expected);
    if (test->kind == VERDICT_KIND_ADDED)
        return arena_format(arena, &err,
                            exercise_word(grading->language, EXERCISE_SAYS_GRADE_ADDED), where,
                            expected);
    return arena_format(arena, &err, exercise_word(grading->language, EXERCISE_SAYS_GRADE_NUMBERS),
                        where, test->got ? test->got : "?", expected);
}

// Of numbers that are not shown: how they are wrong, by the kind of their difference.
static const char *hidden_text(const VerdictTest *test, Language language)
{
    static const Words kinds[VERDICT_KINDS] = {
        [VERDICT_KIND_NONE] = ROW(HIDDEN_NUMBER),
        [VERDICT_KIND_NUMBER] = ROW(HIDDEN_NUMBER),
        [VERDICT_KIND_NAN] = ROW(HIDDEN_NAN),
        [VERDICT_KIND_INFINITE] = ROW(HIDDEN_INFINITE),
        [VERDICT_KIND_FINITE] = ROW(HIDDEN_FINITE),
        [VERDICT_KIND_SHAPE] = ROW(HIDDEN_SHAPE),
        [VERDICT_KIND_UNWRITTEN] = ROW(HIDDEN_UNWRITTEN),
        [VERDICT_KIND_ADDED] = ROW(HIDDEN_ADDED),
    };
    return kinds[test->kind].in[language];
}

const char *grading_number_told(const Grading *grading, const VerdictTest *test, Arena *arena)
{
    Error err;
    return test->hidden
               ? arena_text(arena, hidden_text(test, language_beside(grading->language)), &err)
               : grading_number(grading, test, arena);
}
