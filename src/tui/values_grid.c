// The numbers of a tensor on screen: the format of one, the places of all, and both in digits made of blocks; see
// panel.h.
#include "panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "display_list.h"
#include "number_text.h"
#include "open_lecture.h"
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

// The index of the element at a row and column of the slice on screen.
static void values_index(const Session *session, ptrdiff_t row, ptrdiff_t column, ptrdiff_t at[])
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

// --- one number in large digits

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

// --- the values of a tensor in large digits

enum {
    CAPTION_ROWS = 1,
    HEADER_ROWS = 2, // the caption and the labels of columns
    GAP = 3,
    GAP_PLAIN = 2,
    DECIMALS_MAX = 4,
};

static const char not_yet[] = "\u00b7";

// The layout: which rows and columns, and how large.
typedef struct BigGrid {
    BigSize size;
    int row_rows; // of a number with the line below it, if there is room
    int decimals, pitch, gap, label_columns;
    BigAxis rows, columns;
} BigGrid;

// --- which rows and columns

static bool axis_has(const BigAxis *axis, ptrdiff_t index)
{
    for (int i = 0; i < axis->count; i++)
        if (axis->at[i] == index)
            return true;
    return false;
}

bool big_axis_add(BigAxis *axis, ptrdiff_t index)
{
    if (axis_has(axis, index))
        return true;
    if (axis->count == BIG_AXIS_MAX)
        return false;
    int place = axis->count++;
    for (; place > 0 && axis->at[place - 1] > index; place--)
        axis->at[place] = axis->at[place - 1];
    axis->at[place] = index;
    return true;
}

// The wanted indices, the chosen one if it fits, and those around it.
static BigAxis axis_around(const BigAxis *wanted, ptrdiff_t length, ptrdiff_t count,
                           ptrdiff_t chosen)
{
    BigAxis axis = *wanted;
    count = index_min(count, BIG_AXIS_MAX);
    if (wanted->count == 0) // without gaps
        chosen = index_clamp(chosen - count / 2, 0, length - count);
    for (ptrdiff_t away = 0; axis.count < count && away < length; away++) {
        if (chosen + away < length)
            big_axis_add(&axis, chosen + away);
        if (axis.count < count && chosen - away >= 0 && wanted->count > 0)
            big_axis_add(&axis, chosen - away);
    }
    return axis;
}

// Writes a number with so many decimals; "" if the walk has not reached it.
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
    if (number == 0.0f) // only an exact 0 has no decimals
        snprintf(text, NUMBER_FULL_TEXT_MAX, "0");
    else if (isfinite(number) && fabsf(number) < 1e6f)
        snprintf(text, NUMBER_FULL_TEXT_MAX, "%.*f", decimals, (double)number);
    else
        number_decimals_text(number, text);
    return text;
}

static ptrdiff_t chosen_on(const Session *session, int axis)
{
    return axis < 0 ? 0 : session_view(session)->at[axis];
}

// Everything that may be visible.
static BigGrid around(const Session *session, const BigNeeds *needs)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    const SessionView *view = session_view(session);
    BigGrid grid = {.rows = axis_around(&needs->rows, values_length(tensor, view->row_axis),
                                        BIG_AXIS_MAX, chosen_on(session, view->row_axis))};
    grid.columns = axis_around(&needs->columns, values_length(tensor, view->column_axis),
                               BIG_AXIS_MAX, chosen_on(session, view->column_axis));
    return grid;
}

// The label of a place on an axis, else its index.
static void label_of(const Session *session, int axis, ptrdiff_t index, char text[64])
{
    values_shared_label(session, axis, index, text);
    if (!text[0] && axis >= 0)
        snprintf(text, 64, "%td", index);
}

static int label_columns(const Session *session, int axis, const BigAxis *places)
{
    int most = 1;
    for (int i = 0; i < places->count; i++) {
        char text[64];
        label_of(session, axis, places->at[i], text);
        most = (int)index_max(utf8_width(text), most);
    }
    return (int)index_min(most, VALUES_ROW_LABEL_MAX);
}

// --- how large

// A way to write the numbers, the best first. `below`: with a line under each number.
typedef struct BigForm {
    BigSize size;
    int below, decimals, gap;
    bool whole; // needs room for the whole matrix; else for what must be visible
} BigForm;

