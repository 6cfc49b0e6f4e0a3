// memory_strip: see memory_strip.h.
#include "memory_strip.h"

#include <stdio.h>
#include <string.h>
#include "utf8.h"
#include "tui_words.h"

enum {
    SPELT_RUN_MAX = 8, // runs up to here show every number as a character
    NAME_SHARE = 4,    // the names of the lines take at most this part of the width
};

// Where the boxes go.
typedef struct Boxes {
    int name_columns, pitch;
    ptrdiff_t first, end; // the boxes that may be shown: those of one sequence
    ptrdiff_t per_line;   // boxes
    int line_rows, lines;
    bool spelt; // tokens and heads on lines of their own
} Boxes;

MemoryStrip memory_strip(const MemoryMarks *marks, ptrdiff_t chosen)
{
    return (MemoryStrip){.marks = *marks, .chosen = chosen};
}

void memory_strip_add(MemoryStrip *strip, const Trace *trace, int tensor)
{
    const TraceTensor *added = &trace->tensors[tensor];
    ptrdiff_t at[TENSOR_RANK_MAX];
    if (added->tensor.rank < 2 || !storage_index(&added->tensor, strip->chosen, at))
        return;
    MemoryReader *reader = &strip->readers[strip->reader_count++];
    size_t used = (size_t)snprintf(reader->name, sizeof reader->name, "%.30s", added->name);
    reader->tensor = &added->tensor;
    for (int axis = 0; axis < added->tensor.rank - 2; axis++)
        used += (size_t)snprintf(reader->name + used, sizeof reader->name - used,
                                 axis ? ",%td" : "[%td", at[axis]);
    if (added->tensor.rank > 2)
        snprintf(reader->name + used, sizeof reader->name - used, "]");
}

