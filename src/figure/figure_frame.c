// figure_frame: what is around the maps: title, keys; see figure_internal.h.
#include "figure_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "figure_words.h"

enum { HEADER_MAX = 512 };

static const char part_gap[] = "    "; // between the parts of a line

// Adds words to a line, as far as it goes.
static void add(char line[HEADER_MAX], const char *format, ...)
{
    size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + used, HEADER_MAX - used, format, arguments);
    va_end(arguments);
}

// That not all of it is visible; before all else, as it must not be what has no room.
static void add_visible(const FigurePen *pen, char text[HEADER_MAX])
{
    const Figure *figure = pen->figure;
    const ptrdiff_t *shape = pen->data.values.shape;
    const char *rows = figure_axis_words(&pen->data, 2),
               *columns = figure_axis_words(&pen->data, 3);
    if (!figure->all_visible)
        add(text, TELL(PART_VISIBLE), rows[0] != '\0' ? rows : TELL(FIGURE_ROWS), figure->first_row,
            figure->first_row + figure->rows - 1,
            columns[0] != '\0' ? columns : TELL(FIGURE_COLUMNS), figure->first_column,
            figure->first_column + figure->columns - 1, shape[2], shape[3]);
}

// What of the tensor is shown: "sequence 1 of 0-2    rows are queries, columns are keys ..."
static void add_part_shown(const FigurePen *pen, char text[HEADER_MAX])
{
    const Figure *figure = pen->figure;
    const ptrdiff_t *shape = pen->data.values.shape;
    char heads[64];
    if (pen->data.has_batch && shape[0] > 1)
        add(text, pen->data.batch_is_layers ? TELL(PART_LAYER) : TELL(PART_SEQUENCE),
            pen->request->batch, shape[0] - 1);
    if (pen->data.is_weights && pen->data.trace->scenario->odd_rows > 0)
        add(text, TELL(PART_ODD_ROWS), pen->data.trace->scenario->odd_rows);
    figure_heads_text(&pen->request->heads, shape[1], heads);
    if (figure_shows_every_head(pen->request) && heads[0] != '\0')
        add(text, TELL(PART_MAPS), figure->map_count == 1 ? pen->data.map : pen->data.maps, heads,
            shape[1] - 1);
    const char *rows = figure_axis_words(&pen->data, 2),
               *columns = figure_axis_words(&pen->data, 3);
    bool on_maps = !figure->lines && pen->axis > 0;
    if (!on_maps && rows[0] != '\0' && columns[0] != '\0')
        add(text, figure->lines ? TELL(PART_SIDES) : TELL(PART_AXES), rows, columns);
    else if (!on_maps && columns[0] != '\0')
        add(text, TELL(PART_COLUMNS), columns);
    if (figure->block_rows > 1 || figure->block_columns > 1)
        add(text, pen->request->compares ? TELL(PART_BLOCKS) : TELL(PART_POOLED),
            figure->block_rows, figure->block_columns);
    if (figure->lines)
        add(text, TELL(PART_LINES), FIGURE_LINE_LEAST);
    if (figure_scale_is_even(pen) && !figure->lines)
        add(text, "%s", TELL(PART_EVEN));
    if (figure_shows_pale_rows(pen))
        add(text, "%s", TELL(PART_PALE));
}

static char *last_gap(char *text)
{
    char *last = NULL;
    for (char *at = strstr(text, part_gap); at; at = strstr(at + 1, part_gap))
        last = at;
    return last;
}

// Parts that have no room in the first line, from `used` on, go into a second one. Returns where the middle
// of the last line is.
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

// "causal"; of a file without its folders.
static const char *scenario_name(const Trace *trace)
{
    const char *name = trace->scenario->name, *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

// "attn_weights of causal (document 003)"
static void add_own_name(const FigurePen *pen, char text[HEADER_MAX])
{
    add(text, TELL(TENSOR_OF), pen->data.trace->tensors[pen->data.tensor].name,
        scenario_name(pen->data.trace));
    if (pen->request->document)
        add(text, TELL(OF_DOCUMENT), pen->request->document);
}

const char *figure_title_words(const FigurePen *pen)
{
    const char *name = pen->data.trace->tensors[pen->data.tensor].name;
#define FIGURE_TITLE(tensor, WORDS) \
    if (strcmp(name, tensor) == 0) \
        return TELL(WORDS);
#include "figure_titles.def"
    return NULL;
}

// "Attention weights, head 1", for whoever sees the picture without the program. NULL: its name is all there is.
static const char *words_of(const FigurePen *pen, char text[HEADER_MAX])
{
    const Figure *figure = pen->figure;
    bool is_small = pen->list->width < figure_points(pen, 560); // its name alone has room
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
        add(text, "%s%s", part_gap, TELL(UNTRAINED));
    if (!pen->request->weights)
        return;
    add(text, "%s", part_gap);
    add(text, TELL(WEIGHTS_OF), pen->request->weights);
}

// Numbers that are not the scenario's own say so before all else, in a colour that is seen. Returns how
// much of the line that takes.
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
    add(text, TELL(CHANGED_BY), pen->request->changed);
    figure_text(pen, item, box.width, text);
    int wide = font_width(pen->metrics, text, pen->small) + figure_points(pen, 20);
    return wide < box.width ? wide : box.width;
}

void figure_draw_source(const FigurePen *pen, const Trace *trace, int y)
{
    int margin = figure_points(pen, 24);
    FigureBox box = {margin, y - figure_points(pen, 37), pen->list->width - 2 * margin, 0};
    char text[HEADER_MAX] = "";
    add(text, "%s", scenario_name(trace));
    if (pen->request->document)
        add(text, TELL(OF_DOCUMENT), pen->request->document);
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

// A title that has no room is as large as it can be and not smaller than the text: its end says of whom the
// numbers are.
static int title_size(const FigurePen *pen, const char *text, int room)
{
    int size = pen->title;
    while (size > pen->text && font_width(pen->metrics, text, size) > room)
        size--;
    return size;
}

int figure_draw_header(const FigurePen *pen, FigureBox box)
{
    const Trace *trace = pen->data.trace;
    char axes[TRACE_AXES_TEXT_MAX], shape[TENSOR_TEXT_MAX], words[HEADER_MAX],
        text[HEADER_MAX] = "";
    const Tensor *tensor = &trace->tensors[pen->data.tensor].tensor;
    const char *title = pen->request->title ? pen->request->title : words_of(pen, words);
    if (title)
        add(text, "%s", title);
    else
        add_own_name(pen, text);
    int modes = figure_draw_modes(pen, box);
    int room = box.width - (modes > 0 ? modes + figure_points(pen, 16) : 0);
    figure_make_one_line(text);
    figure_text(pen,
                (DisplayItem){.x = box.x,
                              .y = box.y + figure_points(pen, 12),
                              .size = title_size(pen, text, room),
                              .bold = true,
                              .colour = pen->theme.ink},
                room, text);
    text[0] = '\0';
    if (title) {
        add_own_name(pen, text);
        add(text, "%s", part_gap);
    }
    add(text, "%s = %s", trace_axes_text(trace, pen->data.tensor, axes),
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
