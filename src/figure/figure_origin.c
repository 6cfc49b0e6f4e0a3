// Where a number came from; see figure.h.
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "figure_internal.h"
#include "figure_words.def"
#include "number_text.h"

// --- rows of numbers, one number per listed term

// The first listed term that has input `source`; `listed` if none has.
static ptrdiff_t figure_band_term(const Explanation *explanation, int source)
{
    ptrdiff_t number = 0;
    while (number < explanation->listed &&
           explanation_term(explanation, number)->source_count <= source)
        number++;
    return number;
}

bool figure_band_occurs(const Explanation *explanation, FigureBand band)
{
    if (explanation->listed == 0)
        return false;
    switch (band) {
    case FIGURE_BAND_LEFT:
        return figure_band_term(explanation, 0) < explanation->listed;
    case FIGURE_BAND_RIGHT:
        return figure_band_term(explanation, 1) < explanation->listed;
    case FIGURE_BAND_RUNNING:
        return !explanation->is_softmax;
    case FIGURE_BAND_SHARE:
        return explanation->is_softmax;
    default:
        return true;
    }
}

bool figure_band_number(const Trace *trace, const Explanation *explanation, FigureBand band,
                        ptrdiff_t number, float *out)
{
    const TraceTerm *term = explanation_term(explanation, number);
    int source = band == FIGURE_BAND_RIGHT ? 1 : 0;
    TraceCell cell = explanation->cell;
    switch (band) {
    case FIGURE_BAND_VALUE: // the count that a mean divides by is no product
        *out = term->value;
        return term->source_count > 0 || !explanation->adds_up;
    case FIGURE_BAND_RUNNING:
        *out = term->running;
        return true;
    case FIGURE_BAND_SHARE: // the weight of the same key
        memcpy(cell.at, term->sources[0].at, sizeof cell.at);
        *out = explanation_number(trace, cell);
        return true;
    default:
        if (source >= term->source_count)
            return false;
        *out = explanation_number(trace, term->sources[source]);
        return true;
    }
}

// "q_heads[0,1,2,:]": a row of inputs; the axis that the terms run along is open.
static void figure_band_name(const Trace *trace, const Explanation *explanation, int source,
                             char text[TRACE_CELL_MAX])
{
    const TraceTerm *term = explanation_term(explanation, figure_band_term(explanation, source));
    const TraceCell *cell = &term->sources[source];
    const TraceTensor *tensor = &trace->tensors[cell->tensor];
    int open = explanation_axis(explanation, source);
    snprintf(text, TRACE_CELL_MAX, "%s[", tensor->name);
    for (int axis = 0; axis < tensor->tensor.rank; axis++)
        text_add(text, TRACE_CELL_MAX, axis == open ? "%s:" : "%s%td", axis > 0 ? "," : "",
                 cell->at[axis]);
    text_add(text, TRACE_CELL_MAX, "]");
}

// --- layout, and which texts have room

// Points of all texts above the cells, and below.
enum { ABOVE_POINTS = 118, BELOW_POINTS = 150 };

// The texts around the cells. In a small picture cells come before the least important texts, and the last
// line says that some are missing.
typedef struct Around {
    int above, below, title; // points above and below the cells; the middle of the title
    bool formula, source, columns, term, result, colours;
} Around;

typedef struct Origin {
    FigurePen pen;
    const Trace *trace;
    const Explanation *explanation;
    FigureBox box;         // of all cells
    int bands, cell, band; // number of rows; pixels of a cell across, of a row down
    Around around;
    ptrdiff_t first, shown; // of the listed terms
} Origin;

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

// True if a film has reached this many terms, or there is no film.
static bool origin_has_gone(const Origin *origin, ptrdiff_t terms)
{
    ptrdiff_t gone = origin->pen.request->origin_gone;
    return gone == 0 || gone >= terms;
}

// Inputs are there from the start, results once their term is reached, the shares of a softmax after the last
// term.
static bool origin_has_come(const Origin *origin, FigureBand band, ptrdiff_t term)
{
    return band < FIGURE_BAND_VALUE ||
           origin_has_gone(origin,
                           band == FIGURE_BAND_SHARE ? origin->explanation->listed : term + 1);
}

