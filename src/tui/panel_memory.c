// The memory of the current tensor: where each number is, and wrong ways to read it.
#include <stdio.h>
#include <string.h>
#include "cells.h"
#include "panel.h"
#include "tui_words.def"
#include "utf8.h"

// --- places

int storage_owner(const Trace *trace, int tensor)
{
    for (int other = 0; other < tensor; other++)
        if (trace->tensors[other].tensor.storage.bytes ==
            trace->tensors[tensor].tensor.storage.bytes)
            return other;
    return tensor;
}

ptrdiff_t storage_count(const Tensor *tensor)
{
    ptrdiff_t last = tensor->offset;
    if (tensor_count(tensor) == 0)
        return 0;
    for (int axis = 0; axis < tensor->rank; axis++)
        last += (tensor->shape[axis] - 1) * tensor->stride[axis];
    return last + 1;
}

// The unused axis with the largest stride, among those along which places differ; -1: none.
static int widest_axis(const Tensor *tensor, const bool used[])
{
    int widest = -1;
    for (int axis = 0; axis < tensor->rank; axis++) {
        bool moves = tensor->shape[axis] > 1 && tensor->stride[axis] > 0;
        if (moves && !used[axis] && (widest < 0 || tensor->stride[axis] > tensor->stride[widest]))
            widest = axis;
    }
    return widest;
}

bool storage_index(const Tensor *tensor, ptrdiff_t place, ptrdiff_t at[])
{
    bool used[TENSOR_RANK_MAX] = {false};
    ptrdiff_t rest = place - tensor->offset;
    for (int axis = 0; axis < tensor->rank; axis++)
        at[axis] = 0;
    for (int axis; rest >= 0 && (axis = widest_axis(tensor, used)) >= 0;) {
        used[axis] = true;
        at[axis] = rest / tensor->stride[axis];
        if (at[axis] >= tensor->shape[axis])
            return false;
        rest -= at[axis] * tensor->stride[axis];
    }
    return rest == 0 && tensor_count(tensor) > 0;
}

// --- the token and head of a number

static void note_axis(const Trace *trace, const Tensor *tensor, const char *symbol, int axis,
                      StorageAxes *axes)
{
    bool side_by_side = strcmp(symbol, "Dk") == 0 || strcmp(symbol, "Dv") == 0;
    if (strcmp(symbol, "B") == 0)
        axes->sequence = axis;
    if (symbol[0] == 'L' && axes->token < 0)
        axes->token = axis;
    if (strcmp(symbol, "H") == 0 || (side_by_side && trace->scenario->has_heads))
        axes->head = axis;
    if (axes->head == axis && side_by_side)
        axes->head_width = tensor->shape[axis] / trace->scenario->size[SYMBOL_H];
}

// A tensor with fewer axes than it declares (a mask) has the last ones.
static StorageAxes storage_axes(const Trace *trace, int number)
{
    const TraceTensor *owner = &trace->tensors[number];
    const char *symbols[TENSOR_RANK_MAX];
    char copy[TRACE_AXES_TEXT_MAX], *rest = NULL;
    int count = 0;
    StorageAxes axes = {-1, -1, -1, 1};
    snprintf(copy, sizeof copy, "%s", owner->axes ? owner->axes : "");
    for (char *symbol = strtok_r(copy, " ", &rest); symbol && count < TENSOR_RANK_MAX;
         symbol = strtok_r(NULL, " ", &rest))
        symbols[count++] = symbol;
    for (int i = 0; i < count; i++) {
        int axis = i + owner->tensor.rank - count;
        if (axis >= 0)
            note_axis(trace, &owner->tensor, symbols[i], axis, &axes);
    }
    return axes;
}

// The sequence, token and head of a place in the owner's storage.
static StorageMark storage_mark(const Trace *trace, int owner, ptrdiff_t place)
{
    ptrdiff_t at[TENSOR_RANK_MAX];
    StorageAxes axes = storage_axes(trace, owner);
    if (!storage_index(&trace->tensors[owner].tensor, place, at))
        return (StorageMark){-1, -1, -1};
    return (StorageMark){
        .sequence = axes.sequence < 0 ? -1 : at[axes.sequence],
        .token = axes.token < 0 ? -1 : at[axes.token],
        .head = axes.head < 0 ? -1 : at[axes.head] / axes.head_width,
    };
}

