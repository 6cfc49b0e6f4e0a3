// figure_frame: what is around the maps: title, the cell that is looked at, keys; see figure_internal.h.
#include "figure_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_MAX = 512 };

static const char part_gap[] = "    "; // between the parts of a line

static void line(const FigurePen *pen, int x, int y, int width)
{
    display_rectangle(pen->list, x, y, width, 1, pen->theme.faint);
}

// Adds words to a line, as far as it goes.
static void add(char line[HEADER_MAX], const char *format, ...)
{
    size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + used, HEADER_MAX - used, format, arguments);
    va_end(arguments);
}

// What of the tensor is shown: "sequence 1 of 0-2    rows are queries, columns are keys ..."
static void add_part_shown(const FigurePen *pen, char text[HEADER_MAX])
{
    const Figure *figure = pen->figure;
    const ptrdiff_t *shape = pen->data.values.shape;
    char heads[64];
    if (pen->data.has_batch && shape[0] > 1)
        add(text, "    sequence %td of 0\xe2\x80\x93%td", pen->request->batch, shape[0] - 1);
    figure_heads_text(&pen->request->heads, shape[1], heads);
    if (figure_shows_every_head(pen->request) && heads[0] != '\0')
        add(text, "    %s %s of 0\xe2\x80\x93%td",
            figure->map_count == 1 ? pen->data.map : pen->data.maps, heads, shape[1] - 1);
    const char *rows = figure_axis_words(&pen->data, 2),
               *columns = figure_axis_words(&pen->data, 3);
    if (rows[0] != '\0' && columns[0] != '\0')
        add(text, figure->lines ? "    %s left, %s right" : "    rows are %s, columns are %s", rows,
            columns);
    else if (columns[0] != '\0')
        add(text, "    columns are %s", columns);
    if (figure->block_rows > 1 || figure->block_columns > 1)
        add(text, "    a pixel shows the largest of %td x %td cells", figure->block_rows,
            figure->block_columns);
    if (!figure->all_visible)
        add(text, "    %td to %td of %td, %td to %td of %td visible", figure->first_row,
            figure->first_row + figure->rows - 1, shape[2], figure->first_column,
            figure->first_column + figure->columns - 1, shape[3]);
}

static char *last_gap(char *text)
{
    char *last = NULL;
    for (char *at = strstr(text, part_gap); at; at = strstr(at + 1, part_gap))
        last = at;
    return last;
}

// Parts that have no room in the first line go into a second one.
static void draw_parts(const FigurePen *pen, FigureBox box, const char *text)
{
    char first[HEADER_MAX];
    const char *rest = text + strlen(text);
    DisplayItem item = {.x = box.x,
                        .y = box.y + figure_points(pen, 37),
                        .size = pen->small,
                        .colour = pen->theme.quiet};
    snprintf(first, sizeof first, "%s", text);
    for (char *gap = last_gap(first);
         gap && font_width(pen->metrics, first, pen->small) > box.width; gap = last_gap(first)) {
        *gap = '\0';
        rest = text + (gap - first) + strlen(part_gap);
    }
    figure_text(pen, item, box.width, first);
    item.y += figure_points(pen, 16);
    figure_text(pen, item, box.width, rest);
}

void figure_draw_header(const FigurePen *pen, FigureBox box)
{
    const Trace *trace = pen->data.trace;
    const Scenario *scenario = trace->scenario;
    char axes[TRACE_AXES_TEXT_MAX], shape[TENSOR_TEXT_MAX], text[HEADER_MAX] = "";
    const Tensor *tensor = &trace->tensors[pen->data.tensor].tensor;
    add(text, "%s of %s", trace->tensors[pen->data.tensor].name, scenario->name);
    if (scenario->document)
        add(text, " (document %s)", scenario->document);
    figure_text(pen,
                (DisplayItem){.x = box.x,
                              .y = box.y + figure_points(pen, 12),
                              .size = pen->title,
                              .bold = true,
                              .colour = pen->theme.ink},
                box.width, text);
    text[0] = '\0';
    add(text, "%s = %s", trace_axes_text(trace, pen->data.tensor, axes),
        tensor_shape_text(tensor->rank, tensor->shape, shape));
    add_part_shown(pen, text);
    draw_parts(pen, box, text);
}

// --- the cell that is looked at

typedef struct ReadOut {
    const FigurePen *pen;
    int x, right, y, gap;
} ReadOut;

// A name in small letters above a value; left out when there is no room.
static void tell(ReadOut *out, const char *name, Colour colour, const char *value)
{
    const FigurePen *pen = out->pen;
    int wide = font_width(pen->metrics, value, pen->text);
    int small = font_width(pen->metrics, name, pen->small);
    wide = wide > small ? wide : small;
    if (out->x + wide > out->right)
        return;
    DisplayItem item = {.x = out->x,
                        .y = out->y + figure_points(pen, 18),
                        .size = pen->small,
                        .colour = pen->theme.quiet};
    figure_text(pen, item, 0, name);
    item.y = out->y + figure_points(pen, 38);
    item.size = pen->text;
    item.bold = true;
    item.colour = colour;
    figure_text(pen, item, 0, value);
    out->x += wide + out->gap;
}

