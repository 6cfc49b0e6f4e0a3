// panel_pages: what panels that are pages have in common: how they scroll, and the keys that lead on; see
// panel.h.
#include "panel.h"

#include "tui_words.h"

const PanelScroll panel_scroll_rows = {COMMAND_UP, COMMAND_DOWN};
const PanelScroll panel_scroll_terms = {COMMAND_TERM_PREVIOUS, COMMAND_TERM_NEXT};

void panel_hints_presenting(const Session *session, Hints *hints)
{
    (void)session;
    hints_add_as(hints, true, COMMAND_GO_ON, TELL(HINT_GO_ON));
    hints_add_as(hints, true, COMMAND_PAGE_PREVIOUS, TELL(HINT_BACK));
    hints_add_one(hints, true, COMMAND_NOTES);
    hints_add_one(hints, true, COMMAND_CONTENTS);
    hints_add_one(hints, true, COMMAND_PROMPT);
}

void panel_hints_of_page(const Session *session, Hints *hints)
{
    hints_add(hints, session->room.detail_over > 0, hint_terms, TELL(HINT_SCROLL));
    hints_add_one(hints, true, COMMAND_BACK);
}
