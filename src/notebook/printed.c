// printed: see printed.h.
#include "printed.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "notebook_words.def"

// Float32 sums in another order differ by a few units of the seventh digit.
static const double sum_slack = 1e-6;

typedef struct Reader {
    const char *at;
    PrintedTensor *tensor;
    ptrdiff_t room; // for numbers
    ptrdiff_t index[TENSOR_RANK_MAX];
    bool broken_off;
} Reader;

// --- numbers

// "1.6177": half of 0.0001. A number without digits behind the point is exact ("1.").
static double half_of(const char *text, size_t length)
{
    const char *point = memchr(text, '.', length), *end = text + length;
    if (!point)
        return 0.0;
    size_t digits = strspn(point + 1, "0123456789");
    const char *exponent = point + 1 + digits;
    int shift = exponent < end && (*exponent == 'e' || *exponent == 'E') ? atoi(exponent + 1) : 0;
    return digits ? 0.5 * pow(10.0, shift - (int)digits) : 0.0;
}

// How long the number at `text` is; 0 where there is none.
static size_t number_length(const char *text)
{
    size_t sign = *text == '-' || *text == '+';
    if (strncmp(text + sign, "inf", 3) == 0 || strncmp(text + sign, "nan", 3) == 0)
        return sign + 3;
    if (!isdigit((unsigned char)text[sign]) && text[sign] != '.')
        return 0;
    size_t length = sign + strspn(text + sign, "0123456789.");
    if (length == sign + 1 && text[sign] == '.')
        return 0;
    if (text[length] != 'e' && text[length] != 'E')
        return length;
    size_t exponent = length + 1 + (text[length + 1] == '-' || text[length + 1] == '+');
    if (isdigit((unsigned char)text[exponent]))
        length = exponent + strspn(text + exponent, "0123456789");
    return length;
}

static bool take_number(Reader *reader, size_t length)
{
    PrintedTensor *tensor = reader->tensor;
    if (tensor->count == reader->room)
        return false;
    PrintedNumber *number = &tensor->numbers[tensor->count++];
    number->value = strtod(reader->at, NULL);
    number->half = half_of(reader->at, length);
    memcpy(number->at, reader->index, sizeof number->at);
    reader->at += length;
    return true;
}

// --- lists in brackets

static void skip_between(Reader *reader)
{
    reader->at += strspn(reader->at, " \t\r\n,");
}

// What stood behind "..." at this depth is counted from the end, once that is known.
static void count_from_end(Reader *reader, int depth, ptrdiff_t first, ptrdiff_t length)
{
    for (ptrdiff_t i = first; i < reader->tensor->count; i++)
        reader->tensor->numbers[i].at[depth] -= length;
}

static void read_list(Reader *reader, int depth);

// One entry; false where the text is neither a number nor a list.
static bool read_entry(Reader *reader, int depth)
{
    size_t length = number_length(reader->at);
    if (*reader->at == '[' && depth + 1 < TENSOR_RANK_MAX) {
        read_list(reader, depth + 1);
        return !reader->broken_off;
    }
    // A number at which the text ends may have lost digits.
    if (length == 0 || !strchr(",] \t\r\n", reader->at[length]) || !reader->at[length])
        return false;
    if (reader->tensor->rank < depth + 1)
        reader->tensor->rank = depth + 1;
    return take_number(reader, length);
}

static void read_list(Reader *reader, int depth)
{
    PrintedTensor *tensor = reader->tensor;
    ptrdiff_t first_behind = -1, length = 0;
    for (reader->at++;; length++) {
        skip_between(reader);
        if (strncmp(reader->at, "...", 3) == 0 && first_behind < 0) {
            first_behind = tensor->count;
            reader->at += 3;
            skip_between(reader);
        }
        if (*reader->at == ']')
            break;
        reader->index[depth] = length;
        if (!read_entry(reader, depth)) {
            reader->broken_off = true;
            tensor->shape[depth] = -1;
            tensor->count = first_behind >= 0 ? first_behind : tensor->count;
            return;
        }
    }
    reader->at++;
    if (first_behind >= 0)
        count_from_end(reader, depth, first_behind, length);
    tensor->shape[depth] = first_behind >= 0 ? -1 : length;
}

// --- the text

