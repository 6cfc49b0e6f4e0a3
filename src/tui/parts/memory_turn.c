// memory_turn: see memory_turn.h.
#include "memory_turn.h"

#include <stdio.h>
#include <string.h>
#include "utf8.h"
#include "tui_words.h"

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
