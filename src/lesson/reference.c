// reference: reads references and claims; see reference.h.
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lesson_words.def"
#include "shown_name.h"

static const char *const words[] = {
    [REFERENCE_ELEMENTS] = "",     [REFERENCE_SHAPE] = "shape",   [REFERENCE_STRIDE] = "stride",
    [REFERENCE_OFFSET] = "offset", [REFERENCE_PLACE] = "place",   [REFERENCE_SUM] = "sum",
    [REFERENCE_MAX] = "max",       [REFERENCE_ARGMAX] = "argmax", [REFERENCE_ZEROS] = "zeros",
    [REFERENCE_SCALE] = "scale",
};

static const char name_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

static const char *after_spaces(const char *text)
{
    return text + strspn(text, " ");
}

// A name, cut off the front of the text; false when none stands there or it is too long.
static bool take_name(const char **text, char name[REFERENCE_NAME_MAX])
{
    const char *start = after_spaces(*text);
    size_t length = strspn(start, name_letters);
    if (length == 0 || length >= REFERENCE_NAME_MAX)
        return false;
    memcpy(name, start, length);
    name[length] = '\0';
    *text = after_spaces(start + length);
    return true;
}

static bool take_index(const char **text, Reference *reference)
{
    const char *rest = after_spaces(*text + 1); // after the bracket
    while (*rest && *rest != ']') {
        char *end = (char *)rest + 1;
        if (reference->index_count == REFERENCE_INDEX_MAX)
            return false;
        ptrdiff_t *index = &reference->index[reference->index_count++];
        *index = *rest == ':' ? REFERENCE_WHOLE_AXIS : (ptrdiff_t)strtol(rest, &end, 10);
        if (end == rest || *index < REFERENCE_WHOLE_AXIS || (*index < 0 && *rest != ':'))
            return false;
        rest = after_spaces(end);
        if (*rest == ',')
            rest = after_spaces(rest + 1);
        else if (*rest != ']')
            return false;
    }
    *text = after_spaces(*rest ? rest + 1 : rest);
    return *rest == ']';
}

// "1", "-0.5", "(1, 3, 4)".
static bool take_numbers(const char *text, Reference *reference)
{
    bool parenthesis = *text == '(';
    reference->kind = REFERENCE_NUMBERS;
    for (text = after_spaces(text + parenthesis); *text && *text != ')';) {
        char *end;
        if (reference->number_count == REFERENCE_INDEX_MAX)
            return false;
        reference->numbers[reference->number_count++] = strtod(text, &end);
        if (end == text)
            return false;
        text = after_spaces(end);
        text += *text == ',';
        text = after_spaces(text);
    }
    return reference->number_count > 0 && (!parenthesis || *text++ == ')') && !*after_spaces(text);
}

// The word in front of a tensor's name, if there is one.
static void take_kind(const char **text, Reference *reference)
{
    size_t length = strspn(*text, name_letters);
    for (int kind = REFERENCE_SHAPE; kind <= REFERENCE_SCALE; kind++)
        if (strlen(words[kind]) == length && strncmp(*text, words[kind], length) == 0) {
            reference->kind = (ReferenceKind)kind;
            *text = after_spaces(*text + length);
            return;
        }
}

static bool take_tensor(const char *text, Reference *reference)
{
    take_kind(&text, reference);
    if (reference->kind == REFERENCE_SCALE)
        return !*text;
    return take_name(&text, reference->tensor) && (*text != '[' || take_index(&text, reference)) &&
           !*text;
}

static bool explain(const char *text, Error *err)
{
    char word[REFERENCE_NAME_MAX] = "";
    const char *rest = text;
    const char *known[REFERENCE_SCALE + 1] = {NULL};
    for (int kind = REFERENCE_SHAPE; kind <= REFERENCE_SCALE; kind++)
        known[kind - REFERENCE_SHAPE] = words[kind];
    const char *near = take_name(&rest, word) && *rest ? nearest_word(word, known) : NULL;
    return near ? error_set(err, TELL(REFERENCE_NEAR), text, near)
                : error_set(err, TELL(REFERENCE_UNKNOWN), text);
}

bool reference_parse(const char *text, Reference *reference, Error *err)
{
    const char *rest = after_spaces(text);
    *reference = (Reference){.kind = REFERENCE_ELEMENTS};
    if (*rest && strchr("(-+0123456789", *rest))
        return take_numbers(rest, reference) || explain(text, err);
    size_t length = strcspn(rest, ":[(");
    if (rest[length] == ':' && length > 0 && length < REFERENCE_NAME_MAX) {
        memcpy(reference->scenario, rest, length);
        rest = after_spaces(rest + length + 1);
    }
    return take_tensor(rest, reference) || explain(text, err);
}

bool claim_parse(const char *text, Claim *claim, Error *err)
{
    char left[256];
    size_t length = strcspn(text, "=<>");
    if (!text[length] || length >= sizeof left)
        return error_set(err, TELL(CLAIM_NOTHING), text);
    memcpy(left, text, length);
    while (length > 0 && left[length - 1] == ' ')
        length--;
    left[length] = '\0';
    claim->relation = text[strcspn(text, "=<>")];
    char right[256];
    snprintf(right, sizeof right, "%s", text + strcspn(text, "=<>") + 1);
    for (size_t end = strlen(right); end > 0 && right[end - 1] == ' ';)
        right[--end] = '\0';
    return reference_parse(left, &claim->left, err) && reference_parse(right, &claim->right, err);
}