static int digits_of(ptrdiff_t number)
{
    return snprintf(NULL, 0, "%td", number);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// --- layout

// Boxes until the outer one of token and head changes.
static ptrdiff_t group_of(const MemoryMarks *marks)
{
    const Tensor *owner = &marks->trace->tensors[marks->owner].tensor;
    int token = marks->axes.token, head = marks->axes.head;
    if (token < 0 || head < 0)
        return 1;
    ptrdiff_t inner =
        token < head ? owner->shape[head] / marks->axes.head_width : owner->shape[token];
    return inner > 0 ? inner : 1;
}

static int pitch_of(const MemoryStrip *strip, bool spelt)
{
    int columns = spelt ? (int)strip->marks.run : strip->marks.columns;
    for (int i = 0; i < strip->reader_count; i++) {
        const Tensor *tensor = strip->readers[i].tensor;
        columns = larger(columns, digits_of(tensor->shape[tensor->rank - 2] - 1));
    }
    return columns + 1;
}

static int name_columns_of(const MemoryStrip *strip, Area area)
{
    int columns = utf8_width(TELL(STRIP_PLACE));
    for (int i = 0; i < strip->reader_count; i++)
        columns = larger(columns, utf8_width(strip->readers[i].name));
    return columns < area.columns / NAME_SHARE ? columns + 1 : area.columns / NAME_SHARE + 1;
}

static void choose_sequence(const MemoryStrip *strip, Boxes *boxes)
{
    const MemoryMarks *marks = &strip->marks;
    int axis = marks->axes.sequence;
    boxes->end = (marks->count + marks->run - 1) / marks->run;
    if (axis != 0)
        return;
    ptrdiff_t stride = marks->trace->tensors[marks->owner].tensor.stride[0];
    if (stride < marks->run) // the same numbers again and again
        return;
    boxes->first = strip->chosen / stride * stride / marks->run;
    boxes->end = boxes->first + stride / marks->run;
}

// Lines hold whole groups where one fits; the line with the chosen place is among those shown.
static Boxes boxes_of(const MemoryStrip *strip, Area area, int rows)
{
    Boxes boxes = {.name_columns = name_columns_of(strip, area)};
    ptrdiff_t group = group_of(&strip->marks);
    bool has_both = strip->marks.axes.token >= 0 && strip->marks.axes.head >= 0;
    boxes.spelt = strip->marks.run <= SPELT_RUN_MAX && strip->marks.columns <= 2 && has_both;
    boxes.pitch = pitch_of(strip, boxes.spelt);
    boxes.line_rows = 3 + boxes.spelt + strip->reader_count;
    choose_sequence(strip, &boxes);

    ptrdiff_t all = boxes.end - boxes.first;
    ptrdiff_t fit = (area.columns - boxes.name_columns) / boxes.pitch;
    fit = fit < 1 ? 1 : fit;
    boxes.per_line = fit >= all ? all : fit >= group ? fit / group * group : fit;
    ptrdiff_t lines = (all + boxes.per_line - 1) / boxes.per_line, room = rows / boxes.line_rows;
    ptrdiff_t shown = lines < room ? lines : room;
    ptrdiff_t chosen = (strip->chosen / strip->marks.run - boxes.first) / boxes.per_line;
    ptrdiff_t line = chosen - shown / 2;
    line = line > lines - shown ? lines - shown : line;
    boxes.first += (line < 0 ? 0 : line) * boxes.per_line;
    boxes.lines = (int)shown;
    return boxes;
}

// --- drawing

// A box: what is drawn under its place goes into `area`, whose first row is that of the marks.
static void draw_mark(const MemoryStrip *strip, const Boxes *boxes, ptrdiff_t box, Area area)
{
    const MemoryMarks *marks = &strip->marks;
    ptrdiff_t place = box * marks->run;
    char token[MEMORY_MARK_MAX], head[MEMORY_MARK_MAX];
    Shade shade = memory_shade(marks, place);
    if (!boxes->spelt) {
        int used = cells_text(area, 0, 0, ROLE_HEADING, memory_mark(marks, place, token));
        cells_shade(area, 0, 0, used, shade);
        return;
    }
    memory_token(marks, place, token);
    memory_head(marks, place, head);
    for (int i = 0; i < (int)marks->run; i++) {
        cells_text(area, 0, i, ROLE_HEADING, token);
        cells_text(area, 1, i, ROLE_TEXT, head);
    }
    cells_shade(area, marks->by_head, 0, (int)marks->run, shade);
}

static void draw_visit(const MemoryStrip *strip, const Tensor *tensor, ptrdiff_t box, Area area,
                       int row)
{
    ptrdiff_t at[TENSOR_RANK_MAX], chosen[TENSOR_RANK_MAX];
    if (!storage_index(tensor, box * strip->marks.run, at))
        return;
    storage_index(tensor, strip->chosen, chosen);
    size_t outer = (size_t)tensor->rank - 2;
    if (memcmp(at, chosen, outer * sizeof *at) != 0)
        cells_text(area, row, 0, ROLE_QUIET, "\u00b7");
    else
        cells_format(area, row, 0, at[outer] == chosen[outer] ? ROLE_CURRENT : ROLE_TEXT, "%td",
                     at[outer]);
}

static void draw_box(const MemoryStrip *strip, const Boxes *boxes, ptrdiff_t box, Area area)
{
    draw_mark(strip, boxes, box, area);
    for (int reader = 0; reader < strip->reader_count; reader++)
        draw_visit(strip, strip->readers[reader].tensor, box, area, 1 + boxes->spelt + reader);
}

static void draw_names(const MemoryStrip *strip, const Boxes *boxes, Area area, int row)
{
    Area names = area_part(area, 0, 0, area.rows, boxes->name_columns - 1);
    cells_text(names, row++, 0, ROLE_QUIET, TELL(STRIP_PLACE));
    cells_text(names, row++, 0, ROLE_QUIET,
               strip->marks.axes.token >= 0 && strip->marks.axes.head >= 0 && !boxes->spelt
                   ? TELL(STRIP_MARK)
               : strip->marks.axes.token >= 0 ? TELL(STRIP_TOKEN)
               : strip->marks.axes.head >= 0  ? TELL(STRIP_HEAD)
                                              : TELL(STRIP_ROW));
    if (boxes->spelt)
        cells_text(names, row++, 0, ROLE_QUIET, TELL(STRIP_HEAD));
    for (int i = 0; i < strip->reader_count; i++)
        cells_text(names, row++, 0, ROLE_TEXT, strip->readers[i].name);
}

// The arrow with the place right of it, or left where there is no room.
static void point_at(ptrdiff_t place, Area area, int row, int column)
{
    char text[32];
    snprintf(text, sizeof text, "\u25b2 %td", place);
    if (column + utf8_width(text) <= area.columns) {
        cells_text(area, row, column, ROLE_CURRENT, text);
        return;
    }
    snprintf(text, sizeof text, "%td \u25b2", place);
    cells_text_right(area, row, column + 1, ROLE_CURRENT, text);
}

// The place of every box whose number has room before the next one.
static void draw_line(const MemoryStrip *strip, const Boxes *boxes, ptrdiff_t first, Area area,
                      int row)
{
    int written = 0, chosen_row = row + 2 + boxes->spelt + strip->reader_count;
    ptrdiff_t run = strip->marks.run;
    for (ptrdiff_t i = 0; i < boxes->per_line && first + i < boxes->end; i++) {
        int column = boxes->name_columns + (int)i * boxes->pitch;
        ptrdiff_t box = first + i;
        if (column >= written)
            written = column + 1 + cells_format(area, row, column, ROLE_QUIET, "%td", box * run);
        Area under = area_part(area, row + 1, column, area.rows - row - 1, area.columns - column);
        draw_box(strip, boxes, box, under);
        if (strip->chosen / run == box)
            point_at(strip->chosen, area, chosen_row,
                     column + (boxes->spelt ? (int)(strip->chosen - box * run) : 0));
    }
}

int memory_strip_draw(const MemoryStrip *strip, Area area, int row, int rows)
{
    Boxes boxes = boxes_of(strip, area, rows);
    for (int line = 0; line < boxes.lines; line++) {
        draw_names(strip, &boxes, area, row);
        draw_line(strip, &boxes, boxes.first + line * boxes.per_line, area, row);
        row += boxes.line_rows;
    }
    return boxes.lines * boxes.line_rows;
}
