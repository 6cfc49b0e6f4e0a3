// Numbers in digits made of blocks, and the tensor looked at in such digits; see big_number.h.
#include "big_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "number_text.h"
#include "utf8.h"
#include "values_grid.h"

// --- one number

enum { PIXEL_ROWS = 5 };

// Five rows of pixels from the top, each read from the left: '#' is set.
typedef struct Glyph {
    char character;
    const char *pixels[PIXEL_ROWS];
} Glyph;

static const Glyph glyphs[] = {
    {'0', {"###", "# #", "# #", "# #", "###"}}, {'1', {" # ", "## ", " # ", " # ", "###"}},
    {'2', {"###", "  #", "###", "#  ", "###"}}, {'3', {"###", "  #", " ##", "  #", "###"}},
    {'4', {"# #", "# #", "###", "  #", "  #"}}, {'5', {"###", "#  ", "###", "  #", "###"}},
    {'6', {"###", "#  ", "###", "# #", "###"}}, {'7', {"###", "  #", "  #", " # ", " # "}},
    {'8', {"###", "# #", "###", "# #", "###"}}, {'9', {"###", "# #", "###", "  #", "###"}},
    {'.', {" ", " ", " ", " ", "#"}},           {'-', {"  ", "  ", "##", "  ", "  "}},
    {'+', {"   ", " # ", "###", " # ", "   "}}, {'e', {"   ", "###", "## ", "#  ", "###"}},
    {'n', {"   ", "## ", "# #", "# #", "# #"}}, {'a', {"   ", " ##", "# #", "# #", " ##"}},
    {'i', {"#", " ", "#", "#", "#"}},           {'f', {" ##", "#  ", "###", "#  ", "#  "}},
    {'T', {"###", " # ", " # ", " # ", " # "}}, {'r', {"   ", "# #", "## ", "#  ", "#  "}},
    {'u', {"   ", "# #", "# #", "# #", "###"}}, {'F', {"###", "#  ", "## ", "#  ", "#  "}},
    {'l', {"#", "#", "#", "#", "#"}},           {'s', {"   ", "###", "## ", " ##", "###"}},
};

static const Glyph *glyph_of(char character)
{
    for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++)
        if (glyphs[i].character == character)
            return &glyphs[i];
    return NULL;
}

static int pixel_columns(BigSize size)
{
    return size == BIG_WHOLE ? 2 : 1;
}

int big_number_columns(const char *text, BigSize size)
{
    int columns = 0;
    if (size == BIG_PLAIN)
        return (int)strlen(text);
    for (; *text; text++) {
        const Glyph *glyph = glyph_of(*text);
        if (glyph)
            columns += (columns > 0) + (int)strlen(glyph->pixels[0]);
    }
    return columns * pixel_columns(size);
}

int big_number_rows(BigSize size)
{
    return size == BIG_WHOLE ? PIXEL_ROWS : size == BIG_HALF ? (PIXEL_ROWS + 1) / 2 : 1;
}

static bool is_set(const Glyph *glyph, int row, int column)
{
    return row < PIXEL_ROWS && glyph->pixels[row][column] == '#';
}

static void draw_glyph(const BigPen *pen, int row, int column, const Glyph *glyph)
{
    int columns = (int)strlen(glyph->pixels[0]), wide = pixel_columns(pen->size);
    bool whole = pen->size == BIG_WHOLE;
    for (int down = 0; down < big_number_rows(pen->size); down++)
        for (int across = 0; across < columns; across++) {
            bool upper = is_set(glyph, whole ? down : 2 * down, across);
            bool lower = whole ? upper : is_set(glyph, 2 * down + 1, across);
            const char *block = upper && lower ? "\u2588" : upper ? "\u2580" : "\u2584";
            if (upper || lower)
                cells_fill(pen->area, row + down, column + across * wide, wide, pen->role, block);
        }
}

