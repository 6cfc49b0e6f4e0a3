// The memory of the tensor looked at.
#include <stdio.h>
#include <string.h>
#include "cells.h"
#include "panel.h"
#include "parts.h"
#include "tui_words.def"
#include "utf8.h"

// --- storage as a strip of boxes
//
// Storage as a strip of boxes in the order of its places, and under it which boxes tensors visit. A
// box is a run of numbers with the same mark.

enum { MEMORY_READERS_MAX = 3, MEMORY_READER_NAME_MAX = 64 };

// A tensor that reads the storage. Its matrix is the two last axes around the chosen place.
typedef struct MemoryReader {
    const Tensor *tensor;
    char name[MEMORY_READER_NAME_MAX]; // "q_heads[0,2]"
} MemoryReader;

typedef struct MemoryStrip {
    MemoryMarks marks;
    MemoryReader readers[MEMORY_READERS_MAX];
    int reader_count;
    ptrdiff_t chosen; // a place that every reader reads
} MemoryStrip;

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

static MemoryStrip memory_strip(const MemoryMarks *marks, ptrdiff_t chosen)
{
    return (MemoryStrip){.marks = *marks, .chosen = chosen};
}

// Adds a tensor over the same storage; those with fewer than two axes have no matrix and are left
// out.
static void memory_strip_add(MemoryStrip *strip, const Trace *trace, int tensor)
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

// Draws as many lines of boxes as fit into `rows` rows from `row` on, around the chosen place, and
// returns the rows used. Each line: places, marks, and for every reader the number of the row of its
// matrix that visits the box, a dot where none does.
static int memory_strip_draw(const MemoryStrip *strip, Area area, int row, int rows)
{
    Boxes boxes = boxes_of(strip, area, rows);
    for (int line = 0; line < boxes.lines; line++) {
        draw_names(strip, &boxes, area, row);
        draw_line(strip, &boxes, boxes.first + line * boxes.per_line, area, row);
        row += boxes.line_rows;
    }
    return boxes.lines * boxes.line_rows;
}

// --- the panel
//
// The memory of the tensor looked at: how it is read, the address of the chosen element, the storage
// as a strip with what is visited, and for the steps that cut and join heads the wrong turn beside
// the right one.

enum {
    STRIP_ROWS = 7,      // of one line, with its key
    TURN_ROWS_LEAST = 6, // a table of a row, with its titles, and the sentence
    TURN_ROWS_MORE = 5,  // besides the table
    FACTS_MAX = 512,
};

// What is drawn, and how far down the panel is written already.
typedef struct Page {
    const Session *session;
    Area area;
    int row;
    bool has_turn;
    WrongTurn turn;
    ptrdiff_t place;       // of the chosen element, in the storage of the tensor looked at
    ptrdiff_t input_place; // of the same element, in the storage that the turn reads
    ptrdiff_t other_place; // of the same element, in the storage that is not looked at
    int other;             // the tensor with that storage; -1: there is one storage only
} Page;

static void tell(Page *page, Role role, const char *text)
{
    page->row += cells_paragraph(page->area, page->row, page->area.rows - page->row, 2, role, text);
}

static void draw_title(Page *page)
{
    const Session *session = page->session;
    const TraceTensor *looked = session_tensor(session);
    int owner = storage_owner(&session->run.trace, session->cursor.tensor);
    char of[TENSOR_TEXT_MAX] = "";
    if (owner != session->cursor.tensor)
        snprintf(of, sizeof of, TELL(MEMORY_VIEW_OF), session->run.trace.tensors[owner].name);
    cells_fill(page->area, 0, 0, page->area.columns, ROLE_RULE, "\u2500");
    cells_format(page->area, page->row++, 1, ROLE_HEADING, TELL(MEMORY_TITLE), looked->name,
                 tensor_is_contiguous(&looked->tensor) ? TELL(CONTIGUOUS) : TELL(NOT_CONTIGUOUS),
                 of);
}

// "[0,2,1,1]", without the spaces of Python, to leave room for what follows.
static const char *brief_list(int rank, const ptrdiff_t list[], const char *brackets,
                              char text[TENSOR_TEXT_MAX])
{
    size_t used = (size_t)snprintf(text, TENSOR_TEXT_MAX, "%c", brackets[0]);
    for (int axis = 0; axis < rank; axis++)
        used += (size_t)snprintf(text + used, TENSOR_TEXT_MAX - used, axis ? ",%td" : "%td",
                                 list[axis]);
    snprintf(text + used, TENSOR_TEXT_MAX - used, "%c", brackets[1]);
    return text;
}

static void draw_facts(Page *page)
{
    const Tensor *tensor = &session_tensor(page->session)->tensor;
    const ptrdiff_t *at = session_view(page->session)->at;
    char shape[TENSOR_TEXT_MAX], stride[TENSOR_TEXT_MAX], index[TENSOR_TEXT_MAX];
    char address[STORAGE_ADDRESS_MAX], text[FACTS_MAX];
    snprintf(text, sizeof text, TELL(MEMORY_SHAPE),
             brief_list(tensor->rank, tensor->shape, "()", shape),
             brief_list(tensor->rank, tensor->stride, "()", stride), tensor->offset);
    if (utf8_width(text) > page->area.columns)
        snprintf(text, sizeof text, TELL(MEMORY_STRIDE), shape, stride, tensor->offset);
    tell(page, ROLE_TEXT, text);
    snprintf(text, sizeof text, TELL(MEMORY_BYTE), brief_list(tensor->rank, at, "[]", index),
             storage_address(tensor, at, address), (size_t)page->place * dtype_size(tensor->dtype));
    tell(page, ROLE_CURRENT, text);
}

