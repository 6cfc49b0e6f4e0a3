// The title bar: which scenario this is, from which document, and what it is about; of a lecture, how
// far it has come.
#include "panel.h"

#include <stdio.h>
#include "guide.h"
#include "guide_words.h"
#include "session_source.h"
#include "utf8.h"
#include "tui_words.h"

// "L returns  4/12  ✓ 3 ◐ 1 of 8"; the columns it takes.
static int draw_progress(const Guide *guide, Area area)
{
    char text[128], later[32] = "", answers[64] = "";
    if (guide->presents) {
        snprintf(text, sizeof text, "%d/%d ", guide->page + 1, guide->lecture->page_count);
        cells_text_right(area, 0, area.columns, ROLE_TITLE, text);
        return utf8_width(text) + 1;
    }
    GuideScore score = guide_score(guide);
    if (score.later > 0)
        snprintf(later, sizeof later, " \u25d0 %d", score.later);
    if (score.questions > 0)
        snprintf(answers, sizeof answers, "  \u2713 %d%s%s%d", score.right, later,
                 guide_word(guide->lecture->language, WORD_OF), score.questions);
    snprintf(text, sizeof text, "%s%d/%d%s ", guide->strayed ? TELL(TITLE_RETURNS) : "",
             guide->page + 1, guide->lecture->page_count, answers);
    cells_text_right(area, 0, area.columns, ROLE_TITLE, text);
    return utf8_width(text) + 1;
}

static void draw(const Session *session, Area area)
{
    const Scenario *scenario = session->run.trace.scenario;
    cells_fill(area, 0, 0, area.columns, ROLE_TITLE, " ");
    if (session->guide && !session->guide->text_elsewhere)
        area.columns -= draw_progress(session->guide, area);
    int column = 1;
    column += cells_text(area, 0, column, ROLE_TITLE, "attnscope  ");
    column += cells_text(area, 0, column, ROLE_TITLE, scenario->name);
    const char *document = session_document(session);
    char changed[SESSION_SOURCE_MAX];
    if (document)
        column += cells_format(area, 0, column, ROLE_TITLE, TELL(TITLE_DOCUMENT), document);
    if (session_changed_by(session, changed)[0])
        column += cells_format(area, 0, column, ROLE_TITLE, TELL(TITLE_CHANGED), changed);
    if (scenario_is_untrained(scenario))
        column += cells_text(area, 0, column, ROLE_TITLE, TELL(TITLE_UNTRAINED));
    if (scenario->about)
        cells_format(area, 0, column, ROLE_TITLE, "  %s", scenario->about);
}

const Panel panel_title = {.draw = draw};