// The length of a run of numbers with the same mark; runs start at its multiples. Without tokens and heads, a row of
// the tensor; 1 for an empty one.
static ptrdiff_t storage_run(const Trace *trace, int owner)
{
    const Tensor *tensor = &trace->tensors[owner].tensor;
    StorageAxes axes = storage_axes(trace, owner);
    int marked[] = {axes.sequence, axes.token, axes.head};
    ptrdiff_t run = PTRDIFF_MAX;
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++) {
        if (marked[i] < 0)
            continue;
        ptrdiff_t width = marked[i] == axes.head ? axes.head_width : 1;
        run = index_min(width * tensor->stride[marked[i]], run);
    }
    if (run == PTRDIFF_MAX)
        run = tensor->rank >= 2 ? tensor->stride[tensor->rank - 2] : 1;
    return index_max(run, 1);
}

const char *storage_address(const Tensor *tensor, const ptrdiff_t at[],
                            char text[STORAGE_ADDRESS_MAX])
{
    snprintf(text, STORAGE_ADDRESS_MAX, "%td", tensor->offset);
    for (int axis = 0; axis < tensor->rank; axis++)
        text_add(text, STORAGE_ADDRESS_MAX, " + %td*%td", at[axis], tensor->stride[axis]);
    return text_add(text, STORAGE_ADDRESS_MAX, " = %td", tensor_place(tensor, at));
}

// --- marks

enum { LETTERS = 52, SHADES = 8 };

static const char *token_name(ptrdiff_t token, char text[MEMORY_MARK_MAX])
{
    if (token < LETTERS)
        snprintf(text, MEMORY_MARK_MAX, "%c", (int)(token < 26 ? 'A' + token : 'a' + token - 26));
    else
        snprintf(text, MEMORY_MARK_MAX, "%td", token);
    return text;
}

static ptrdiff_t last_of(const Tensor *tensor, int axis, ptrdiff_t width)
{
    return axis < 0 ? -1 : tensor->shape[axis] / width - 1;
}

static const char *mark_of(StorageMark mark, ptrdiff_t run, char text[MEMORY_MARK_MAX])
{
    char token[MEMORY_MARK_MAX] = "";
    if (mark.token < 0 && mark.head < 0) {
        snprintf(text, MEMORY_MARK_MAX, "%td", run);
        return text;
    }
    if (mark.token >= 0)
        token_name(mark.token, token);
    if (mark.head < 0)
        snprintf(text, MEMORY_MARK_MAX, "%.20s", token);
    else
        snprintf(text, MEMORY_MARK_MAX, "%.20s%s%td", token, mark.token >= LETTERS ? "." : "",
                 mark.head);
    return text;
}

MemoryMarks memory_marks(const Trace *trace, int tensor, bool by_head)
{
    MemoryMarks marks = {.trace = trace, .owner = storage_owner(trace, tensor), .by_head = by_head};
    const Tensor *owner = &trace->tensors[marks.owner].tensor;
    char text[MEMORY_MARK_MAX];
    marks.axes = storage_axes(trace, marks.owner);
    marks.run = storage_run(trace, marks.owner);
    marks.count = storage_count(owner);
    StorageMark last = {.sequence = -1,
                        .token = last_of(owner, marks.axes.token, 1),
                        .head = last_of(owner, marks.axes.head, marks.axes.head_width)};
    marks.columns = (int)strlen(mark_of(last, (marks.count - 1) / marks.run, text));
    return marks;
}

// "B": the token, from the 53rd on its number; "" if there is none.
static const char *memory_token(const MemoryMarks *marks, ptrdiff_t place,
                                char text[MEMORY_MARK_MAX])
{
    StorageMark mark = storage_mark(marks->trace, marks->owner, place);
    text[0] = '\0';
    return mark.token < 0 ? text : token_name(mark.token, text);
}