void big_number_draw(const BigPen *pen, int row, int column, const char *text)
{
    if (pen->size == BIG_PLAIN) {
        cells_text(pen->area, row, column, pen->role, text);
        return;
    }
    for (; *text; text++) {
        const Glyph *glyph = glyph_of(*text);
        if (!glyph)
            continue;
        draw_glyph(pen, row, column, glyph);
        column += ((int)strlen(glyph->pixels[0]) + 1) * pixel_columns(pen->size);
    }
}

// --- the values of a tensor

enum {
    CAPTION_ROWS = 1,
    HEADER_ROWS = 2, // the caption, and what stands above the columns
    GAP = 3,
    DECIMALS_MAX = 4,
    DECIMALS_MIN = 2,
};

static const char not_yet[] = "\u00b7";

// What is laid out: `columns` from `first_column` on, and so the rows.
typedef struct BigGrid {
    BigSize size;
    int row_rows; // of a number and the line under it, for which plain ones may have no room
    int decimals, pitch, label_columns;
    ptrdiff_t rows, columns, first_row, first_column;
} BigGrid;

static ptrdiff_t smaller(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

// With fewer decimals only numbers that have a point anyway; nothing where the walk has not been.
static const char *text_of(const Session *session, const ptrdiff_t at[], int decimals,
                           char text[NUMBER_FULL_TEXT_MAX])
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    text[0] = '\0';
    if (!session_has_reached(session, at))
        return text;
    if (tensor->dtype != DTYPE_F32)
        return number_text(tensor, at, text);
    float number = tensor->storage.f32[tensor_place(tensor, at)];
    number_decimals_text(number, text);
    if (isfinite(number) && !strchr(text, 'e'))
        snprintf(text, NUMBER_FULL_TEXT_MAX, "%.*f", decimals, (double)number);
    return text;
}

static void place(const Session *session, ptrdiff_t row, ptrdiff_t column, ptrdiff_t at[])
{
    const SessionView *view = session_view(session);
    memcpy(at, view->at, sizeof view->at);
    if (view->row_axis >= 0)
        at[view->row_axis] = row;
    if (view->column_axis >= 0)
        at[view->column_axis] = column;
}

// The widest number among those that may come on screen: the first few of every axis.
static int widest(const Session *session, int decimals, BigSize size)
{
    enum { LOOKED_AT = 16 };
    const Tensor *tensor = &session_tensor(session)->tensor;
    const SessionView *view = session_view(session);
    int most = 0;
    for (ptrdiff_t row = 0; row < smaller(values_length(tensor, view->row_axis), LOOKED_AT); row++)
        for (ptrdiff_t column = 0;
             column < smaller(values_length(tensor, view->column_axis), LOOKED_AT); column++) {
            ptrdiff_t at[TENSOR_RANK_MAX];
            char text[NUMBER_FULL_TEXT_MAX];
            place(session, row, column, at);
            int columns = big_number_columns(text_of(session, at, decimals, text), size);
            most = columns > most ? columns : most;
        }
    return most;
}

static int label_columns(const Session *session)
{
    const SessionView *view = session_view(session);
    ptrdiff_t rows = values_length(&session_tensor(session)->tensor, view->row_axis);
    int most = 1;
    for (ptrdiff_t row = 0; row < smaller(rows, 40); row++) {
        char text[64];
        int columns = utf8_width(values_shared_label(session, view->row_axis, row, text));
        most = columns > most ? columns : most;
    }
    return (int)smaller(most, VALUES_ROW_LABEL_MAX) + 2;
}

// The first of `shown` of `count` places so that the chosen one is in the middle where it can be.
static ptrdiff_t first_of(ptrdiff_t count, ptrdiff_t shown, ptrdiff_t chosen)
{
    ptrdiff_t first = smaller(chosen - shown / 2, count - shown);
    return first < 0 ? 0 : first;
}

