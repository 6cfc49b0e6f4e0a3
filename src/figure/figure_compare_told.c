// figure_compare_told: what a comparison says of its numbers in words; see figure_compare_cells.h.
#include "figure_compare_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "figure_words.h"
#include "number_text.h"

void compare_tell_cell(const Compare *compare, char text[COMPARE_LINE_MAX])
{
    const FigurePen *pen = &compare->pen;
    const FigureSidePair *pair = &compare->pair;
    bool chosen = pen->request->has_cursor;
    FigureCell cell = chosen ? pen->request->cursor : compare->most;
    char name[160], place[FIGURE_CELL_NAME_MAX], numbers[FIGURE_SIDES][64],
        full[NUMBER_FULL_TEXT_MAX];
    cell.head = pen->request->mean ? -1 : cell.head;
    figure_number_in_full(pair->here, pair->batch, cell, numbers[FIGURE_SIDE_THIS]);
    figure_number_in_full(pair->there, pair->batch, cell, numbers[FIGURE_SIDE_OTHER]);
    float apart = figure_compare_number(pair, FIGURE_SIDE_DIFFERENCE, cell);
    snprintf(numbers[FIGURE_SIDE_DIFFERENCE], 64, "%s%s", apart > 0.0f ? "+" : "",
             isnan(apart) ? "NaN" : number_full_text(apart, full));
    for (int side = 0; side < FIGURE_SIDE_DIFFERENCE; side++)
        if (isnan(figure_compare_number(pair, (FigureSide)side, cell)))
            strcpy(numbers[side], "NaN");
    snprintf(text, COMPARE_LINE_MAX, TELL(COMPARE_CELL),
             chosen ? TELL(COMPARE_CHOSEN) : TELL(COMPARE_MOST_HERE),
             figure_map_name(&pen->data, pair->batch, cell.head, name),
             figure_cell_name(&pen->data, pair->batch, cell, place), numbers[FIGURE_SIDE_THIS],
             numbers[FIGURE_SIDE_OTHER], numbers[FIGURE_SIDE_DIFFERENCE]);
}

// How many numbers differ, and by how much: what is 0.11 on both sides may differ in its last place.
static int tell_count(const Compare *compare, char text[COMPARE_LINE_MAX])
{
    char most[NUMBER_FULL_TEXT_MAX];
    int used =
        snprintf(text, COMPARE_LINE_MAX, TELL(COMPARE_COUNT), compare->differing, compare->count);
    bool some =
        compare->written[1].high > 0.0f; // not where one of the two is NaN or infinite each time
    number_full_text(compare->written[1].high, most);
    if (some && compare->beyond == 0)
        used += snprintf(text + used, COMPARE_LINE_MAX - (size_t)used, TELL(COMPARE_MOST), most);
    else if (some)
        used += snprintf(text + used, COMPARE_LINE_MAX - (size_t)used, TELL(COMPARE_MOST_OF),
                         compare->differing - compare->beyond, most, compare->beyond);
    return used;
}

// --- why nothing differs

// Whether rows or columns are other words in the other run.
static bool labels_differ(const Compare *compare, int axis)
{
    const FigureSidePair *pair = &compare->pair;
    char here[64], there[64];
    bool differ = false;
    for (ptrdiff_t i = 0; !differ && i < pair->here->values.shape[axis]; i++)
        differ = axis == 2 ? strcmp(figure_row_label(pair->here, pair->batch, i, here),
                                    figure_row_label(pair->there, pair->batch, i, there)) != 0
                           : strcmp(figure_column_label(pair->here, pair->batch, i, here),
                                    figure_column_label(pair->there, pair->batch, i, there)) != 0;
    return differ;
}

static void tell_equal(const Compare *compare, char text[COMPARE_LINE_MAX])
{
    const FigureOther *other = compare->other;
    char name[TRACE_CELL_MAX];
    int used = snprintf(text, COMPARE_LINE_MAX, TELL(COMPARE_EQUAL), compare->count);
    size_t left = COMPARE_LINE_MAX - (size_t)used;
    if (other->differs)
        snprintf(text + used, left, TELL(COMPARE_NOT_REACHED),
                 trace_cell_name(compare->pair.here->trace, other->first, name));
    else if (labels_differ(compare, 2) || labels_differ(compare, 3))
        snprintf(text + used, left, "%s", TELL(COMPARE_SAME_IDS));
    else
        snprintf(text + used, left, "%s", TELL(COMPARE_NOWHERE));
}

void compare_tell_count(const Compare *compare, char text[COMPARE_LINE_MAX])
{
    char name[TRACE_CELL_MAX];
    if (compare->differing == 0) {
        tell_equal(compare, text);
        return;
    }
    int used = tell_count(compare, text);
    if (compare->other->differs)
        snprintf(text + used, COMPARE_LINE_MAX - (size_t)used, TELL(COMPARE_BEGINS),
                 trace_cell_name(compare->pair.here->trace, compare->other->first, name));
}
