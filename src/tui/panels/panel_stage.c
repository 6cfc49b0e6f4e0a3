// The stage: what it is called, its formula, the PyTorch line that does the same, the paper; then its
// inputs and outputs with named axes, shape and memory. On narrow screens only the tensor that is
// looked at (▸) tells where it lies in memory and where it comes from.
#include "panel.h"

#include <stdio.h>
#include <string.h>
#include "open_lecture.h"
#include "stage_strip.h"
#include "utf8.h"
#include "tui_words.h"

enum {
    TABLE_FROM_COLUMNS = 116,
    SPACES_FROM_COLUMNS = 60,
    MARK_COLUMNS = 6,
    GAP = 2,
    PARAGRAPH_ROWS = 3,
    LINE_INDENT = 4,
    VALUES_ROWS_MIN = 8,
    BRIEF_ROWS = 2, // while a detail needs the room
};

typedef enum Column { NAME, AXES, SHAPE, STRIDE, OFFSET, MEMORY, DTYPE, FROM, COLUMN_COUNT } Column;

static const Words headings[COLUMN_COUNT] = {
    [NAME] = {{"", "", ""}},
    [AXES] = WORDS("axes", "축"),
    [SHAPE] = WORDS("shape", "모양"),
    [STRIDE] = WORDS("stride", "스트라이드"),
    [OFFSET] = WORDS("offset", "오프셋"),
    [MEMORY] = WORDS("memory", "메모리"),
    [DTYPE] = WORDS("dtype", "dtype"),
    [FROM] = WORDS("where from", "온 곳"),
};

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
        snprintf(text, TENSOR_TEXT_MAX, "%s", tensor->from ? tensor->from : TELL(STAGE_GIVEN));
    else if (tensor->step != step)
        snprintf(text, TENSOR_TEXT_MAX, TELL(STAGE_FROM_STEP), tensor->step + 1,
                 trace_step_name(trace, tensor->step, name));
    else if (step >= trace->steps_done)
        snprintf(text, TENSOR_TEXT_MAX, TELL(STAGE_NOT_YET));
    else
        snprintf(text, TENSOR_TEXT_MAX, "%s",
                 session_step_is_mine(session, step) ? TELL(STAGE_BY_MINE) : TELL(STAGE_BY_THIS));
    for (int slot = 0; tensor->step == step && slot < STAGE_READS_MAX; slot++)
        if (reads[slot] >= 0 && tensor->tensor.storage.bytes &&
            tensor->tensor.storage.bytes == trace->tensors[reads[slot]].tensor.storage.bytes)
            snprintf(text, TENSOR_TEXT_MAX, TELL(STAGE_VIEW_OF), trace->tensors[reads[slot]].name);
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
             tensor_is_contiguous(numbers) ? TELL(CONTIGUOUS) : TELL(NOT_CONTIGUOUS));
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
        all->widths[column] = utf8_width(words_tell(headings[column]));
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

static int shown_columns(const Session *session, Area area)
{
    bool tells = open_lecture_shows(session, SHOW_MEMORY) && area.columns >= TABLE_FROM_COLUMNS;
    return tells ? COLUMN_COUNT : STRIDE;
}

static void draw_headings(const Session *session, const Facts *all, Area area, int row)
{
    int column = MARK_COLUMNS;
    for (int which = 0; which < shown_columns(session, area); which++) {
        cells_text(area, row, column, ROLE_QUIET, words_tell(headings[which]));
        column += all->widths[which] + GAP;
    }
}

// An arrow where tensors above or below are left out.
static const char *arrow_at(const Facts *all, int row)
{
    bool above = row == 0 && all->first > 0;
    bool below = row == all->shown - 1 && all->first + all->shown < all->count;
    return above ? "\u2191" : below ? "\u2193" : " ";
}

static void draw_facts(const Session *session, const Facts *all, Area area)
{
    int columns = shown_columns(session, area);
    for (int row = 0; row < all->shown; row++) {
        const Fact *fact = &all->facts[all->first + row];
        Role role = fact->is_looked_at ? ROLE_CURRENT : ROLE_TEXT;
        int column = MARK_COLUMNS;
        cells_format(area, all->row + row, 0, role, "%s%s%-3s ",
                     fact->is_looked_at ? "\u25b8" : " ", arrow_at(all, row),
                     fact->is_output ? TELL(STAGE_OUT) : TELL(STAGE_IN));
        for (int which = 0; which < columns; which++) {
            cells_text(area, all->row + row, column, which == NAME ? role : ROLE_TEXT,
                       fact->text[which]);
            column += all->widths[which] + GAP;
        }
    }
}

