// The stage: what it is called, its formula, the PyTorch line that does the same, the paper; then its
// inputs and outputs with named axes, shape and memory. On narrow screens only the tensor that is
// looked at (▸) tells where it lies in memory and where it comes from.
#include "panel.h"

#include <stdio.h>
#include <string.h>
#include "utf8.h"

enum {
    TABLE_FROM_COLUMNS = 116,
    SPACES_FROM_COLUMNS = 60,
    MARK_COLUMNS = 6,
    GAP = 2,
    PARAGRAPH_ROWS = 3
};

typedef enum Column { NAME, AXES, SHAPE, STRIDE, OFFSET, MEMORY, DTYPE, FROM, COLUMN_COUNT } Column;

static const char *const headings[COLUMN_COUNT] = {"",       "axes",   "shape", "stride",
                                                   "offset", "memory", "dtype", "where from"};

typedef struct Fact {
    char text[COLUMN_COUNT][TENSOR_TEXT_MAX];
    bool is_output, is_looked_at;
} Fact;

// A step with its tensors in words.
typedef struct Facts {
    Fact facts[SESSION_TENSORS_MAX];
    int count, looked_at;
    int widths[COLUMN_COUNT];
    int first, shown, row; // of those that there is room for: the first, how many, where it stands
} Facts;

static void tell_origin(const Session *session, int step, int number, char text[TENSOR_TEXT_MAX])
{
    const Trace *trace = &session->run.trace;
    const TraceTensor *tensor = &trace->tensors[number];
    const int *reads = trace->steps[step].reads;
    char name[64];
    if (tensor->step < 0)
        snprintf(text, TENSOR_TEXT_MAX, "%s", tensor->from ? tensor->from : "given");
    else if (tensor->step != step)
        snprintf(text, TENSOR_TEXT_MAX, "from step %d, %s", tensor->step + 1,
                 trace_step_name(trace, tensor->step, name));
    else if (step >= trace->steps_done)
        snprintf(text, TENSOR_TEXT_MAX, "not computed yet");
    else
        snprintf(text, TENSOR_TEXT_MAX, "%s",
                 session_step_is_mine(session, step) ? "computed by your function"
                                                     : "computed by this step");
    for (int slot = 0; tensor->step == step && slot < STAGE_READS_MAX; slot++)
        if (reads[slot] >= 0 && tensor->tensor.storage.bytes &&
            tensor->tensor.storage.bytes == trace->tensors[reads[slot]].tensor.storage.bytes)
            snprintf(text, TENSOR_TEXT_MAX, "a view of %s", trace->tensors[reads[slot]].name);
}

static void tell(const Session *session, int step, int number, Fact *fact)
{
    const TraceTensor *tensor = &session->run.trace.tensors[number];
    const Tensor *numbers = &tensor->tensor;
    ptrdiff_t shape[TENSOR_RANK_MAX];
    int rank = trace_shape(&session->run.trace, number, shape);
    *fact =
        (Fact){.is_output = tensor->step == step, .is_looked_at = number == session->cursor.tensor};
    snprintf(fact->text[NAME], TENSOR_TEXT_MAX, "%s", tensor->name);
    trace_axes_text(&session->run.trace, number, fact->text[AXES]);
    tensor_shape_text(rank, shape, fact->text[SHAPE]);
    tell_origin(session, step, number, fact->text[FROM]);
    if (!numbers->storage.bytes)
        return;
    tensor_shape_text(numbers->rank, numbers->stride, fact->text[STRIDE]);
    snprintf(fact->text[OFFSET], TENSOR_TEXT_MAX, "%td", numbers->offset);
    snprintf(fact->text[MEMORY], TENSOR_TEXT_MAX, "%s",
             tensor_is_contiguous(numbers) ? "contiguous" : "not contiguous");
    snprintf(fact->text[DTYPE], TENSOR_TEXT_MAX, "%s", dtype_name(numbers->dtype));
}

