// The pages of the lecture: seen, answered, where we are. Up, Down and Enter choose one.
//
//   ✓ answered rightly   ✗ not rightly yet   · seen
#include "panel.h"

#include "guide.h"

static const char *const marks[PAGE_MARKS] = {
    [PAGE_UNSEEN] = " ", [PAGE_SEEN] = "\u00b7", [PAGE_WRONG] = "\u2717", [PAGE_RIGHT] = "\u2713"};

void panel_contents(const Session *session, Area area, Cells *cells)
{
    const Guide *guide = session->guide;
    if (!guide)
        return;
    int rows = area.rows - 2, first = guide->chosen - rows + 1;
    first = first < 0 ? 0 : first;
    cells_text(cells, area, 0, 1, ROLE_HEADING, guide->lecture->title);
    for (int row = 0; row < rows && first + row < guide->lecture->page_count; row++) {
        int page = first + row;
        Role role = page == guide->chosen ? ROLE_CURRENT : ROLE_TEXT;
        cells_format(cells, area, row + 2, 1, role, "%s %s %2d  %s",
                     page == guide->chosen ? "\u25b8" : " ", marks[guide->marks[page]], page + 1,
                     guide->lecture->pages[page].title);
    }
}
