// guide_typed: see guide_typed.h.
#include "guide_typed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "guide_words.h"

static const LectureQuestion *question_of(const Guide *guide)
{
    return &guide_page(guide)->question;
}

static const char *word(const Guide *guide, GuideWord which)
{
    return guide_word(guide->lecture->language, which);
}

// --- reading

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

// Between two digits a minus parts them, as in "3-3".
static bool starts_number(const char *text, const char *at)
{
    if (*at == '-')
        return (at == text || !is_digit(at[-1])) && (is_digit(at[1]) || at[1] == '.');
    return is_digit(*at) || (*at == '.' && is_digit(at[1]));
}

// The numbers in a text, whatever stands between them: "(1, 3, 3)", "1x3x3", "1 by 3 by 3".
static void read_numbers(const char *text, GuideTyped *typed)
{
    const char *at = text;
    while (*at && typed->count < REFERENCE_VALUES_MAX) {
        char *end = NULL;
        if (starts_number(text, at))
            typed->numbers[typed->count] = strtod(at, &end);
        if (!end || end == at) {
            at++;
            continue;
        }
        const char *point = memchr(at, '.', (size_t)(end - at));
        typed->decimals = point ? (int)(end - point - 1) : 0;
        typed->count++;
        at = end;
    }
}

// 1 true, 0 false, -1 neither.
static int truth_of(const char *text)
{
    static const char *const words[2][12] = {
        {"false", "f", "no", "n", "x", "거짓", "거짓입니다", "틀리다", "틀립니다", "아니요",
         "아니오"},
        {"true", "t", "yes", "y", "o", "참", "참입니다", "맞다", "맞습니다", "맞아요", "네", "예"},
    };
    for (int truth = 0; truth < 2; truth++)
        for (size_t i = 0; i < sizeof words[0] / sizeof *words[0] && words[truth][i]; i++)
            if (strcasecmp(text, words[truth][i]) == 0)
                return truth;
    return -1;
}

// How many indices there are to choose among; 0 when that cannot be told.
static int index_count(const Guide *guide)
{
    Reference reference;
    ReferenceValue elements;
    Error err;
    if (!reference_parse(question_of(guide)->answer, &reference, &err))
        return 0;
    reference.kind = REFERENCE_ELEMENTS;
    return guide_value(guide, &reference, &elements, &err) ? elements.count : 0;
}

static bool in_range(const GuideTyped *typed, int first, int last)
{
    bool good = true;
    for (int i = 0; i < typed->count; i++)
        good = good && typed->numbers[i] >= first && typed->numbers[i] <= last &&
               typed->numbers[i] == floor(typed->numbers[i]);
    return good;
}

static bool read_choice(const Guide *guide, const GuideTyped *typed, Error *err)
{
    const LectureQuestion *question = question_of(guide);
    bool is_line = question->kind == QUESTION_LINE;
    int first = is_line ? 1 : 0, last = is_line ? question->line_count : index_count(guide) - 1;
    bool single = typed->count == 1 || question->kind == QUESTION_ZEROS;
    if (last < first)
        last = REFERENCE_VALUES_MAX;
    return (single && in_range(typed, first, last)) ||
           error_set(err, "%s%d-%d", word(guide, is_line ? WORD_ASK_LINE : WORD_ASK_INDEX), first,
                     last);
}

const char *guide_answer_form(const Guide *guide)
{
    static const GuideWord forms[QUESTION_COUNT] = {
        [QUESTION_NONE] = WORD_ASKS_NOTHING, [QUESTION_SHAPE] = WORD_FORM_SHAPE,
        [QUESTION_VALUE] = WORD_FORM_VALUE,  [QUESTION_ZEROS] = WORD_FORM_ZEROS,
        [QUESTION_HEAD] = WORD_FORM_INDEX,   [QUESTION_TRUE_FALSE] = WORD_FORM_TRUTH,
        [QUESTION_LINE] = WORD_FORM_LINE,
    };
    return word(guide, forms[question_of(guide)->kind]);
}