static bool is_narrow(Area area)
{
    return area.columns < SPACES_FROM_COLUMNS;
}

// "(10, 8, 20)" -> "(10,8,20)"
static void squeeze(char *text)
{
    char *end = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ')
            *end++ = *from;
    *end = '\0';
}

static void tell_all(const Session *session, int step, bool narrow, Facts *all)
{
    int tensors[SESSION_TENSORS_MAX];
    all->count = session_tensors(session, step, tensors);
    all->looked_at = 0;
    for (int column = 0; column < COLUMN_COUNT; column++)
        all->widths[column] = utf8_width(headings[column]);
    for (int i = 0; i < all->count; i++) {
        tell(session, step, tensors[i], &all->facts[i]);
        if (all->facts[i].is_looked_at)
            all->looked_at = i;
        for (int column = AXES; narrow && column <= STRIDE; column++)
            squeeze(all->facts[i].text[column]);
        for (int column = 0; column < COLUMN_COUNT; column++) {
            int width = utf8_width(all->facts[i].text[column]);
            all->widths[column] = width > all->widths[column] ? width : all->widths[column];
        }
    }
}

// `more` is an arrow where tensors above or below are left out.
static void draw_fact(const Facts *all, int number, int columns, const char *more, Area area,
                      int row, Cells *cells)
{
    const Fact *fact = &all->facts[number];
    Role role = fact->is_looked_at ? ROLE_CURRENT : ROLE_TEXT;
    int column = MARK_COLUMNS;
    cells_format(cells, area, row, 0, role, "%s%s%-3s ", fact->is_looked_at ? "\u25b8" : " ", more,
                 fact->is_output ? "out" : "in");
    for (int which = 0; which < columns; which++) {
        cells_text(cells, area, row, column, which == NAME ? role : ROLE_TEXT, fact->text[which]);
        column += all->widths[which] + GAP;
    }
}

static void draw_headings(const Facts *all, Area area, int row, Cells *cells)
{
    int column = MARK_COLUMNS;
    for (int which = 0; which < COLUMN_COUNT; which++) {
        cells_text(cells, area, row, column, ROLE_QUIET, headings[which]);
        column += all->widths[which] + GAP;
    }
}

// As many tensors as there are rows for, the one that is looked at among them.
static int draw_facts(Facts *all, int columns, Area area, int row, int rows, Cells *cells)
{
    int shown = all->count < rows ? all->count : rows < 1 ? 1 : rows;
    int first = all->looked_at - shown + 1;
    first = first < 0 ? 0 : first;
    all->first = first;
    all->shown = shown;
    all->row = row;
    for (int i = 0; i < shown; i++) {
        bool above = i == 0 && first > 0, below = i == shown - 1 && first + shown < all->count;
        draw_fact(all, first + i, columns,
                  above   ? "\u2191"
                  : below ? "\u2193"
                          : " ",
                  area, row + i, cells);
    }
    return shown;
}

static void draw_details(const Fact *fact, Area area, int row, Cells *cells)
{
    Area inner = {area.row, area.column + MARK_COLUMNS, area.rows, area.columns - MARK_COLUMNS};
    if (!fact->text[DTYPE][0]) { // not computed
        cells_text(cells, inner, row, 0, ROLE_QUIET, fact->text[FROM]);
        return;
    }
    cells_format(cells, inner, row, 0, ROLE_QUIET, "%s, stride %s, offset %s", fact->text[DTYPE],
                 fact->text[STRIDE], fact->text[OFFSET]);
    cells_format(cells, inner, row + 1, 0, ROLE_QUIET, "%s, %s", fact->text[MEMORY],
                 fact->text[FROM]);
}