static const BigForm forms[] = {
    {BIG_WHOLE, 1, 4, 3, true},  {BIG_HALF, 1, 4, 3, true},  {BIG_HALF, 0, 4, 3, true},
    {BIG_HALF, 1, 3, 3, true},   {BIG_HALF, 0, 3, 3, true},  {BIG_HALF, 1, 2, 3, true},
    {BIG_HALF, 0, 2, 3, true},   {BIG_PLAIN, 1, 4, 2, true}, {BIG_PLAIN, 0, 4, 2, true},
    {BIG_PLAIN, 0, 3, 2, true},  {BIG_PLAIN, 0, 2, 2, true}, {BIG_PLAIN, 0, 2, 1, true},
    {BIG_HALF, 1, 4, 3, false},  {BIG_HALF, 0, 4, 3, false}, {BIG_PLAIN, 1, 4, 2, false},
    {BIG_PLAIN, 0, 4, 2, false},
};

enum { FORMS = sizeof forms / sizeof *forms };

// The widest number by size and decimals, measured once for all forms that share them.
typedef struct BigWidths {
    int widest[BIG_WHOLE + 1][DECIMALS_MAX + 1];
} BigWidths;

static int widest(const Session *session, const BigGrid *all, const BigForm *form, BigWidths *known)
{
    int *most = &known->widest[form->size][form->decimals];
    if (*most > 0)
        return *most;
    for (int row = 0; row < all->rows.count; row++)
        for (int column = 0; column < all->columns.count; column++) {
            ptrdiff_t at[TENSOR_RANK_MAX];
            char text[NUMBER_FULL_TEXT_MAX];
            values_index(session, all->rows.at[row], all->columns.at[column], at);
            int columns =
                big_number_columns(text_of(session, at, form->decimals, text), form->size);
            *most = (int)index_max(columns, *most);
        }
    return *most;
}

// Lays out what fits in this form.
static BigGrid measure(const Session *session, Area area, const BigForm *form,
                       const BigNeeds *needs, BigWidths *known)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    const SessionView *view = session_view(session);
    BigGrid all = around(session, needs),
            grid = {.size = form->size, .decimals = form->decimals, .gap = form->gap};
    grid.row_rows = big_number_rows(form->size) + form->below;
    grid.label_columns = label_columns(session, view->row_axis, &all.rows) + 2;
    grid.pitch = widest(session, &all, form, known) + grid.gap;
    int down = (area.rows - HEADER_ROWS + form->below) / grid.row_rows;
    int across = (area.columns - grid.label_columns + grid.gap) / grid.pitch;
    grid.rows = axis_around(&needs->rows, values_length(tensor, view->row_axis), down,
                            chosen_on(session, view->row_axis));
    grid.columns = axis_around(&needs->columns, values_length(tensor, view->column_axis), across,
                               chosen_on(session, view->column_axis));
    grid.rows.count = (int)index_clamp(grid.rows.count, 0, down);
    grid.columns.count = (int)index_clamp(grid.columns.count, 0, across);
    if (grid.columns.count > 0) { // labels in full, if that costs no column
        int words = label_columns(session, view->column_axis, &grid.columns) + 1;
        int room = (area.columns - grid.label_columns + grid.gap) / grid.columns.count;
        grid.pitch = (int)index_max(index_min(words, room), grid.pitch);
    }
    return grid;
}

static bool holds_all(const BigAxis *axis, const BigAxis *wanted)
{
    for (int i = 0; i < wanted->count; i++)
        if (!axis_has(axis, wanted->at[i]))
            return false;
    return true;
}

static bool is_whole(const Session *session, const BigGrid *grid)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    const SessionView *view = session_view(session);
    return grid->rows.count == values_length(tensor, view->row_axis) &&
           grid->columns.count == values_length(tensor, view->column_axis);
}

