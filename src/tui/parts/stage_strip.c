// stage_strip: see stage_strip.h.
#include "stage_strip.h"

#include <stdio.h>
#include <string.h>
#include "utf8.h"

enum { SHORT = 3, SHORTEST = 2, SHORT_HERE = 10, NAME_MAX = 64, MARK_COLUMNS = 1, GAP = 2 };

static const char loose[] = " \u203a ", tight[] = "\u203a", left_out[] = "\u2026";

// Steps of one stage that follow each other are one name: three projections are "project", or "project
// q" while we are there.
typedef struct Strip {
    char names[TRACE_STEPS_MAX][NAME_MAX];
    int count, here;
    int begin, end;            // of the layer where we are; of all, where there is one layer
    int first, last;           // of those that are written
    int longest, longest_here; // letters of a name, and of the one where we are
    const char *between;
} Strip;

static void collect(const Session *session, Strip *strip)
{
    const Trace *trace = &session->run.trace;
    int layers, own = trace_step_layer(trace, session->cursor.step, &layers);
    strip->count = strip->begin = 0;
    strip->end = -1;
    for (int step = 0; step < trace->step_count; step++) {
        bool here = step == session->cursor.step;
        bool same = step > 0 && trace->steps[step].stage == trace->steps[step - 1].stage;
        if (!same)
            snprintf(strip->names[strip->count++], NAME_MAX, "%s", trace->steps[step].stage->name);
        if (here) {
            strip->here = strip->count - 1;
            trace_step_name(trace, step, strip->names[strip->here]);
        }
        if (trace_step_layer(trace, step, &layers) != own)
            continue;
        strip->begin = strip->end < 0 ? strip->count - 1 : strip->begin;
        strip->end = strip->count - 1;
    }
}

static int name_columns(const Strip *strip, int number)
{
    bool here = number == strip->here;
    int length = (int)strlen(strip->names[number]);
    int most = here ? strip->longest_here : strip->longest;
    return (length < most ? length : most) + (here ? MARK_COLUMNS : 0);
}

static int strip_columns(const Strip *strip)
{
    int columns = (strip->first > 0) + (strip->last < strip->count - 1);
    for (int i = strip->first; i <= strip->last; i++)
        columns += name_columns(strip, i) + (i > strip->first ? utf8_width(strip->between) : 0);
    return columns;
}

// As long names as fit, then fewer of them: those that are farthest from where we are go first. Even
// there a name is long enough to be known.
static void fit(Strip *strip, int columns)
{
    strip->first = strip->begin;
    strip->last = strip->end;
    strip->longest = strip->longest_here = NAME_MAX;
    strip->between = loose;
    if (strip_columns(strip) <= columns)
        return;
    strip->between = tight;
    while (strip->longest > SHORT && strip_columns(strip) > columns)
        strip->longest--;
    while (strip->longest_here > SHORT_HERE && strip_columns(strip) > columns)
        strip->longest_here--;
    while (strip->longest > SHORTEST && strip_columns(strip) > columns)
        strip->longest--;
    while (strip->first < strip->last && strip_columns(strip) > columns)
        if (strip->here - strip->first > strip->last - strip->here)
            strip->first++;
        else
            strip->last--;
}

void stage_strip(const Session *session, Area area)
{
    Strip strip;
    char where[32];
    snprintf(where, sizeof where, "%d/%d", session->cursor.step + 1, session->run.trace.step_count);
    int end = area.columns - utf8_width(where), column = 0;
    collect(session, &strip);
    fit(&strip, end - GAP);
    cells_text(area, 0, end, ROLE_QUIET, where);
    Area names = area_part(area, 0, 0, area.rows, end > GAP ? end - GAP : 0);
    if (strip.first > 0)
        column += cells_text(names, 0, column, ROLE_QUIET, left_out);
    for (int i = strip.first; i <= strip.last; i++) {
        bool here = i == strip.here;
        if (i > strip.first)
            column += cells_text(names, 0, column, ROLE_QUIET, strip.between);
        column +=
            cells_format(names, 0, column, here ? ROLE_HEADING : ROLE_QUIET, "%s%.*s",
                         here ? "\u25b8" : "", name_columns(&strip, i) - here, strip.names[i]);
    }
    if (strip.last < strip.count - 1)
        cells_text(names, 0, column, ROLE_QUIET, left_out);
}
