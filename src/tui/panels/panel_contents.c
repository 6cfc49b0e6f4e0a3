// The pages of the lecture: read, answered, where we are. Up, Down and Enter choose one.
#include "panel.h"

#include "guide.h"
#include "guide_words.h"

// Turning a page does not answer its question.
static const char *mark_of(const Guide *guide, int page)
{
    static const char *const marks[PAGE_MARKS] = {
        [PAGE_UNSEEN] = " ",     [PAGE_SEEN] = "\u00b7",  [PAGE_WRONG] = "\u2717",
        [PAGE_LATER] = "\u25d0", [PAGE_RIGHT] = "\u2713",
    };
    bool asks = guide->lecture->pages[page].question.kind != QUESTION_NONE;
    return asks && guide->marks[page] == PAGE_SEEN ? "?" : marks[guide->marks[page]];
}

static void draw(const Session *session, Area area)
{
    const Guide *guide = session->guide;
    if (!guide)
        return;
    int rows = area.rows - 4, first = guide->chosen - rows + 1;
    first = first < 0 ? 0 : first;
    cells_text(area, 0, 1, ROLE_HEADING, guide->lecture->title);
    for (int row = 0; row < rows && first + row < guide->lecture->page_count; row++) {
        int page = first + row;
        Role role = page == guide->chosen ? ROLE_CURRENT : ROLE_TEXT;
        cells_format(area, row + 2, 1, role, "%s %s %2d  %s",
                     page == guide->chosen ? "\u25b8" : " ", mark_of(guide, page), page + 1,
                     guide->lecture->pages[page].title);
    }
    bool above = first > 0, below = first + rows < guide->lecture->page_count;
    cells_text_right(area, 1, area.columns - 1, ROLE_KEY, above ? "\u2191" : "");
    cells_text_right(area, area.rows - 2, area.columns - 1, ROLE_KEY, below ? "\u2193" : "");
    cells_text(area, area.rows - 1, 1, ROLE_QUIET,
               guide_word(guide->lecture->language, WORD_MARKS));
}

const Panel panel_contents = {.draw = draw};