// True if everything needed is visible, and a few numbers around it.
static bool is_enough(const Session *session, const BigGrid *grid, const BigNeeds *needs)
{
    enum { LEAST = 3 };
    const Tensor *tensor = &session_tensor(session)->tensor;
    const SessionView *view = session_view(session);
    bool has_rows = grid->rows.count >= index_min(values_length(tensor, view->row_axis), LEAST);
    bool has_columns =
        grid->columns.count >= index_min(values_length(tensor, view->column_axis), LEAST);
    return has_rows && has_columns && holds_all(&grid->rows, &needs->rows) &&
           holds_all(&grid->columns, &needs->columns);
}

static bool is_on_paper(const Session *session)
{
    return session->lecture && session->lecture->on_paper;
}

// The first form in which the whole matrix fits: a triangle must not be cut. If there is none, what must be visible
// and as much around the chosen number as fits.
static BigGrid lay_out(const Session *session, Area area, const BigNeeds *needs)
{
    static const BigNeeds nothing = {.rows = {.count = 0}};
    BigWidths known = {0};
    bool is_plain = is_on_paper(session) || session_tensor(session)->tensor.dtype == DTYPE_BOOL;
    for (int i = 0; i < FORMS; i++) {
        if (is_plain && forms[i].size != BIG_PLAIN)
            continue;
        BigGrid grid = measure(session, area, &forms[i], needs, &known);
        if (forms[i].whole ? is_whole(session, &grid) : is_enough(session, &grid, needs))
            return grid;
    }
    static const BigForm part = {BIG_HALF, 1, 2, 3, false};
    static const BigForm small_part = {BIG_PLAIN, 0, 2, 2, false};
    known = (BigWidths){0}; // without needs, other numbers may be visible
    return measure(session, area, is_on_paper(session) ? &small_part : &part, &nothing, &known);
}

bool big_values_hold(const Session *session, Area area, const BigNeeds *needs)
{
    if (!session_has_values(session))
        return false;
    BigGrid grid = lay_out(session, area, needs);
    bool in_full =
        grid.decimals == DECIMALS_MAX || session_tensor(session)->tensor.dtype != DTYPE_F32;
    return in_full && holds_all(&grid.rows, &needs->rows) &&
           holds_all(&grid.columns, &needs->columns);
}

bool big_values_as_large(const Session *session, Area less, Area area, const BigNeeds *needs)
{
    if (!session_has_values(session))
        return true;
    BigGrid all = lay_out(session, area, needs), some = lay_out(session, less, needs);
    return some.size == all.size && some.decimals == all.decimals &&
           some.rows.count >= all.rows.count && some.columns.count >= all.columns.count;
}

// True while the page asks for this shape: the caption must not tell it.
static bool is_shape_asked(const Session *session)
{
    const OpenLecture *open = session->lecture;
    Reference asked;
    Error err;
    return open && open->presents && open->ask && !open->shown && !open->answered &&
           open_lecture_page(open)->question.answer &&
           reference_parse(open_lecture_page(open)->question.answer, &asked, &err) &&
           asked.kind == REFERENCE_SHAPE && !asked.scenario[0] &&
           strcmp(asked.tensor, session_tensor(session)->name) == 0;
}

// "attn_weights[0,2,:,:] (1, 4, 3, 3)"
static void draw_caption(const Session *session, Area area, bool row_alone)
{
    char shape[TENSOR_TEXT_MAX], text[TENSOR_TEXT_MAX + 64], name[16];
    const Tensor *tensor = &session_tensor(session)->tensor;
    const SessionView *view = session_view(session);
    int column = cells_text(area, 0, 0, ROLE_HEADING, session_tensor(session)->name);
    for (int axis = 0; axis < tensor->rank; axis++) {
        const char *before = axis == 0 ? "[" : ",";
        if (session_axis_is_picked(session, axis) || (row_alone && axis == view->row_axis))
            column += cells_format(area, 0, column, ROLE_HEADING, "%s%td", before, view->at[axis]);
        else
            column += cells_format(area, 0, column, ROLE_HEADING, "%s:", before);
    }
    column += cells_text(area, 0, column, ROLE_HEADING, tensor->rank > 0 ? "]" : "");
    snprintf(text, sizeof text, " %s",
             is_shape_asked(session) ? "(?)"
                                     : tensor_shape_text(tensor->rank, tensor->shape, shape));
    column += cells_text_whole(area, 0, column, ROLE_HEADING, text);
    for (int axis = 0; axis < tensor->rank; axis++) {
        if (!session_axis_is_picked(session, axis) || tensor->shape[axis] < 2 ||
            !trace_axis(&session->run.trace, session->cursor.tensor, axis, name))
            continue;
        snprintf(text, sizeof text, "   %s %td/%td", name, view->at[axis], tensor->shape[axis] - 1);
        column += cells_text_whole(area, 0, column, ROLE_TEXT, text);
    }
}