// Bit m: some cell has mark m.
static unsigned origin_marks(const Origin *origin)
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

// The label of a row.
static const char *origin_row_name(const Origin *origin, FigureBand band, char text[TRACE_CELL_MAX])
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

// All texts that leave each row high enough.
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

// Pixels for row labels, at most a third of a narrow picture.
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

// Shows as many terms as have a pixel each, around the marked one. Few terms get wide cells.
static void origin_lay_out(Origin *origin)
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

// --- the picture

enum { LINE_MAX_BYTES = 512 };

static bool number_of(const Origin *origin, FigureBand band, ptrdiff_t term, float *number)
{
    return figure_band_number(origin->trace, origin->explanation, band, term, number);
}

// --- rows of cells

static PoolRange band_range(const Origin *origin, FigureBand band)
{
    float number;
    PoolRange range = {0.0f, 0.0f};
    for (ptrdiff_t term = 0; term < origin->explanation->listed; term++)
        if (number_of(origin, band, term, &number))
            range = matrix_widen(range, number);
    return matrix_around_zero(range);
}

static DisplayCell cell_of(const Origin *origin, const Colour table[COLOUR_LEVELS], PoolRange range,
                           bool there, float number)
{
    const FigureTheme *theme = &origin->pen.theme;
    if (!there)
        return display_cell(theme->paper, DISPLAY_PLAIN);
    Colour colour =
        isfinite(number) ? table[colour_level(number, range.low, range.high)] : theme->empty;
    return figure_marked_cell(theme, matrix_mark(MATRIX_PLAIN, number), number, colour);
}

// Finds the largest letters and most digits with which every number fits; 0 if none do. With enlarged
// letters, numbers may keep their usual size.
static int fit(const Origin *origin, FigureBand band, int *digits)
{
    double usual = origin->pen.letters > 1.0 ? 1.0 / origin->pen.letters : 1.0;
    int least = points(origin, 9.0 * usual), margin = points(origin, 4.0 * usual);
    for (*digits = 5; *digits >= 2; --*digits)
        for (int size = points(origin, 20); size >= least; size--) {
            bool fits = size <= origin->band - points(origin, 8);
            for (ptrdiff_t term = origin->first; fits && term < origin->first + origin->shown;
                 term++) {
                char text[32];
                float number = 0.0f;
                number_of(origin, band, term, &number);
                snprintf(text, sizeof text, "%.*g", *digits, (double)number);
                fits = font_width(origin->pen.metrics, text, size) <= origin->cell - margin;
            }
            if (fits)
                return size;
        }
    return 0;
}

static void draw_numbers(const Origin *origin, FigureBand band, int y, const DisplayCell *cells)
{
    int digits, size = fit(origin, band, &digits);
    for (ptrdiff_t i = 0; size > 0 && i < origin->shown; i++) {
        char text[32];
        float number;
        if (!origin_has_come(origin, band, origin->first + i) ||
            !number_of(origin, band, origin->first + i, &number))
            continue;
        snprintf(text, sizeof text, "%.*g", digits, (double)number);
        FigureBox box = {origin->box.x + (int)i * origin->cell, y, origin->cell,
                         origin->band - points(origin, 8)};
        figure_draw_number(
            &origin->pen, box, cells[i],
            (DisplayItem){.size = size, .colour = figure_ink_on(cells[i] & 0xffffff)},
            isnan(number) ? "NaN" : text);
    }
}

