// The pages of the lecture: read, answered, where we are. Up, Down and Enter choose one.
#include "panel.h"

#include "open_lecture.h"
#include "tui_words.h"

static PanelStand stands(const Session *session)
{
    return session->lecture && session->lecture->contents ? PANEL_STANDS_ALONE : PANEL_STANDS_AWAY;
}

// Turning a page does not answer its question.
static const char *mark_of(const OpenLecture *open, int page)
{
    static const char *const marks[PAGE_MARKS] = {
        [PAGE_UNSEEN] = " ",     [PAGE_SEEN] = "\u00b7",  [PAGE_WRONG] = "\u2717",
        [PAGE_LATER] = "\u25d0", [PAGE_RIGHT] = "\u2713",
    };
    bool asks = open->lecture->pages[page].question.kind != QUESTION_NONE;
    return asks && open->marks[page] == PAGE_SEEN ? "?" : marks[open->marks[page]];
}

static void draw(const Session *session, Area area)
{
    const OpenLecture *open = session->lecture;
    int rows = area.rows - 4, first = open->chosen - rows + 1;
    first = first < 0 ? 0 : first;
    cells_text(area, 0, 1, ROLE_HEADING, open->lecture->title);
    for (int row = 0; row < rows && first + row < open->lecture->page_count; row++) {
        int page = first + row;
        Role role = page == open->chosen ? ROLE_CURRENT : ROLE_TEXT;
        cells_format(area, row + 2, 1, role, "%s %s %2d  %s", page == open->chosen ? "\u25b8" : " ",
                     mark_of(open, page), page + 1, open->lecture->pages[page].title);
    }
    bool above = first > 0, below = first + rows < open->lecture->page_count;
    cells_text_right(area, 1, area.columns - 1, ROLE_KEY, above ? "\u2191" : "");
    cells_text_right(area, area.rows - 2, area.columns - 1, ROLE_KEY, below ? "\u2193" : "");
    cells_text(area, area.rows - 1, 1, ROLE_QUIET,
               open_lecture_word(open->lecture->language, WORD_MARKS));
}

static void hints(const Session *session, Hints *hints)
{
    (void)session;
    hints_add(hints, true, hint_rows, TELL(HINT_CHOOSE));
    hints_add_as(hints, true, COMMAND_ENTER, TELL(HINT_OPEN));
    hints_add_one(hints, true, COMMAND_BACK);
}

const Panel panel_contents = {.stands = stands, .draw = draw, .hints = hints};