// The name, and after it where we are; on a narrow screen the options that the step uses are worth
// more there than a number that the pipeline shows too.
static int draw_name(const Session *session, int step, const char *settings, Area area,
                     Cells *cells)
{
    const Stage *stage = session->run.trace.steps[step].stage;
    char name[64];
    int column = cells_text(cells, area, 0, 0, ROLE_HEADING,
                            trace_step_name(&session->run.trace, step, name));
    column += GAP;
    if (settings && is_narrow(area))
        column += cells_text(cells, area, 0, column, ROLE_TEXT, settings);
    else
        column += cells_format(cells, area, 0, column, ROLE_QUIET, "step %d of %d", step + 1,
                               session->run.trace.step_count);
    if (column + GAP + utf8_width(stage->source) <= area.columns)
        cells_text_right(cells, area, 0, area.columns, ROLE_QUIET, stage->source);
    return 1;
}

// In as many rows as it takes, as long as one is left for the tensor that is looked at.
static int draw_line(const char *text, Role role, Area area, int row, Cells *cells)
{
    int spare = area.rows - row - 1;
    return cells_paragraph(cells, area, row, spare < PARAGRAPH_ROWS ? spare : PARAGRAPH_ROWS, 4,
                           role, text);
}

// The tensors of a step: a table, or a list with details of the one that is looked at. Without `all`
// rows are only counted.
static int draw_tensors(const Session *session, int step, Facts *all, Area area, int row,
                        Cells *cells)
{
    bool table = area.columns >= TABLE_FROM_COLUMNS;
    int others = table ? 1 : 2; // the headings, or the details
    if (!all) {
        int tensors[SESSION_TENSORS_MAX];
        return session_tensors(session, step, tensors) + others;
    }
    tell_all(session, step, is_narrow(area), all);
    if (table)
        draw_headings(all, area, row, cells);
    int shown = draw_facts(all, table ? COLUMN_COUNT : STRIDE, area, row + table,
                           area.rows - row - others, cells);
    if (!table)
        draw_details(&all->facts[all->looked_at], area, row + shown, cells);
    return shown + others;
}

// Draws a step; the rows that it would like to have.
static int draw_step(const Session *session, int step, Area area, Cells *cells, Facts *all)
{
    const Trace *trace = &session->run.trace;
    char torch[TRACE_FORMULA_MAX], formula[TRACE_FORMULA_MAX], text[STAGE_SETTINGS_MAX];
    const char *settings = trace_settings(trace, step, text);
    int row = draw_name(session, step, settings, area, cells);

    row += draw_line(trace_formula(trace, step, formula), ROLE_TEXT, area, row, cells);
    row += draw_line(trace_torch(trace, step, torch), ROLE_QUIET, area, row, cells);
    if (settings && !is_narrow(area))
        row += draw_line(settings, ROLE_TEXT, area, row, cells);
    return row + draw_tensors(session, step, all, area, row, cells);
}

// Of the step that needs the most. Where nothing is drawn, the tensors need not be told.
int panel_stage_rows(const Session *session, int columns)
{
    Cells nowhere = {.rows = 0};
    int most = 0;
    for (int step = 0; step < session->run.trace.step_count; step++) {
        int rows = draw_step(session, step, (Area){0, 0, 100, columns}, &nowhere, NULL);
        most = rows > most ? rows : most;
    }
    return most;
}

void panel_stage(const Session *session, Area area, Cells *cells)
{
    Facts all;
    draw_step(session, session->cursor.step, area, cells, &all);
}

bool panel_stage_hit(const Session *session, Area area, int row, int column, Command *command)
{
    Cells nowhere = {.rows = 0};
    int tensors[SESSION_TENSORS_MAX];
    Facts all;
    (void)column;
    draw_step(session, session->cursor.step, area, &nowhere, &all);
    if (row < all.row || row >= all.row + all.shown)
        return false;
    session_tensors(session, session->cursor.step, tensors);
    *command = (Command){.kind = COMMAND_TENSOR};
    snprintf(command->name, sizeof command->name, "%s",
             session->run.trace.tensors[tensors[all.first + row - all.row]].name);
    return true;
}