bool guide_read_typed(const Guide *guide, const char *text, GuideTyped *typed, Error *err)
{
    QuestionKind kind = question_of(guide)->kind;
    *typed = (GuideTyped){.count = 0};
    if (kind == QUESTION_TRUE_FALSE) {
        int truth = truth_of(text);
        typed->numbers[typed->count++] = truth;
        return truth >= 0 || error_set(err, "%s", word(guide, WORD_ASK_TRUTH));
    }
    read_numbers(text, typed);
    bool none =
        kind == QUESTION_ZEROS && (strcasecmp(text, "none") == 0 || strcmp(text, "없음") == 0);
    if (typed->count == 0 && !none)
        return error_set(err, "%s", word(guide, WORD_ASK_NUMBER));
    if (kind == QUESTION_VALUE && typed->count != 1)
        return error_set(err, "%s", word(guide, WORD_ASK_ONE));
    bool chooses = kind == QUESTION_LINE || kind == QUESTION_HEAD || kind == QUESTION_ZEROS;
    return !chooses || read_choice(guide, typed, err);
}

// --- judging

// A value is right when it rounds to as many places as were typed, one at least.
static double allowed_error(QuestionKind kind, int decimals)
{
    if (kind != QUESTION_VALUE)
        return 0;
    return decimals == 0 ? 0.0005 : 0.5 * pow(10, -(decimals < 4 ? decimals : 4)) + 1e-6;
}

// Whether the answer, without its first `skipped` numbers, is what was typed.
static bool matches(const Guide *guide, const GuideTyped *typed, const ReferenceValue *answer,
                    int skipped)
{
    double allowed = allowed_error(question_of(guide)->kind, typed->decimals);
    bool same = typed->count == answer->count - skipped;
    for (int i = 0; same && i < typed->count; i++)
        same = fabs(typed->numbers[i] - answer->numbers[skipped + i]) <= allowed;
    return same;
}

// Whether the question is for the shape of a tensor whose first axis is a batch of one.
static bool has_batch_of_one(const Guide *guide, const ReferenceValue *answer)
{
    Reference reference;
    Error err;
    char axis[16];
    const Trace *trace = &guide->whole;
    if (question_of(guide)->kind != QUESTION_SHAPE || answer->count < 2 || answer->numbers[0] != 1)
        return false;
    if (!reference_parse(question_of(guide)->answer, &reference, &err) ||
        reference.kind != REFERENCE_SHAPE || reference.scenario[0])
        return false;
    int tensor = trace_find(trace, reference.tensor);
    return tensor >= 0 && trace_axis(trace, tensor, 0, axis) && strcmp(axis, "B") == 0;
}

GuideVerdict guide_judge(const Guide *guide, const GuideTyped *typed, const ReferenceValue *answer)
{
    if (matches(guide, typed, answer, 0))
        return VERDICT_RIGHT;
    bool without = has_batch_of_one(guide, answer) && matches(guide, typed, answer, 1);
    return without ? VERDICT_WITHOUT_BATCH : VERDICT_WRONG;
}

// --- hints

static GuideWord hint_word(const Guide *guide, const GuideTyped *typed,
                           const ReferenceValue *answer)
{
    bool mirrored = typed->count == 1 && answer->count == 1 &&
                    fabs(typed->numbers[0] + answer->numbers[0]) <=
                        allowed_error(QUESTION_VALUE, typed->decimals);
    switch (question_of(guide)->kind) {
    case QUESTION_SHAPE:
        return typed->count == answer->count ? WORD_HINT_SHAPE : WORD_HINT_AXES;
    case QUESTION_HEAD:
        return WORD_HINT_INDEX;
    case QUESTION_LINE:
        return WORD_HINT_LINE;
    case QUESTION_ZEROS:
        return WORD_HINT_ZEROS;
    default:
        return mirrored ? WORD_HINT_SIGN : WORD_HINT_VALUE;
    }
}

const char *guide_hint(const Guide *guide, const GuideTyped *typed, const ReferenceValue *answer,
                       char text[GUIDE_HINT_MAX])
{
    GuideWord hint = hint_word(guide, typed, answer);
    if (hint == WORD_HINT_AXES)
        snprintf(text, GUIDE_HINT_MAX, "%s%d.", word(guide, hint), answer->count);
    else
        snprintf(text, GUIDE_HINT_MAX, "%s", word(guide, hint));
    return text;
}
