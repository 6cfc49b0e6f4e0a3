// Statistics: what the numbers of the visible slice and of the whole tensor are like.
#include "panel.h"

#include <math.h>
#include <stdio.h>
#include "number_text.h"
#include "utf8.h"
#include "tui_words.h"

enum { SLICE_END = 30, WHOLE_END = 46, CELL_TEXT = 40 };

typedef struct Table {
    Lines *lines;
    bool is_float; // smallest and largest are float32 and can be told exactly
} Table;

static void write_line(Table *table, Role role, const char *name, const char *slice,
                       const char *whole)
{
    lines_text(table->lines, 0, role == ROLE_TEXT ? ROLE_HEADING : role, "%s", name);
    lines_text_right(table->lines, SLICE_END, role, slice);
    lines_text_right(table->lines, WHOLE_END, role, whole);
    lines_next(table->lines);
}

static void write_count(Table *table, const char *name, ptrdiff_t slice, ptrdiff_t whole)
{
    char slice_text[CELL_TEXT], whole_text[CELL_TEXT];
    snprintf(slice_text, sizeof slice_text, "%td", slice);
    snprintf(whole_text, sizeof whole_text, "%td", whole);
    write_line(table, ROLE_TEXT, name, slice_text, whole_text);
}

// A number of the tensor, exactly.
static const char *number_in_words(const Table *table, double number, bool is_there,
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

static void write_summaries(Table *table, const Summary *slice, const Summary *whole)
{
    char one[CELL_TEXT], all[CELL_TEXT];
    bool in_slice = slice->finite > 0, in_whole = whole->finite > 0;
    write_line(table, ROLE_QUIET, "", TELL(STATISTICS_SLICE), TELL(STATISTICS_WHOLE));
    write_count(table, TELL(STATISTICS_NUMBERS), slice->count, whole->count);
    write_count(table, "NaN", slice->nan, whole->nan);
    write_count(table, TELL(STATISTICS_INFINITE), slice->infinite, whole->infinite);
    write_count(table, TELL(STATISTICS_MASKED), slice->masked, whole->masked);
    write_line(table, ROLE_QUIET, TELL(STATISTICS_FINITE), "", "");
    write_line(table, ROLE_TEXT, TELL(STATISTICS_SMALLEST),
               number_in_words(table, slice->smallest, in_slice, one),
               number_in_words(table, whole->smallest, in_whole, all));
    write_line(table, ROLE_TEXT, TELL(STATISTICS_LARGEST),
               number_in_words(table, slice->largest, in_slice, one),
               number_in_words(table, whole->largest, in_whole, all));
    write_line(table, ROLE_TEXT, TELL(STATISTICS_MEAN), result_in_words(slice->mean, in_slice, one),
               result_in_words(whole->mean, in_whole, all));
    write_line(table, ROLE_TEXT, TELL(STATISTICS_DEVIATION),
               result_in_words(slice->deviation, in_slice, one),
               result_in_words(whole->deviation, in_whole, all));
}

static void write_row_sums(Table *table, const SessionStatistics *all)
{
    const RowSums *rows = &all->rows;
    char smallest[CELL_TEXT], largest[CELL_TEXT], own[CELL_TEXT];
    bool any = rows->rows > rows->nan;
    snprintf(own, sizeof own, "%.9g", all->row);
    lines_text(table->lines, 0, ROLE_QUIET, TELL(STATISTICS_SUMS));
    lines_next(table->lines);
    write_line(table, ROLE_TEXT, TELL(STATISTICS_THIS_ROW), isnan(all->row) ? "nan" : own, "");
    snprintf(smallest, sizeof smallest, "%.9g", rows->smallest);
    snprintf(largest, sizeof largest, "%.9g", rows->largest);
    write_line(table, ROLE_TEXT, TELL(STATISTICS_SMALLEST_ROW), "",
               any ? smallest : TELL(STATISTICS_NONE));
    write_line(table, ROLE_TEXT, TELL(STATISTICS_LARGEST_ROW), "",
               any ? largest : TELL(STATISTICS_NONE));
    snprintf(own, sizeof own, "%td", rows->nan);
    if (rows->nan > 0)
        write_line(table, ROLE_TEXT, TELL(STATISTICS_NAN_ROWS), "", own);
}

static bool page(const Session *session, Lines *lines)
{
    const SessionStatistics *all = &session->statistics;
    Table table = {lines, session_tensor(session)->tensor.dtype == DTYPE_F32};
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

const Panel panel_statistics = {.page = page, .hints = panel_hints_of_page};
