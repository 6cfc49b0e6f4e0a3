// What surrounds the maps: head numbers, read-out, title; see figure_internal.h.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "figure_internal.h"
#include "figure_words.def"
#include "number_text.h"

// --- the strip of head numbers
//
// The numbers of all heads, for picking; above them those of the layers, if any. Picked ones are inverted and
// the current one is underlined, so neither depends on colour.

enum { STRIP_ROWS_MAX = 4 };

// A strip and the meaning of its numbers.
typedef struct Numbers {
    FigureStrip *strip;
    const char *word, *hint;
    ptrdiff_t count, here; // `here` is underlined
    bool are_layers;       // one of them is shown
} Numbers;

static Numbers heads_of(const FigurePen *pen)
{
    return (Numbers){.strip = &pen->figure->strip,
                     .word = pen->data.maps,
                     .hint = TELL(STRIP_HINT),
                     .count = pen->data.values.shape[1],
                     .here = pen->request->head};
}

static Numbers layers_of(const FigurePen *pen)
{
    return (Numbers){.strip = &pen->figure->layers,
                     .word = TELL(STRIP_LAYERS),
                     .hint = pen->request->keys ? TELL(STRIP_LAYERS_HINT) : "",
                     .count = pen->data.values.shape[0],
                     .here = pen->request->batch,
                     .are_layers = true};
}

// Takes room from the top of the area, if there is enough.
static void lay_out(FigurePen *pen, const Numbers *numbers, FigureBox *area)
{
    char widest[32];
    snprintf(widest, sizeof widest, "%td", numbers->count - 1);
    int word = font_width(pen->metrics, numbers->word, pen->small) + figure_points(pen, 12);
    int gap = figure_points(pen, 5), chip = figure_points(pen, 20);
    int wide = font_width(pen->metrics, widest, pen->small) + figure_points(pen, 12);
    wide = wide > chip ? wide : chip;
    int columns = (area->width - word) / (wide + gap);
    ptrdiff_t count = numbers->count;
    ptrdiff_t rows = columns > 0 ? (count + columns - 1) / columns : STRIP_ROWS_MAX + 1;
    int height = (int)rows * (chip + gap);
    if (rows > STRIP_ROWS_MAX || area->height - height < figure_points(pen, 140))
        return;
    *numbers->strip = (FigureStrip){area->x + word, area->y, wide, chip, gap, columns, (int)count};
    area->y += height + gap;
    area->height -= height + gap;
}

void figure_layout_strip(FigurePen *pen, FigureBox *area)
{
    Numbers layers = layers_of(pen), heads = heads_of(pen);
    *layers.strip = *heads.strip = (FigureStrip){.count = 0};
    const FigureRequest *request = pen->request;
    if (pen->data.batch_is_layers && pen->data.values.shape[0] > 1)
        lay_out(pen, &layers, area);
    if (request->keys && !request->mean && pen->data.has_heads && pen->data.values.shape[1] > 1 &&
        (figure_has_lines(request->mode) || figure_heads_any(&request->heads)))
        lay_out(pen, &heads, area);
}

static void draw_chip(const FigurePen *pen, const Numbers *numbers, ptrdiff_t number, int x, int y)
{
    const FigureStrip *strip = numbers->strip;
    const FigureRequest *request = pen->request;
    bool all = figure_shows_every_head(request) && !figure_heads_any(&request->heads);
    bool in = numbers->are_layers ? number == numbers->here
                                  : all || figure_heads_has(&request->heads, number);
    int line = figure_points(pen, 2) > 1 ? figure_points(pen, 2) : 1;
    char text[32];
    snprintf(text, sizeof text, "%td", number);
    if (in)
        display_rectangle(pen->list, x, y, strip->width, strip->height, pen->theme.ink);
    else
        figure_frame(pen, (FigureBox){x, y, strip->width, strip->height}, 0, 1, pen->theme.faint);
    figure_text(pen,
                (DisplayItem){.x = x + strip->width / 2,
                              .y = y + strip->height / 2,
                              .size = pen->small,
                              .anchor = DISPLAY_CENTRE,
                              .bold = in,
                              .colour = in ? pen->theme.paper : pen->theme.quiet},
                0, text);
    if (number == numbers->here)
        display_rectangle(pen->list, x, y + strip->height + line / 2, strip->width, line,
                          pen->theme.accent);
}