// True if indices are left out before place `i`.
static bool is_after_gap(const BigAxis *axis, int i)
{
    return i > 0 && axis->at[i] != axis->at[i - 1] + 1;
}

static void draw_labels(const Session *session, const BigGrid *grid, Area area)
{
    const SessionView *view = session_view(session);
    Area left = area_part(area, 0, 0, area.rows, grid->label_columns - 1);
    char label[64], cut[64];
    for (int row = 0; row < grid->rows.count; row++) {
        int line = HEADER_ROWS + row * grid->row_rows;
        label_of(session, view->row_axis, grid->rows.at[row], label);
        cells_text(left, line + (big_number_rows(grid->size) - 1) / 2, 0, ROLE_KEY, label);
        if (is_after_gap(&grid->rows, row))
            cells_text(area, line, grid->label_columns - 1, ROLE_QUIET, "\u22ee");
    }
    for (int column = 0; column < grid->columns.count; column++) {
        int start = grid->label_columns + column * grid->pitch;
        int end = start + grid->pitch - grid->gap;
        label_of(session, view->column_axis, grid->columns.at[column], label);
        utf8_cut(label, grid->pitch - 1, cut, sizeof cut);
        cells_text_right(area, CAPTION_ROWS, end, ROLE_KEY, cut);
        if (is_after_gap(&grid->columns, column))
            cells_text(area, CAPTION_ROWS, start - 1, ROLE_QUIET, "\u22ef");
    }
}

// Shades small numbers, as the values panel does.
static void shade(const Session *session, const BigGrid *grid, Area area, const ptrdiff_t at[],
                  int line, int end)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    float largest = 0.0f;
    for (int row = 0; row < grid->rows.count; row++)
        for (int column = 0; column < grid->columns.count; column++) {
            ptrdiff_t other[TENSOR_RANK_MAX];
            values_index(session, grid->rows.at[row], grid->columns.at[column], other);
            float size = fabsf(tensor->storage.f32[tensor_place(tensor, other)]);
            largest = isfinite(size) && size > largest ? size : largest;
        }
    int columns = grid->pitch - grid->gap;
    cells_shade(
        area, line, end - columns, columns,
        number_shade(tensor->storage.f32[tensor_place(tensor, at)], largest, area.cells->colours));
}

static void draw_number(const Session *session, const BigGrid *grid, Area area, int row, int column)
{
    ptrdiff_t at[TENSOR_RANK_MAX];
    char text[NUMBER_FULL_TEXT_MAX];
    const Tensor *tensor = &session_tensor(session)->tensor;
    values_index(session, grid->rows.at[row], grid->columns.at[column], at);
    bool chosen = memcmp(at, session_view(session)->at, sizeof *at * (size_t)tensor->rank) == 0;
    text_of(session, at, grid->decimals, text);
    int line = HEADER_ROWS + row * grid->row_rows;
    int below = line + big_number_rows(grid->size);
    int columns = big_number_columns(text, grid->size);
    int end = grid->label_columns + (column + 1) * grid->pitch - grid->gap;
    if (columns == 0)
        cells_text_right(area, below - 1, end, ROLE_QUIET, not_yet);
    bool is_tight = grid->row_rows == big_number_rows(grid->size);
    Role mark = !is_tight ? ROLE_HEADING : grid->size == BIG_PLAIN ? ROLE_CURRENT : ROLE_KEY;
    BigPen pen = {area, chosen ? mark : ROLE_TEXT, grid->size};
    big_number_draw(&pen, line, end - columns, text);
    if (chosen && grid->row_rows > big_number_rows(grid->size))
        cells_fill(area, below, end - columns, columns, ROLE_KEY, "\u2594");
    else if (!chosen && columns > 0 && grid->size == BIG_PLAIN && tensor->dtype == DTYPE_F32)
        shade(session, grid, area, at, line, end);
}