static void draw_details(const Fact *fact, Area area, int row)
{
    Area inner = area_part(area, 0, MARK_COLUMNS, area.rows, area.columns - MARK_COLUMNS);
    if (!fact->text[DTYPE][0]) { // not computed
        cells_text(inner, row, 0, ROLE_QUIET, fact->text[FROM]);
        return;
    }
    cells_format(inner, row, 0, ROLE_QUIET, TELL(STAGE_MEMORY), fact->text[DTYPE],
                 fact->text[STRIDE], fact->text[OFFSET]);
    cells_format(inner, row + 1, 0, ROLE_QUIET, "%s, %s", fact->text[MEMORY], fact->text[FROM]);
}

// --- above the tensors: the name, formula, PyTorch's line, the options that the step uses

enum { HEAD_LINES_MAX = 3 };

// What is said of a step below its name, and the rows that each line takes.
typedef struct Head {
    char formula[TRACE_FORMULA_MAX], torch[TRACE_FORMULA_MAX], room[STAGE_SETTINGS_MAX];
    const char *settings; // NULL: it uses no options
    const char *lines[HEAD_LINES_MAX];
    int line_rows[HEAD_LINES_MAX];
    int count;
    int rows; // of all, the name included
} Head;

// In as many rows as it takes, as long as one is left for the tensor that is looked at.
static void add_line(Head *head, const char *text, Area area)
{
    int spare = area.rows - head->rows - 1;
    int most = spare < PARAGRAPH_ROWS ? spare : PARAGRAPH_ROWS;
    head->lines[head->count] = text;
    head->line_rows[head->count] = cells_paragraph_rows(text, area.columns, most, LINE_INDENT);
    head->rows += head->line_rows[head->count++];
}

static void measure_head(const Session *session, int step, Area area, Head *head)
{
    const Trace *trace = &session->run.trace;
    bool tells = open_lecture_shows(session, SHOW_FORMULA);
    head->settings = tells ? trace_settings(trace, step, head->room) : NULL;
    head->count = 0;
    head->rows = 1;
    if (comparison_hides_step(session)) {
        add_line(head, open_lecture_session_word(session, WORD_STEP_HIDDEN), area);
        return;
    }
    if (open_lecture_shows(session, SHOW_FORMULA))
        add_line(head, trace_formula(trace, step, head->formula), area);
    if (open_lecture_shows(session, SHOW_PYTORCH))
        add_line(head, trace_torch(trace, step, head->torch), area);
    if (head->settings && !is_narrow(area))
        add_line(head, head->settings, area);
}

// The name, and after it where we are; on a narrow screen the options that the step uses are worth
// more there than a number that the pipeline shows too. A lecture shows all stages there.
static void draw_name(const Session *session, const Head *head, Area area)
{
    const Trace *trace = &session->run.trace;
    int step = session->cursor.step;
    const Stage *stage = trace->steps[step].stage;
    char name[64];
    if (session->lecture && !(head->settings && is_narrow(area))) {
        stage_strip(session, area);
        return;
    }
    int column = cells_text(area, 0, 0, ROLE_HEADING, trace_step_name(trace, step, name)) + GAP;
    if (head->settings && is_narrow(area))
        column += cells_text(area, 0, column, ROLE_TEXT, head->settings);
    else
        column += cells_format(area, 0, column, ROLE_QUIET, TELL(STAGE_STEP_OF), step + 1,
                               trace->step_count);
    int layers, layer = trace_step_layer(trace, step, &layers);
    if (layer > 0)
        column += GAP + cells_format(area, 0, column + GAP, ROLE_QUIET, TELL(STAGE_LAYER_OF), layer,
                                     layers);
    if (!session->lecture && column + GAP + utf8_width(stage->source) <= area.columns)
        cells_text_right(area, 0, area.columns, ROLE_QUIET, stage->source);
}

