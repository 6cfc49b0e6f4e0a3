// Which number lies where in memory, and the wrong ways to read it; see parts.h.
#include "parts.h"

#include <stdio.h>
#include <string.h>
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

// Of the unused axes along which places differ, the one with the largest stride; -1: none is left.
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

// --- whose number

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

// A tensor that declares more axes than it has (a mask) has the last ones.
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

// Whose number lies at a place of the owner's storage.
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

// How many numbers with the same mark follow each other: runs start at every multiple of it. With
// no token or head to tell apart, a row of the tensor; 1 for an empty one.
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
        ptrdiff_t one = width * tensor->stride[marked[i]];
        run = one < run ? one : run;
    }
    if (run == PTRDIFF_MAX)
        run = tensor->rank >= 2 ? tensor->stride[tensor->rank - 2] : 1;
    return run > 0 ? run : 1;
}

const char *storage_address(const Tensor *tensor, const ptrdiff_t at[],
                            char text[STORAGE_ADDRESS_MAX])
{
    size_t used = (size_t)snprintf(text, STORAGE_ADDRESS_MAX, "%td", tensor->offset);
    for (int axis = 0; axis < tensor->rank; axis++)
        used += (size_t)snprintf(text + used, STORAGE_ADDRESS_MAX - used, " + %td*%td", at[axis],
                                 tensor->stride[axis]);
    snprintf(text + used, STORAGE_ADDRESS_MAX - used, " = %td", tensor_place(tensor, at));
    return text;
}

// --- how a place is marked for a person

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

const char *memory_token(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX])
{
    StorageMark mark = storage_mark(marks->trace, marks->owner, place);
    text[0] = '\0';
    return mark.token < 0 ? text : token_name(mark.token, text);
}

const char *memory_head(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX])
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
    size_t used = 0;
    text[0] = '\0';
    if (mark.token < 0 && mark.head < 0)
        snprintf(text, MEMORY_WORDS_MAX, TELL(MARK_ROW), place / marks->run);
    if (mark.head >= 0)
        used = (size_t)snprintf(text, MEMORY_WORDS_MAX, TELL(MARK_HEAD), mark.head,
                                mark.token >= 0 ? TELL(MARK_OF) : "");
    if (mark.token < 0)
        return text;
    storage_index(owner, place, at);
    trace_label(marks->trace, marks->owner, marks->axes.token, at, word);
    snprintf(name, sizeof name, "%td", mark.token);
    bool says_more = strcmp(name, word) != 0;
    used += (size_t)snprintf(text + used, MEMORY_WORDS_MAX - used, TELL(MARK_TOKEN),
                             token_name(mark.token, name));
    if (says_more)
        snprintf(text + used, MEMORY_WORDS_MAX - used, " \"%s\"", word);
    return text;
}

// Colours of Okabe and Ito, which stay apart with any kind of colour blindness; black can be read on
// each of them.
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

// The slice (x, y) of [X, Y] is number y*X + x the right way and x*Y + y the wrong way: the same
// when y (X-1) = x (Y-1), for as many pairs as X-1 and Y-1 have common steps, and one more.
ptrdiff_t wrong_turn_count(const WrongTurn *turn)
{
    ptrdiff_t x_count = turn->right.shape[1], y_count = turn->right.shape[2];
    if (x_count == 1 || y_count == 1)
        return 0;
    return x_count * y_count - greatest_common_divisor(x_count - 1, y_count - 1) - 1;
}

// --- the right way beside the wrong one

enum { GAP = 3, TITLE_ROWS = 2 };

// What the two tables share.
typedef struct Table {
    const WrongTurn *turn;
    const MemoryMarks *marks;
    Area area;                     // its own columns
    ptrdiff_t at[TENSOR_RANK_MAX]; // the chosen element
    ptrdiff_t first_row, first_column, rows, columns;
    int pitch;
} Table;

static ptrdiff_t first_shown(ptrdiff_t chosen, ptrdiff_t room, ptrdiff_t length)
{
    ptrdiff_t first = chosen - room + 1;
    return room >= length || first < 0 ? 0 : first;
}

// What is on an axis of the tables: tokens or heads.
static bool is_head_axis(const WrongTurn *turn, int axis)
{
    return turn->cuts == (axis == 1);
}

// "B", or "2": the name of an index on an axis, by a place that belongs to it.
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

// The names of its rows, to the left of the first table.
static void draw_names(const Table *table, int row)
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

int memory_turn_tables(const WrongTurn *turn, const MemoryMarks *marks, ptrdiff_t chosen, Area area)
{
    Table table = {.turn = turn, .marks = marks, .area = area, .pitch = marks->columns + 2};
    const ptrdiff_t *shape = turn->right.shape;
    if (area.rows <= TITLE_ROWS || !storage_index(&turn->right, chosen, table.at))
        return 0;
    int start = utf8_width(TELL(TURN_TOKEN)) + marks->columns;
    ptrdiff_t room = (area.columns - start - GAP) / 2 / table.pitch;
    table.columns = room < shape[2] ? room : shape[2];
    ptrdiff_t rows = area.rows - TITLE_ROWS;
    table.rows = rows < shape[1] ? rows : shape[1];
    table.first_row = first_shown(table.at[1], table.rows, shape[1]);
    table.first_column = first_shown(table.at[2], table.columns, shape[2]);

    char title[96];
    int least = start + (int)table.columns * table.pitch + GAP;
    int most = area.columns - (least - start) - 1;
    snprintf(title, sizeof title, TELL(TURN_RIGHT), turn->right_torch);
    if (utf8_width(title) + GAP > most)
        snprintf(title, sizeof title, TELL(TURN_RIGHT), turn->right_brief);
    int second = utf8_width(title) + GAP > least ? utf8_width(title) + GAP : least;
    cells_text(area, 0, 0, ROLE_HEADING, title);
    draw_names(&table, TITLE_ROWS);
    draw_table(&table, &turn->right, 1, start);
    cells_format(area, 0, second, ROLE_HEADING, TELL(TURN_WRONG), turn->wrong_torch);
    draw_table(&table, &turn->wrong, 1, second);
    return TITLE_ROWS + (int)table.rows;
}

// "[0,0,1,:]" where heads are cut, "[0,0,2:4]" where they are joined.
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