void big_values_draw(const Session *session, Area area, const BigNeeds *needs)
{
    if (!session_has_values(session))
        return;
    BigGrid grid = lay_out(session, area, needs);
    if (grid.rows.count < 1 || grid.columns.count < 1)
        return;
    draw_caption(session, area, false);
    draw_labels(session, &grid, area);
    for (int row = 0; row < grid.rows.count; row++)
        for (int column = 0; column < grid.columns.count; column++)
            draw_number(session, &grid, area, row, column);
}

// --- one row

// The chosen number's row, wrapped into lines, each with its labels above.
typedef struct BigRow {
    BigSize size;
    int pitch, across, lines;
    ptrdiff_t count;
} BigRow;

static bool row_fits(const Session *session, Area area, BigSize size, BigRow *row)
{
    const SessionView *view = session_view(session);
    int most = 0, gap = size == BIG_PLAIN ? GAP_PLAIN : GAP;
    *row = (BigRow){.size = size};
    row->count = values_length(&session_tensor(session)->tensor, view->column_axis);
    for (ptrdiff_t column = 0; column < row->count; column++) {
        ptrdiff_t at[TENSOR_RANK_MAX];
        char text[NUMBER_FULL_TEXT_MAX], label[64];
        values_index(session, chosen_on(session, view->row_axis), column, at);
        int wide = big_number_columns(text_of(session, at, DECIMALS_MAX, text), size);
        label_of(session, view->column_axis, column, label);
        most = (int)index_max(index_max(utf8_width(label), wide), most);
    }
    row->pitch = most + gap;
    row->across = (int)index_max((area.columns + gap) / row->pitch, 1);
    row->lines = (int)((row->count + row->across - 1) / row->across);
    return CAPTION_ROWS + row->lines * (2 + big_number_rows(size)) <= area.rows;
}

static void draw_of_row(const Session *session, const BigRow *row, Area area, ptrdiff_t column)
{
    const SessionView *view = session_view(session);
    ptrdiff_t at[TENSOR_RANK_MAX];
    char text[NUMBER_FULL_TEXT_MAX], label[64];
    int gap = row->size == BIG_PLAIN ? GAP_PLAIN : GAP;
    int line = CAPTION_ROWS + (int)(column / row->across) * (2 + big_number_rows(row->size));
    int end = (int)(column % row->across + 1) * row->pitch - gap;
    bool chosen = column == chosen_on(session, view->column_axis);
    values_index(session, chosen_on(session, view->row_axis), column, at);
    text_of(session, at, DECIMALS_MAX, text);
    label_of(session, view->column_axis, column, label);
    cells_text_right(area, line, end, chosen ? ROLE_CURRENT : ROLE_KEY, label);
    BigPen pen = {area, chosen ? ROLE_HEADING : ROLE_TEXT, row->size};
    big_number_draw(&pen, line + 1, end - big_number_columns(text, row->size), text);
    if (!text[0])
        cells_text_right(area, line + 1, end, ROLE_QUIET, not_yet);
}

bool big_row_draw(const Session *session, Area area)
{
    static const BigSize sizes[] = {BIG_WHOLE, BIG_HALF, BIG_PLAIN};
    BigRow row;
    bool fits = false;
    for (int i = is_on_paper(session) ? 2 : 0; session_has_values(session) && i < 3 && !fits; i++)
        fits = row_fits(session, area, sizes[i], &row);
    if (!fits || !area.cells)
        return fits;
    draw_caption(session, area, true);
    for (ptrdiff_t column = 0; column < row.count; column++)
        draw_of_row(session, &row, area, column);
    return true;
}

// The chosen number's text, and the largest size that fits.
static BigSize chosen_size(const Session *session, Area area, char text[NUMBER_FULL_TEXT_MAX])
{
    text_of(session, session_view(session)->at, DECIMALS_MAX, text);
    bool fits = big_number_columns(text, BIG_WHOLE) <= area.columns &&
                area.rows >= 6 * big_number_rows(BIG_WHOLE);
    return session->look.detail == DETAIL_BESIDE || is_on_paper(session) ? BIG_PLAIN
           : fits                                                        ? BIG_WHOLE
                                                                         : BIG_HALF;
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
