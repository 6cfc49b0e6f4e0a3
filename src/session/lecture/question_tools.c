// question_tools: what kinds of questions share; see question.h.
#include "question.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const LectureQuestion *question_text(const OpenLecture *open)
{
    return &open_lecture_page(open)->question;
}

const char *question_word(const OpenLecture *open, OpenLectureWord which)
{
    return open_lecture_word(open->lecture->language, which);
}

bool question_reference(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    Reference reference;
    return reference_parse(question_text(open)->answer, &reference, err) &&
           open_lecture_value(open, &reference, answer, err);
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

// Between two digits a minus separates numbers, as in "3-3".
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
    return typed->count > 0 ||
           error_set(err, "%s", question_word(session->lecture, WORD_ASK_NUMBER));
}

bool question_in_range(const Typed *typed, int first, int last)
{
    bool good = true;
    for (int i = 0; i < typed->count; i++)
        good = good && typed->numbers[i] >= first && typed->numbers[i] <= last &&
               typed->numbers[i] == floor(typed->numbers[i]);
    return good;
}

static bool read_indices(const Session *session, const char *text, bool single, Typed *typed,
                         Error *err)
{
    const OpenLecture *open = session->lecture;
    Reference reference;
    ReferenceValue elements;
    Error unknown;
    if (!question_numbers(session, text, typed, err))
        return false;
    int last = REFERENCE_VALUES_MAX;
    if (reference_parse(question_text(open)->answer, &reference, &unknown)) {
        reference.kind = REFERENCE_ELEMENTS;
        if (open_lecture_value(open, &reference, &elements, &unknown))
            last = elements.count - 1;
    }
    return ((typed->count == 1 || !single) && question_in_range(typed, 0, last)) ||
           error_set(err, "%s0-%d", question_word(open, WORD_ASK_INDEX), last);
}

bool question_index(const Session *session, const char *text, Typed *typed, Error *err)
{
    return read_indices(session, text, true, typed, err);
}

bool question_indices(const Session *session, const char *text, Typed *typed, Error *err)
{
    return read_indices(session, text, false, typed, err);
}

// --- judging

bool question_matches(const Typed *typed, const ReferenceValue *answer, int skipped, double allowed)
{
    bool same = typed->count == answer->count - skipped;
    for (int i = 0; same && i < typed->count; i++)
        same = fabs(typed->numbers[i] - answer->numbers[skipped + i]) <= allowed;
    return same;
}

bool question_is_word(const char *text, OpenLectureWord word)
{
    bool is_word = false;
    for (Language language = 0; language < LANGUAGES; language++)
        is_word = is_word || strcasecmp(text, open_lecture_word(language, word)) == 0;
    return is_word;
}