static void draw_band(const Origin *origin, FigureBand band, int row)
{
    char name[TRACE_CELL_MAX];
    Colour table[COLOUR_LEVELS];
    PoolRange range = band_range(origin, band);
    int y = origin->box.y + row * origin->band, high = origin->band - points(origin, 8);
    figure_colours(&origin->pen, COLOUR_DIVERGING, false, range, table);
    figure_text(&origin->pen,
                (DisplayItem){.x = origin->box.x - points(origin, 10),
                              .y = y + high / 2,
                              .size = origin->pen.small,
                              .anchor = DISPLAY_RIGHT,
                              .colour = origin->pen.theme.ink},
                origin->box.x - points(origin, 34), origin_row_name(origin, band, name));
    DisplayCell *cells =
        display_cells(origin->pen.list, (DisplayItem){.x = origin->box.x,
                                                      .y = y,
                                                      .width = (int)origin->shown * origin->cell,
                                                      .height = high,
                                                      .rows = 1,
                                                      .columns = (int)origin->shown,
                                                      .colour = origin->pen.theme.hatch,
                                                      .size = points(origin, 5),
                                                      .gap = origin->cell > 8});
    for (ptrdiff_t i = 0; cells && i < origin->shown; i++) {
        float number = 0.0f;
        bool there = origin_has_come(origin, band, origin->first + i) &&
                     number_of(origin, band, origin->first + i, &number);
        cells[i] = cell_of(origin, table, range, there, number);
    }
    if (cells)
        draw_numbers(origin, band, y, cells);
}

// The label of a column: a word or number; the tensor, if a term adds a number of another tensor; "" if the
// row says it all.
static const char *column_name(const Origin *origin, ptrdiff_t number, int room, char text[64])
{
    const TraceTerm *term = explanation_term(origin->explanation, number);
    int axis = explanation_axis(origin->explanation, 0);
    // Terms of positions, for example, have no input.
    if (term->source_count == 0)
        return "";
    TraceCell source = term->sources[0];
    const TraceTerm *named =
        explanation_term(origin->explanation, figure_band_term(origin->explanation, 0));
    const char *name = origin->trace->tensors[source.tensor].name, *dot = strrchr(name, '.');
    bool is_wide = dot && font_width(origin->pen.metrics, name, origin->pen.small) > room;
    if (source.tensor != named->sources[0].tensor)
        return is_wide ? dot + 1 : name;
    if (axis < 0 || term->kind == TERM_ADD)
        return "";
    trace_label(origin->trace, source.tensor, axis, source.at, text);
    return text;
}

static void draw_columns(const Origin *origin)
{
    int step = (points(origin, 26) + origin->cell - 1) / origin->cell; // so that labels fit
    for (ptrdiff_t i = 0; i < origin->shown; i += step) {
        char text[64];
        bool marked = origin->first + i == origin->pen.request->origin_marked;
        figure_text(
            &origin->pen,
            (DisplayItem){.x = origin->box.x + (int)i * origin->cell + origin->cell / 2,
                          .y = origin->box.y - points(origin, 12),
                          .size = origin->pen.small,
                          .anchor = DISPLAY_CENTRE,
                          .bold = marked,
                          .colour = marked ? origin->pen.theme.accent : origin->pen.theme.quiet},
            step * origin->cell, column_name(origin, origin->first + i, step * origin->cell, text));
    }
}

static void draw_mark(const Origin *origin)
{
    ptrdiff_t at = origin->pen.request->origin_marked - origin->first;
    if (at < 0 || at >= origin->shown)
        return;
    int line = points(origin, 2) > 1 ? points(origin, 2) : 1;
    FigureBox box = {origin->box.x + (int)at * origin->cell, origin->box.y, origin->cell,
                     origin->bands * origin->band - points(origin, 8)};
    figure_frame(&origin->pen, box, line, line, origin->pen.theme.accent);
}

// --- words

static void draw_line(const Origin *origin, int y, int size, bool bold, Colour colour,
                      const char *text)
{
    figure_text(&origin->pen,
                (DisplayItem){
                    .x = points(origin, 24), .y = y, .size = size, .bold = bold, .colour = colour},
                origin->pen.list->width - points(origin, 48), text);
}

// The largest size, from `size` down to small letters, at which the line fits.
static int line_size(const Origin *origin, int size, const char *text)
{
    int wide = origin->pen.list->width - points(origin, 48);
    while (size > origin->pen.small && font_width(origin->pen.metrics, text, size) > wide)
        size--;
    return size;
}

// With as many digits as in the terminal.
static const char *full(float number, char text[NUMBER_FULL_TEXT_MAX])
{
    if (!isnan(number))
        return number_full_text(number, text);
    snprintf(text, NUMBER_FULL_TEXT_MAX, "NaN"); // callers read it there, too
    return text;
}