static void draw_head(const Session *session, const Head *head, Area area)
{
    static const Role roles[HEAD_LINES_MAX] = {ROLE_TEXT, ROLE_QUIET, ROLE_TEXT};
    int row = 1;
    draw_name(session, head, area);
    for (int line = 0; line < head->count; row += head->line_rows[line++])
        cells_paragraph(area, row, head->line_rows[line], LINE_INDENT, roles[line],
                        head->lines[line]);
}

// --- all of it

static bool is_table(int columns)
{
    return columns >= TABLE_FROM_COLUMNS;
}

// The headings of the table, or the details of the tensor that is looked at.
static int rows_besides(const Session *session, int columns)
{
    bool tells = open_lecture_shows(session, is_table(columns) ? SHOW_SHAPES : SHOW_MEMORY);
    return !tells ? 0 : is_table(columns) ? 1 : 2;
}

// Of the step that needs the most.
static int rows_wanted(const Session *session, int columns)
{
    Head head;
    Area high = {.rows = 100, .columns = columns};
    int tensors[SESSION_TENSORS_MAX], most = 0;
    for (int step = 0; step < session->run.trace.step_count; step++) {
        measure_head(session, step, high, &head);
        int facts =
            open_lecture_shows(session, SHOW_SHAPES) ? session_tensors(session, step, tensors) : 0;
        int rows = head.rows + facts + rows_besides(session, columns);
        most = rows > most ? rows : most;
    }
    return most;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// What it needs, as long as the values keep the larger part; where the screen is too small for both of
// them and a detail, it is brief.
static Area take(const Session *session, Area *left)
{
    int most = left->rows / 2;
    if (left->rows - most < VALUES_ROWS_MIN)
        most = left->rows - VALUES_ROWS_MIN;
    int rows = smaller(rows_wanted(session, left->columns), most < 1 ? 1 : most);
    Area below = area_part(*left, rows, 0, left->rows - rows, left->columns);
    if (session->look.detail != DETAIL_NONE && panel_values_share(session, below).rows == 0)
        rows = smaller(rows, BRIEF_ROWS);
    return area_cut_top(left, rows);
}

// As many tensors as there are rows for, the one that is looked at among them.
static void place_facts(const Session *session, Facts *all, int row, Area area)
{
    int rows = area.rows - row - rows_besides(session, area.columns);
    all->shown = all->count < rows ? all->count : rows < 1 ? 1 : rows;
    if (!open_lecture_shows(session, SHOW_SHAPES))
        all->shown = 0;
    all->first = all->looked_at - all->shown + 1;
    all->first = all->first < 0 ? 0 : all->first;
    all->row = row + is_table(area.columns);
}

static void measure(const Session *session, Area area, Head *head, Facts *all)
{
    measure_head(session, session->cursor.step, area, head);
    tell_all(session, session->cursor.step, is_narrow(area), all);
    place_facts(session, all, head->rows, area);
}

static void draw(const Session *session, Area area)
{
    Head head;
    Facts all;
    measure(session, area, &head, &all);
    draw_head(session, &head, area);
    if (is_table(area.columns) && all.shown > 0)
        draw_headings(session, &all, area, head.rows);
    draw_facts(session, &all, area);
    if (!is_table(area.columns) && open_lecture_shows(session, SHOW_MEMORY))
        draw_details(&all.facts[all.looked_at], area, all.row + all.shown);
}

static bool hit(const Session *session, Area area, int row, int column, Command *command)
{
    int tensors[SESSION_TENSORS_MAX];
    Head head;
    Facts all;
    (void)column;
    measure(session, area, &head, &all);
    if (row < all.row || row >= all.row + all.shown)
        return false;
    session_tensors(session, session->cursor.step, tensors);
    *command = (Command){.kind = COMMAND_TENSOR};
    snprintf(command->name, sizeof command->name, "%s",
             session->run.trace.tensors[tensors[all.first + row - all.row]].name);
    return true;
}

static void hints(const Session *session, Hints *hints)
{
    int tensors[SESSION_TENSORS_MAX];
    hints->use = HINT_MOVES;
    hints_add_one(hints, session_tensors(session, session->cursor.step, tensors) > 1,
                  COMMAND_TENSOR_NEXT);
}

const Panel panel_stage = {.take = take, .draw = draw, .hit = hit, .hints = hints};
