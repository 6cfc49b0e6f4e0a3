// Numbers as text: without rounding, and as PyTorch 1.13's print(tensor); see number_text.h.
#include "number_text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- one number

enum { DIGITS_MAX = 9 }; // tell any two float32 apart

// NaN has no sign here, unlike in printf.
static bool write_word(float number, char text[NUMBER_FULL_TEXT_MAX])
{
    if (isfinite(number))
        return false;
    snprintf(text, NUMBER_FULL_TEXT_MAX, "%s", isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
    return true;
}

static int digits_before_point(float number)
{
    int digits = 1;
    for (float size = fabsf(number); size >= 10.0f && digits <= DIGITS_MAX; size /= 10.0f)
        digits++;
    return digits;
}

// 10 is 10 and not 1e+01, although one digit would identify it.
const char *number_full_text(float number, char text[NUMBER_FULL_TEXT_MAX])
{
    int whole = digits_before_point(number);
    if (write_word(number, text))
        return text;
    for (int digits = whole <= DIGITS_MAX ? whole : 1; digits <= DIGITS_MAX; digits++) {
        snprintf(text, NUMBER_FULL_TEXT_MAX, "%.*g", digits, (double)number);
        if (strtof(text, NULL) == number)
            break;
    }
    return text;
}

const char *number_hexadecimal_text(float number, char text[NUMBER_FULL_TEXT_MAX])
{
    if (!write_word(number, text))
        snprintf(text, NUMBER_FULL_TEXT_MAX, "%a", (double)number);
    return text;
}

const char *number_decimals_text(float number, char text[NUMBER_FULL_TEXT_MAX])
{
    float size = fabsf(number);
    bool plain = size == 0.0f || (size >= 0.00005f && size < 100000.0f);
    if (!write_word(number, text))
        snprintf(text, NUMBER_FULL_TEXT_MAX, plain ? "%.4f" : "%.4e", (double)number);
    return text;
}

double number_unsigned_nan(double number)
{
    return isnan(number) ? (double)NAN : number;
}

const char *number_text(const Tensor *tensor, const ptrdiff_t at[], char text[NUMBER_FULL_TEXT_MAX])
{
    ptrdiff_t place = tensor_place(tensor, at);
    switch (tensor->dtype) {
    case DTYPE_F32:
        return number_full_text(tensor->storage.f32[place], text);
    case DTYPE_I64:
        snprintf(text, NUMBER_FULL_TEXT_MAX, "%" PRId64, tensor->storage.i64[place]);
        return text;
    case DTYPE_BOOL:
        break;
    }
    snprintf(text, NUMBER_FULL_TEXT_MAX, "%s", tensor->storage.boolean[place] ? "True" : "False");
    return text;
}

// --- print(tensor)
//
// First the shown numbers determine one format; then brackets, commas and line breaks follow from
// its width. Rules and constants are the defaults of torch.set_printoptions.

enum {
    SUMMARY_ABOVE = 1000, // elements; beyond it a long axis shows its edges only
    EDGE = 3,             // elements shown at each end of such an axis
    LINE_WIDTH = 80,
    INDENT = sizeof "tensor(" - 1,
};

// --- which elements are shown

static bool is_summarised(const Tensor *tensor)
{
    return tensor_count(tensor) > SUMMARY_ABOVE;
}

static bool gap_follows(bool summarised, ptrdiff_t length, ptrdiff_t i)
{
    return summarised && length > 2 * EDGE && i == EDGE - 1;
}

static ptrdiff_t next_shown(bool summarised, ptrdiff_t length, ptrdiff_t i)
{
    return gap_follows(summarised, length, i) ? length - EDGE : i + 1;
}

// As tensor_next, over the shown elements only.
static bool next_shown_element(const Tensor *tensor, bool summarised, ptrdiff_t at[])
{
    for (int axis = tensor->rank - 1; axis >= 0; axis--) {
        at[axis] = next_shown(summarised, tensor->shape[axis], at[axis]);
        if (at[axis] < tensor->shape[axis])
            return true;
        at[axis] = 0;
    }
    return false;
}

// --- one format for all numbers

static float float_at(const Tensor *tensor, const ptrdiff_t at[])
{
    return tensor->storage.f32[tensor_place(tensor, at)];
}

// Zeros, infinities and NaN do not affect the format: they take the width that the others need.
static bool shapes_format(const Tensor *tensor, const ptrdiff_t at[])
{
    if (tensor->dtype != DTYPE_F32)
        return true;
    float number = float_at(tensor, at);
    return isfinite(number) && number != 0.0f;
}

static void choose_notation(const Tensor *tensor, NumberFormat *format)
{
    double smallest = INFINITY, largest = 0.0;
    bool summarised = is_summarised(tensor);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    format->integers = true;
    for (bool more = true; more; more = next_shown_element(tensor, summarised, at)) {
        if (!shapes_format(tensor, at))
            continue;
        double number = fabs((double)float_at(tensor, at));
        smallest = fmin(smallest, number);
        largest = fmax(largest, number);
        format->integers = format->integers && number == floor(number);
    }
    bool any = largest > 0.0;
    format->scientific = any && (largest / smallest > 1000.0 || largest > 1e8 || smallest < 1e-4);
}

NumberFormat tensor_number_format(const Tensor *tensor)
{
    NumberFormat format = {0};
    int width = 1;
    if (tensor_count(tensor) > 0) {
        if (tensor->dtype == DTYPE_F32)
            choose_notation(tensor, &format);
        bool summarised = is_summarised(tensor);
        ptrdiff_t at[TENSOR_RANK_MAX] = {0};
        for (bool more = true; more; more = next_shown_element(tensor, summarised, at)) {
            char text[NUMBER_TEXT_MAX];
            if (!shapes_format(tensor, at))
                continue;
            int length = (int)strlen(tensor_number_text(tensor, at, format, text));
            width = length > width ? length : width;
        }
    }
    format.width = width;
    return format;
}

static void write_float(float number, NumberFormat format, char text[NUMBER_TEXT_MAX])
{
    if (isnan(number))
        snprintf(text, NUMBER_TEXT_MAX, "nan"); // printf would show a sign, which NaN has not here
    else if (isinf(number))
        snprintf(text, NUMBER_TEXT_MAX, number < 0.0f ? "-inf" : "inf");
    else if (format.scientific)
        snprintf(text, NUMBER_TEXT_MAX, "%.4e", (double)number);
    else if (format.integers)
        snprintf(text, NUMBER_TEXT_MAX, "%.0f.", (double)number);
    else
        snprintf(text, NUMBER_TEXT_MAX, "%.4f", (double)number);
}

const char *tensor_number_text(const Tensor *tensor, const ptrdiff_t at[], NumberFormat format,
                               char text[NUMBER_TEXT_MAX])
{
    char number[NUMBER_TEXT_MAX];
    ptrdiff_t place = tensor_place(tensor, at);
    switch (tensor->dtype) {
    case DTYPE_F32:
        write_float(tensor->storage.f32[place], format, number);
        break;
    case DTYPE_I64:
        snprintf(number, sizeof number, "%" PRId64, tensor->storage.i64[place]);
        break;
    case DTYPE_BOOL:
        snprintf(number, sizeof number, tensor->storage.boolean[place] ? "True" : "False");
        break;
    }
    assert(format.width < NUMBER_TEXT_MAX);
    snprintf(text, NUMBER_TEXT_MAX, "%*s", format.width, number);
    return text;
}

// --- brackets, commas, line breaks

typedef struct Printing {
    const Tensor *tensor;
    bool summarised;
    NumberFormat format;
    FILE *out;
    ptrdiff_t at[TENSOR_RANK_MAX];
} Printing;

static void break_line(const Printing *printing, int lines, int axis)
{
    fputc(',', printing->out);
    for (int line = 0; line < lines; line++)
        fputc('\n', printing->out);
    fprintf(printing->out, "%*s", INDENT + axis + 1, "");
}

// Item `number` of a row, on a new line if the last one is full.
static void put_item(const Printing *printing, int axis, int number, const char *text)
{
    int per_line = (LINE_WIDTH - INDENT - axis) / (printing->format.width + (int)strlen(", "));
    if (number > 0 && (per_line <= 1 || number % per_line == 0))
        break_line(printing, 1, axis);
    else if (number > 0)
        fputs(", ", printing->out);
    fputs(text, printing->out);
}

// The innermost axis: as many items per line as fit at the common width; "..." counts as one.
static void print_row(Printing *printing, int axis)
{
    ptrdiff_t length = printing->tensor->shape[axis], *i = &printing->at[axis];
    int items = 0;
    for (*i = 0; *i < length; *i = next_shown(printing->summarised, length, *i)) {
        char text[NUMBER_TEXT_MAX];
        tensor_number_text(printing->tensor, printing->at, printing->format, text);
        put_item(printing, axis, items++, text);
        if (gap_follows(printing->summarised, length, *i))
            put_item(printing, axis, items++, " ...");
    }
}

// An axis and everything inside. Its parts are separated by as many line breaks as axes follow.
static void print_axis(Printing *printing, int axis)
{
    int inner = printing->tensor->rank - 1 - axis;
    fputc('[', printing->out);
    if (inner == 0) {
        print_row(printing, axis);
    } else {
        ptrdiff_t length = printing->tensor->shape[axis], *i = &printing->at[axis];
        for (*i = 0; *i < length; *i = next_shown(printing->summarised, length, *i)) {
            if (*i > 0)
                break_line(printing, inner, axis);
            print_axis(printing, axis + 1);
            if (gap_follows(printing->summarised, length, *i)) {
                break_line(printing, inner, axis);
                fputs("...", printing->out);
            }
        }
    }
    fputc(']', printing->out);
}

// An empty tensor prints its shape unless (0,), and its dtype unless float32.
static void print_empty(const Tensor *tensor, FILE *out)
{
    char shape[TENSOR_TEXT_MAX], remarks[2][TENSOR_TEXT_MAX + 16];
    int count = 0;
    if (tensor->rank != 1)
        snprintf(remarks[count++], sizeof remarks[0], "size=%s",
                 tensor_shape_text(tensor->rank, tensor->shape, shape));
    if (tensor->dtype != DTYPE_F32)
        snprintf(remarks[count++], sizeof remarks[0], "dtype=torch.%s", dtype_name(tensor->dtype));

    fputs("[]", out);
    int column = sizeof "tensor([]" + 1; // as PyTorch counts, two more than are there
    for (int i = 0; i < count; i++) {
        int length = (int)strlen(remarks[i]);
        bool fits = column + length + 2 <= LINE_WIDTH;
        fprintf(out, "%s%*s%s", fits ? ", " : ",\n", fits ? 0 : INDENT, "", remarks[i]);
        column = fits ? column + length + 2 : INDENT + length;
    }
}

void tensor_print(const Tensor *tensor, FILE *out)
{
    Printing printing = {
        .tensor = tensor,
        .summarised = is_summarised(tensor),
        .format = tensor_number_format(tensor),
        .out = out,
    };
    char text[NUMBER_TEXT_MAX];
    fputs("tensor(", out);
    if (tensor_count(tensor) == 0)
        print_empty(tensor, out);
    else if (tensor->rank == 0)
        fputs(tensor_number_text(tensor, printing.at, printing.format, text), out);
    else
        print_axis(&printing, 0);
    fputc(')', out);
}