static void draw(const FigurePen *pen, FigureBox area, const Numbers *numbers)
{
    const FigureStrip *strip = numbers->strip;
    int across = strip->width + strip->gap, down = strip->height + strip->gap;
    if (strip->count == 0)
        return;
    DisplayItem item = {.x = area.x,
                        .y = strip->y + strip->height / 2,
                        .size = pen->small,
                        .bold = true,
                        .colour = pen->theme.ink};
    figure_text(pen, item, 0, numbers->word);
    for (int i = 0; i < strip->count; i++)
        draw_chip(pen, numbers, i, strip->x + i % strip->columns * across,
                  strip->y + i / strip->columns * down);
    item.x = strip->x + strip->count * across + strip->gap;
    item.bold = false;
    item.colour = pen->theme.quiet;
    int hint = font_width(pen->metrics, numbers->hint, pen->small);
    if (strip->count <= strip->columns && item.x + hint <= area.x + area.width)
        figure_text(pen, item, 0, numbers->hint);
}

void figure_draw_strip(const FigurePen *pen, FigureBox area)
{
    Numbers layers = layers_of(pen), heads = heads_of(pen);
    draw(pen, area, &layers);
    draw(pen, area, &heads);
}

static bool hit(const FigureStrip *strip, int x, int y, ptrdiff_t *number)
{
    int across = strip->width + strip->gap, down = strip->height + strip->gap;
    if (strip->count == 0 || x < strip->x || y < strip->y)
        return false;
    int column = (x - strip->x) / across, row = (y - strip->y) / down;
    *number = (ptrdiff_t)row * strip->columns + column;
    return column < strip->columns && *number < strip->count &&
           (x - strip->x) % across < strip->width && (y - strip->y) % down < strip->height;
}

bool figure_hit_head(const Figure *figure, int x, int y, ptrdiff_t *head)
{
    return hit(&figure->strip, x, y, head);
}

bool figure_hit_layer(const Figure *figure, int x, int y, ptrdiff_t *layer)
{
    return hit(&figure->layers, x, y, layer);
}

// --- the read-out of a cell
//
// In a wide picture, each value stands below its name, all in one line. In a narrow one, values follow their
// names in rows of small letters. If that has no room for all, the least important are left out and an
// ellipsis follows.

enum { PARTS_MAX = 11 };

// In points: the least width of one line, the total length of all parts in small letters, and the height of a
// row.
static const double wide_points = 700, small_points = 1400, row_points = 16;

typedef struct Part {
    const char *name, *brief; // brief: if room is scarce
    char value[128];
    Colour colour;
    bool leads;        // the first of a group
    int row, x, width; // its place in the rows
} Part;

typedef struct ReadOut {
    const FigurePen *pen;
    FigureBox box;
    Part parts[PARTS_MAX];
    int count;
} ReadOut;

// A way to arrange parts in rows. Each is tried if the one before had no room for all.
typedef struct Brevity {
    bool brief, together; // together: each group begins a row
    bool says_more;       // keeps room for an ellipsis
} Brevity;

// --- the parts, most important first

static void read_out(ReadOut *out, const char *name, Colour colour, const char *value)
{
    Part *part = &out->parts[out->count++];
    *part = (Part){.name = name, .brief = name, .colour = colour};
    snprintf(part->value, sizeof part->value, "%s", value);
}

static void read_out_briefly(ReadOut *out, const char *name, const char *brief, const char *value)
{
    read_out(out, name, out->pen->theme.ink, value);
    out->parts[out->count - 1].brief = brief;
}

