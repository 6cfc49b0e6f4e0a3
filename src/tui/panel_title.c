// The title bar: which scenario this is, from which document, and what it is about.
#include "panel.h"

void panel_title(const Session *session, Area area, Cells *cells)
{
    const Scenario *scenario = session->trace.scenario;
    cells_fill(cells, area, 0, 0, area.columns, ROLE_TITLE, " ");
    int column = 1;
    column += cells_text(cells, area, 0, column, ROLE_TITLE, "attnscope  ");
    column += cells_text(cells, area, 0, column, ROLE_TITLE, scenario->name);
    if (scenario->document)
        column +=
            cells_format(cells, area, 0, column, ROLE_TITLE, "  document %s", scenario->document);
    if (scenario->about)
        cells_format(cells, area, 0, column, ROLE_TITLE, "  %s", scenario->about);
}
