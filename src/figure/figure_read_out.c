// figure_read_out: what is known of the cell that is looked at; see figure_internal.h.
//
// In a wide picture each value stands below its name, all in one line. In a narrow one, values follow
// their names in rows of small letters. What has no place even there is the end of the list, the least
// important; an ellipsis says so.
#include "figure_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "number_text.h"
#include "figure_words.h"

enum { PARTS_MAX = 11 };

// In points: below which width one line is too short, how long all parts are in small letters, and how
// high a row is.
static const double wide_points = 700, small_points = 1400, row_points = 16;

typedef struct Part {
    const char *name, *brief; // brief: where room is scarce
    char value[128];
    Colour colour;
    bool leads;        // the first of those that belong together
    int row, x, width; // its place among rows
} Part;

typedef struct ReadOut {
    const FigurePen *pen;
    FigureBox box;
    Part parts[PARTS_MAX];
    int count;
} ReadOut;

// A way to arrange parts in rows; each is tried when the one before it had no place for all.
typedef struct Thrift {
    bool brief, together; // together: parts that belong together begin a row
    bool says_more;       // keeps room for an ellipsis
} Thrift;

// --- what there is to say, the most important first

static void tell(ReadOut *out, const char *name, Colour colour, const char *value)
{
    Part *part = &out->parts[out->count++];
    *part = (Part){.name = name, .brief = name, .colour = colour};
    snprintf(part->value, sizeof part->value, "%s", value);
}

static void tell_briefly(ReadOut *out, const char *name, const char *brief, const char *value)
{
    tell(out, name, out->pen->theme.ink, value);
    out->parts[out->count - 1].brief = brief;
}

// What is told next leads those that belong together.
static void lead(ReadOut *out, int next)
{
    if (next < out->count)
        out->parts[next].leads = true;
}

static void tell_place(ReadOut *out)
{
    const FigurePen *pen = out->pen;
    const FigureRequest *request = pen->request;
    char label[64], text[128];
    if (request->lock != FIGURE_UNLOCKED)
        tell(out, TELL(READ_LOCKED), pen->theme.accent,
             request->lock == FIGURE_LOCKED_ROW ? TELL(READ_ROW) : TELL(READ_CELL));
    snprintf(text, sizeof text, "%td", request->cursor.head);
    if (pen->data.has_heads)
        tell(out, pen->data.map, pen->theme.ink, request->mean ? TELL(READ_MEAN) : text);
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
             attention   ? axis == 2 ? TELL(READ_QUERY) : TELL(READ_KEY)
               : axis == 2 ? TELL(READ_ROW)
                         : TELL(READ_COLUMN),
             pen->theme.ink, text);
    }
}

static void tell_other(ReadOut *out, const char *name, const char *brief, int tensor,
                       FigureCell cell)
{
    FigureRequest request = *out->pen->request;
    FigureData data;
    Error err;
    char text[64];
    request.tensor = tensor;
    if (tensor >= 0 && figure_data(out->pen->data.trace, &request, &data, &err))
        tell_briefly(out, name, brief, figure_number_in_full(&data, request.batch, cell, text));
}

static const char *state_of(const FigurePen *pen, FigureCell cell)
{
    if (figure_is_masked(&pen->data, pen->request->batch, cell))
        return TELL(READ_MASKED);
    if (figure_is_padded(&pen->data, pen->request->batch, cell))
        return TELL(READ_PADDING);
    return figure_row_is_asked(&pen->data, pen->request->batch, cell.head, cell.row)
               ? ""
               : TELL(READ_NOT_ASKED);
}

// "1.23 of 1/6": 1.23 times what each of the six keys would get if all got the same.
static void tell_share(ReadOut *out, FigureCell cell)
{
    const FigurePen *pen = out->pen;
    ptrdiff_t keys = figure_visible(pen, cell.head, cell.row);
    char text[64];
    if (keys < 1 || figure_is_masked(&pen->data, pen->request->batch, cell))
        return;
    double number = figure_number(&pen->data, pen->request->batch, cell);
    snprintf(text, sizeof text, "%.3g \xc3\x97 1/%td", number_unsigned_nan(number * (double)keys),
             keys);
    tell_briefly(out, TELL(READ_SHARE_LONG), TELL(READ_SHARE), text);
}

