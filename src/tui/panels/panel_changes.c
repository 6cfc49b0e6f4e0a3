// Changes: the edits done, and what the last one moved: for each tensor how many elements were
// computed again, how many of them have other bits, and the largest difference.
#include "panel.h"

#include <stdio.h>
#include "number_text.h"
#include "utf8.h"
#include "tui_words.h"

enum {
    AGAIN_END = 34,
    CHANGED_END = 46,
    LARGEST_END = 60,
    CLOSER_MOST = 14,
    EDITS_SHOWN = 6,
    PARAGRAPH_ROWS_MAX = 40
};

typedef struct Table {
    Lines *lines;
    int closer; // columns that names give up where the table is wider than its place
} Table;

static void write_edits(const WhatIf *what_if, Table *table)
{
    size_t first = what_if->done > EDITS_SHOWN ? what_if->done - EDITS_SHOWN : 0;
    if (first > 0) {
        lines_text(table->lines, 0, ROLE_QUIET, TELL(CHANGES_BEFORE), first);
        lines_next(table->lines);
    }
    for (size_t i = first; i < what_if->done; i++) {
        lines_text(table->lines, 0, ROLE_TEXT, "%2zu  %s", i + 1, what_if->edits[i].text);
        lines_next(table->lines);
    }
    if (what_if->count > what_if->done) {
        lines_text(table->lines, 0, ROLE_QUIET, TELL(CHANGES_UNDONE),
                   what_if->count - what_if->done);
        lines_next(table->lines);
    }
}

static void write_row(Table *table, Role role, const char *again, const char *changed,
                      const char *largest)
{
    static const int ends[] = {AGAIN_END, CHANGED_END, LARGEST_END};
    const char *const texts[] = {again, changed, largest};
    for (int i = 0; i < 3; i++)
        lines_text_right(table->lines, ends[i] - table->closer,
                         i == 1                 ? role
                         : role == ROLE_CHANGED ? ROLE_TEXT
                                                : role,
                         texts[i]);
    lines_next(table->lines);
}

static void write_tensor(const TraceTensor *tensor, const TraceChanged *changed, Table *table)
{
    char again[32], moved[32], largest[32], name[128];
    int room = AGAIN_END - 8 - table->closer, columns = table->lines->columns;
    utf8_cut(tensor->name, columns < room ? columns : room, name, sizeof name);
    lines_text(table->lines, 0, ROLE_HEADING, "%s", name);
    snprintf(again, sizeof again, "%td", changed->reached_count);
    snprintf(moved, sizeof moved, "%td", changed->changed_count);
    snprintf(largest, sizeof largest, "%.4g", number_unsigned_nan(changed->largest));
    write_row(table, changed->changed_count ? ROLE_CHANGED : ROLE_TEXT, again, moved, largest);
}

// Inputs and weights are not computed: they are of interest where a person changed them. Where a new
// pipeline computed everything, so is only what came out otherwise.
static bool is_shown(const Session *session, int number)
{
    const TraceChanged *changed = trace_changed(&session->what_if.change, number);
    bool computed = session->run.trace.tensors[number].step >= 0 && !session->what_if.replanned;
    return changed->reached_count > 0 && (computed || changed->changed_count > 0);
}

static void write_table(const Session *session, Table *table)
{
    int shown = 0, same = 0;
    int over = LARGEST_END - table->lines->columns;
    table->closer = over < 0 ? 0 : over < CLOSER_MOST ? over : CLOSER_MOST;
    write_row(table, ROLE_QUIET, TELL(CHANGES_AGAIN), TELL(CHANGES_CHANGED), TELL(CHANGES_LARGEST));
    for (int number = 0; number < session->run.trace.tensor_count; number++) {
        const TraceTensor *tensor = &session->run.trace.tensors[number];
        const TraceChanged *changed = trace_changed(&session->what_if.change, number);
        if (is_shown(session, number))
            write_tensor(tensor, changed, table);
        shown += is_shown(session, number);
        same += tensor->step >= 0 && changed->reached_count > 0 && changed->changed_count == 0;
    }
    if (session->what_if.replanned && same > 0) {
        lines_text(table->lines, 0, ROLE_QUIET, TELL(CHANGES_SAME), same);
        lines_next(table->lines);
    } else if (shown == 0) {
        lines_text(table->lines, 0, ROLE_QUIET, TELL(CHANGES_NO_NUMBER));
        lines_next(table->lines);
    }
}

static bool page(const Session *session, Lines *lines)
{
    const WhatIf *what_if = &session->what_if;
    Table table = {.lines = lines};
    lines_text(lines, 0, ROLE_TITLE, TELL(CHANGES_TITLE));
    lines_next(lines);
    if (what_if->count == 0) {
        lines_paragraph(lines, PARAGRAPH_ROWS_MAX, ROLE_TEXT, TELL(CHANGES_NONE));
        return true;
    }
    write_edits(what_if, &table);
    lines_next(lines);
    if (what_if->replanned)
        lines_paragraph(lines, 2, ROLE_TEXT, TELL(CHANGES_REPLANNED));
    if (what_if_change(session)) {
        write_table(session, &table);
        return true;
    }
    lines_text(lines, 0, ROLE_QUIET, TELL(CHANGES_OTHER_COMPARISON));
    lines_next(lines);
    return true;
}

const Panel panel_changes = {.page = page, .hints = panel_hints_of_page};
