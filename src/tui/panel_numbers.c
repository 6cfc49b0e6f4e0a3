// What numbers are like: statistics, errors beside float64, and what the last edit moved.
#include <math.h>
#include <stdio.h>
#include "number_text.h"
#include "panel.h"
#include "scenario_file.h"
#include "tui_words.def"
#include "utf8.h"

// --- statistics
//
// What the numbers of the visible slice and of the whole tensor are like.

enum { SLICE_END = 30, WHOLE_END = 46, CELL_TEXT = 40 };

typedef struct StatisticsTable {
    Lines *lines;
    bool is_float; // smallest and largest are float32 and can be told exactly
} StatisticsTable;

static void statistics_write_line(StatisticsTable *table, Role role, const char *name,
                                  const char *slice, const char *whole)
{
    lines_text(table->lines, 0, role == ROLE_TEXT ? ROLE_HEADING : role, "%s", name);
    lines_text_right(table->lines, SLICE_END, role, slice);
    lines_text_right(table->lines, WHOLE_END, role, whole);
    lines_next(table->lines);
}

static void write_count(StatisticsTable *table, const char *name, ptrdiff_t slice, ptrdiff_t whole)
{
    char slice_text[CELL_TEXT], whole_text[CELL_TEXT];
    snprintf(slice_text, sizeof slice_text, "%td", slice);
    snprintf(whole_text, sizeof whole_text, "%td", whole);
    statistics_write_line(table, ROLE_TEXT, name, slice_text, whole_text);
}

// A number of the tensor, exactly.
static const char *number_in_words(const StatisticsTable *table, double number, bool is_there,
                                   char text[CELL_TEXT])
{
    if (!is_there)
        snprintf(text, CELL_TEXT, TELL(STATISTICS_NONE));
    else if (table->is_float)
        number_full_text((float)number, text);
    else
        snprintf(text, CELL_TEXT, "%.0f", number);
    return text;
}

// A result in double precision, rounded for the screen.
static const char *result_in_words(double number, bool is_there, char text[CELL_TEXT])
{
    snprintf(text, CELL_TEXT, is_there && !isnan(number) ? "%.7g" : TELL(STATISTICS_NONE), number);
    return text;
}

static void write_summaries(StatisticsTable *table, const Summary *slice, const Summary *whole)
{
    char one[CELL_TEXT], all[CELL_TEXT];
    bool in_slice = slice->finite > 0, in_whole = whole->finite > 0;
    statistics_write_line(table, ROLE_QUIET, "", TELL(STATISTICS_SLICE), TELL(STATISTICS_WHOLE));
    write_count(table, TELL(STATISTICS_NUMBERS), slice->count, whole->count);
    write_count(table, "NaN", slice->nan, whole->nan);
    write_count(table, TELL(STATISTICS_INFINITE), slice->infinite, whole->infinite);
    write_count(table, TELL(STATISTICS_MASKED), slice->masked, whole->masked);
    statistics_write_line(table, ROLE_QUIET, TELL(STATISTICS_FINITE), "", "");
    statistics_write_line(table, ROLE_TEXT, TELL(STATISTICS_SMALLEST),
                          number_in_words(table, slice->smallest, in_slice, one),
                          number_in_words(table, whole->smallest, in_whole, all));
    statistics_write_line(table, ROLE_TEXT, TELL(STATISTICS_LARGEST),
                          number_in_words(table, slice->largest, in_slice, one),
                          number_in_words(table, whole->largest, in_whole, all));
    statistics_write_line(table, ROLE_TEXT, TELL(STATISTICS_MEAN),
                          result_in_words(slice->mean, in_slice, one),
                          result_in_words(whole->mean, in_whole, all));
    statistics_write_line(table, ROLE_TEXT, TELL(STATISTICS_DEVIATION),
                          result_in_words(slice->deviation, in_slice, one),
                          result_in_words(whole->deviation, in_whole, all));
}