static void tell_numbers(ReadOut *out, FigureCell cell)
{
    const FigurePen *pen = out->pen;
    const FigureData *data = &pen->data;
    char text[64];
    if (!figure_is_computed(data, pen->request, cell)) {
        tell(out, TELL(READ_VALUE), pen->theme.quiet, TELL(READ_NOT_YET));
        return;
    }
    tell(out, TELL(READ_VALUE), pen->theme.accent,
         figure_number_in_full(data, pen->request->batch, cell, text));
    if (state_of(pen, cell)[0] != '\0')
        tell_briefly(out, TELL(READ_STATE), "", state_of(pen, cell));
    if (figure_has_shares(data) && !isnan(figure_number(data, pen->request->batch, cell)))
        tell_share(out, cell);
    bool one_head = data->is_attention && !pen->request->mean;
    if (one_head && data->is_weights)
        tell_other(out, TELL(READ_SCORE_LONG), TELL(READ_SCORE), data->scores_before, cell);
    else if (one_head)
        tell_other(out, TELL(READ_WEIGHT_LONG), TELL(READ_WEIGHT), data->weights_after, cell);
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
    ptrdiff_t keys = figure_visible(pen, cell.head, cell.row);
    bool is_masked = figure_is_masked(&pen->data, pen->request->batch, cell);
    snprintf(text, sizeof text, TELL(READ_OF), row.rank, keys); // masked keys are below all others
    tell_briefly(out, TELL(READ_RANK_LONG), TELL(READ_RANK),
                 row.rank == 0 ? TELL(READ_NO_RANK)
                 : is_masked   ? TELL(READ_MASKED_RANK)
                               : text);
    if (!pen->data.is_weights)
        return;
    snprintf(text, sizeof text, "%.6f", row.sum);
    tell(out, TELL(READ_SUM), pen->theme.ink, isnan(row.sum) ? "NaN" : text);
    snprintf(text, sizeof text, TELL(READ_BITS), number_unsigned_nan(row.entropy),
             keys > 0 ? log2((double)keys) : 0.0);
    bool is_odd = pen->data.is_given && !scenario_sums_to_one(row.sum);
    if (pen->data.is_distribution && !is_odd)
        tell_briefly(out, TELL(READ_ENTROPY_LONG), TELL(READ_ENTROPY),
                     isnan(row.entropy) ? "NaN" : text);
}

// --- in one line

static int line_width(const ReadOut *out, const Part *part, bool brief)
{
    const FontMetrics *metrics = out->pen->metrics;
    int value = font_width(metrics, part->value, out->pen->text);
    int name = font_width(metrics, brief ? part->brief : part->name, out->pen->small);
    return value > name ? value : name;
}

// A name in small letters above each value; false when there is no room for all.
static bool draw_line(const ReadOut *out, bool brief, int gap)
{
    const FigurePen *pen = out->pen;
    DisplayItem name = {.x = out->box.x,
                        .y = out->box.y + figure_points(pen, 18),
                        .size = pen->small,
                        .colour = pen->theme.quiet};
    int width = -gap;
    for (int i = 0; i < out->count; i++)
        width += line_width(out, &out->parts[i], brief) + gap;
    if (width > out->box.width)
        return false;
    for (int i = 0; i < out->count; i++) {
        const Part *part = &out->parts[i];
        DisplayItem value = name;
        figure_text(pen, name, 0, brief ? part->brief : part->name);
        value.y = out->box.y + figure_points(pen, 38);
        value.size = pen->text;
        value.bold = true;
        value.colour = part->colour;
        figure_text(pen, value, 0, part->value);
        name.x += line_width(out, part, brief) + gap;
    }
    return true;
}

// --- in rows

// From a name to its value, and from a value to the next name.
static int space(const FigurePen *pen)
{
    return figure_points(pen, 5);
}

static int between(const FigurePen *pen)
{
    return figure_points(pen, 14);
}

static int ellipsis_width(const FigurePen *pen)
{
    return font_width(pen->metrics, "\xe2\x80\xa6", pen->small);
}

static int value_at(const FigurePen *pen, const char *name)
{
    return name[0] == '\0' ? 0 : font_width(pen->metrics, name, pen->small) + space(pen);
}