// The last word before `end` in its line.
static void take_label(const char *text, const char *end, char label[32])
{
    const char *stop = end;
    while (stop > text && stop[-1] != '\n' && !isalnum((unsigned char)stop[-1]) && stop[-1] != '_')
        stop--;
    const char *start = stop;
    while (start > text && (isalnum((unsigned char)start[-1]) || start[-1] == '_'))
        start--;
    size_t length = (size_t)(stop - start) < 31 ? (size_t)(stop - start) : 31;
    memcpy(label, start, length);
    label[length] = '\0';
}

static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static ptrdiff_t numbers_until(const char *at, const char *end)
{
    ptrdiff_t count = 1;
    for (; at < end && *at; at++)
        count += *at == ',' || isspace((unsigned char)*at);
    return count;
}

static bool make_room(Reader *reader, Arena *arena, Error *err)
{
    const char *end = strstr(reader->at, "tensor(");
    reader->room = numbers_until(reader->at, end ? end : reader->at + strlen(reader->at));
    reader->tensor->numbers =
        arena_take(arena, (size_t)reader->room, sizeof *reader->tensor->numbers, err);
    return reader->tensor->numbers != NULL;
}

// Numbers without brackets, or in any: the first ones of a tensor.
static bool read_plain(const char *text, Printed *printed, Arena *arena, Error *err)
{
    PrintedTensor *tensor = &printed->tensors[0];
    *tensor = (PrintedTensor){.line = 1};
    Reader reader = {.at = text, .tensor = tensor};
    if (!make_room(&reader, arena, err))
        return false;
    while (*reader.at) {
        size_t length = number_length(reader.at);
        reader.index[0] = tensor->count;
        if (length == 0)
            reader.at++;
        else if (!take_number(&reader, length))
            break;
    }
    printed->count = tensor->count > 0;
    return true;
}

bool printed_read(const char *text, Printed *printed, Arena *arena, Error *err)
{
    printed->count = 0;
    for (const char *at = text; (at = strstr(at, "tensor(")) && printed->count < PRINTED_MAX;) {
        PrintedTensor *tensor = &printed->tensors[printed->count];
        *tensor = (PrintedTensor){.line = line_of(text, at)};
        take_label(text, at, tensor->label);
        at += strlen("tensor(");
        Reader reader = {.at = at, .tensor = tensor};
        if (*at != '[')
            continue;
        if (!make_room(&reader, arena, err))
            return false;
        memset(tensor->shape, -1, sizeof tensor->shape);
        read_list(&reader, 0);
        printed->count += tensor->count > 0;
    }
    if (printed->count == 0 && !read_plain(text, printed, arena, err))
        return false;
    return printed->count > 0 || error_set(err, TELL(PRINTED_NONE));
}

// --- against a tensor

bool printed_fits(const PrintedTensor *printed, const Tensor *tensor)
{
    if (printed->rank == 0)
        return printed->count <= tensor_count(tensor);
    if (printed->rank != tensor->rank)
        return false;
    ptrdiff_t at[TENSOR_RANK_MAX];
    for (int axis = 0; axis < tensor->rank; axis++)
        if (printed->shape[axis] >= 0 && printed->shape[axis] != tensor->shape[axis])
            return false;
    for (ptrdiff_t i = 0; i < printed->count; i++)
        if (!printed_place(printed, &printed->numbers[i], tensor, at))
            return false;
    return true;
}

bool printed_place(const PrintedTensor *printed, const PrintedNumber *number, const Tensor *tensor,
                   ptrdiff_t at[TENSOR_RANK_MAX])
{
    if (printed->rank == 0) {
        if (number->at[0] >= tensor_count(tensor))
            return false;
        tensor_unravel(tensor, number->at[0], at);
        return true;
    }
    for (int axis = 0; axis < tensor->rank; axis++) {
        at[axis] = number->at[axis] + (number->at[axis] < 0 ? tensor->shape[axis] : 0);
        if (at[axis] < 0 || at[axis] >= tensor->shape[axis])
            return false;
    }
    return true;
}

bool printed_agrees(const PrintedNumber *number, double value)
{
    if (isnan(number->value) || isnan(value))
        return isnan(number->value) && isnan(value);
    if (isinf(number->value) || isinf(value))
        return number->value == value;
    double larger = fabs(value) > 1.0 ? fabs(value) : 1.0;
    return fabs(value - number->value) <= number->half + sum_slack * larger;
}