// "A0: 64 numbers of token A, head 0; below: its row"
static void draw_key(Page *page, const MemoryMarks *marks)
{
    const StorageAxes *axes = &marks->axes;
    const char *mark = axes->token >= 0 && axes->head >= 0 ? "A0" : axes->token >= 0 ? "A" : "0";
    const char *of = axes->token >= 0 && axes->head >= 0 ? TELL(MEMORY_EXAMPLE_BOTH)
                     : axes->token >= 0                  ? TELL(MEMORY_EXAMPLE_TOKEN)
                     : axes->head >= 0                   ? TELL(MEMORY_EXAMPLE_HEAD)
                                                         : TELL(MEMORY_EXAMPLE_ROW);
    const TraceTensor *owner = &page->session->run.trace.tensors[marks->owner];
    char text[FACTS_MAX];
    snprintf(text, sizeof text, TELL(MEMORY_LONG), owner->name, marks->count,
             dtype_size(owner->tensor.dtype), mark, marks->run, of);
    if (utf8_width(text) > page->area.columns)
        snprintf(text, sizeof text, TELL(MEMORY_SHORT), mark, marks->run, of);
    tell(page, ROLE_QUIET, text);
}

// Of a step with a wrong turn, every tensor over the storage; else the one looked at.
static void draw_strip(Page *page, int tensor, ptrdiff_t place, int rows)
{
    const Session *session = page->session;
    const Trace *trace = &session->run.trace;
    MemoryMarks marks = memory_marks(trace, tensor, session->look.memory_by_head);
    MemoryStrip strip = memory_strip(&marks, place);
    int tensors[SESSION_TENSORS_MAX];
    int count = session_tensors(session, session->cursor.step, tensors);
    for (int i = 0; i < count; i++) {
        bool same = trace->tensors[tensors[i]].tensor.storage.bytes &&
                    storage_owner(trace, tensors[i]) == strip.marks.owner;
        if (same && (page->has_turn || tensors[i] == tensor) &&
            strip.reader_count < MEMORY_READERS_MAX)
            memory_strip_add(&strip, trace, tensors[i]);
    }
    int end = page->row + rows;
    draw_key(page, &strip.marks);
    page->row += memory_strip_draw(&strip, page->area, page->row, end - page->row);
}

// What the turn and the other strip leave, but a line of boxes as long as the turn can be seen.
static int strip_rows(const Page *page)
{
    int rest = page->area.rows - page->row;
    if (!page->has_turn)
        return rest;
    ptrdiff_t spare = rest - page->turn.right.shape[1] - TURN_ROWS_MORE;
    spare -= page->other >= 0 ? STRIP_ROWS : 0;
    int least = rest - TURN_ROWS_LEAST < STRIP_ROWS ? rest - TURN_ROWS_LEAST : STRIP_ROWS;
    return spare > least ? (int)spare : least;
}

static void draw_turn(Page *page)
{
    char sentence[MEMORY_SENTENCE_MAX];
    MemoryMarks marks = memory_marks(&page->session->run.trace, page->turn.input,
                                     page->session->look.memory_by_head);
    memory_turn_sentence(&page->turn, &marks, page->input_place, sentence);
    int rows = page->area.rows - page->row -
               cells_paragraph_rows(sentence, page->area.columns, page->area.rows, 2);
    Area tables = area_part(page->area, page->row, 0, rows, page->area.columns);
    page->row += memory_turn_tables(&page->turn, &marks, page->input_place, tables);
    tell(page, ROLE_ALARM, sentence);
}

// Joining heads copies: the element is in two storages, under the same index of both.
static void find_other_place(Page *page)
{
    const Session *session = page->session;
    const Trace *trace = &session->run.trace;
    const TraceStep *wiring = &trace->steps[session->cursor.step];
    const Tensor *right = &page->turn.right;
    ptrdiff_t at[TENSOR_RANK_MAX];
    int copy = session_main_output(session, session->cursor.step);
    bool in_copy = session->cursor.tensor == copy;
    page->input_place = page->place;
    page->other = -1;
    if (!page->has_turn || page->turn.cuts)
        return;
    if (in_copy) {
        tensor_unravel(right, page->place, at);
        page->input_place = page->other_place = tensor_place(right, at);
    } else {
        Tensor contiguous = tensor_over(NULL, right->dtype, right->rank, right->shape);
        storage_index(right, page->place, at);
        page->other_place = tensor_place(&contiguous, at);
    }
    page->other = in_copy ? wiring->reads[0] : copy;
}

static void draw(const Session *session, Area area)
{
    Page page = {.session = session, .area = area};
    if (!session_has_values(session)) {
        cells_text(area, 0, 0, ROLE_QUIET, TELL(MEMORY_NONE));
        return;
    }
    page.place = tensor_place(&session_tensor(session)->tensor, session_view(session)->at);
    page.has_turn = wrong_turn(&session->run.trace, session->cursor.step, &page.turn);
    find_other_place(&page);
    draw_title(&page);
    draw_facts(&page);
    draw_strip(&page, session->cursor.tensor, page.place, strip_rows(&page));
    if (page.has_turn)
        draw_turn(&page);
    if (page.other >= 0 && area.rows - page.row >= STRIP_ROWS)
        draw_strip(&page, page.other, page.other_place, area.rows - page.row);
}

const Panel panel_memory = {.draw = draw, .hints = panel_hints_of_page, .is_wide = true};
