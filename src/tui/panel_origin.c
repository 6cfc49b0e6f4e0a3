// The origin of the chosen element: its terms in the order they were computed, with the running
// value, which ends in the stored one.
#include "panel.h"

#include <stdio.h>

// Where the terms are drawn.
typedef struct Listing {
    const Session *session;
    Area area;
    Cells *cells;
    int row;
} Listing;

static void draw_term(void *context, const TraceTerm *term)
{
    Listing *listing = context;
    char text[256];
    snprintf(text, sizeof text, "%-24s %+.9g  %.9g", term->what, (double)term->value,
             (double)term->running);
    cells_text(listing->cells, listing->area, listing->row++, 0, ROLE_TEXT, text);
}

void panel_origin(const Session *session, Area area, Cells *cells)
{
    if (!session_has_values(session))
        return;
    Listing listing = {session, area, cells, 1};
    TraceCell cell = {.tensor = session->tensor};
    for (int axis = 0; axis < session_tensor(session)->tensor.rank; axis++)
        cell.at[axis] = session_view(session)->at[axis];
    cells_text(cells, area, 0, 0, ROLE_HEADING, "origin");
    trace_origin(&session->trace, cell, draw_term, &listing);
}
