// number_cell: see number_cell.h.
#include "number_cell.h"

#include <math.h>
#include <string.h>
#include "tui_words.h"

enum {
    FLOAT_COLUMNS_MIN = 7,
    INTEGER_COLUMNS_MIN = 3,
    BOOL_COLUMNS = 5,
    DECIMALS_COLUMNS = sizeof "-1.2345e-05" - 1,
    FULL_COLUMNS = sizeof "-1.17549435e-38" - 1,
    HEXADECIMAL_COLUMNS = sizeof "-0x1.fffffep+127" - 1,
};

NumberLook number_look(const Tensor *tensor, NumberNotation notation)
{
    static const int least[] = {[DTYPE_F32] = FLOAT_COLUMNS_MIN,
                                [DTYPE_I64] = INTEGER_COLUMNS_MIN,
                                [DTYPE_BOOL] = BOOL_COLUMNS};
    NumberFormat format = tensor_number_format(tensor);
    int width = format.width > least[tensor->dtype] ? format.width : least[tensor->dtype];
    // Decimals are print()'s own unless that is scientific.
    if (notation == NUMBER_DECIMALS && (tensor->dtype != DTYPE_F32 || !format.scientific))
        notation = NUMBER_PRINTED;
    if (notation == NUMBER_DECIMALS)
        width = DECIMALS_COLUMNS;
    else if (tensor->dtype == DTYPE_F32 && notation != NUMBER_PRINTED)
        width = notation == NUMBER_FULL ? FULL_COLUMNS : HEXADECIMAL_COLUMNS;
    return (NumberLook){notation, format, width};
}

// As print() has it, as long as that is neither wrong nor too wide.
static void write_printed(const Tensor *tensor, const ptrdiff_t at[], NumberLook look,
                          char text[NUMBER_TEXT_MAX])
{
    look.format.width = look.width;
    tensor_number_text(tensor, at, look.format, text);
    if (tensor->dtype != DTYPE_F32)
        return;
    float number = tensor->storage.f32[tensor_place(tensor, at)];
    bool rounded = look.format.integers && !look.format.scientific && isfinite(number) &&
                   number != truncf(number);
    int digits = 4;
    if (rounded)
        snprintf(text, NUMBER_TEXT_MAX, "%*.4f", look.width, (double)number);
    while ((int)strlen(text) > look.width && digits-- > 0)
        snprintf(text, NUMBER_TEXT_MAX, "%*.*e", look.width, digits, (double)number);
}

const char *number_cell(const Tensor *tensor, const ptrdiff_t at[], NumberLook look,
                        char text[NUMBER_TEXT_MAX])
{
    char lossless[NUMBER_FULL_TEXT_MAX];
    if (tensor->dtype != DTYPE_F32 || look.notation == NUMBER_PRINTED) {
        write_printed(tensor, at, look, text);
        return text;
    }
    float number = tensor->storage.f32[tensor_place(tensor, at)];
    if (look.notation == NUMBER_DECIMALS)
        number_decimals_text(number, lossless);
    else if (look.notation == NUMBER_FULL)
        number_full_text(number, lossless);
    else
        number_hexadecimal_text(number, lossless);
    snprintf(text, NUMBER_TEXT_MAX, "%*s", look.width, lossless);
    return text;
}

const char *number_look_in_words(const Tensor *tensor, NumberLook look)
{
    if (tensor->dtype != DTYPE_F32)
        return dtype_name(tensor->dtype);
    if (look.notation == NUMBER_DECIMALS)
        return TELL(LOOK_DECIMALS);
    if (look.notation != NUMBER_PRINTED)
        return look.notation == NUMBER_FULL ? TELL(LOOK_FULL) : TELL(LOOK_HEXADECIMAL);
    if (look.format.integers)
        return TELL(LOOK_WHOLE);
    return look.format.scientific ? TELL(LOOK_SCIENTIFIC) : TELL(LOOK_PRINT);
}