// "2": the head; "" if there is none.
static const char *memory_head(const MemoryMarks *marks, ptrdiff_t place,
                               char text[MEMORY_MARK_MAX])
{
    StorageMark mark = storage_mark(marks->trace, marks->owner, place);
    text[0] = '\0';
    if (mark.head >= 0)
        snprintf(text, MEMORY_MARK_MAX, "%td", mark.head);
    return text;
}

const char *memory_mark(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX])
{
    StorageMark mark = storage_mark(marks->trace, marks->owner, place);
    return mark_of(mark, place / marks->run, text);
}

// "head 2 of token B "gave"", "row 7"
static const char *memory_words(const MemoryMarks *marks, ptrdiff_t place,
                                char text[MEMORY_WORDS_MAX])
{
    const Tensor *owner = &marks->trace->tensors[marks->owner].tensor;
    StorageMark mark = storage_mark(marks->trace, marks->owner, place);
    ptrdiff_t at[TENSOR_RANK_MAX];
    char name[MEMORY_MARK_MAX], word[64] = "";
    text[0] = '\0';
    if (mark.token < 0 && mark.head < 0)
        snprintf(text, MEMORY_WORDS_MAX, TELL(MARK_ROW), place / marks->run);
    if (mark.head >= 0)
        snprintf(text, MEMORY_WORDS_MAX, TELL(MARK_HEAD), mark.head,
                 mark.token >= 0 ? TELL(MARK_OF) : "");
    if (mark.token < 0)
        return text;
    storage_index(owner, place, at);
    trace_label(marks->trace, marks->owner, marks->axes.token, at, word);
    snprintf(name, sizeof name, "%td", mark.token);
    bool says_more = strcmp(name, word) != 0;
    text_add(text, MEMORY_WORDS_MAX, TELL(MARK_TOKEN), token_name(mark.token, name));
    if (says_more)
        text_add(text, MEMORY_WORDS_MAX, " \"%s\"", word);
    return text;
}

// Colours of Okabe and Ito: distinct with any kind of colour blindness, and black is readable on each.
Shade memory_shade(const MemoryMarks *marks, ptrdiff_t place)
{
    static const uint32_t backs[SHADES] = {0xE69F00, 0x56B4E9, 0x009E73, 0xF0E442,
                                           0xB39DDB, 0xD55E00, 0xCC79A7, 0xBBBBBB};
    StorageMark mark = storage_mark(marks->trace, marks->owner, place);
    bool by_head = mark.token < 0 || (marks->by_head && mark.head >= 0);
    ptrdiff_t which = by_head ? mark.head : mark.token;
    if (which < 0)
        return (Shade){0, 0};
    return (Shade){.front = SHADE_SET, .back = SHADE_SET | backs[which % SHADES]};
}

// --- cutting and joining heads the wrong way

bool wrong_turn(const Trace *trace, int step, WrongTurn *turn)
{
    const TraceStep *wiring = &trace->steps[step];
    const char *stage = wiring->stage->name;
    bool joins = strcmp(stage, "concat") == 0;
    bool cuts = strcmp(stage, "view") == 0 || strcmp(stage, "transpose") == 0;
    if (step >= trace->steps_done || !(cuts || joins))
        return false;
    Tensor in = trace->tensors[wiring->reads[0]].tensor;
    if (tensor_count(&in) == 0)
        return false;

    Error refused;
    ptrdiff_t heads = trace->scenario->size[SYMBOL_H], batch = in.shape[0];
    ptrdiff_t length = joins ? in.shape[2] : in.shape[1];
    ptrdiff_t d = tensor_count(&in) / (batch * heads * length);
    ptrdiff_t as_tokens[] = {batch, length, heads, d}, as_heads[] = {batch, heads, length, d};
    *turn = (WrongTurn){
        .cuts = cuts,
        .input = wiring->reads[0],
        .right_torch =
            cuts ? "view(B,L,H,d).transpose(1,2)" : "transpose(1,2).contiguous().view(B,L,H*d)",
        .right_brief = cuts ? "view, transpose" : "transpose, copy, view",
        .wrong_torch = cuts ? "view(B,H,L,d)" : "view(B,L,H*d)",
    };
    bool good = tensor_view(&in, 4, cuts ? as_tokens : as_heads, &turn->right, &refused) &&
                tensor_view(&in, 4, cuts ? as_heads : as_tokens, &turn->wrong, &refused);
    if (good)
        turn->right = tensor_transpose(&turn->right, 1, 2);
    return good;
}

