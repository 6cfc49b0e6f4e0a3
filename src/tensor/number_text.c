// number_text: see number_text.h.
#include "number_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS_MAX = 9 }; // tell any two float32 apart

// NaN has no sign here, whatever printf would show.
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

// 10 is 10 and not 1e+01, although one digit would tell it from its neighbours.
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