// The next part begins a group.
static void lead(ReadOut *out, int next)
{
    if (next < out->count)
        out->parts[next].leads = true;
}

static void read_out_place(ReadOut *out)
{
    const FigurePen *pen = out->pen;
    const FigureRequest *request = pen->request;
    char label[64], text[128], number[32];
    if (request->lock != FIGURE_UNLOCKED)
        read_out(out, TELL(READ_LOCKED), pen->theme.accent,
                 request->lock == FIGURE_LOCKED_ROW ? TELL(READ_ROW) : TELL(READ_CELL));
    figure_head_number(&pen->data, request->cursor.head, number);
    if (pen->data.has_heads)
        read_out(out, pen->data.map, pen->theme.ink, request->mean ? TELL(READ_MEAN) : number);
    for (int axis = 2; axis < 4; axis++) {
        ptrdiff_t at = axis == 2 ? request->cursor.row : request->cursor.column;
        if (axis == 2)
            figure_row_label(&pen->data, request->batch, at, label);
        else
            figure_column_label(&pen->data, request->batch, at, label);
        snprintf(number, sizeof number, "%td", at);
        bool same = strcmp(label, number) == 0;
        snprintf(text, sizeof text, same ? "%s" : "%s  %s", number, label);
        bool attention = pen->data.is_attention;
        read_out(out,
                 attention   ? axis == 2 ? TELL(READ_QUERY) : TELL(READ_KEY)
                   : axis == 2 ? TELL(READ_ROW)
                             : TELL(READ_COLUMN),
                 pen->theme.ink, text);
    }
}