bool wrong_turn_first(const WrongTurn *turn, ptrdiff_t sequence, ptrdiff_t at[])
{
    const Tensor *right = &turn->right;
    memset(at, 0, TENSOR_RANK_MAX * sizeof *at);
    at[0] = sequence;
    if (right->shape[1] == 1 || right->shape[2] == 1)
        return false;
    for (at[1] = 0; at[1] < right->shape[1]; at[1]++)
        for (at[2] = 0; at[2] < right->shape[2]; at[2]++)
            if (tensor_place(right, at) != tensor_place(&turn->wrong, at))
                return true;
    return false;
}

static ptrdiff_t greatest_common_divisor(ptrdiff_t a, ptrdiff_t b)
{
    while (b != 0) {
        ptrdiff_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Slice (x, y) of [X, Y] has number y*X + x in the right read and x*Y + y in the wrong one. They agree if
// y (X-1) = x (Y-1): for gcd(X-1, Y-1) + 1 pairs.
ptrdiff_t wrong_turn_count(const WrongTurn *turn)
{
    ptrdiff_t x_count = turn->right.shape[1], y_count = turn->right.shape[2];
    if (x_count == 1 || y_count == 1)
        return 0;
    return x_count * y_count - greatest_common_divisor(x_count - 1, y_count - 1) - 1;
}

// --- the right read next to the wrong one

enum { GAP = 3, TITLE_ROWS = 2 };

// Shared by the two tables.
typedef struct Table {
    const WrongTurn *turn;
    const MemoryMarks *marks;
    Area area;
    ptrdiff_t at[TENSOR_RANK_MAX]; // the chosen element
    ptrdiff_t first_row, first_column, rows, columns;
    int pitch;
} Table;

static ptrdiff_t first_shown(ptrdiff_t chosen, ptrdiff_t room, ptrdiff_t length)
{
    ptrdiff_t first = chosen - room + 1;
    return room >= length || first < 0 ? 0 : first;
}

// True if an axis of the tables has heads; else it has tokens.
static bool is_head_axis(const WrongTurn *turn, int axis)
{
    return turn->cuts == (axis == 1);
}

// "B" or "2": the name of an index on an axis.
static const char *index_name(const Table *table, int axis, ptrdiff_t index,
                              char text[MEMORY_MARK_MAX])
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {table->at[0]};
    at[axis] = index;
    ptrdiff_t place = tensor_place(&table->turn->right, at);
    return is_head_axis(table->turn, axis) ? memory_head(table->marks, place, text)
                                           : memory_token(table->marks, place, text);
}

static void draw_cell(const Table *table, const Tensor *tensor, const ptrdiff_t at[], int row,
                      int column)
{
    char mark[MEMORY_MARK_MAX];
    ptrdiff_t place = tensor_place(tensor, at);
    bool chosen = at[1] == table->at[1] && at[2] == table->at[2];
    bool wrong = place != tensor_place(&table->turn->right, at);
    memory_mark(table->marks, place, mark);
    int end = column + 1 + (int)strlen(mark);
    cells_text(table->area, row, column + 1, chosen ? ROLE_HEADING : ROLE_TEXT, mark);
    if (chosen) {
        cells_text(table->area, row, column, ROLE_CURRENT, "[");
        cells_text(table->area, row, end, ROLE_CURRENT, "]");
    } else if (wrong) {
        cells_text(table->area, row, end, ROLE_ALARM, "!");
    }
    cells_shade(table->area, row, column + 1, (int)strlen(mark), memory_shade(table->marks, place));
}

// Draws the names of rows, left of the first table.
static void draw_column_names(const Table *table, int row)
{
    char name[MEMORY_MARK_MAX];
    for (ptrdiff_t x = 0; x < table->rows; x++)
        cells_format(table->area, row + (int)x, 0, ROLE_QUIET, "%s %s",
                     is_head_axis(table->turn, 1) ? TELL(STRIP_HEAD) : TELL(STRIP_TOKEN),
                     index_name(table, 1, table->first_row + x, name));
}

static void draw_table(const Table *table, const Tensor *tensor, int row, int start)
{
    char name[MEMORY_MARK_MAX];
    ptrdiff_t at[TENSOR_RANK_MAX] = {table->at[0]};
    for (ptrdiff_t y = 0; y < table->columns; y++) {
        int column = start + (int)y * table->pitch;
        at[2] = table->first_column + y;
        cells_text(table->area, row, column + 1, ROLE_QUIET, index_name(table, 2, at[2], name));
        for (ptrdiff_t x = 0; x < table->rows; x++) {
            at[1] = table->first_row + x;
            draw_cell(table, tensor, at, row + 1 + (int)x, column);
        }
    }
}

// Draws the tables around the chosen place; returns the rows used.
static int memory_turn_tables(const WrongTurn *turn, const MemoryMarks *marks, ptrdiff_t chosen,
                              Area area)
{
    Table table = {.turn = turn, .marks = marks, .area = area, .pitch = marks->columns + 2};
    const ptrdiff_t *shape = turn->right.shape;
    if (area.rows <= TITLE_ROWS || !storage_index(&turn->right, chosen, table.at))
        return 0;
    int start = utf8_width(TELL(TURN_TOKEN)) + marks->columns;
    table.columns = index_min((area.columns - start - GAP) / 2 / table.pitch, shape[2]);
    table.rows = index_min(area.rows - TITLE_ROWS, shape[1]);
    table.first_row = first_shown(table.at[1], table.rows, shape[1]);
    table.first_column = first_shown(table.at[2], table.columns, shape[2]);

    char title[96];
    int least = start + (int)table.columns * table.pitch + GAP;
    int most = area.columns - (least - start) - 1;
    snprintf(title, sizeof title, TELL(TURN_RIGHT), turn->right_torch);
    if (utf8_width(title) + GAP > most)
        snprintf(title, sizeof title, TELL(TURN_RIGHT), turn->right_brief);
    int second = (int)index_max(utf8_width(title) + GAP, least);
    cells_text(area, 0, 0, ROLE_HEADING, title);
    draw_column_names(&table, TITLE_ROWS);
    draw_table(&table, &turn->right, 1, start);
    cells_format(area, 0, second, ROLE_HEADING, TELL(TURN_WRONG), turn->wrong_torch);
    draw_table(&table, &turn->wrong, 1, second);
    return TITLE_ROWS + (int)table.rows;
}

// "[0,0,1,:]" if heads are cut, "[0,0,2:4]" if they are joined.
static const char *slice_name(const WrongTurn *turn, const ptrdiff_t at[], char text[96])
{
    ptrdiff_t d = turn->right.shape[3];
    if (turn->cuts)
        snprintf(text, 96, "[%td,%td,%td,:]", at[0], at[1], at[2]);
    else
        snprintf(text, 96, "[%td,%td,%td:%td]", at[0], at[1], at[2] * d, (at[2] + 1) * d);
    return text;
}

const char *memory_turn_sentence(const WrongTurn *turn, const MemoryMarks *marks, ptrdiff_t chosen,
                                 char text[MEMORY_SENTENCE_MAX])
{
    ptrdiff_t at[TENSOR_RANK_MAX], here[TENSOR_RANK_MAX], d = turn->right.shape[3];
    char right[MEMORY_WORDS_MAX], wrong[MEMORY_WORDS_MAX], slice[96];
    storage_index(&turn->right, chosen, here);
    if (!wrong_turn_first(turn, here[0], at)) {
        words_format(text, MEMORY_SENTENCE_MAX, TELL(TURN_UNSEEN),
                     turn->right.shape[turn->cuts ? 1 : 2] == 1 ? TELL(STRIP_HEAD)
                                                                : TELL(STRIP_TOKEN));
        return text;
    }
    ptrdiff_t should = tensor_place(&turn->right, at), is = tensor_place(&turn->wrong, at);
    words_format(text, MEMORY_SENTENCE_MAX, TELL(TURN_SENTENCE), slice_name(turn, at, slice),
                 memory_words(marks, should, right), should, should + d - 1,
                 memory_words(marks, is, wrong), is, is + d - 1, wrong_turn_count(turn),
                 turn->right.shape[1] * turn->right.shape[2]);
    return text;
}

// --- storage as a strip of boxes
//
// A box is a run of numbers with the same mark. Below the boxes stands which tensors read them.

enum { MEMORY_READERS_MAX = 3, MEMORY_READER_NAME_MAX = 64 };

// A tensor that reads the storage: its last two axes around the chosen place.
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

// The layout of the boxes.
typedef struct Boxes {
    int name_columns, pitch;
    ptrdiff_t first, end; // the boxes of one sequence
    ptrdiff_t per_line;   // boxes
    int line_rows, lines;
    bool spelt; // tokens and heads on separate lines
} Boxes;

// Adds a tensor over the same storage, if it has two axes.
static void memory_strip_add(MemoryStrip *strip, const Trace *trace, int tensor)
{
    const TraceTensor *added = &trace->tensors[tensor];
    ptrdiff_t at[TENSOR_RANK_MAX];
    if (added->tensor.rank < 2 || !storage_index(&added->tensor, strip->chosen, at))
        return;
    MemoryReader *reader = &strip->readers[strip->reader_count++];
    snprintf(reader->name, sizeof reader->name, "%.30s", added->name);
    reader->tensor = &added->tensor;
    for (int axis = 0; axis < added->tensor.rank - 2; axis++)
        text_add(reader->name, sizeof reader->name, axis ? ",%td" : "[%td", at[axis]);
    if (added->tensor.rank > 2)
        text_add(reader->name, sizeof reader->name, "]");
}

// --- layout

// The boxes before the outer one of token and head changes.
static ptrdiff_t group_of(const MemoryMarks *marks)
{
    const Tensor *owner = &marks->trace->tensors[marks->owner].tensor;
    int token = marks->axes.token, head = marks->axes.head;
    if (token < 0 || head < 0)
        return 1;
    return index_max(
        token < head ? owner->shape[head] / marks->axes.head_width : owner->shape[token], 1);
}

static int pitch_of(const MemoryStrip *strip, bool spelt)
{
    int columns = spelt ? (int)strip->marks.run : strip->marks.columns;
    for (int i = 0; i < strip->reader_count; i++) {
        const Tensor *tensor = strip->readers[i].tensor;
        columns = (int)index_max(columns, digits_of(tensor->shape[tensor->rank - 2] - 1));
    }
    return columns + 1;
}

static int name_columns_of(const MemoryStrip *strip, Area area)
{
    int columns = utf8_width(TELL(STRIP_PLACE));
    for (int i = 0; i < strip->reader_count; i++)
        columns = (int)index_max(columns, utf8_width(strip->readers[i].name));
    return (int)index_min(columns, area.columns / NAME_SHARE) + 1;
}

static void choose_sequence(const MemoryStrip *strip, Boxes *boxes)
{
    const MemoryMarks *marks = &strip->marks;
    int axis = marks->axes.sequence;
    boxes->end = (marks->count + marks->run - 1) / marks->run;
    if (axis != 0)
        return;
    ptrdiff_t stride = marks->trace->tensors[marks->owner].tensor.stride[0];
    if (stride < marks->run) // sequences share their numbers
        return;
    boxes->first = strip->chosen / stride * stride / marks->run;
    boxes->end = boxes->first + stride / marks->run;
}

// Lays out lines of whole groups if one fits, with the line of the chosen place among them.
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
    ptrdiff_t fit = index_max((area.columns - boxes.name_columns) / boxes.pitch, 1);
    boxes.per_line = fit >= all ? all : fit >= group ? fit / group * group : fit;
    ptrdiff_t lines = (all + boxes.per_line - 1) / boxes.per_line;
    ptrdiff_t shown = index_min(lines, rows / boxes.line_rows);
    ptrdiff_t chosen = (strip->chosen / strip->marks.run - boxes.first) / boxes.per_line;
    boxes.first += index_clamp(chosen - shown / 2, 0, lines - shown) * boxes.per_line;
    boxes.lines = (int)shown;
    return boxes;
}