// The value of an element; True or False for bool.
static const char *held(const Origin *origin, TraceCell cell, char text[NUMBER_FULL_TEXT_MAX])
{
    const Tensor *tensor = &origin->trace->tensors[cell.tensor].tensor;
    return tensor->dtype == DTYPE_F32 ? full(explanation_number(origin->trace, cell), text)
                                      : number_text(tensor, cell.at, text);
}

static void draw_header(const Origin *origin)
{
    const FigurePen *pen = &origin->pen;
    TraceCell cell = origin->explanation->cell;
    const char *title = pen->request->title;
    char text[LINE_MAX_BYTES], own[TRACE_CELL_MAX + 40], formula[TRACE_FORMULA_MAX] = "";
    char name[TRACE_CELL_MAX], words[TRACE_CELL_MAX], number[NUMBER_FULL_TEXT_MAX];
    char under[sizeof own + sizeof words + sizeof formula + 16];
    int step = origin->trace->tensors[cell.tensor].step;
    trace_cell_name(origin->trace, cell, name);
    if (origin_has_gone(origin, origin->explanation->listed))
        snprintf(own, sizeof own, "%s = %s", name, held(origin, cell, number));
    else
        snprintf(own, sizeof own, "%s", name);
    snprintf(text, sizeof text, "%s", title ? title : own);
    figure_make_one_line(text);
    int size = origin->around.formula ? pen->title : line_size(origin, pen->title, text);
    draw_line(origin, points(origin, origin->around.title), size, true, pen->theme.ink, text);
    if (!origin->around.formula)
        return;
    if (step >= 0)
        trace_formula(origin->trace, step, formula);
    trace_cell_words(origin->trace, cell, words);
    snprintf(under, sizeof under, "%s%s%s%s%s", title ? own : "", title ? "    " : "", words,
             words[0] && formula[0] ? "    " : "", formula);
    draw_line(origin, points(origin, 61), pen->small, false, pen->theme.quiet, under);
    if (origin->around.source)
        figure_draw_source(pen, origin->trace, points(origin, 80));
}

// "term 3 of 64: q[0,0,2] 0.28 x k[0,1,2] 0.3 = 0.084, running sum 0.31"
static void describe_term(const Origin *origin, char text[LINE_MAX_BYTES])
{
    const TraceTerm *term =
        explanation_term(origin->explanation, origin->pen.request->origin_marked);
    static const char *const signs[TERM_KINDS] = {[TERM_MULTIPLY_ADD] = " \xc3\x97 "};
    char name[TRACE_CELL_MAX], number[32];
    snprintf(text, LINE_MAX_BYTES, TELL(ORIGIN_TERM), origin->pen.request->origin_marked + 1,
             origin->explanation->listed);
    for (int source = 0; source < term->source_count; source++)
        text_add(text, LINE_MAX_BYTES, "%s%s %s",
                 source == 0         ? ""
                 : signs[term->kind] ? signs[term->kind]
                                     : ", ",
                 trace_cell_name(origin->trace, term->sources[source], name),
                 held(origin, term->sources[source], number));
    bool is_held = term->source_count > 0;
    text_add(text, LINE_MAX_BYTES, "    %s %s",
             is_held ? origin_row_name(origin, FIGURE_BAND_VALUE, name) : term->what,
             full(term->value, number));
    if (!origin->explanation->is_softmax)
        text_add(text, LINE_MAX_BYTES, "    %s %s",
                 origin_row_name(origin, FIGURE_BAND_RUNNING, name), full(term->running, number));
    if (term->what && !origin->explanation->adds_up)
        text_add(text, LINE_MAX_BYTES, "    %s", term->what);
}