static void tell_place(ReadOut *out)
{
    const FigurePen *pen = out->pen;
    const FigureRequest *request = pen->request;
    char label[64], text[128];
    if (request->lock != FIGURE_UNLOCKED)
        tell(out, "locked", pen->theme.accent, request->lock == FIGURE_LOCKED_ROW ? "row" : "cell");
    snprintf(text, sizeof text, "%td", request->cursor.head);
    if (pen->data.has_heads)
        tell(out, pen->data.map, pen->theme.ink, request->mean ? "mean" : text);
    for (int axis = 2; axis < 4; axis++) {
        ptrdiff_t at = axis == 2 ? request->cursor.row : request->cursor.column;
        if (axis == 2)
            figure_row_label(&pen->data, request->batch, at, label);
        else
            figure_column_label(&pen->data, request->batch, at, label);
        char number[32];
        snprintf(number, sizeof number, "%td", at);
        bool same = strcmp(label, number) == 0;
        snprintf(text, sizeof text, same ? "%s" : "%s  %s", number, label);
        bool attention = pen->data.is_attention;
        tell(out,
             attention   ? axis == 2 ? "query" : "key"
             : axis == 2 ? "row"
                         : "column",
             pen->theme.ink, text);
    }
}

static void tell_other(ReadOut *out, const char *name, int tensor, FigureCell cell)
{
    FigureRequest request = *out->pen->request;
    FigureData data;
    Error err;
    char text[64];
    request.tensor = tensor;
    if (tensor >= 0 && figure_data(out->pen->data.trace, &request, &data, &err))
        tell(out, name, out->pen->theme.ink,
             figure_number_in_full(&data, request.batch, cell, text));
}

static const char *state_of(const FigurePen *pen, FigureCell cell)
{
    if (figure_is_masked(&pen->data, pen->request->batch, cell))
        return "masked";
    return figure_is_padded(&pen->data, pen->request->batch, cell) ? "padding" : "";
}

// What is worth knowing of the row, once all of it is there.
static void tell_row(ReadOut *out, FigureCell cell)
{
    const FigurePen *pen = out->pen;
    FigureCell last = {cell.head, cell.row, pen->data.values.shape[3] - 1};
    char text[64];
    if (!figure_is_computed(&pen->data, pen->request, last))
        return;
    FigureRow row = figure_row(&pen->data, pen->request->batch, cell);
    snprintf(text, sizeof text, "%td of %td", row.rank, pen->data.values.shape[3]);
    tell(out, "rank in its row", pen->theme.ink, row.rank == 0 ? "none, NaN" : text);
    if (!pen->data.is_weights)
        return;
    snprintf(text, sizeof text, "%.6f", row.sum);
    tell(out, "row sum", pen->theme.ink, isnan(row.sum) ? "NaN" : text);
    snprintf(text, sizeof text, "%.3f bits", row.entropy);
    if (pen->data.is_distribution)
        tell(out, "row entropy", pen->theme.ink, isnan(row.entropy) ? "NaN" : text);
}

void figure_draw_read_out(const FigurePen *pen, FigureBox box)
{
    const FigureRequest *request = pen->request;
    FigureCell cell = request->cursor;
    bool narrow = box.width < figure_points(pen, 760);
    ReadOut out = {pen, box.x, box.x + box.width, box.y, figure_points(pen, narrow ? 12 : 26)};
    char text[64];
    line(pen, box.x, box.y, box.width);
    if (!request->has_cursor)
        return;
    if (request->mean)
        cell.head = -1;
    tell_place(&out);
    if (!figure_is_computed(&pen->data, request, cell)) {
        tell(&out, "value", pen->theme.quiet, "not yet computed");
        return;
    }
    tell(&out, "value", pen->theme.accent,
         figure_number_in_full(&pen->data, request->batch, cell, text));
    if (state_of(pen, cell)[0] != '\0')
        tell(&out, "this cell is", pen->theme.ink, state_of(pen, cell));
    bool one_head = pen->data.is_attention && !request->mean;
    if (one_head && pen->data.is_weights)
        tell_other(&out, narrow ? "score before" : "score before softmax", pen->data.scores_before,
                   cell);
    else if (one_head)
        tell_other(&out, narrow ? "weight after" : "weight after softmax", pen->data.weights_after,
                   cell);
    tell_row(&out, cell);
}

// As many keys as there is room for.
static void draw_keys(const FigurePen *pen, DisplayItem item, int room)
{
    static const char *const keys[] = {"? keys",     "arrows cell", "Enter one head", "g all heads",
                                       "Tab tensor", "l L lines",   "x heads",        "m colours",
                                       "s scale",    "Space play",  "p picture",      "q close"};
    int gap = figure_points(pen, 16), end = item.x + room;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int wide = font_width(pen->metrics, keys[i], item.size);
        if (item.x + wide > end)
            continue;
        figure_text(pen, item, 0, keys[i]);
        item.x += wide + gap;
    }
}

void figure_draw_bottom(const FigurePen *pen, FigureBox box)
{
    const char *notice = pen->request->notice;
    DisplayItem item = {.x = box.x,
                        .y = box.y + box.height / 2,
                        .size = pen->small,
                        .colour = notice ? pen->theme.accent : pen->theme.quiet};
    if (notice)
        figure_text(pen, item, box.width, notice);
    else
        draw_keys(pen, item, box.width);
}