// --- drawing

// Draws a box's mark into `area`, whose first row is that of the marks.
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

// Draws an arrow with the place right of it, or left if there is no room.
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

// Draws a line of boxes, and the place of each whose number fits.
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

// Draws as many lines of boxes as fit into `rows` rows, around the chosen place; returns the rows used. A line has
// places, marks, and for each reader the row that reads the box, or a dot.
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
// How the tensor is read, the address of the chosen element, the storage as a strip, and for steps that cut or join
// heads, the wrong read next to the right one.

enum {
    STRIP_ROWS = 7,      // of one line, with its key
    TURN_ROWS_LEAST = 6, // a table of a row, with its titles, and the sentence
    TURN_ROWS_MORE = 5,  // besides the table
    FACTS_MAX = 512,
};

// The panel while it is drawn; `row` is the next free row.
typedef struct Page {
    const Session *session;
    Area area;
    int row;
    bool has_turn;
    WrongTurn turn;
    ptrdiff_t place;       // of the chosen element, in the current tensor's storage
    ptrdiff_t input_place; // of the same element, in the storage that the turn reads
    ptrdiff_t other_place; // of the same element, in the other storage
    int other;             // the tensor with the other storage; -1: there is only one
} Page;

static void add_paragraph(Page *page, Role role, const char *text)
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