static void write_row_sums(StatisticsTable *table, const SessionStatistics *all)
{
    const RowSums *rows = &all->rows;
    char smallest[CELL_TEXT], largest[CELL_TEXT], own[CELL_TEXT];
    bool any = rows->rows > rows->nan;
    snprintf(own, sizeof own, "%.9g", all->row);
    lines_text(table->lines, 0, ROLE_QUIET, TELL(STATISTICS_SUMS));
    lines_next(table->lines);
    statistics_write_line(table, ROLE_TEXT, TELL(STATISTICS_THIS_ROW),
                          isnan(all->row) ? "nan" : own, "");
    snprintf(smallest, sizeof smallest, "%.9g", rows->smallest);
    snprintf(largest, sizeof largest, "%.9g", rows->largest);
    statistics_write_line(table, ROLE_TEXT, TELL(STATISTICS_SMALLEST_ROW), "",
                          any ? smallest : TELL(STATISTICS_NONE));
    statistics_write_line(table, ROLE_TEXT, TELL(STATISTICS_LARGEST_ROW), "",
                          any ? largest : TELL(STATISTICS_NONE));
    snprintf(own, sizeof own, "%td", rows->nan);
    if (rows->nan > 0)
        statistics_write_line(table, ROLE_TEXT, TELL(STATISTICS_NAN_ROWS), "", own);
}

static bool statistics_page(const Session *session, Lines *lines)
{
    const SessionStatistics *all = &session->statistics;
    StatisticsTable table = {lines, session_tensor(session)->tensor.dtype == DTYPE_F32};
    lines_fill(lines, ROLE_RULE, "\u2500");
    lines_text(lines, 1, ROLE_HEADING, TELL(STATISTICS_TITLE), session_tensor(session)->name);
    lines_next(lines);
    if (!all->measured) {
        lines_text(lines, 0, ROLE_QUIET, TELL(STATISTICS_NO_VALUES));
        lines_next(lines);
        return true;
    }
    write_summaries(&table, &all->slice, &all->whole);
    if (all->is_weights)
        write_row_sums(&table, all);
    return true;
}

const Panel panel_statistics = {.page = statistics_page, .hints = panel_hints_of_page};

// --- errors
//
// The chosen number and its tensor beside what float64 gives, for the step alone and from the
// inputs on, in units of float32's last place.

enum {
    ALONE_END = 31,
    SINCE_END = 50,
};

static void exact_write_line(Lines *lines, Role role, const char *name, const char *alone,
                             const char *since)
{
    lines_text(lines, 0, role == ROLE_TEXT ? ROLE_HEADING : role, "%s", name);
    lines_text_right(lines, ALONE_END, role, alone);
    lines_text_right(lines, SINCE_END, role, since);
    lines_next(lines);
}

static const char *units(double number, char text[CELL_TEXT])
{
    snprintf(text, CELL_TEXT, isnan(number) ? TELL(STATISTICS_NONE) : "%.3g", number);
    return text;
}

static void write_number(Lines *lines, const Session *session)
{
    const SessionExact *exact = &session->exact;
    TraceCell cell = session_cell(session);
    const Tensor *tensor = &session_tensor(session)->tensor;
    float number = tensor->storage.f32[tensor_place(tensor, cell.at)];
    double one = trace_exact_number(&exact->alone, cell),
           all = trace_exact_number(&exact->since, cell);
    char left[CELL_TEXT], right[CELL_TEXT];
    number_full_text(number, left);
    exact_write_line(lines, ROLE_TEXT, "float32", left, "");
    snprintf(left, sizeof left, "%.12g", number_unsigned_nan(one));
    snprintf(right, sizeof right, "%.12g", number_unsigned_nan(all));
    exact_write_line(lines, ROLE_TEXT, "float64", left, right);
    exact_write_line(lines, ROLE_TEXT, TELL(EXACT_ULP), units(trace_exact_units(number, one), left),
                     units(trace_exact_units(number, all), right));
}

static void exact_write_tensor(Lines *lines, const ExactError *alone, const ExactError *since)
{
    char left[CELL_TEXT], right[CELL_TEXT];
    exact_write_line(lines, ROLE_QUIET, TELL(EXACT_WHOLE), "", "");
    exact_write_line(lines, ROLE_TEXT, TELL(STATISTICS_LARGEST), units(alone->largest, left),
                     units(since->largest, right));
    exact_write_line(lines, ROLE_TEXT, TELL(STATISTICS_MEAN), units(alone->mean, left),
                     units(since->mean, right));
    snprintf(left, sizeof left, "%td / %td", alone->nearest, alone->count);
    snprintf(right, sizeof right, "%td / %td", since->nearest, since->count);
    exact_write_line(lines, ROLE_TEXT, TELL(EXACT_NEAREST), left, right);
    snprintf(left, sizeof left, "%td", alone->overflow);
    snprintf(right, sizeof right, "%td", since->overflow);
    if (alone->overflow > 0 || since->overflow > 0)
        exact_write_line(lines, ROLE_TEXT, TELL(EXACT_OVERFLOWS), left, right);
}