// The result: the stored number; before it, for a softmax, the maximum that every exp subtracts.
static void describe_result(const Origin *origin, char text[LINE_MAX_BYTES])
{
    const Explanation *explanation = origin->explanation;
    const TraceTerm *last = &explanation->terms[explanation->count - 1];
    char number[32], maximum[64] = "", sum[32], value[32];
    const char *stored = held(origin, explanation->cell, number);
    if (explanation->is_softmax)
        snprintf(maximum, sizeof maximum, TELL(ORIGIN_MAXIMUM),
                 full(explanation->terms[explanation->first - 1].running, value));
    if (!origin_has_gone(origin, explanation->listed))
        snprintf(text, LINE_MAX_BYTES, "%s", maximum);
    else if (explanation->is_softmax)
        snprintf(text, LINE_MAX_BYTES, TELL(ORIGIN_SOFTMAX), maximum, full(last[-1].value, sum),
                 full(last->value, value), sum, stored);
    else
        snprintf(text, LINE_MAX_BYTES,
                 explanation->exact ? TELL(ORIGIN_EXACT) : TELL(ORIGIN_STORED), stored);
}

// The texts below the cells: the marked term, the result, and what colours mean or that texts are missing.
static void draw_terms(const Origin *origin)
{
    const FigurePen *pen = &origin->pen;
    const Around *has = &origin->around;
    int y = origin->box.y + origin->bands * origin->band + points(origin, 20);
    char text[LINE_MAX_BYTES];
    if (has->term) {
        describe_term(origin, text);
        draw_line(origin, y, line_size(origin, pen->text, text), true, pen->theme.ink, text);
        y += points(origin, 26);
    }
    if (has->result) {
        describe_result(origin, text);
        draw_line(origin, y, pen->text, true, pen->theme.accent, text);
        y += points(origin, 24);
    }
    if (has->colours) {
        draw_line(origin, y, pen->small, false, pen->theme.quiet, TELL(ORIGIN_COLOURS));
        figure_draw_legend_line(pen, origin_marks(origin), points(origin, 24),
                                y + points(origin, 12));
    } else
        draw_line(origin, pen->list->height - points(origin, 12), pen->small, false,
                  pen->theme.quiet,
                  pen->request->notice ? pen->request->notice : TELL(FIGURE_SMALL));
}

static void draw_footer(const Origin *origin)
{
    const FigurePen *pen = &origin->pen;
    int bottom = pen->list->height;
    char text[LINE_MAX_BYTES];
    if (origin->explanation->listed > 0) {
        draw_terms(origin);
    } else {
        const TraceTensor *tensor = &origin->trace->tensors[origin->explanation->cell.tensor];
        snprintf(text, sizeof text, TELL(ORIGIN_GIVEN), tensor->from ? tensor->from : tensor->name);
        draw_line(origin, origin->box.y, pen->text, true, pen->theme.ink, text);
    }
    if (!origin->around.colours) // the notice was drawn, and keys have no room
        return;
    if (pen->request->notice)
        draw_line(origin, bottom - points(origin, 22), pen->small, false, pen->theme.accent,
                  pen->request->notice);
    else if (pen->request->keys)
        figure_draw_bar_of_buttons(pen, FIGURE_BAR_ORIGIN,
                                   (FigureBox){points(origin, 24), bottom - points(origin, 33),
                                               pen->list->width - points(origin, 48),
                                               points(origin, 22)});
}

bool figure_origin_draw(const Trace *trace, const FigureRequest *request,
                        const Explanation *explanation, const FigurePaper *paper, Figure *figure,
                        Error *err)
{
    Origin origin = {.trace = trace, .explanation = explanation};
    // Enlarged letters grow until texts leave half of the picture to the numbers.
    double most = paper->height / 2.0 / (ABOVE_POINTS + BELOW_POINTS);
    figure_pen_open(&origin.pen, request, paper, most, figure);
    figure_other_cells(paper->cache, paper->list);
    origin_lay_out(&origin);
    draw_header(&origin);
    for (int band = 0, row = 0; band < FIGURE_BAND_COUNT && origin.band > points(&origin, 12);
         band++)
        if (figure_band_occurs(explanation, (FigureBand)band))
            draw_band(&origin, (FigureBand)band, row++);
    if (explanation->listed > 0 && origin.around.columns)
        draw_columns(&origin);
    if (explanation->listed > 0)
        draw_mark(&origin);
    if (explanation->listed > 0)
        origin.pen.inputs = explanation_term(explanation, request->origin_marked)->source_count;
    draw_footer(&origin);
    return figure_pen_close(&origin.pen, err);
}
