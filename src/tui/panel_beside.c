// The run beside this one, and the list of mistakes to choose one from.
#include <stdio.h>
#include <string.h>
#include "number_text.h"
#include "open_lecture.h"
#include "panel.h"
#include "tui_words.def"
#include "utf8.h"

// --- the other run
//
// Its numbers at the places that the values panel shows, or their differences, or the distance of the runs at every
// step. A number that differs has a mark.

enum {
    NAME_COLUMNS_MAX = 20,
    NAME_COLUMNS_MIN = 16,
    TABLE_COLUMNS = 38,
    NUMBER_COLUMNS = 11,
    HEAD_COLUMNS = 12,
    MISTAKE_ROWS_MAX = 3,
    FAILURE_ROWS_MAX = 4,
    EXPLANATION_ROWS_MAX = 5,
    FOOT_ROWS = 2 // the chosen element in both runs, and the legend
};

typedef struct Page {
    Area area;
    int row;
} Page;

// The mistake of the other run, or the task to find it.
static const char *mistake_line(const Session *session)
{
    if (session->comparison.hidden)
        return open_lecture_session_word(session, WORD_COMPARISON_HIDDEN);
    return session->comparison.mistake->words[language_now()].title;
}

// Writes what explains a learner's numbers: a sentence, and for an edit, their formula above the right one.
static void write_explanation(const Comparison *comparison, Lines *lines)
{
    lines_paragraph(lines, EXPLANATION_ROWS_MAX, ROLE_TEXT, comparison->sentence);
    for (const char *line = comparison->formulas; *line;) {
        size_t length = strcspn(line, "\n");
        lines_line(lines, 1, ROLE_TEXT, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

// Writes the name of the other run and its mistake or error.
static void write_top(const Session *session, Lines *lines)
{
    static const Words shows[COMPARISON_SHOWS] = {
        WORDS("its numbers", "그 숫자"),
        WORDS("other - this", "다른 것 - 이것"),
        WORDS("all stages", "모든 단계"),
    };
    const char *show = words_tell(shows[session->comparison.show]);
    const Comparison *comparison = &session->comparison;
    char cut[SCENARIO_EDIT_MAX], words[SCENARIO_EDIT_MAX];
    const char *other = comparison_words(session, words);
    const char *name = comparison->swapped ? comparison->scenario.name : other;
    utf8_cut(name, lines->area.columns - HEAD_COLUMNS - utf8_width(show), cut, sizeof cut);
    lines_fill(lines, ROLE_TITLE, " ");
    lines_text(lines, 0, ROLE_TITLE, TELL(BESIDE_BESIDE), cut);
    lines_text_right(lines, lines->area.columns - 1, ROLE_TITLE, show);
    lines->count++;
    if (comparison->swapped)
        lines_line(lines, 0, ROLE_TEXT, TELL(BESIDE_IN_FRONT), other);
    if (comparison->mistake)
        lines_paragraph(lines, MISTAKE_ROWS_MAX, ROLE_TEXT, mistake_line(session));
    if (comparison->sentence[0])
        write_explanation(comparison, lines);
    if (comparison->failed)
        lines_paragraph(lines, FAILURE_ROWS_MAX, ROLE_ALARM, comparison->failure.text);
}

// --- all stages

// The ends of the table's columns.
typedef struct Table {
    Lines *lines;
    int name_columns, share_end, largest_end, ranks_end;
} Table;

static Table table_on(Lines *lines)
{
    int left = lines->area.columns - TABLE_COLUMNS;
    Table table = {.lines = lines};
    table.name_columns = (int)index_clamp(left, NAME_COLUMNS_MIN, NAME_COLUMNS_MAX);
    table.share_end = table.name_columns + NUMBER_COLUMNS;
    table.largest_end = table.share_end + NUMBER_COLUMNS + 1;
    table.ranks_end = table.largest_end + NUMBER_COLUMNS + 2;
    return table;
}

static bool has_ranks(const Table *table)
{
    return table->ranks_end <= table->lines->area.columns;
}

static void write_distance(const ComparisonDistance *distance, Table *table)
{
    char text[64];
    snprintf(text, sizeof text, "%.4g %%",
             100.0 * (double)distance->differing / (double)distance->count);
    lines_text_right(table->lines, table->share_end, ROLE_CHANGED, text);
    snprintf(text, sizeof text, "%.4g", number_unsigned_nan(distance->largest));
    lines_text_right(table->lines, table->largest_end, ROLE_CHANGED, text);
    snprintf(text, sizeof text, TELL(BESIDE_OF), distance->reordered, distance->rows);
    if (distance->rows > 0 && has_ranks(table))
        lines_text_right(table->lines, table->ranks_end, ROLE_CHANGED, text);
}

static void write_step(const Session *session, int step, Table *table)
{
    char name[64], cut[64];
    const ComparisonDistance *distance = &session->comparison.distances[step];
    utf8_cut(trace_step_name(&session->run.trace, step, name), table->name_columns, cut,
             sizeof cut);
    lines_text(table->lines, 0, step == session->cursor.step ? ROLE_CURRENT : ROLE_HEADING, "%s",
               cut);
    if (distance->known)
        write_distance(distance, table);
    else
        lines_text_right(table->lines, table->largest_end, ROLE_QUIET,
                         step < session->run.trace.steps_done ? TELL(BESIDE_NOT_COMPARABLE)
                                                              : "\u00b7");
    table->lines->count++;
}

static void write_headings(const Session *session, Table *table)
{
    int same = 0;
    for (int step = 0; step < session->run.trace.step_count; step++) {
        const ComparisonDistance *distance = &session->comparison.distances[step];
        same += distance->known && distance->differing == 0;
    }
    lines_line(table->lines, 0, ROLE_TEXT,
               same == 1 ? TELL(BESIDE_SAME_STEP) : TELL(BESIDE_SAME_STEPS), same);
    lines_text_right(table->lines, table->share_end, ROLE_QUIET, TELL(BESIDE_DIFFER));
    lines_text_right(table->lines, table->largest_end, ROLE_QUIET, TELL(BESIDE_AT_MOST));
    if (has_ranks(table))
        lines_text_right(table->lines, table->ranks_end, ROLE_QUIET, TELL(BESIDE_RANKS));
    table->lines->count++;
}

// Lists the steps that differ; others are counted.
static bool page(const Session *session, Lines *lines)
{
    if (!session->comparison.open || session->comparison.show != COMPARISON_STAGES)
        return false;
    Table table = table_on(lines);
    write_top(session, lines);
    write_headings(session, &table);
    for (int step = 0; step < session->run.trace.step_count; step++) {
        const ComparisonDistance *distance = &session->comparison.distances[step];
        if (!distance->known || distance->differing > 0)
            write_step(session, step, &table);
    }
    if (session->run.trace.steps_done < session->run.trace.step_count)
        lines_line(lines, 0, ROLE_QUIET, TELL(BESIDE_NOT_YET));
    return true;
}

// --- numbers

// The first row of numbers: below the head, level with the values panel.
static int first_row(const ValuesGrid *grid, const Page *page)
{
    return (int)index_max(page->row, grid->first_row - 1);
}

// The numbers below the head: their format, and how many rows and columns fit.
typedef struct Numbers {
    ValuesGrid grid;
    const Tensor *other; // the run beside

    NumberLook look;
    int pitch;
    ptrdiff_t room_rows, room_columns;
} Numbers;

// Draws a number of the other run, or its difference.
static void draw_number(const Session *session, const Numbers *numbers, const ptrdiff_t at[],
                        int end, Page *page)
{
    const Tensor *front = numbers->grid.tensor, *other = numbers->other;
    char text[NUMBER_TEXT_MAX], marked[NUMBER_TEXT_MAX + 1];
    bool differs = !tensor_same_number(front, other, at);
    if (!session_has_reached(session, at)) {
        cells_text_right(page->area, page->row, end, ROLE_QUIET, "\u00b7");
        return;
    }
    if (session->comparison.show == COMPARISON_DIFFERENCE && !differs) {
        cells_text_right(page->area, page->row, end, ROLE_QUIET, "=");
        return;
    }
    if (session->comparison.show == COMPARISON_DIFFERENCE && other->dtype == DTYPE_F32) {
        float more = other->storage.f32[tensor_place(other, at)] -
                     front->storage.f32[tensor_place(front, at)];
        Tensor alone = tensor_over(&more, DTYPE_F32, 0, NULL);
        number_cell(&alone, NULL, numbers->look, text);
    } else {
        number_cell(other, at, numbers->look, text);
    }
    snprintf(marked, sizeof marked, "%s%s", differs ? "*" : "", text + strspn(text, " "));
    cells_text_right(page->area, page->row, end, differs ? ROLE_CHANGED : ROLE_TEXT, marked);
}

// Draws an index next to its row or above its column, with a mark before or after it.
static void draw_index(ptrdiff_t index, const char *before, const char *behind, int end, Page *page)
{
    char text[32];
    bool chosen = before[0] || behind[0];
    snprintf(text, sizeof text, "%s%td%s", before, index, behind);
    cells_text_right(page->area, page->row, end, chosen ? ROLE_CURRENT : ROLE_QUIET, text);
}

static void draw_columns(const ValuesGrid *grid, int pitch, ptrdiff_t columns, Page *page)
{
    const SessionView *view = grid->view;
    for (ptrdiff_t column = 0; column < columns; column++) {
        ptrdiff_t index = view->first_column + column;
        bool chosen = view->column_axis >= 0 && view->at[view->column_axis] == index;
        draw_index(index, chosen ? "\u25be" : "", "",
                   grid->index_columns + (int)(column + 1) * pitch, page);
    }
    page->row++;
}

static Numbers numbers_below(const Session *session, const Tensor *other, const Page *page)
{
    Numbers numbers = {.grid = values_grid(session, page->area), .other = other};
    bool printed = session->look.notation == NUMBER_PRINTED;
    // print(tensor) might choose different formats for the two runs; then they cannot be compared.
    numbers.look = number_look(other, printed ? NUMBER_DECIMALS : session->look.notation);
    numbers.pitch = numbers.look.width + 1;
    int rows = page->area.rows - FOOT_ROWS - first_row(&numbers.grid, page) - 1;
    numbers.room_rows = index_max(rows, 0);
    numbers.room_columns = (page->area.columns - numbers.grid.index_columns) / numbers.pitch;
    return numbers;
}

static void draw_numbers(const Session *session, const Tensor *other, Page *page)
{
    ptrdiff_t at[TENSOR_RANK_MAX];
    Numbers numbers = numbers_below(session, other, page);
    const ValuesGrid *grid = &numbers.grid;
    const SessionView *view = grid->view;
    ptrdiff_t columns = index_min(grid->columns, numbers.room_columns);
    page->row = first_row(grid, page);
    draw_columns(grid, numbers.pitch, columns, page);
    for (ptrdiff_t row = 0; row < index_min(grid->rows, numbers.room_rows); row++) {
        ptrdiff_t index = view->first_row + row;
        bool chosen = view->row_axis >= 0 && view->at[view->row_axis] == index;
        draw_index(index, "", chosen ? "\u25b8" : "", grid->index_columns - !chosen, page);
        for (ptrdiff_t column = 0; column < columns; column++) {
            values_at(grid, row, column, at);
            draw_number(session, &numbers, at,
                        grid->index_columns + (int)(column + 1) * numbers.pitch, page);
        }
        page->row++;
    }
}

// Draws the chosen element in both runs; at term depth, both running sums.
static void draw_chosen(const Session *session, const Tensor *other, Page *page)
{
    SessionTerm here;
    TraceTerm there;
    char front[NUMBER_FULL_TEXT_MAX], beside[NUMBER_FULL_TEXT_MAX];
    const SessionView *view = session_view(session);
    page->row = page->area.rows - FOOT_ROWS;
    if (session_term(session, &here) && comparison_term(session, here.number, &there)) {
        number_full_text(here.term.running, front);
        number_full_text(there.running, beside);
        cells_format(page->area, page->row, 0, ROLE_CURRENT, TELL(BESIDE_AFTER_TERM),
                     here.number + 1, front, beside);
        return;
    }
    number_text(&session_tensor(session)->tensor, view->at, front);
    number_text(other, view->at, beside);
    cells_format(page->area, page->row, 0, ROLE_CURRENT, TELL(BESIDE_HERE_BESIDE), front, beside);
}

// The other run's tensor, if its numbers are shown.
static const Tensor *shown_tensor(const Session *session)
{
    bool numbers = session->comparison.open && session->comparison.show != COMPARISON_STAGES;
    return numbers && session_has_values(session)
               ? comparison_tensor(session, session->cursor.tensor)
               : NULL;
}

// Limits the visible part to what fits in both runs.
static void room(const Session *session, Area area, ScreenSize *room)
{
    Lines top = {.area = area_on(NULL, area)};
    Page page = {.area = area};
    const Tensor *other = shown_tensor(session);
    if (!other)
        return;
    write_top(session, &top);
    page.row = top.count;
    Numbers numbers = numbers_below(session, other, &page);
    if (numbers.room_rows == 0 || numbers.room_columns == 0)
        return;
    bool alone = room->rows == 0;
    room->rows = alone ? numbers.room_rows : index_min(room->rows, numbers.room_rows);
    room->columns = alone ? numbers.room_columns : index_min(room->columns, numbers.room_columns);
}

static void beside_draw(const Session *session, Area area)
{
    Lines top = {.area = area};
    Page page = {.area = area};
    const Tensor *other = shown_tensor(session);
    if (!session->comparison.open) {
        cells_paragraph(area, 0, area.rows, 0, ROLE_TEXT, TELL(BESIDE_NONE));
        return;
    }
    write_top(session, &top);
    page.row = top.count;
    if (!other) {
        cells_paragraph(area, page.row, 3, 0, ROLE_QUIET, TELL(BESIDE_NO_TENSOR));
        return;
    }
    draw_numbers(session, other, &page);
    draw_chosen(session, other, &page);
    cells_text(area, area.rows - 1, 0, ROLE_QUIET,
               session->comparison.show == COMPARISON_DIFFERENCE ? TELL(BESIDE_KEYS_SAME)
                                                                 : TELL(BESIDE_KEYS_DIFFER));
}

static void beside_hints(const Session *session, Hints *beside_hints)
{
    bool open = session->comparison.open;
    panel_hints_of_page(session, beside_hints);
    hints_add_as(beside_hints, open, COMMAND_COMPARE_NEXT, TELL(BESIDE_OTHER_VIEW));
    hints_add_one(beside_hints, open, COMMAND_DIFFER_FIRST);
    hints_add_one(beside_hints, open, COMMAND_COMPARE_SWAP);
}

const Panel panel_beside = {
    .draw = beside_draw,
    .page = page,
    .room = room,
    .hints = beside_hints,
};

// --- the list of mistakes
//
// Each with a sentence, and whether it can show in this scenario. The marked one says how it shows and how to correct
// it.

enum { ABOUT_ROWS_MAX = 8, NAME_COLUMN = 5, TITLE_COLUMN = 30, PLACE_COLUMNS = 8 };

static int mistake_count(void)
{
    int count = 0;
    while (mistake_get(count))
        count++;
    return count;
}

static void draw_entry(const Session *session, int number, Area area, int row)
{
    char cut[256];
    const Mistake *mistake = mistake_get(number);
    const Words *why = mistake_cannot_show(mistake, session->run.trace.scenario);
    bool marked = number == session->look.mistake;
    Role role = marked ? ROLE_CURRENT : why ? ROLE_QUIET : ROLE_HEADING;
    cells_format(area, row, 0, role, "%s%2d", marked ? "\u25b8" : " ", number + 1);
    utf8_cut(mistake->name, TITLE_COLUMN - NAME_COLUMN - 1, cut, sizeof cut);
    cells_text(area, row, NAME_COLUMN, role, cut);
    if (area.columns <= TITLE_COLUMN)
        return;
    utf8_cut(mistake->words[language_now()].title, area.columns - TITLE_COLUMN, cut, sizeof cut);
    cells_text(area, row, TITLE_COLUMN, why ? ROLE_QUIET : ROLE_TEXT, cut);
}

static void draw_about(const Session *session, Area area, int row)
{
    char text[256];
    const Mistake *mistake = mistake_get(session->look.mistake);
    const MistakeWords *words = &mistake->words[language_now()];
    const Words *why = mistake_cannot_show(mistake, session->run.trace.scenario);
    row += cells_paragraph(area, row, 2, 0, ROLE_TEXT, words->title);
    if (why) {
        snprintf(text, sizeof text, TELL(MISTAKES_CANNOT_SHOW), words_tell(*why));
        row += cells_paragraph(area, row, area.rows - row, 0, ROLE_ALARM, text);
    }
    row += cells_paragraph(area, row, area.rows - row, 0, ROLE_TEXT, words->shows);
    cells_paragraph(area, row, area.rows - row, 0, ROLE_TEXT, words->mend);
}

static void mistakes_draw(const Session *session, Area area)
{
    int count = mistake_count();
    int about = (int)index_min(area.rows / 2, ABOUT_ROWS_MAX);
    int room = area.rows - about - 1;
    int first = (int)index_clamp(session->look.mistake - room / 2, 0, count - room);
    cells_text(area, 0, 0, ROLE_TITLE, TELL(MISTAKES_TITLE));
    cells_format(area, 0, area.columns - PLACE_COLUMNS, ROLE_QUIET, TELL(MISTAKES_OF),
                 session->look.mistake + 1, count);
    for (int row = 0; row < room - 1 && first + row < count; row++)
        draw_entry(session, first + row, area, row + 1);
    draw_about(session, area, area.rows - about);
}

static void mistakes_hints(const Session *session, Hints *mistakes_hints)
{
    (void)session;
    hints_add_one(mistakes_hints, true, COMMAND_BACK);
    hints_add(mistakes_hints, true, hint_terms, TELL(HINT_CHOOSE));
    hints_add_as(mistakes_hints, true, COMMAND_ENTER, TELL(MISTAKES_RUN));
}

const Panel panel_mistakes = {.draw = mistakes_draw, .hints = mistakes_hints};
