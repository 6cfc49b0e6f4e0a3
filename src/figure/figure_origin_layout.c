// figure_origin_layout: see figure_origin_layout.h.
#include "figure_origin_layout.h"

#include "figure_words.h"

static const Around around[] = {
    {ABOVE_POINTS, BELOW_POINTS, 36, true, true, true, true, true, true},
    {98, 78, 36, true, false, true, true, true, false},
    {64, 78, 24, false, false, true, true, true, false},
    {64, 52, 24, false, false, true, false, true, false},
    {40, 26, 20, false, false, false, false, false, false},
};

static int points(const Origin *origin, double count)
{
    return figure_points(&origin->pen, count);
}

bool origin_has_gone(const Origin *origin, ptrdiff_t terms)
{
    ptrdiff_t gone = origin->pen.request->origin_gone;
    return gone == 0 || gone >= terms;
}

bool origin_has_come(const Origin *origin, FigureBand band, ptrdiff_t term)
{
    return band < FIGURE_BAND_VALUE ||
           origin_has_gone(origin,
                           band == FIGURE_BAND_SHARE ? origin->explanation->listed : term + 1);
}

unsigned origin_marks(const Origin *origin)
{
    unsigned marks = 0;
    float number;
    for (int i = 0; i < FIGURE_BAND_COUNT; i++) {
        FigureBand band = (FigureBand)i;
        if (!figure_band_occurs(origin->explanation, band))
            continue;
        for (ptrdiff_t term = origin->first; term < origin->first + origin->shown; term++)
            if (origin_has_come(origin, band, term) &&
                figure_band_number(origin->trace, origin->explanation, band, term, &number))
                marks |= 1U << matrix_mark_drawn(matrix_mark(MATRIX_PLAIN, number));
    }
    return marks & ~(1U << DISPLAY_PLAIN);
}

const char *origin_row_name(const Origin *origin, FigureBand band, char text[TRACE_CELL_MAX])
{
    TermKind kind = explanation_term(origin->explanation, 0)->kind;
    switch (band) {
    case FIGURE_BAND_VALUE:
        return kind == TERM_MULTIPLY_ADD ? TELL(ORIGIN_PRODUCT)
               : kind == TERM_EXP        ? "exp"
                                         : TELL(READ_VALUE);
    case FIGURE_BAND_RUNNING:
        return kind == TERM_MULTIPLY_ADD ? TELL(ORIGIN_SUM) : TELL(ORIGIN_RUNNING);
    case FIGURE_BAND_SHARE:
        return TELL(ORIGIN_SHARE);
    default:
        figure_band_name(origin->trace, origin->explanation, band == FIGURE_BAND_RIGHT, text);
        return text;
    }
}

// All words that leave each row a height at which it is seen.
static Around choose_around(const Origin *origin)
{
    enum { LEAST_BAND = 22, CHOICES = sizeof around / sizeof around[0] };
    int rows = origin->bands > 0 ? origin->bands : 1, at = 0;
    while (at < CHOICES - 1 &&
           origin->pen.list->height <
               points(origin, around[at].above + around[at].below + rows * LEAST_BAND))
        at++;
    return around[at];
}

// Pixels for the names of the rows, at most a third of a narrow picture.
static int names_width(const Origin *origin)
{
    int third = origin->pen.list->width / 3, most = points(origin, 190), widest = 0;
    char name[TRACE_CELL_MAX];
    for (int band = 0; band < FIGURE_BAND_COUNT; band++) {
        if (!figure_band_occurs(origin->explanation, (FigureBand)band))
            continue;
        const char *text = origin_row_name(origin, (FigureBand)band, name);
        int width = font_width(origin->pen.metrics, text, origin->pen.small) + points(origin, 10);
        widest = width > widest ? width : widest;
    }
    most = most < third ? most : third;
    return widest < most ? widest : most;
}

// As many terms as have a pixel each; of more, those around the marked one. Few terms have wide cells.
void origin_lay_out(Origin *origin)
{
    const DisplayList *list = origin->pen.list;
    ptrdiff_t count = origin->explanation->listed, marked = origin->pen.request->origin_marked;
    for (int band = 0; band < FIGURE_BAND_COUNT; band++)
        origin->bands += figure_band_occurs(origin->explanation, (FigureBand)band);
    origin->around = choose_around(origin);
    int margin = points(origin, 24), names = names_width(origin);
    int above = points(origin, origin->around.above);
    origin->box = (FigureBox){margin + names, above, list->width - 2 * margin - names,
                              list->height - above - points(origin, origin->around.below)};
    int wide = origin->box.width > 1 ? origin->box.width : 1;
    origin->shown = count < wide ? count : wide;
    origin->first = marked - origin->shown / 2;
    if (origin->first > count - origin->shown)
        origin->first = count - origin->shown;
    if (origin->first < 0)
        origin->first = 0;
    int across = count > 0 ? wide / (int)origin->shown : wide;
    int most = points(origin, 280), highest = points(origin, 150);
    int high = origin->bands > 0 ? origin->box.height / origin->bands : 0;
    origin->cell = across < most ? across : most;
    origin->band = high < highest ? high : highest;
}