// "[0,2,1,1]", without Python's spaces, to save room.
static const char *brief_list(int rank, const ptrdiff_t list[], const char *brackets,
                              char text[TENSOR_TEXT_MAX])
{
    snprintf(text, TENSOR_TEXT_MAX, "%c", brackets[0]);
    for (int axis = 0; axis < rank; axis++)
        text_add(text, TENSOR_TEXT_MAX, axis ? ",%td" : "%td", list[axis]);
    return text_add(text, TENSOR_TEXT_MAX, "%c", brackets[1]);
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
    add_paragraph(page, ROLE_TEXT, text);
    snprintf(text, sizeof text, TELL(MEMORY_BYTE), brief_list(tensor->rank, at, "[]", index),
             storage_address(tensor, at, address), (size_t)page->place * dtype_size(tensor->dtype));
    add_paragraph(page, ROLE_CURRENT, text);
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
    add_paragraph(page, ROLE_QUIET, text);
}

// Draws the strip with every tensor over the storage at a step with a wrong turn, else with the current tensor.
static void draw_strip(Page *page, int tensor, ptrdiff_t place, int rows)
{
    const Session *session = page->session;
    const Trace *trace = &session->run.trace;
    MemoryMarks marks = memory_marks(trace, tensor, session->look.memory_by_head);
    MemoryStrip strip = {.marks = marks, .chosen = place};
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

// The rows that the turn and the other strip leave, but at least a line of boxes while the turn stays visible.
static int strip_rows(const Page *page)
{
    int rest = page->area.rows - page->row;
    if (!page->has_turn)
        return rest;
    ptrdiff_t spare = rest - page->turn.right.shape[1] - TURN_ROWS_MORE;
    spare -= page->other >= 0 ? STRIP_ROWS : 0;
    return (int)index_max(spare, index_min(rest - TURN_ROWS_LEAST, STRIP_ROWS));
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
    add_paragraph(page, ROLE_ALARM, sentence);
}

// Joining heads copies: the element is in two storages, at the same index.
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

const Panel panel_memory = {.draw = draw, .hints = panel_hints_of_page};
