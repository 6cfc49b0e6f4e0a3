// An exercise's result as a list of tests with points, the form all grading platforms want; see
// grading_internal.h.
#include "grading_internal.h"

#include <string.h>
#include "class.h"
#include "compiler_words.h"
#include "exercise.h"
#include "grading.h"
#include "json.h"
#include "judging.h"
#include "mistake.h"
#include "utf8.h"

// --- which exercises of a course are asked for

bool grading_asks(const Grading *grading, int number)
{
    return number >= grading->first && number < grading->end &&
           grading->course.exercises[number].is_asked;
}

// --- why an exercise has not passed, in one line

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
    const char *why = verdict_in_language(test->why, language);
    const char *mistakes = mistakes_text(grading, test, arena, err);
    if (!mistakes && test->mistakes[0])
        return NULL;
    char title[VERDICT_TITLE_MAX];
    verdict_title(test, language, title);
    const char *relation = verdict_in_language(test->relation, language);
    const char *property = verdict_in_language(test->property, language);
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

// The text of why something has not passed and, where a compiler has warned of it, what may be read before it is
// set; that alone is not why a test failed. In the arena; NULL: no memory for it, or no text.
static const char *grading_warned(const Grading *grading, const Judging *judging, const char *text,
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

// --- what is said of a submission besides its results

enum { NOTES_OF_A_KIND = 3, ODD_OF_A_KIND = 20 };

void grading_tell_note(Grading *grading, ExerciseWord word, const char *what)
{
    if (grading->format->note)
        grading->format->note(grading, &(GradingNote){.word = word, .what = what});
}

void grading_tell_note_of(Grading *grading, ExerciseWord word, const char *what, int before)
{
    if (before < NOTES_OF_A_KIND || grading->format->has_all_notes)
        grading_tell_note(grading, word, what);
}

void grading_tell_more(Grading *grading, int count)
{
    char more[16];
    snprintf(more, sizeof more, "%d", count - NOTES_OF_A_KIND);
    if (count > NOTES_OF_A_KIND && !grading->format->has_all_notes)
        grading_tell_note(grading, EXERCISE_SAYS_GRADE_MORE, more);
}

void grading_tell_notes(Grading *grading, const SubmissionNote *notes)
{
    bool told[EXERCISE_SAYS_COUNT] = {false};
    for (; notes; notes = notes->next) {
        int count = 0;
        for (const SubmissionNote *note = notes; note && !told[notes->word]; note = note->next)
            if (note->word == notes->word && !note->is_result)
                grading_tell_note_of(grading, note->word, note->what, count++);
        told[notes->word] = true;
        grading_tell_more(grading, count);
    }
}

static void tell_one_odd(const Grading *grading, ExerciseWord word, const char *what)
{
    fputs("attnscope: ", stderr);
    exercise_say(stderr, grading->language, word, what);
    fputc('\n', stderr);
}

void grading_tell_odd(const Grading *grading, const SubmissionNote *notes)
{
    bool told[EXERCISE_SAYS_COUNT] = {false};
    for (; notes; notes = notes->next) {
        char more[16];
        int count = 0;
        for (const SubmissionNote *note = notes; note && !told[notes->word]; note = note->next)
            if (note->word == notes->word && count++ < ODD_OF_A_KIND)
                tell_one_odd(grading, note->word, note->what);
        told[notes->word] = true;
        snprintf(more, sizeof more, "%d", count - ODD_OF_A_KIND);
        if (count > ODD_OF_A_KIND)
            tell_one_odd(grading, EXERCISE_SAYS_GRADE_MORE, more);
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
    exercise_say(grading->notes.out, grading->language, note->word, note->what, note->more[0],
                 note->more[1], note->more[2]);
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
    const char *why = verdict_in_language(test->why, grading->language);
    if (why)
        return why;
    if (test->where || test->hidden)
        return grading_number_told(grading, test, arena);
    return arena_text(arena, verdict_title(test, grading->language, title), &err);
}

// What a test tells a learner; of hidden numbers none.
static const char *words_of(Grading *grading, const VerdictTest *test, Arena *arena)
{
    const char *relation = verdict_in_language(test->relation, grading->language);
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

// --- as JSON

void grading_object_begin(Grading *grading)
{
    json_whole_begin();
    grading->list = json_array();
    grading->entry = json_object();
    grading_notes_begin(grading);
}

void grading_object_add(Grading *grading, const Judging *judging, int number, GradingCaseForm *form)
{
    GradingCase cases[GRADING_CASES_MAX];
    Arena arena = {0};
    int count = grading_cases(grading, judging, number, cases, &arena);
    for (int i = 0; i < count; i++)
        json_array_append_new(grading->list, form(&cases[i]));
    arena_finish(&arena);
}

void grading_object_end(Grading *grading, const char *key)
{
    Error err;
    json_object_set_new(grading->entry, key, json_string(grading_notes_end(grading)));
    json_object_set_new(grading->entry, "tests", grading->list);
    grading->is_whole =
        grading->is_whole && json_whole_print(grading->entry, JSON_INDENT(2), grading->out, &err);
    json_decref(grading->entry);
    grading_notes_drop(grading);
}