// How many rows and columns of this size fit, with as many decimals as let all columns in.
static BigGrid measure(const Session *session, Area area, BigSize size, int below)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    const SessionView *view = session_view(session);
    ptrdiff_t columns = values_length(tensor, view->column_axis);
    BigGrid grid = {.size = size,
                    .row_rows = big_number_rows(size) + below,
                    .decimals = DECIMALS_MAX,
                    .label_columns = label_columns(session)};
    int room = area.columns - grid.label_columns;
    do {
        grid.pitch = widest(session, grid.decimals, size) + GAP;
        grid.columns = smaller(columns, (room + GAP) / grid.pitch);
    } while (grid.columns < columns && grid.decimals-- > DECIMALS_MIN);
    grid.decimals = grid.decimals < DECIMALS_MIN ? DECIMALS_MIN : grid.decimals;
    grid.rows = smaller(values_length(tensor, view->row_axis),
                        (area.rows - HEADER_ROWS + below) / grid.row_rows);
    return grid;
}

// Whether all of the matrix is seen.
static bool is_whole(const Session *session, const BigGrid *grid)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    const SessionView *view = session_view(session);
    return grid->rows == values_length(tensor, view->row_axis) &&
           grid->columns == values_length(tensor, view->column_axis);
}

// The largest digits in which everything fits: a triangle that is cut off is none. Of a matrix that fits in
// none of them, half-high ones show a part.
static BigGrid lay_out(const Session *session, Area area)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    const SessionView *view = session_view(session);
    ptrdiff_t rows = values_length(tensor, view->row_axis);
    ptrdiff_t columns = values_length(tensor, view->column_axis);
    BigGrid grid = measure(session, area, BIG_WHOLE, 1);
    if (!is_whole(session, &grid) || grid.decimals < DECIMALS_MAX)
        grid = measure(session, area, BIG_HALF, 1);
    static const struct Smaller {
        BigSize size;
        int below;
    } smaller_ones[] = {{BIG_HALF, 0}, {BIG_PLAIN, 1}, {BIG_PLAIN, 0}};
    for (int i = 0; i < 3 && !is_whole(session, &grid); i++) {
        BigGrid other = measure(session, area, smaller_ones[i].size, smaller_ones[i].below);
        if (is_whole(session, &other))
            grid = other;
    }
    ptrdiff_t row = view->row_axis < 0 ? 0 : view->at[view->row_axis];
    ptrdiff_t column = view->column_axis < 0 ? 0 : view->at[view->column_axis];
    grid.first_row = first_of(rows, grid.rows, row);
    grid.first_column = first_of(columns, grid.columns, column);
    return grid;
}

// "attn_weights[0,2,:,:] (1, 4, 3, 3)": which part it is, of what.
static void draw_caption(const Session *session, Area area)
{
    char shape[TENSOR_TEXT_MAX];
    const Tensor *tensor = &session_tensor(session)->tensor;
    const SessionView *view = session_view(session);
    int column = cells_text(area, 0, 0, ROLE_HEADING, session_tensor(session)->name);
    for (int axis = 0; axis < tensor->rank; axis++) {
        const char *before = axis == 0 ? "[" : ",";
        if (session_axis_is_picked(session, axis))
            column += cells_format(area, 0, column, ROLE_HEADING, "%s%td", before, view->at[axis]);
        else
            column += cells_format(area, 0, column, ROLE_HEADING, "%s:", before);
    }
    cells_format(area, 0, column, ROLE_HEADING, "%s %s", tensor->rank > 0 ? "]" : "",
                 tensor_shape_text(tensor->rank, tensor->shape, shape));
}

// The word of a place on an axis, else its index.
static void label_of(const Session *session, int axis, ptrdiff_t index, char text[64])
{
    values_shared_label(session, axis, index, text);
    if (!text[0] && axis >= 0)
        snprintf(text, 64, "%td", index);
}

