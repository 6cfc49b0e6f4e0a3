// The title bar: which scenario this is, from which document, and what it is about; of a lecture, how
// far it has come.
#include "panel.h"

#include <stdio.h>
#include "open_lecture.h"
#include "session.h"
#include "utf8.h"
#include "tui_words.h"

// "L returns  4/12  ✓ 3 ◐ 1 of 8"; the columns it takes.
static int draw_progress(const OpenLecture *open, Area area)
{
    char text[128], later[32] = "", answers[64] = "";
    if (open->presents) {
        snprintf(text, sizeof text, "%d/%d ", open->page + 1, open->lecture->page_count);
        cells_text_right(area, 0, area.columns, ROLE_TITLE, text);
        return utf8_width(text) + 1;
    }
    OpenLectureScore score = open_lecture_score(open);
    if (score.later > 0)
        snprintf(later, sizeof later, " \u25d0 %d", score.later);
    if (score.questions > 0)
        snprintf(answers, sizeof answers, "  \u2713 %d%s%s%d", score.right, later,
                 open_lecture_word(open->lecture->language, WORD_OF), score.questions);
    snprintf(text, sizeof text, "%s%d/%d%s ", open->strayed ? TELL(TITLE_RETURNS) : "",
             open->page + 1, open->lecture->page_count, answers);
    cells_text_right(area, 0, area.columns, ROLE_TITLE, text);
    return utf8_width(text) + 1;
}

static Area take(const Session *session, Area *left)
{
    (void)session;
    return area_cut_top(left, 1);
}

static void draw(const Session *session, Area area)
{
    const Scenario *scenario = session->run.trace.scenario;
    cells_fill(area, 0, 0, area.columns, ROLE_TITLE, " ");
    if (session->lecture && !session->lecture->text_elsewhere)
        area.columns -= draw_progress(session->lecture, area);
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

const Panel panel_title = {.take = take, .draw = draw};
