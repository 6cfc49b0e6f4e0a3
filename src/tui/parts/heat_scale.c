// heat_scale: see heat_scale.h.
#include "heat_scale.h"

#include <math.h>
#include <string.h>
#include "words.h"

enum { NUMBERS_MAX = 1 << 20, SIDE_MAX = 1024, SIDE_MIN = 64 };

const char *const heat_shades[HEAT_SHADES] = {"\u00b7", "\u2591", "\u2592", "\u2593", "\u2588"};

// --- what is shown

// The part of an axis in steps of `side` that holds `at`.
static void choose_part(ptrdiff_t at, ptrdiff_t side, ptrdiff_t length, ptrdiff_t *first,
                        ptrdiff_t *count)
{
    *first = at / side * side;
    *count = length - *first < side ? length - *first : side;
}

void heat_part(HeatSource *source, FigureCell chosen, bool all_heads)
{
    const ptrdiff_t *shape = source->data.values.shape;
    ptrdiff_t heads = all_heads ? shape[1] : 1, side = SIDE_MAX;
    ptrdiff_t heads_max = NUMBERS_MAX / (SIDE_MIN * SIDE_MIN);
    heads = heads < heads_max ? heads : heads_max;
    while (side > SIDE_MIN && side * side * heads > NUMBERS_MAX)
        side /= 2;
    choose_part(chosen.head, heads, shape[1], &source->first_head, &source->heads);
    choose_part(chosen.row, side, shape[2], &source->first_row, &source->rows);
    choose_part(chosen.column, side, shape[3], &source->first_column, &source->columns);
}

// --- marks

// The index that the tensor itself has for a cell.
static void index_of(const HeatSource *source, FigureCell cell, ptrdiff_t at[])
{
    ptrdiff_t all[] = {source->sequence, cell.head, cell.row, cell.column};
    int hidden = source->data.hidden_axes;
    memset(at, 0, TENSOR_RANK_MAX * sizeof *at);
    for (int axis = hidden < 0 ? 0 : hidden; axis < 4; axis++)
        at[axis - hidden] = all[axis];
    if (hidden == 1 && source->data.has_batch)
        at[0] = source->sequence;
}

HeatMark heat_mark(const HeatSource *source, FigureCell cell, float number)
{
    static const HeatMark marks[TRACE_MARKS] = {[TRACE_PLAIN] = HEAT_PLAIN,
                                                [TRACE_MASKED] = HEAT_MASKED,
                                                [TRACE_DROPPED] = HEAT_DROPPED,
                                                [TRACE_PADDED] = HEAT_PADDED};
    ptrdiff_t at[TENSOR_RANK_MAX];
    index_of(source, cell, at);
    if (source->session && !session_has_reached(source->session, at))
        return HEAT_NOT_YET;
    if (isnan(number))
        return HEAT_NAN;
    HeatMark mark = marks[trace_mark_at(&source->marks, at)];
    if (isinf(number) && mark != HEAT_MASKED)
        return number > 0.0f ? HEAT_INFINITY : HEAT_MINUS_INFINITY;
    return mark;
}

const char *heat_mark_character(HeatMark mark)
{
    static const char *const characters[HEAT_MARKS] = {[HEAT_PLAIN] = "",
                                                       [HEAT_PADDED] = "\u2572",
                                                       [HEAT_DROPPED] = "\u25cb",
                                                       [HEAT_MASKED] = "\u2573",
                                                       [HEAT_MINUS_INFINITY] = "\u25bc",
                                                       [HEAT_INFINITY] = "\u25b2",
                                                       [HEAT_NOT_YET] = "_",
                                                       [HEAT_NAN] = "?"};
    return characters[mark];
}

const char *heat_mark_word(HeatMark mark)
{
    static const Words words[HEAT_MARKS] = {
        [HEAT_PLAIN] = {{"", "", ""}},
        [HEAT_PADDED] = WORDS("padding", "패딩"),
        [HEAT_DROPPED] = WORDS("dropped", "드롭아웃됨"),
        [HEAT_MASKED] = WORDS("masked", "마스킹됨"),
        [HEAT_MINUS_INFINITY] = WORDS("-inf", "-inf"),
        [HEAT_INFINITY] = WORDS("inf", "inf"),
        [HEAT_NOT_YET] = WORDS("not yet", "아직"),
        [HEAT_NAN] = WORDS("nan", "nan"),
    };
    return words_tell(words[mark]);
}

// --- scale

static void widen(HeatScale *scale, const HeatSource *source, FigureCell cell)
{
    float number = figure_number(&source->data, source->sequence, cell);
    if (!isfinite(number) || heat_mark(source, cell, number) == HEAT_MASKED)
        return;
    scale->low = number < scale->low ? number : scale->low;
    scale->high = number > scale->high ? number : scale->high;
}

// A number inside the scale does not widen it, whatever its mark is.
static void widen_by_row(HeatScale *scale, const HeatSource *source, FigureCell first)
{
    ptrdiff_t step;
    const float *numbers = figure_numbers_from(&source->data, source->sequence, first, &step);
    FigureCell cell = first;
    for (; cell.column < first.column + source->columns; cell.column++) {
        float number = numbers ? numbers[(cell.column - first.column) * step] : NAN;
        if (!(number >= scale->low && number <= scale->high))
            widen(scale, source, cell);
    }
}

HeatScale heat_scale(const HeatSource *source, float least)
{
    HeatScale scale = {.low = 0.0f, .high = least};
    for (ptrdiff_t head = 0; head < source->heads; head++)
        for (ptrdiff_t row = 0; row < source->rows; row++)
            widen_by_row(&scale, source,
                         (FigureCell){source->first_head + head, source->first_row + row,
                                      source->first_column});
    scale.both_signs = scale.low < 0.0f;
    if (scale.both_signs) {
        scale.high = -scale.low > scale.high ? -scale.low : scale.high;
        scale.low = -scale.high;
    }
    if (scale.high == 0.0f)
        scale.high = 1.0f;
    colour_table(scale.both_signs ? COLOUR_DIVERGING : COLOUR_VIRIDIS, scale.table);
    return scale;
}

Colour heat_colour(const HeatScale *scale, float number)
{
    return scale->table[colour_level(number, scale->low, scale->high)];
}

const char *heat_shade(const HeatScale *scale, float number)
{
    float share = fabsf(number) / scale->high;
    int shade = share < 1.0f ? (int)(share * HEAT_SHADES) : HEAT_SHADES - 1;
    return heat_shades[shade];
}
