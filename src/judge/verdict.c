// Tests and points of a record, and where a tensor differs; see verdict.h.
#include "verdict.h"

#include <string.h>
#include "tensor.h"

// --- tests and points

VerdictTest *verdict_add(Verdict *verdict)
{
    if (verdict->count == VERDICT_TESTS_MAX)
        return NULL;
    VerdictTest *test = &verdict->tests[verdict->count++];
    *test = (VerdictTest){.end = VERDICT_NOT_RUN};
    return test;
}

void verdict_sum(Verdict *verdict)
{
    verdict->points = verdict->max = 0;
    for (int i = 0; i < verdict->count; i++) {
        verdict->points += verdict->tests[i].points;
        verdict->max += verdict->tests[i].max;
    }
}

bool verdict_passed(const Verdict *verdict)
{
    return verdict->count > 0 && !verdict_first_failure(verdict);
}

const VerdictTest *verdict_first_not_run(const Verdict *verdict)
{
    for (int i = 0; i < verdict->count; i++)
        if (verdict->tests[i].end == VERDICT_NOT_RUN)
            return &verdict->tests[i];
    return NULL;
}

bool verdict_judged(const Verdict *verdict)
{
    return verdict->count > 0 && !verdict_first_not_run(verdict);
}

const VerdictTest *verdict_first_failure(const Verdict *verdict)
{
    for (int hidden = 0; hidden < 2; hidden++)
        for (int i = 0; i < verdict->count; i++)
            if (verdict->tests[i].hidden == (hidden == 1) &&
                verdict->tests[i].end != VERDICT_PASSED)
                return &verdict->tests[i];
    return NULL;
}

void verdict_finish(Verdict *verdict)
{
    Arena arena = verdict->arena;
    *verdict = (Verdict){.exercise = NULL};
    arena_finish(&arena);
}

// --- where a tensor differs, as characters

enum { MAP_WIDTH = 68, MAP_ROWS = 8, MAP_COLUMNS = 16, MAP_GAP = 3, MAP_LABEL = 32 };

// The map of a tensor that is seen as [block, row, column].
typedef struct Map {
    const Tensor *given, *known;
    ptrdiff_t blocks, rows, columns; // of the tensor
    ptrdiff_t high, wide;            // of a block on the screen
    ptrdiff_t first, shown;          // the blocks that are shown
} Map;

static bool differs(const Map *map, ptrdiff_t block, ptrdiff_t row, ptrdiff_t column)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    tensor_unravel(map->known, (block * map->rows + row) * map->columns + column, at);
    return !tensor_difference_agrees(map->given, map->known, at);
}

// The cell stands for all elements that fall into it.
static char cell(const Map *map, ptrdiff_t block, ptrdiff_t y, ptrdiff_t x)
{
    ptrdiff_t wrong = 0, all = 0;
    for (ptrdiff_t row = y * map->rows / map->high; row < (y + 1) * map->rows / map->high; row++)
        for (ptrdiff_t column = x * map->columns / map->wide;
             column < (x + 1) * map->columns / map->wide; column++, all++)
            wrong += differs(map, block, row, column);
    return wrong == 0 ? '.' : wrong == all ? '#' : '+';
}

// "[1, 0]": the indices before row and column; the result is its length.
static int label(const Map *map, ptrdiff_t block, char text[MAP_LABEL])
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    tensor_unravel(map->known, block * map->rows * map->columns, at);
    int used = 0;
    text[0] = '\0';
    for (int axis = 0; axis < map->known->rank - 2 && used < MAP_LABEL - 8; axis++)
        used +=
            snprintf(text + used, (size_t)(MAP_LABEL - used), axis ? ", %td" : "[%td", at[axis]);
    if (used > 0)
        used += snprintf(text + used, (size_t)(MAP_LABEL - used), "]");
    return used;
}

static ptrdiff_t block_width(const Map *map)
{
    char text[MAP_LABEL];
    ptrdiff_t wide = label(map, map->blocks - 1, text);
    return wide > map->wide ? wide : map->wide;
}

static Map plan(const Tensor *given, const Tensor *known)
{
    Map map = {.given = given, .known = known, .blocks = 1, .rows = 1, .columns = 1};
    for (int axis = 0; axis < known->rank; axis++) {
        ptrdiff_t length = known->shape[axis];
        if (axis == known->rank - 1)
            map.columns = length;
        else if (axis == known->rank - 2)
            map.rows = length;
        else
            map.blocks *= length;
    }
    map.high = map.rows < MAP_ROWS ? map.rows : MAP_ROWS;
    map.wide = map.columns < MAP_COLUMNS ? map.columns : MAP_COLUMNS;
    TensorDifference difference = tensor_difference(given, known);
    ptrdiff_t fit = (MAP_WIDTH + MAP_GAP) / (block_width(&map) + MAP_GAP);
    map.shown = map.blocks < fit ? map.blocks : fit;
    map.first = tensor_ravel(known, difference.first_at) / (map.rows * map.columns);
    if (map.first + map.shown > map.blocks)
        map.first = map.blocks - map.shown;
    return map;
}

// Line -1 has the labels. Ends at the last thing that is written.
static char *write_line(const Map *map, ptrdiff_t line, char *end)
{
    ptrdiff_t width = block_width(map);
    for (ptrdiff_t block = 0; block < map->shown; block++) {
        char text[MAP_LABEL] = "";
        if (line < 0)
            label(map, map->first + block, text);
        for (ptrdiff_t x = 0; line >= 0 && x < map->wide; x++) {
            text[x] = cell(map, map->first + block, line, x);
            text[x + 1] = '\0';
        }
        bool last = block + 1 == map->shown;
        end += sprintf(end, "%-*s", last ? 0 : (int)(width + MAP_GAP), text);
    }
    *end++ = '\n';
    *end = '\0';
    return end;
}

const char *verdict_map(const Tensor *given, const Tensor *known, Arena *arena, Error *err)
{
    TensorDifference difference = tensor_difference(given, known);
    if (difference.kind == DIFFERENCE_SHAPE || difference.all == 0)
        return arena_text(arena, "", err);
    Map map = plan(given, known);
    char *text = arena_take(arena, (size_t)(MAP_ROWS + 1), MAP_WIDTH + 2 * MAP_LABEL, err);
    if (!text)
        return NULL;
    char *end = text;
    for (ptrdiff_t line = known->rank > 2 ? -1 : 0; line < map.high; line++)
        end = write_line(&map, line, end);
    return text;
}
