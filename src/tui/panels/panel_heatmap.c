// The last two axes of the tensor looked at as a map of shades or colours: one head with its words, or
// all heads; the scale and the marks, and the chosen number in words.
#include "panel.h"

#include <stdio.h>
#include <string.h>
#include "heat_view.h"
#include "number_text.h"
#include "utf8.h"
#include "tui_words.h"

enum { TITLE_ROWS = 1, LEGEND_ROWS = 1, CHOSEN_ROWS = 2, SAMPLES = 10 };

// Index `at` of the tensor as [sequence, head, row, column].
static void spread(const FigureData *data, const ptrdiff_t at[], ptrdiff_t spread_at[4])
{
    int rank = data->trace->tensors[data->tensor].tensor.rank;
    memset(spread_at, 0, 4 * sizeof *spread_at);
    for (int axis = 0; axis < rank; axis++)
        spread_at[axis + 4 - rank] = at[axis];
    if (rank == 3 && data->has_batch) {
        spread_at[0] = at[0];
        spread_at[1] = 0;
    }
}

static bool open_view(const Session *session, HeatView *view, Error *err)
{
    FigureRequest request = {.tensor = session->cursor.tensor};
    ptrdiff_t at[4];
    if (!figure_data(&session->run.trace, &request, &view->source.data, err))
        return false;
    spread(&view->source.data, session_view(session)->at, at);
    view->source.sequence = at[0];
    view->chosen = (FigureCell){at[1], at[2], at[3]};
    view->source.session = session;
    view->source.marks = trace_marks(&session->run.trace, session->cursor.tensor);
    bool given = view->source.data.is_weights && !session->look.scale_to_largest;
    view->source.even = given && figure_shares_differ(&view->source.data, at[0]);
    HeatSource all = view->source;
    heat_part(&all, view->chosen, true);
    heat_part(&view->source, view->chosen, session->look.all_heads);
    view->scale = heat_scale(&view->source, &all, given && !view->source.even ? 1.0f : 0.0f);
    return true;
}

static void draw_title(const Session *session, const HeatView *view, Area area)
{
    char name[HEAT_NAME_MAX], hint[32] = "";
    ptrdiff_t heads = view->source.data.values.shape[1];
    if (session->look.all_heads)
        snprintf(name, sizeof name, TELL(HEATMAP_ALL), heads);
    else
        heat_head_name(view, view->chosen.head, name);
    if (heads > 1)
        snprintf(hint, sizeof hint,
                 session->look.all_heads ? TELL(HEATMAP_ONE_KEY) : TELL(HEATMAP_ALL_KEY),
                 view->source.data.maps);
    cells_fill(area, 0, 0, area.columns, ROLE_RULE, "\u2500");
    int used = 1 + cells_format(area, 0, 1, ROLE_HEADING, " %s%s%s ", session_tensor(session)->name,
                                name[0] ? ", " : "", name);
    if (used + utf8_width(hint) + 1 < area.columns)
        cells_text_right(area, 0, area.columns - 1, ROLE_KEY, hint);
}

// The scale from its lowest to its highest number, as it is drawn.
static int draw_samples(const HeatView *view, Area area, int row, int column)
{
    bool coloured = area.cells->colours >= CELLS_SHADES_FROM;
    const HeatScale *scale = &view->scale;
    int start = column;
    column += cells_format(area, row, column, ROLE_QUIET, "%.4g ",
                           (double)(coloured ? scale->low : 0.0f));
    for (int i = 0; coloured && i < SAMPLES; i++, column++) {
        float share = (float)i / (SAMPLES - 1);
        Colour colour = heat_colour(scale, scale->low + share * (scale->high - scale->low));
        cells_text(area, row, column, ROLE_TEXT, " ");
        cells_shade(area, row, column, 1, (Shade){0, SHADE_SET | colour});
    }
    for (int i = 0; !coloured && i < HEAT_SHADES; i++)
        column += cells_text(area, row, column, ROLE_TEXT, heat_shades[i]);
    column += cells_format(area, row, column, ROLE_QUIET, " %s%.4g",
                           coloured || !scale->both_signs ? "" : "\u00b1", (double)scale->high);
    return column - start;
}

// Of the chosen head, or of one of them all.
static bool has_pale_rows(const Session *session, const HeatView *view)
{
    const FigureData *data = &view->source.data;
    bool pale = figure_has_pale_rows(data, view->source.sequence, view->chosen.head);
    for (ptrdiff_t head = 0; session->look.all_heads && head < data->values.shape[1]; head++)
        pale = pale || figure_has_pale_rows(data, view->source.sequence, head);
    return pale;
}