static void read_out_other(ReadOut *out, const char *name, const char *brief, int tensor,
                           FigureCell cell)
{
    FigureRequest request = *out->pen->request;
    FigureData data;
    Error err;
    char text[64];
    request.tensor = tensor;
    if (tensor >= 0 && figure_data(out->pen->data.trace, &request, &data, &err))
        read_out_briefly(out, name, brief, figure_number_in_full(&data, request.batch, cell, text));
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

// "1.23 x 1/6": 1.23 times an even share among six keys.
static void read_out_share(ReadOut *out, FigureCell cell)
{
    const FigurePen *pen = out->pen;
    ptrdiff_t keys = figure_visible(pen, cell.head, cell.row);
    char text[64];
    if (keys < 1 || figure_is_masked(&pen->data, pen->request->batch, cell))
        return;
    double number = figure_number(&pen->data, pen->request->batch, cell);
    snprintf(text, sizeof text, "%.3g \xc3\x97 1/%td", number_unsigned_nan(number * (double)keys),
             keys);
    read_out_briefly(out, TELL(READ_SHARE_LONG), TELL(READ_SHARE), text);
}

static void read_out_numbers(ReadOut *out, FigureCell cell)
{
    const FigurePen *pen = out->pen;
    const FigureData *data = &pen->data;
    char text[64];
    if (!figure_is_computed(data, pen->request, cell)) {
        read_out(out, TELL(READ_VALUE), pen->theme.quiet, TELL(READ_NOT_YET));
        return;
    }
    read_out(out, TELL(READ_VALUE), pen->theme.accent,
             figure_number_in_full(data, pen->request->batch, cell, text));
    if (state_of(pen, cell)[0] != '\0')
        read_out_briefly(out, TELL(READ_STATE), "", state_of(pen, cell));
    if (figure_has_shares(data) && !isnan(figure_number(data, pen->request->batch, cell)))
        read_out_share(out, cell);
    bool one_head = data->is_attention && !pen->request->mean;
    if (one_head && data->is_weights)
        read_out_other(out, TELL(READ_SCORE_LONG), TELL(READ_SCORE), data->scores_before, cell);
    else if (one_head)
        read_out_other(out, TELL(READ_WEIGHT_LONG), TELL(READ_WEIGHT), data->weights_after, cell);
}

// Facts about the row, once all of it is computed.
static void read_out_row(ReadOut *out, FigureCell cell)
{
    const FigurePen *pen = out->pen;
    FigureCell last = {cell.head, cell.row, pen->data.values.shape[3] - 1};
    char text[64];
    if (!figure_is_computed(&pen->data, pen->request, last))
        return;
    FigureRow row = figure_row(&pen->data, pen->request->batch, cell);
    ptrdiff_t keys = figure_visible(pen, cell.head, cell.row);
    bool is_masked = figure_is_masked(&pen->data, pen->request->batch, cell);
    snprintf(text, sizeof text, TELL(READ_OF), row.rank, keys); // masked keys rank below all others
    read_out_briefly(out, TELL(READ_RANK_LONG), TELL(READ_RANK),
                     row.rank == 0 ? TELL(READ_NO_RANK)
                     : is_masked   ? TELL(READ_MASKED_RANK)
                                   : text);
    if (!pen->data.is_weights)
        return;
    snprintf(text, sizeof text, "%.6f", row.sum);
    read_out(out, TELL(READ_SUM), pen->theme.ink, isnan(row.sum) ? "NaN" : text);
    snprintf(text, sizeof text, TELL(READ_BITS), number_unsigned_nan(row.entropy),
             keys > 0 ? log2((double)keys) : 0.0);
    bool is_odd = pen->data.is_given && !scenario_sums_to_one(row.sum);
    if (pen->data.is_distribution && !is_odd)
        read_out_briefly(out, TELL(READ_ENTROPY_LONG), TELL(READ_ENTROPY),
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

// Draws the names in small letters above the values. Returns false if they do not fit.
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

// The gap from a name to its value, and from a value to the next name.
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

static const char *name_of(const Part *part, Brevity brevity)
{
    return brevity.brief ? part->brief : part->name;
}

// Places the parts in `rows` rows and returns how many fit. A part wider than a row is cut when drawn.
static int place(ReadOut *out, Brevity brevity, int rows)
{
    const FigurePen *pen = out->pen;
    int row = 0, x = 0;
    for (int i = 0; i < out->count; i++) {
        Part *part = &out->parts[i];
        bool ends = brevity.says_more && row == rows - 1;
        int room = out->box.width - (ends ? ellipsis_width(pen) : 0);
        part->width = value_at(pen, name_of(part, brevity)) +
                      font_width(pen->metrics, part->value, pen->small);
        if (x > 0 && (x + part->width > room || (brevity.together && part->leads))) {
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

static void draw_part(const ReadOut *out, const Part *part, Brevity brevity)
{
    const FigurePen *pen = out->pen;
    const char *name = name_of(part, brevity);
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
    static const Brevity brevities[] = {{.together = true},
                                        {.together = false},
                                        {.brief = true},
                                        {.brief = true, .says_more = true}};
    const FigurePen *pen = out->pen;
    Brevity brevity = brevities[0];
    int placed = place(out, brevity, rows);
    for (int i = 1; i < 4 && placed < out->count; i++) {
        brevity = brevities[i];
        placed = place(out, brevity, rows);
    }
    for (int i = 0; i < placed; i++)
        draw_part(out, &out->parts[i], brevity);
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

// Three rows are as high as the one line. A narrower picture has more, up to a third of its height.
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
    read_out_place(&out);
    int numbers = out.count;
    read_out_numbers(&out, cell);
    int row = out.count;
    if (figure_is_computed(&pen->data, pen->request, cell))
        read_out_row(&out, cell);
    lead(&out, numbers);
    lead(&out, row);
    bool wide = box.width >= figure_points(pen, wide_points);
    if (wide && draw_line(&out, false, figure_points(pen, 26)))
        return;
    if (!wide || !draw_line(&out, true, figure_points(pen, 12)))
        draw_rows(&out, count_rows(pen, box.width));
}

// --- title and keys

enum { HEADER_MAX = 512 };

static const char part_gap[] = "    "; // between the parts of a line

// If only a part of the map is visible, says so first, so that it is never cut.
static void add_visible(const FigurePen *pen, char text[HEADER_MAX])
{
    const Figure *figure = pen->figure;
    const ptrdiff_t *shape = pen->data.values.shape;
    const char *rows = figure_axis_words(&pen->data, 2),
               *columns = figure_axis_words(&pen->data, 3);
    if (!figure->all_visible)
        text_add(text, HEADER_MAX, TELL(PART_VISIBLE), rows[0] != '\0' ? rows : TELL(FIGURE_ROWS),
                 figure->first_row, figure->first_row + figure->rows - 1,
                 columns[0] != '\0' ? columns : TELL(FIGURE_COLUMNS), figure->first_column,
                 figure->first_column + figure->columns - 1, shape[2], shape[3]);
}

// What is shown of the tensor: "sequence 1 of 0-2    rows are queries, columns are keys ..."
static void add_part_shown(const FigurePen *pen, char text[HEADER_MAX])
{
    const Figure *figure = pen->figure;
    const ptrdiff_t *shape = pen->data.values.shape;
    char heads[64];
    if (pen->data.has_batch && shape[0] > 1)
        text_add(text, HEADER_MAX,
                 pen->data.batch_is_layers ? TELL(PART_LAYER) : TELL(PART_SEQUENCE),
                 pen->request->batch, shape[0] - 1);
    if (pen->data.is_weights && pen->data.trace->scenario->odd_rows > 0)
        text_add(text, HEADER_MAX, TELL(PART_ODD_ROWS), pen->data.trace->scenario->odd_rows);
    figure_heads_text(&pen->request->heads, shape[1], heads);
    if (figure_shows_every_head(pen->request) && heads[0] != '\0')
        text_add(text, HEADER_MAX, TELL(PART_MAPS),
                 figure->map_count == 1 ? pen->data.map : pen->data.maps, heads, shape[1] - 1);
    const char *rows = figure_axis_words(&pen->data, 2),
               *columns = figure_axis_words(&pen->data, 3);
    bool on_maps = !figure->lines && pen->axis > 0;
    if (!on_maps && rows[0] != '\0' && columns[0] != '\0')
        text_add(text, HEADER_MAX, figure->lines ? TELL(PART_SIDES) : TELL(PART_AXES), rows,
                 columns);
    else if (!on_maps && columns[0] != '\0')
        text_add(text, HEADER_MAX, TELL(PART_COLUMNS), columns);
    if (figure->block_rows > 1 || figure->block_columns > 1)
        text_add(text, HEADER_MAX, pen->request->compares ? TELL(PART_BLOCKS) : TELL(PART_POOLED),
                 figure->block_rows, figure->block_columns);
    if (figure->lines)
        text_add(text, HEADER_MAX, TELL(PART_LINES), FIGURE_LINE_LEAST);
    if (figure_scale_is_even(pen) && !figure->lines)
        text_add(text, HEADER_MAX, "%s", TELL(PART_EVEN));
    if (figure_shows_pale_rows(pen))
        text_add(text, HEADER_MAX, "%s", TELL(PART_PALE));
}

static char *last_gap(char *text)
{
    char *last = NULL;
    for (char *at = strstr(text, part_gap); at; at = strstr(at + 1, part_gap))
        last = at;
    return last;
}

// Draws parts from `used` on; those without room go into a second line. Returns the middle of the last line.
static int draw_parts(const FigurePen *pen, FigureBox box, int used, const char *text)
{
    char first[HEADER_MAX];
    const char *rest = text + strlen(text);
    int room = box.width - used;
    DisplayItem item = {.x = box.x + used,
                        .y = box.y + figure_points(pen, 37),
                        .size = pen->small,
                        .colour = pen->theme.quiet};
    snprintf(first, sizeof first, "%s", text);
    for (char *gap = last_gap(first); gap && font_width(pen->metrics, first, pen->small) > room;
         gap = last_gap(first)) {
        *gap = '\0';
        rest = text + (gap - first) + strlen(part_gap);
    }
    if (used > 0 && font_width(pen->metrics, first, pen->small) > room)
        rest = text; // all of it below
    else
        figure_text(pen, item, room, first);
    if (*rest == '\0')
        return item.y;
    item.x = box.x;
    item.y += figure_points(pen, 16);
    figure_text(pen, item, box.width, rest);
    return item.y;
}

// "attn_weights of causal (document 003)"
static void add_own_name(const FigurePen *pen, char text[HEADER_MAX])
{
    text_add(text, HEADER_MAX, TELL(TENSOR_OF), pen->data.trace->tensors[pen->data.tensor].name,
             path_name(pen->data.trace->scenario->name));
    if (pen->request->document)
        text_add(text, HEADER_MAX, TELL(OF_DOCUMENT), pen->request->document);
}

// "Attention weights" for attn_weights; NULL if the tensor keeps its name.
static const char *figure_title_words(const FigurePen *pen)
{
    static const struct {
        const char *tensor;
        Words title;
    } titles[] = {{"attn_weights", WORDS_ROW(TITLE_WEIGHTS)},
                  {"attn_weights_dropped", WORDS_ROW(TITLE_DROPPED)},
                  {"maps", WORDS_ROW(TITLE_WEIGHTS)},
                  {"map_mean", WORDS_ROW(TITLE_WEIGHTS)},
                  {"rollout", WORDS_ROW(TITLE_ROLLOUT)},
                  {"scores", WORDS_ROW(TITLE_SCORES)},
                  {"scores_scaled", WORDS_ROW(TITLE_SCALED)},
                  {"scores_masked", WORDS_ROW(TITLE_MASKED)},
                  {"attn_mask", WORDS_ROW(TITLE_MASK)},
                  {"x", WORDS_ROW(TITLE_INPUT)},
                  {"embeddings", WORDS_ROW(TITLE_EMBEDDINGS)},
                  {"positional_encoding", WORDS_ROW(TITLE_POSITIONS)},
                  {"q", WORDS_ROW(TITLE_QUERIES)},
                  {"k", WORDS_ROW(TITLE_KEYS)},
                  {"v", WORDS_ROW(TITLE_VALUES)},
                  {"q_heads", WORDS_ROW(TITLE_QUERIES)},
                  {"k_heads", WORDS_ROW(TITLE_KEYS)},
                  {"v_heads", WORDS_ROW(TITLE_VALUES)},
                  {"context_heads", WORDS_ROW(TITLE_CONTEXT)},
                  {"output", WORDS_ROW(TITLE_OUTPUT)}};
    const char *name = pen->data.trace->tensors[pen->data.tensor].name;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcmp(name, titles[i].tensor) == 0)
            return words_tell(titles[i].title);
    return NULL;
}

// "Attention weights, head 1", for pictures without a window. NULL: use the tensor's name.
static const char *words_of(const FigurePen *pen, char text[HEADER_MAX])
{
    const Figure *figure = pen->figure;
    bool is_small = pen->list->width < figure_points(pen, 560); // only the name has room
    const char *words = pen->request->keys || is_small ? NULL : figure_title_words(pen);
    char map[160];
    if (!words || figure->map_count != 1 || pen->data.values.shape[1] == 1)
        return words;
    figure_map_name(&pen->data, pen->request->batch, figure->maps[0].head, map);
    snprintf(text, HEADER_MAX, TELL(TITLE_PART), words, map);
    return text;
}

static void add_weights(const FigurePen *pen, const Trace *trace, char text[HEADER_MAX])
{
    if (scenario_is_untrained(trace->scenario))
        text_add(text, HEADER_MAX, "%s%s", part_gap, TELL(UNTRAINED));
    if (!pen->request->weights)
        return;
    text_add(text, HEADER_MAX, "%s", part_gap);
    text_add(text, HEADER_MAX, TELL(WEIGHTS_OF), pen->request->weights);
}

// Warns in colour about numbers that are not the scenario's own. Returns the width used.
static int draw_changed(const FigurePen *pen, FigureBox box)
{
    char text[HEADER_MAX] = "";
    DisplayItem item = {.x = box.x,
                        .y = box.y + figure_points(pen, 37),
                        .size = pen->small,
                        .bold = true,
                        .colour = pen->theme.accent};
    if (!pen->request->changed)
        return 0;
    text_add(text, HEADER_MAX, TELL(CHANGED_BY), pen->request->changed);
    figure_text(pen, item, box.width, text);
    int wide = font_width(pen->metrics, text, pen->small) + figure_points(pen, 20);
    return wide < box.width ? wide : box.width;
}

void figure_draw_source(const FigurePen *pen, const Trace *trace, int y)
{
    int margin = figure_points(pen, 24);
    FigureBox box = {margin, y - figure_points(pen, 37), pen->list->width - 2 * margin, 0};
    char text[HEADER_MAX] = "";
    text_add(text, HEADER_MAX, "%s", path_name(trace->scenario->name));
    if (pen->request->document)
        text_add(text, HEADER_MAX, TELL(OF_DOCUMENT), pen->request->document);
    add_weights(pen, trace, text);
    int used = draw_changed(pen, box);
    figure_text(
        pen,
        (DisplayItem){.x = box.x + used, .y = y, .size = pen->small, .colour = pen->theme.quiet},
        box.width - used, text);
}

void figure_make_one_line(char *text)
{
    for (char *at = text; *at; at++)
        *at = *at == '\n' || *at == '\r' || *at == '\t' ? ' ' : *at;
}

int figure_draw_header(const FigurePen *pen, FigureBox box)
{
    const Trace *trace = pen->data.trace;
    char axes[TRACE_AXES_TEXT_MAX], shape[TENSOR_TEXT_MAX], words[HEADER_MAX],
        text[HEADER_MAX] = "";
    const Tensor *tensor = &trace->tensors[pen->data.tensor].tensor;
    const char *title = pen->request->title ? pen->request->title : words_of(pen, words);
    if (title)
        text_add(text, HEADER_MAX, "%s", title);
    else
        add_own_name(pen, text);
    int modes = figure_draw_modes(pen, box);
    int room = box.width - (modes > 0 ? modes + figure_points(pen, 16) : 0);
    figure_make_one_line(text);
    int size = pen->title; // at which it fits: its end says whose numbers these are
    while (size > pen->text && font_width(pen->metrics, text, size) > room)
        size--;
    figure_text(pen,
                (DisplayItem){.x = box.x,
                              .y = box.y + figure_points(pen, 12),
                              .size = size,
                              .bold = true,
                              .colour = pen->theme.ink},
                room, text);
    text[0] = '\0';
    if (title) {
        add_own_name(pen, text);
        text_add(text, HEADER_MAX, "%s", part_gap);
    }
    text_add(text, HEADER_MAX, "%s = %s", trace_axes_text(trace, pen->data.tensor, axes),
             tensor_shape_text(tensor->rank, tensor->shape, shape));
    add_visible(pen, text);
    add_weights(pen, trace, text);
    add_part_shown(pen, text);
    return draw_parts(pen, box, draw_changed(pen, box), text);
}

void figure_draw_bottom(const FigurePen *pen, FigureBox box)
{
    const char *notice = pen->request->notice, *hint = figure_button_hint(pen);
    DisplayItem item = {.x = box.x,
                        .y = box.y + box.height / 2,
                        .size = pen->small,
                        .colour = notice ? pen->theme.accent : pen->theme.ink};
    if (notice || hint)
        figure_text(pen, item, box.width, notice ? notice : hint);
    else
        figure_draw_bar_of_buttons(pen, FIGURE_BAR_MAPS, box);
}