static void say_why(Lines *lines, const Session *session)
{
    const char *why = session->exact.why.text;
    lines_paragraph(lines, 3, ROLE_QUIET,
                    !session_has_values(session) ? TELL(EXACT_NO_VALUES)
                    : *why                       ? why
                                                 : TELL(EXACT_NOT_COMPUTED));
}

static bool exact_page(const Session *session, Lines *lines)
{
    const SessionExact *exact = &session->exact;
    const TraceTensor *tensor = session_tensor(session);
    lines_fill(lines, ROLE_RULE, "\u2500");
    lines_text(lines, 1, ROLE_HEADING, TELL(EXACT_TITLE), tensor->name);
    lines_next(lines);
    if (!exact->known) {
        say_why(lines, session);
        return true;
    }
    exact_write_line(lines, ROLE_QUIET, TELL(EXACT_NUMBER), TELL(EXACT_ALONE), TELL(EXACT_SINCE));
    write_number(lines, session);
    exact_write_tensor(lines, &exact->error_alone, &exact->error_since);
    lines_paragraph(lines, 3, ROLE_QUIET,
                    trace_rounds_once(&session->run.trace, tensor->step)
                        ? TELL(EXACT_TORCH_SAME)
                        : TELL(EXACT_TORCH_UNKNOWN));
    return true;
}

const Panel panel_exact = {.page = exact_page, .hints = panel_hints_of_page};

// --- changes
//
// The edits done, and what the last one moved: for each tensor how many elements were
// computed again, how many of them have other bits, and the largest difference.

enum {
    AGAIN_END = 34,
    CHANGED_END = 46,
    LARGEST_END = 60,
    CLOSER_MOST = 14,
    EDITS_SHOWN = 6,
    PARAGRAPH_ROWS_MAX = 40
};

typedef struct ChangesTable {
    Lines *lines;
    int closer; // columns that names give up where the table is wider than its place
} ChangesTable;

static void write_edits(const WhatIf *what_if, ChangesTable *table)
{
    char shown[SCENARIO_FORMULA_SET_MAX];
    size_t first = what_if->done > EDITS_SHOWN ? what_if->done - EDITS_SHOWN : 0;
    if (first > 0) {
        lines_text(table->lines, 0, ROLE_QUIET, TELL(CHANGES_BEFORE), first);
        lines_next(table->lines);
    }
    for (size_t i = first; i < what_if->done; i++) {
        lines_text(table->lines, 0, ROLE_TEXT, "%2zu  %s", i + 1,
                   scenario_set_shown(what_if->edits[i].text, shown));
        lines_next(table->lines);
    }
    if (what_if->count > what_if->done) {
        lines_text(table->lines, 0, ROLE_QUIET, TELL(CHANGES_UNDONE),
                   what_if->count - what_if->done);
        lines_next(table->lines);
    }
}

static void write_row(ChangesTable *table, Role role, const char *again, const char *changed,
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

static void changes_write_tensor(const TraceTensor *tensor, const TraceChanged *changed,
                                 ChangesTable *table)
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

static void write_table(const Session *session, ChangesTable *table)
{
    int shown = 0, same = 0;
    int over = LARGEST_END - table->lines->columns;
    table->closer = over < 0 ? 0 : over < CLOSER_MOST ? over : CLOSER_MOST;
    write_row(table, ROLE_QUIET, TELL(CHANGES_AGAIN), TELL(CHANGES_CHANGED), TELL(CHANGES_LARGEST));
    for (int number = 0; number < session->run.trace.tensor_count; number++) {
        const TraceTensor *tensor = &session->run.trace.tensors[number];
        const TraceChanged *changed = trace_changed(&session->what_if.change, number);
        if (is_shown(session, number))
            changes_write_tensor(tensor, changed, table);
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

static bool changes_page(const Session *session, Lines *lines)
{
    const WhatIf *what_if = &session->what_if;
    ChangesTable table = {.lines = lines};
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

const Panel panel_changes = {.page = changes_page, .hints = panel_hints_of_page};
