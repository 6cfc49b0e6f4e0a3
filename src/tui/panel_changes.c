// Changes: the edits done, and what the last one moved: for each tensor how many elements were
// computed again, how many of them have other bits, and the largest difference.
#include "panel.h"

#include <stdio.h>

enum { AGAIN_END = 34, CHANGED_END = 46, LARGEST_END = 60, CLOSER_MOST = 14, EDITS_SHOWN = 6 };

typedef struct Table {
    Area area;
    Cells *cells;
    int row;
    int closer; // columns that names give up where the table is wider than its place
} Table;

static void draw_edits(const WhatIf *what_if, Table *table)
{
    size_t first = what_if->done > EDITS_SHOWN ? what_if->done - EDITS_SHOWN : 0;
    if (first > 0)
        cells_format(table->cells, table->area, table->row++, 0, ROLE_QUIET,
                     "%zu before these:", first);
    for (size_t i = first; i < what_if->done; i++)
        cells_format(table->cells, table->area, table->row++, 0, ROLE_TEXT, "%2zu  %s", i + 1,
                     what_if->edits[i].text);
    if (what_if->count > what_if->done)
        cells_format(table->cells, table->area, table->row++, 0, ROLE_QUIET,
                     "%zu undone; U does the next one again", what_if->count - what_if->done);
}

static void draw_row(Table *table, Role role, const char *again, const char *changed,
                     const char *largest)
{
    static const int ends[] = {AGAIN_END, CHANGED_END, LARGEST_END};
    const char *const texts[] = {again, changed, largest};
    for (int i = 0; i < 3; i++)
        cells_text_right(table->cells, table->area, table->row, ends[i] - table->closer,
                         i == 1                 ? role
                         : role == ROLE_CHANGED ? ROLE_TEXT
                                                : role,
                         texts[i]);
    table->row++;
}

static void draw_tensor(const TraceTensor *tensor, const TraceChanged *changed, Table *table)
{
    Area names = table->area;
    char again[32], moved[32], largest[32];
    int room = AGAIN_END - 8 - table->closer;
    names.columns = names.columns < room ? names.columns : room;
    cells_text(table->cells, names, table->row, 0, ROLE_HEADING, tensor->name);
    snprintf(again, sizeof again, "%td", changed->reached_count);
    snprintf(moved, sizeof moved, "%td", changed->changed_count);
    snprintf(largest, sizeof largest, "%.4g", changed->largest);
    draw_row(table, changed->changed_count ? ROLE_CHANGED : ROLE_TEXT, again, moved, largest);
}

// Inputs and weights are not computed: they are of interest where a person changed them. Where a new
// pipeline computed everything, so is only what came out otherwise.
static bool is_shown(const Session *session, int number)
{
    const TraceChanged *changed = &session->what_if.change.tensors[number];
    bool computed = session->run.trace.tensors[number].step >= 0 && !session->what_if.replanned;
    return changed->reached_count > 0 && (computed || changed->changed_count > 0);
}

static void draw_table(const Session *session, Table *table)
{
    int shown = 0, same = 0;
    int over = LARGEST_END - table->area.columns;
    table->closer = over < 0 ? 0 : over < CLOSER_MOST ? over : CLOSER_MOST;
    draw_row(table, ROLE_QUIET, "again", "changed", "largest diff");
    for (int number = 0; number < session->run.trace.tensor_count; number++) {
        const TraceTensor *tensor = &session->run.trace.tensors[number];
        const TraceChanged *changed = &session->what_if.change.tensors[number];
        if (is_shown(session, number))
            draw_tensor(tensor, changed, table);
        shown += is_shown(session, number);
        same += tensor->step >= 0 && changed->reached_count > 0 && changed->changed_count == 0;
    }
    if (session->what_if.replanned && same > 0)
        cells_format(table->cells, table->area, table->row++, 0, ROLE_QUIET,
                     "%d more came out with the same bits", same);
    else if (shown == 0)
        cells_text(table->cells, table->area, table->row++, 0, ROLE_QUIET,
                   "no number that has been computed");
}

static void draw(const Session *session, Area area, Cells *cells)
{
    const WhatIf *what_if = &session->what_if;
    Table table = {.area = area, .cells = cells};
    cells_text(cells, area, table.row++, 0, ROLE_TITLE, "what if");
    if (what_if->count == 0) {
        cells_paragraph(
            cells, area, table.row, area.rows - table.row, 0, ROLE_TEXT,
            "Nothing is changed yet. Choose a number of an input or a weight (Tab leads "
            "to them), press e, type a value, Enter. :set attention.scale=none changes "
            "an option. Only what comes from it is computed again; u takes it back.");
        return;
    }
    draw_edits(what_if, &table);
    table.row++;
    if (what_if->replanned)
        table.row += cells_paragraph(cells, area, table.row, 2, 0, ROLE_TEXT,
                                     "The last change made another pipeline: every step was "
                                     "computed again.");
    if (what_if_change(session))
        draw_table(session, &table);
    else
        cells_text(cells, area, table.row, 0, ROLE_QUIET,
                   "the lane that was changed is not in front");
}

static bool is_page(const Session *session)
{
    (void)session;
    return true;
}

static void hints(const Session *session, Hints *hints)
{
    hints_add(hints, session->room.detail_over > 0, hint_terms, "scroll");
    hints_add_one(hints, true, COMMAND_BACK);
}

const Panel panel_changes = {
    .draw = draw,
    .hints = hints,
    .is_page = is_page,
};
