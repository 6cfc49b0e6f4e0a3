// Changes: the edits done, and what the last one moved: for each tensor how many elements were
// computed again, how many of them have other bits, and the largest difference.
#include "panel.h"

#include <stdio.h>

enum { AGAIN_END = 34, CHANGED_END = 46, LARGEST_END = 60, EDITS_SHOWN = 6 };

typedef struct Table {
    Area area;
    Cells *cells;
    int row;
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

static void draw_tensor(const TraceTensor *tensor, const TraceChanged *changed, Table *table)
{
    Area names = table->area;
    char text[64];
    names.columns = names.columns < AGAIN_END - 8 ? names.columns : AGAIN_END - 8;
    cells_text(table->cells, names, table->row, 0, ROLE_HEADING, tensor->name);
    snprintf(text, sizeof text, "%td", changed->reached_count);
    cells_text_right(table->cells, table->area, table->row, AGAIN_END, ROLE_TEXT, text);
    snprintf(text, sizeof text, "%td", changed->changed_count);
    cells_text_right(table->cells, table->area, table->row, CHANGED_END,
                     changed->changed_count ? ROLE_CHANGED : ROLE_TEXT, text);
    snprintf(text, sizeof text, "%.4g", changed->largest);
    cells_text_right(table->cells, table->area, table->row++, LARGEST_END, ROLE_TEXT, text);
}

static void draw_table(const Session *session, Table *table)
{
    bool any = false;
    cells_text_right(table->cells, table->area, table->row, AGAIN_END, ROLE_QUIET, "again");
    cells_text_right(table->cells, table->area, table->row, CHANGED_END, ROLE_QUIET, "changed");
    cells_text_right(table->cells, table->area, table->row++, LARGEST_END, ROLE_QUIET,
                     "largest diff");
    for (int number = 0; number < session->trace.tensor_count; number++) {
        const TraceChanged *changed = &session->what_if.change.tensors[number];
        if (changed->reached_count > 0)
            draw_tensor(&session->trace.tensors[number], changed, table);
        any = any || changed->reached_count > 0;
    }
    if (!any)
        cells_text(table->cells, table->area, table->row++, 0, ROLE_QUIET,
                   "no number that has been computed");
}

void panel_changes(const Session *session, Area area, Cells *cells)
{
    const WhatIf *what_if = &session->what_if;
    Table table = {.area = area, .cells = cells};
    cells_text(cells, area, table.row++, 0, ROLE_TITLE, "what if");
    if (what_if->count == 0) {
        cells_paragraph(cells, area, table.row, area.rows - table.row, 0, ROLE_TEXT,
                        "Nothing is changed yet. On a number of an input or weight, e and a value "
                        "change it; set attention.scale=none changes an option. Only what comes "
                        "from it is computed again.");
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