static void draw_labels(const Session *session, const BigGrid *grid, Area area)
{
    const SessionView *view = session_view(session);
    Area left = area_part(area, 0, 0, area.rows, grid->label_columns - 1);
    char label[64], cut[64];
    for (ptrdiff_t row = 0; row < grid->rows; row++) {
        label_of(session, view->row_axis, grid->first_row + row, label);
        cells_text(left,
                   HEADER_ROWS + (int)row * grid->row_rows + (big_number_rows(grid->size) - 1) / 2,
                   0, ROLE_KEY, label);
    }
    for (ptrdiff_t column = 0; column < grid->columns; column++) {
        int end = grid->label_columns + (int)(column + 1) * grid->pitch - GAP;
        label_of(session, view->column_axis, grid->first_column + column, label);
        utf8_cut(label, grid->pitch - 1, cut, sizeof cut);
        cells_text_right(area, CAPTION_ROWS, end, ROLE_KEY, cut);
    }
}

static void draw_number(const Session *session, const BigGrid *grid, Area area, ptrdiff_t row,
                        ptrdiff_t column)
{
    ptrdiff_t at[TENSOR_RANK_MAX];
    char text[NUMBER_FULL_TEXT_MAX];
    const Tensor *tensor = &session_tensor(session)->tensor;
    place(session, grid->first_row + row, grid->first_column + column, at);
    bool chosen = memcmp(at, session_view(session)->at, sizeof *at * (size_t)tensor->rank) == 0;
    text_of(session, at, grid->decimals, text);
    int line = HEADER_ROWS + (int)row * grid->row_rows;
    int below = line + big_number_rows(grid->size);
    int columns = big_number_columns(text, grid->size);
    int end = grid->label_columns + (int)(column + 1) * grid->pitch - GAP;
    if (columns == 0)
        cells_text_right(area, below - 1, end, ROLE_QUIET, not_yet);
    bool is_tight = grid->row_rows == big_number_rows(grid->size);
    Role mark = !is_tight ? ROLE_HEADING : grid->size == BIG_PLAIN ? ROLE_CURRENT : ROLE_KEY;
    BigPen pen = {area, chosen ? mark : ROLE_TEXT, grid->size};
    big_number_draw(&pen, line, end - columns, text);
    if (chosen && grid->row_rows > big_number_rows(grid->size))
        cells_fill(area, below, end - columns, columns, ROLE_KEY, "\u2594");
}

void big_values_draw(const Session *session, Area area)
{
    if (!session_has_values(session))
        return;
    BigGrid grid = lay_out(session, area);
    if (grid.rows < 1 || grid.columns < 1)
        return;
    draw_caption(session, area);
    draw_labels(session, &grid, area);
    for (ptrdiff_t row = 0; row < grid.rows; row++)
        for (ptrdiff_t column = 0; column < grid.columns; column++)
            draw_number(session, &grid, area, row, column);
}

// As it is written, and how large it can be.
static BigSize chosen_size(const Session *session, Area area, char text[NUMBER_FULL_TEXT_MAX])
{
    text_of(session, session_view(session)->at, DECIMALS_MAX, text);
    bool fits = big_number_columns(text, BIG_WHOLE) <= area.columns &&
                area.rows >= 6 * big_number_rows(BIG_WHOLE);
    return session->look.detail == DETAIL_BESIDE ? BIG_PLAIN : fits ? BIG_WHOLE : BIG_HALF;
}

int big_values_chosen_rows(const Session *session, Area area)
{
    char text[NUMBER_FULL_TEXT_MAX];
    if (!session_has_values(session))
        return 0;
    return CAPTION_ROWS + big_number_rows(chosen_size(session, area, text));
}

void big_values_chosen(const Session *session, Area area)
{
    char name[TRACE_CELL_MAX], text[NUMBER_FULL_TEXT_MAX];
    if (!session_has_values(session))
        return;
    cells_text(area, 0, 0, ROLE_HEADING,
               trace_cell_name(&session->run.trace, session_cell(session), name));
    BigPen pen = {area, ROLE_HEADING, chosen_size(session, area, text)};
    big_number_draw(&pen, CAPTION_ROWS, 0, text);
}
