// The numbers of a tensor on screen: the format of one, and the places of all; see panel.h.
#include "panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "display_list.h"
#include "tui_words.def"
#include "utf8.h"

// --- one number

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

// Writes the number as print() does, unless that is wrong or too wide.
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

// --- its shade

enum {
    GROUND = 0x20242c, // dark, so that small numbers do not stand out
    ORANGE = 0xff9f1c, // distinct from BLUE with every kind of colour blindness
    BLUE = 0x4aa3ff,
    WHITE = 0xffffff,
    BLACK = 0x000000,
};

static const float small = 1.0f / 16, large = 1.0f / 3; // of the largest visible number

Shade number_shade(float number, float largest, int colours)
{
    Colour hue = number < 0.0f ? BLUE : ORANGE;
    float share = fabsf(number) / largest;
    if (!isfinite(number) || !(share >= small))
        return (Shade){0};
    if (colours < CELLS_SHADES_FROM)
        return (Shade){.front = share >= large ? SHADE_SET | hue : 0};
    Colour back = colour_mix(GROUND, hue, (double)share);
    Colour front = colour_luminance(back) > 0.18 ? BLACK : WHITE; // 0.18: equal contrast with both
    return (Shade){SHADE_SET | front, SHADE_SET | back};
}

// --- the grid

enum {
    COLUMN_LABEL_MAX = 10,
    LABELS_LOOKED_AT = 40, // these decide the width of all
};

ptrdiff_t values_length(const Tensor *tensor, int axis)
{
    return axis < 0 ? 1 : tensor->shape[axis];
}

const char *values_label(const Session *session, int axis, ptrdiff_t index, char text[64])
{
    char name[16];
    ptrdiff_t at[TENSOR_RANK_MAX];
    text[0] = '\0';
    if (axis < 0)
        return text;
    memcpy(at, session_view(session)->at, sizeof at);
    at[axis] = index;
    trace_label(&session->run.trace, session->cursor.tensor, axis, at, text);
    char bare[24];
    snprintf(bare, sizeof bare, "%td", index);
    trace_axis(&session->run.trace, session->cursor.tensor, axis, name);
    if (strcmp(text, bare) == 0 || strcmp(name, "H") == 0)
        text[0] = '\0';
    return text;
}

// True if the grid shows several sequences: then the words of one do not fit the others.
static bool shows_several_sequences(const Session *session)
{
    const SessionView *view = session_view(session);
    const int on_screen[] = {view->row_axis, view->column_axis};
    char name[16];
    for (int i = 0; i < 2; i++)
        if (trace_axis(&session->run.trace, session->cursor.tensor, on_screen[i], name) &&
            strcmp(name, "B") == 0 && session_tensor(session)->tensor.shape[on_screen[i]] > 1)
            return true;
    return false;
}

const char *values_shared_label(const Session *session, int axis, ptrdiff_t index, char text[64])
{
    text[0] = '\0';
    return shows_several_sequences(session) ? text : values_label(session, axis, index, text);
}

static int widest_label(const Session *session, int axis, int most)
{
    char text[64];
    int widest = 0;
    ptrdiff_t length = values_length(&session_tensor(session)->tensor, axis);
    for (ptrdiff_t i = 0; i < length && i < LABELS_LOOKED_AT; i++) {
        int width = utf8_width(values_shared_label(session, axis, i, text));
        widest = (int)index_max(width, widest);
    }
    return (int)index_min(widest, most);
}

int digits_of(ptrdiff_t number)
{
    return snprintf(NULL, 0, "%td", number);
}

static void put_index(const SessionView *view, ptrdiff_t row, ptrdiff_t column, ptrdiff_t at[])
{
    memcpy(at, view->at, sizeof view->at);
    if (view->row_axis >= 0)
        at[view->row_axis] = row;
    if (view->column_axis >= 0)
        at[view->column_axis] = column;
}

void values_index(const Session *session, ptrdiff_t row, ptrdiff_t column, ptrdiff_t at[])
{
    put_index(session_view(session), row, column, at);
}

void values_at(const ValuesGrid *grid, ptrdiff_t row, ptrdiff_t column, ptrdiff_t at[])
{
    put_index(grid->view, grid->view->first_row + row, grid->view->first_column + column, at);
}

// Visits every visible number once, for shades and legend.
static void look_over(ValuesGrid *grid)
{
    ptrdiff_t at[TENSOR_RANK_MAX];
    for (ptrdiff_t row = 0; row < grid->rows; row++)
        for (ptrdiff_t column = 0; column < grid->columns; column++) {
            values_at(grid, row, column, at);
            grid->has_mark[trace_mark_at(&grid->marks, at)] = true;
            if (grid->tensor->dtype != DTYPE_F32)
                continue;
            float size = fabsf(grid->tensor->storage.f32[tensor_place(grid->tensor, at)]);
            grid->largest = isfinite(size) && size > grid->largest ? size : grid->largest;
        }
}

ValuesGrid values_grid(const Session *session, Area area)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    const SessionView *view = session_view(session);
    ValuesGrid grid = {.tensor = tensor, .view = view, .area = area};
    if (!session_has_values(session))
        return grid;
    int column_label = widest_label(session, view->column_axis, COLUMN_LABEL_MAX);
    int index_width = digits_of(values_length(tensor, view->column_axis) - 1);

    grid.look = number_look(tensor, session->look.notation);
    grid.column_labels = column_label > 0;
    grid.pitch = 1 + (int)index_max(index_max(column_label, index_width), grid.look.width);
    grid.index_columns = 1 + digits_of(values_length(tensor, view->row_axis) - 1);
    grid.label_columns = widest_label(session, view->row_axis, VALUES_ROW_LABEL_MAX);
    grid.label_columns += grid.label_columns > 0;
    grid.first_row = VALUES_TITLE_ROWS + 1 + grid.column_labels;

    int left = grid.index_columns + grid.label_columns + 1; // a column for the last ']'
    grid.room_rows = index_max(area.rows - grid.first_row - VALUES_CHOSEN_ROWS, 0);
    grid.room_columns = index_max((area.columns - left) / grid.pitch, 0);
    ptrdiff_t rows = values_length(tensor, view->row_axis) - view->first_row;
    ptrdiff_t columns = values_length(tensor, view->column_axis) - view->first_column;
    grid.rows = index_clamp(rows, 0, grid.room_rows);
    grid.columns = index_clamp(columns, 0, grid.room_columns);
    grid.marks = trace_marks(&session->run.trace, session->cursor.tensor);
    look_over(&grid);
    return grid;
}

int values_column_start(const ValuesGrid *grid, ptrdiff_t column)
{
    return grid->index_columns + grid->label_columns + (int)column * grid->pitch;
}

// --- next to a detail

Area panel_values_share(const Session *session, Area place)
{
    enum {
        BESIDE_FROM = 140,   // narrower: a detail goes below the values
        RUNS_FROM = 60,      // two runs go side by side even if both are narrow
        BELOW_FROM_ROWS = 26 // lower: a detail replaces them
    };
    SessionDetail detail = session->look.detail;
    int from = detail == DETAIL_BESIDE ? RUNS_FROM : BESIDE_FROM;
    if (detail == DETAIL_NONE)
        return place;
    if (detail != DETAIL_MEMORY && place.columns >= from) // memory is wide
        place.columns = place.columns / 2 - 1;
    else
        place.rows = place.rows < BELOW_FROM_ROWS ? 0 : place.rows / 3;
    return place;
}