// Returns the column behind it.
static int draw_legend(const HeatView *view, const HeatFit *fit, const bool marks[MATRIX_MARKS],
                       Area area, int row)
{
    int column = draw_samples(view, area, row, 0);
    if (view->source.even)
        column += cells_text(area, row, column, ROLE_QUIET, TELL(HEATMAP_EVEN));
    if (view->source.data.is_weights)
        column += cells_text(area, row, column, ROLE_KEY, TELL(HEATMAP_SCALE_KEY));
    if (fit->block_rows > 1 || fit->block_columns > 1)
        column += cells_format(area, row, column, ROLE_ALARM, TELL(HEATMAP_LARGEST_OF),
                               fit->block_rows, fit->block_columns);
    const HeatSource *source = &view->source;
    if (source->rows < source->data.values.shape[2])
        column += cells_format(area, row, column, ROLE_ALARM, TELL(HEATMAP_ROWS), source->first_row,
                               source->first_row + source->rows - 1, source->data.values.shape[2]);
    if (source->columns < source->data.values.shape[3])
        column +=
            cells_format(area, row, column, ROLE_ALARM, TELL(HEATMAP_COLUMNS), source->first_column,
                         source->first_column + source->columns - 1, source->data.values.shape[3]);
    for (int mark = MATRIX_PLAIN + 1; mark < MATRIX_MARKS; mark++)
        if (marks[mark])
            column += cells_format(area, row, column, ROLE_TEXT, "  %s %s",
                                   matrix_mark_character((MatrixMark)mark),
                                   matrix_mark_word((MatrixMark)mark));
    return column;
}

// "attn_weights = 0.401: query 3 (very), key 2 (is)"
static void draw_chosen(const Session *session, const HeatView *view, Area area, int row)
{
    const FigureData *data = &view->source.data;
    const FigureCell *chosen = &view->chosen;
    ptrdiff_t sequence = view->source.sequence;
    char place[FIGURE_CELL_NAME_MAX], number[64], text[500];
    MatrixMark mark = heat_mark(&view->source, *chosen, figure_number(data, sequence, *chosen));
    size_t used = (size_t)snprintf(text, sizeof text, "%s = %s: %s", session_tensor(session)->name,
                                   figure_number_in_full(data, sequence, *chosen, number),
                                   figure_cell_name(data, sequence, *chosen, place));
    if (mark == MATRIX_MASKED || mark == MATRIX_DROPPED || mark == MATRIX_PADDED)
        used += (size_t)snprintf(text + used, sizeof text - used, ", %s", matrix_mark_word(mark));
    else if (view->source.even)
        used += (size_t)snprintf(
            text + used, sizeof text - used, TELL(HEATMAP_SHARE),
            number_unsigned_nan((double)(heat_times(&view->source, chosen->head, chosen->row) *
                                         figure_number(data, sequence, *chosen))));
    if (!figure_row_is_asked(data, sequence, chosen->head, chosen->row))
        snprintf(text + used, sizeof text - used, ", %s", TELL(HEATMAP_NOT_ASKED));
    cells_paragraph(area, row, area.rows - row, 2, ROLE_CURRENT, text);
}

static void draw(const Session *session, Area area)
{
    HeatView view;
    Error err;
    bool marks[MATRIX_MARKS] = {false};
    int rest = area.rows - TITLE_ROWS - LEGEND_ROWS - CHOSEN_ROWS;
    if (!session_has_values(session) || !open_view(session, &view, &err)) {
        cells_paragraph(area, 0, area.rows, 0, ROLE_QUIET,
                        session_has_values(session) ? err.text : TELL(HEATMAP_NONE));
        return;
    }
    draw_title(session, &view, area);
    Area maps = area_part(area, TITLE_ROWS, 0, rest, area.columns);
    HeatFit fit = {.block_rows = 1, .block_columns = 1};
    if (rest > 0)
        fit = session->look.all_heads ? heat_grid_draw(&view, maps, marks)
                                      : heat_head_draw(&view, maps, marks);
    int row = area.rows - LEGEND_ROWS - CHOSEN_ROWS;
    int column = draw_legend(&view, &fit, marks, area, row);
    if (has_pale_rows(session, &view))
        cells_text(area, row, column, ROLE_QUIET, TELL(HEATMAP_PALE));
    draw_chosen(session, &view, area, row + LEGEND_ROWS);
}

const Panel panel_heatmap = {.draw = draw, .hints = panel_hints_of_page};
