// guide_answer: what the trace says to a question; see guide.h.
#include "guide.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session_actions.h"

bool guide_claim(const Guide *guide, const Claim *claim, bool *holds, Error *err)
{
    ReferenceValue left, right;
    if (!guide_value(guide, &claim->left, &left, err) ||
        !guide_value(guide, &claim->right, &right, err))
        return false;
    bool single = left.count == 1 && right.count == 1;
    if (claim->relation == '=')
        *holds = reference_values_equal(&left, &right);
    else if (claim->relation == '<')
        *holds = single && left.numbers[0] < right.numbers[0];
    else
        *holds = single && left.numbers[0] > right.numbers[0];
    return claim->relation == '=' || single ||
           error_set(err, "only single numbers can be smaller or larger");
}

// The number of the only line whose claim does not hold.
static bool wrong_line(const Guide *guide, const LectureQuestion *question, ReferenceValue *answer,
                       Error *err)
{
    for (int i = 0; i < question->line_count; i++) {
        Claim claim;
        bool holds;
        if (!claim_parse(question->claims[i], &claim, err) ||
            !guide_claim(guide, &claim, &holds, err))
            return false;
        if (!holds)
            answer->numbers[answer->count++] = i + 1;
    }
    if (answer->count != 1)
        return error_set(err, "exactly one of the claims has to be wrong, not %d", answer->count);
    snprintf(answer->text, sizeof answer->text, "%.0f", answer->numbers[0]);
    return true;
}

bool guide_answer(const Guide *guide, ReferenceValue *answer, Error *err)
{
    const LectureQuestion *question = &guide_page(guide)->question;
    Claim claim;
    Reference reference;
    bool holds;
    *answer = (ReferenceValue){.count = 0};
    if (question->kind == QUESTION_NONE)
        return error_set(err, "this page asks nothing");
    if (question->kind == QUESTION_LINE)
        return wrong_line(guide, question, answer, err);
    if (question->kind != QUESTION_TRUE_FALSE)
        return reference_parse(question->answer, &reference, err) &&
               guide_value(guide, &reference, answer, err);
    if (!claim_parse(question->answer, &claim, err) || !guide_claim(guide, &claim, &holds, err))
        return false;
    answer->numbers[answer->count++] = holds;
    snprintf(answer->text, sizeof answer->text, holds ? "true" : "false");
    return true;
}

int guide_score(const Guide *guide, int *questions)
{
    int right = 0;
    *questions = 0;
    for (int i = 0; i < guide->lecture->page_count; i++) {
        *questions += guide->lecture->pages[i].question.kind != QUESTION_NONE;
        right += guide->marks[i] == PAGE_RIGHT;
    }
    return right;
}

// --- what the person typed

// The numbers in a text, whatever stands between them; *decimals is how many the last one has.
static int numbers_in(const char *text, double numbers[REFERENCE_VALUES_MAX], int *decimals)
{
    int count = 0;
    *decimals = 0;
    while (*text && count < REFERENCE_VALUES_MAX) {
        bool starts = strchr("0123456789", *text) ||
                      (strchr("-.", *text) && text[1] && strchr(".0123456789", text[1]));
        char *end;
        if (!starts) {
            text++;
            continue;
        }
        numbers[count] = strtod(text, &end);
        if (end == text) {
            text++;
            continue;
        }
        const char *point = memchr(text, '.', (size_t)(end - text));
        *decimals = point ? (int)(end - point - 1) : 0;
        count++;
        text = end;
    }
    return count;
}

static int truth_of(const char *text)
{
    static const char *const yes[] = {"true", "t", "yes", "y", "o", "참", "맞다", "맞아요", "네"};
    static const char *const no[] = {"false", "f", "no", "n", "x", "거짓", "틀리다", "아니요"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (strcasecmp(text, yes[i]) == 0)
            return 1;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (strcasecmp(text, no[i]) == 0)
            return 0;
    return -1;
}

// A value is right when it rounds to as many places as were typed, one at least.
static double allowed_error(QuestionKind kind, int decimals)
{
    if (kind != QUESTION_VALUE)
        return 0;
    return decimals == 0 ? 0.0005 : 0.5 * pow(10, -(decimals < 4 ? decimals : 4)) + 1e-6;
}

static bool read_answer(QuestionKind kind, const char *text, ReferenceValue *typed, int *decimals,
                        Error *err)
{
    int truth = truth_of(text);
    if (kind == QUESTION_TRUE_FALSE) {
        typed->count = 1;
        typed->numbers[0] = truth;
        return truth >= 0 || error_set(err, "answer true or false");
    }
    typed->count = numbers_in(text, typed->numbers, decimals);
    bool none = kind == QUESTION_ZEROS && strcasecmp(text, "none") == 0;
    return typed->count > 0 || none || error_set(err, "answer with a number, not \"%s\"", text);
}

static bool is_right(QuestionKind kind, const ReferenceValue *typed, int decimals,
                     const ReferenceValue *answer)
{
    bool right = typed->count == answer->count;
    for (int i = 0; right && i < answer->count; i++)
        right = fabs(typed->numbers[i] - answer->numbers[i]) <= allowed_error(kind, decimals);
    return right;
}

// --- saying it

static bool say(Guide *guide, const char *first, const LectureSpan *explanation, Error *err)
{
    LectureBlock *block = arena_take(&guide->arena, 1, sizeof *block, err);
    LectureSpan *span = arena_take(&guide->arena, 1, sizeof *span, err);
    if (!block || !span)
        return false;
    *span = (LectureSpan){.kind = SPAN_STRONG, .text = arena_text(&guide->arena, first, err)};
    span->next = guide_fill(guide, explanation, err);
    *block = (LectureBlock){.kind = BLOCK_PARAGRAPH, .spans = span};
    guide->said = span->text ? block : NULL;
    guide->text_line = INT_MAX; // to its end; the screen knows where that is
    return span->text != NULL;
}

static bool keep(Guide *guide, PageMark mark, Error *err)
{
    PageMark *marked = &guide->marks[guide->page];
    *marked = *marked < mark ? mark : *marked;
    return !guide->progress || progress_note(guide->progress, guide->lecture->name,
                                             guide_page(guide)->name, *marked, err);
}

bool session_answer(Session *session, const Command *command, Error *err)
{
    Guide *guide = session->guide;
    ReferenceValue answer, typed = {.count = 0};
    char first[REFERENCE_TEXT_MAX + 64];
    int decimals = 0;
    if (!guide)
        return error_set(err, "only a lecture asks; attnscope walk opens one");
    const LectureQuestion *question = &guide_page(guide)->question;
    if (!guide_answer(guide, &answer, err))
        return false;
    if (command->kind == COMMAND_REVEAL) {
        snprintf(first, sizeof first, "= %s  ", answer.text);
        return say(guide, first, question->wrong, err);
    }
    if (!read_answer(question->kind, command->name, &typed, &decimals, err))
        return false;
    bool right = is_right(question->kind, &typed, decimals, &answer);
    snprintf(first, sizeof first, right ? "\u2713 %s  " : "\u2717 %s  ",
             right ? answer.text : command->name);
    return say(guide, first, right ? question->right : question->wrong, err) &&
           keep(guide, right ? PAGE_RIGHT : PAGE_WRONG, err);
}