static const char *name_of(const Part *part, Thrift thrift)
{
    return thrift.brief ? part->brief : part->name;
}

// Gives parts their places in `rows` rows; returns how many have one. A part that no row has room for
// is cut when it is drawn.
static int place(ReadOut *out, Thrift thrift, int rows)
{
    const FigurePen *pen = out->pen;
    int row = 0, x = 0;
    for (int i = 0; i < out->count; i++) {
        Part *part = &out->parts[i];
        bool ends = thrift.says_more && row == rows - 1;
        int room = out->box.width - (ends ? ellipsis_width(pen) : 0);
        part->width = value_at(pen, name_of(part, thrift)) +
                      font_width(pen->metrics, part->value, pen->small);
        if (x > 0 && (x + part->width > room || (thrift.together && part->leads))) {
            row++;
            x = 0;
        }
        if (row == rows)
            return i;
        part->row = row;
        part->x = x;
        part->width = part->width < room ? part->width : room;
        x += part->width + between(pen);
    }
    return out->count;
}

static void draw_part(const ReadOut *out, const Part *part, Thrift thrift)
{
    const FigurePen *pen = out->pen;
    const char *name = name_of(part, thrift);
    int y = out->box.y + figure_points(pen, (part->row + 1) * row_points - 3);
    int at = value_at(pen, name), room = part->width - at;
    DisplayItem item = {
        .x = out->box.x + part->x, .y = y, .size = pen->small, .colour = pen->theme.quiet};
    figure_text(pen, item, part->width, name);
    item.x += at;
    item.bold = true;
    item.colour = part->colour;
    if (room > 0)
        figure_text(pen, item, room, part->value);
}

static void draw_rows(ReadOut *out, int rows)
{
    static const Thrift thrifts[] = {{.together = true},
                                     {.together = false},
                                     {.brief = true},
                                     {.brief = true, .says_more = true}};
    const FigurePen *pen = out->pen;
    Thrift thrift = thrifts[0];
    int placed = place(out, thrift, rows);
    for (int i = 1; i < 4 && placed < out->count; i++) {
        thrift = thrifts[i];
        placed = place(out, thrift, rows);
    }
    for (int i = 0; i < placed; i++)
        draw_part(out, &out->parts[i], thrift);
    if (placed == out->count)
        return;
    const Part *last = &out->parts[placed - 1];
    int end = last->x + last->width + between(pen), room = out->box.width - ellipsis_width(pen);
    figure_text(pen,
                (DisplayItem){.x = out->box.x + (end < room ? end : room),
                              .y = out->box.y + figure_points(pen, rows * row_points - 3),
                              .size = pen->small,
                              .colour = pen->theme.quiet},
                0, "\xe2\x80\xa6");
}

// Three rows are as high as the one line; a narrower picture has more, up to a third of its height.
static int count_rows(const FigurePen *pen, int width)
{
    int least = figure_points(pen, 100), room = width > least ? width : least;
    int rows = (figure_points(pen, small_points) + room - 1) / room;
    int most = pen->list->height / 3 / figure_points(pen, row_points);
    rows = rows < most ? rows : most;
    return rows > 3 ? rows : 3;
}

int figure_read_out_height(const FigurePen *pen, int width)
{
    return figure_points(pen, count_rows(pen, width) * row_points + 2);
}

void figure_draw_read_out(const FigurePen *pen, FigureBox box)
{
    ReadOut out = {.pen = pen, .box = box};
    FigureCell cell = pen->request->cursor;
    display_rectangle(pen->list, box.x, box.y, box.width, 1, pen->theme.faint);
    if (!pen->request->has_cursor)
        return;
    if (pen->request->mean)
        cell.head = -1;
    tell_place(&out);
    int numbers = out.count;
    tell_numbers(&out, cell);
    int row = out.count;
    if (figure_is_computed(&pen->data, pen->request, cell))
        tell_row(&out, cell);
    lead(&out, numbers);
    lead(&out, row);
    bool wide = box.width >= figure_points(pen, wide_points);
    if (wide && draw_line(&out, false, figure_points(pen, 26)))
        return;
    if (!wide || !draw_line(&out, true, figure_points(pen, 12)))
        draw_rows(&out, count_rows(pen, box.width));
}
