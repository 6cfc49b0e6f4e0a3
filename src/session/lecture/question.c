// question: what kinds of questions share; see question.h.
#include "question.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define QUESTION_KIND(NAME, name, word, fields) extern const Question question_##name;
#include "question_kinds.def"

static const Question *const kinds[QUESTION_COUNT] = {
#define QUESTION_KIND(NAME, name, word, fields) [QUESTION_##NAME] = &question_##name,
#include "question_kinds.def"
};

const LectureQuestion *question_text(const Guide *guide)
{
    return &guide_page(guide)->question;
}

const Question *question_of(const Guide *guide)
{
    return kinds[question_text(guide)->kind];
}

const char *question_word(const Guide *guide, GuideWord which)
{
    return guide_word(guide->lecture->language, which);
}

bool question_reference(const Guide *guide, ReferenceValue *answer, Error *err)
{
    Reference reference;
    return reference_parse(question_text(guide)->answer, &reference, err) &&
           guide_value(guide, &reference, answer, err);
}

void question_choose(ReferenceValue *answer, int number)
{
    answer->numbers[0] = number + 1;
    answer->count = 1;
    snprintf(answer->text, sizeof answer->text, "%d", number + 1);
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

bool question_numbers(const Session *session, const char *text, Typed *typed, Error *err)
{
    const char *at = text;
    *typed = (Typed){.count = 0};
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
    return typed->count > 0 || error_set(err, "%s", question_word(session->guide, WORD_ASK_NUMBER));
}

static bool in_range(const Typed *typed, int first, int last)
{
    bool good = true;
    for (int i = 0; i < typed->count; i++)
        good = good && typed->numbers[i] >= first && typed->numbers[i] <= last &&
               typed->numbers[i] == floor(typed->numbers[i]);
    return good;
}

bool question_indices(const Session *session, const char *text, Typed *typed, Error *err)
{
    const Guide *guide = session->guide;
    Reference reference;
    ReferenceValue elements;
    Error unknown;
    if (!question_numbers(session, text, typed, err))
        return false;
    int last = REFERENCE_VALUES_MAX;
    if (reference_parse(question_text(guide)->answer, &reference, &unknown)) {
        reference.kind = REFERENCE_ELEMENTS;
        if (guide_value(guide, &reference, &elements, &unknown))
            last = elements.count - 1;
    }
    bool right_count = typed->count == 1 || !question_of(guide)->single;
    return (right_count && in_range(typed, 0, last)) ||
           error_set(err, "%s0-%d", question_word(guide, WORD_ASK_INDEX), last);
}

static bool read_choice(const Session *session, const char *text, Typed *typed, Error *err)
{
    const Guide *guide = session->guide;
    int last = guide_choice_count(guide);
    if (!question_numbers(session, text, typed, err))
        return false;
    return (typed->count == 1 && in_range(typed, 1, last)) ||
           error_set(err, "%s1-%d", question_word(guide, WORD_ASK_LINE), last);
}

bool guide_read_typed(const Session *session, const char *text, Typed *typed, Error *err)
{
    const Question *question = question_of(session->guide);
    *typed = (Typed){.count = 0};
    return question->read ? question->read(session, text, typed, err)
                          : read_choice(session, text, typed, err);
}

// --- judging

bool question_matches(const Typed *typed, const ReferenceValue *answer, int skipped, double allowed)
{
    bool same = typed->count == answer->count - skipped;
    for (int i = 0; same && i < typed->count; i++)
        same = fabs(typed->numbers[i] - answer->numbers[skipped + i]) <= allowed;
    return same;
}

// --- what panels ask

const char *guide_answer_form(const Guide *guide)
{
    const Question *question = question_of(guide);
    return question_word(guide, question ? question->form : WORD_ASKS_NOTHING);
}

const char *guide_answer_form_on_paper(const Guide *guide)
{
    const Question *question = question_of(guide);
    return question && question->paper ? question_word(guide, question->paper)
                                       : guide_answer_form(guide);
}

bool question_is_word(const char *text, GuideWord word)
{
    bool is_word = false;
    for (Language language = 0; language < LANGUAGES; language++)
        is_word = is_word || strcasecmp(text, guide_word(language, word)) == 0;
    return is_word;
}

const char *guide_answer_typed(const Guide *guide)
{
    const Question *question = question_of(guide);
    return question && question->typed ? question_word(guide, question->typed) : "";
}

const char *guide_choice(const Guide *guide, int number, char text[GUIDE_CHOICE_MAX])
{
    const Question *question = question_of(guide);
    const LectureQuestion *asked = question_text(guide);
    if (!question || number < 0)
        return NULL;
    if (question->choice)
        return question->choice(guide, number, text);
    return number < asked->choice_count ? asked->lines[number] : NULL;
}

const char *guide_poll_choice(const Guide *guide, int number, char text[GUIDE_CHOICE_MAX])
{
    bool decides = question_text(guide)->kind == QUESTION_TRUE_FALSE;
    if (!decides)
        return guide_choice(guide, number, text);
    return number == 0   ? question_word(guide, WORD_TRUE)
           : number == 1 ? question_word(guide, WORD_FALSE)
                         : NULL;
}

int guide_choice_count(const Guide *guide)
{
    char text[GUIDE_CHOICE_MAX];
    int count = 0;
    while (guide_choice(guide, count, text))
        count++;
    return count;
}
