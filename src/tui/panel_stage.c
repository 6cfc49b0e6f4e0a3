// The steps: the pipeline, the current stage, and its code.
#include <stdio.h>
#include <string.h>
#include "cells.h"
#include "mistake.h"
#include "open_lecture.h"
#include "panel.h"
#include "session.h"
#include "tui_words.def"
#include "utf8.h"

// --- the pipeline
//
// Every step with the shape of its output.
//
//   ✓ computed   ▸ shown now   ✗ failed   (no mark) not computed yet
//   ● has a breakpoint   * the last edit changed numbers in it
//
// A lecture asks for shapes before it shows them, so there a step without numbers has no shape.

enum {
    PIPELINE_MARK_COLUMNS = 5,
    PIPELINE_GAP = 2,
    SHAPE_TEXT_MAX = 128,
    FROM_COLUMNS = 64, // of the screen; narrower ones have no pipeline
    WITH_LECTURE_FROM_COLUMNS = 100,
    RULE_COLUMNS = 2, // a line and a space, right of it
    MARGIN = 1,       // of the panels there
};

static const char *shape_text(const Session *session, int step, char text[SHAPE_TEXT_MAX])
{
    ptrdiff_t shape[TENSOR_RANK_MAX];
    int rank = trace_shape(&session->run.trace, session_main_output(session, step), shape);
    text[0] = '\0';
    for (int axis = 0; axis < rank; axis++)
        text_add(text, SHAPE_TEXT_MAX, axis ? "\u00d7%td" : "%td", shape[axis]);
    return text;
}

static int widest_shape(const Session *session)
{
    char text[SHAPE_TEXT_MAX];
    int widest = 0;
    for (int step = 0; step < session->run.trace.step_count; step++)
        widest = (int)index_max(utf8_width(shape_text(session, step, text)), widest);
    return widest;
}

// The columns for every name and shape in full.
static int columns_wanted(const Session *session)
{
    char name[64];
    int widest = 0;
    for (int step = 0; step < session->run.trace.step_count; step++)
        widest =
            (int)index_max(utf8_width(trace_step_name(&session->run.trace, step, name)), widest);
    return PIPELINE_MARK_COLUMNS + widest + PIPELINE_GAP + widest_shape(session);
}

// The columns of the pipeline: what it needs, up to its share of the width.
static int columns_of(const Session *session, int columns)
{
    if (columns < FROM_COLUMNS || (session->lecture && columns < WITH_LECTURE_FROM_COLUMNS))
        return 0;
    return (int)index_min(columns_wanted(session), columns * 34 / 100);
}

static Area pipeline_take(const Session *session, Area *left)
{
    int columns = columns_of(session, left->columns);
    int start = columns > 0 ? columns + RULE_COLUMNS : MARGIN;
    Area own = area_part(*left, 0, 0, columns > 0 ? left->rows : 0, columns + 1);
    *left = area_part(*left, 0, start, left->rows, left->columns - start - MARGIN);
    return own;
}

static const char *mark(const Session *session, int step)
{
    if (step == session->cursor.step)
        return session->run.failed ? "\u2717" : "\u25b8";
    return step < session->run.trace.steps_done ? "\u2713" : " ";
}

static const char *second_mark(const Session *session, int step)
{
    if (session_breaks_at(session, step))
        return "\u25cf";
    const TraceChange *change = what_if_change(session);
    const int *writes = session->run.trace.steps[step].writes;
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        if (change && writes[slot] >= 0 && trace_changed(change, writes[slot])->changed_count > 0)
            return "*";
    return " ";
}

// The first step visible, so that the current one is in the middle if possible.
static int first_step(const Session *session, int rows)
{
    return (int)index_clamp(session->cursor.step - rows / 2, 0,
                            session->run.trace.step_count - rows);
}

// Of a step in a later layer, where the list is narrow: "7 view q" for "layer6 view q".
static const char *short_name(const Trace *trace, int step, int columns, char text[64])
{
    const char *name = trace_step_name(trace, step, text);
    int before =
        PIPELINE_MARK_COLUMNS + (step >= 99 ? 1 : 0); // the number of the step has three digits
    bool fits = before + utf8_width(name) <= columns;
    return fits || trace->steps[step].layer == 0 ? name : name + strcspn(name, "0123456789");
}

static void pipeline_draw(const Session *session, Area area)
{
    char name[64], shape[SHAPE_TEXT_MAX];
    int width = area.columns - 1, shapes = widest_shape(session);
    Area names = area_part(area, 0, 0, area.rows, width - shapes - 1);
    int first = first_step(session, area.rows);
    for (int row = 0; row < area.rows; row++) {
        int step = first + row;
        cells_text(area, row, width, ROLE_RULE, "\u2502");
        if (step >= session->run.trace.step_count)
            continue;
        bool done = step < session->run.trace.steps_done, current = step == session->cursor.step;
        Role role = current ? ROLE_CURRENT : done ? ROLE_TEXT : ROLE_QUIET;
        if (current)
            cells_fill(area, row, 0, width, role, " ");
        cells_format(names, row, 0, role, "%s%s%2d %s", mark(session, step),
                     second_mark(session, step), step + 1,
                     short_name(&session->run.trace, step, names.columns, name));
        if (done || !session->lecture)
            cells_text_right(area, row, width, role, shape_text(session, step, shape));
    }
}

static bool pipeline_hit(const Session *session, Area area, int row, int column, Command *command)
{
    int step = first_step(session, area.rows) + row;
    *command = (Command){.kind = COMMAND_GOTO};
    snprintf(command->name, sizeof command->name, "%d", step + 1);
    return step < session->run.trace.step_count && column < area.columns - 1;
}

const Panel panel_pipeline = {.take = pipeline_take, .draw = pipeline_draw, .hit = pipeline_hit};

// --- all stages in one line
//
// For lectures, which have no room for the pipeline: the stages in order, with the current step. Names are shortened
// as needed, except the current one; if that is not enough, distant ones are left out.
//
//   pad › embed › posit › ▸project q › view › trans › score    4/18

enum {
    SHORT = 3,
    SHORTEST = 2,
    SHORT_HERE = 10,
    NAME_MAX = 64,
    STRIP_MARK_COLUMNS = 1,
    STRIP_GAP = 2
};

static const char loose[] = " \u203a ", tight[] = "\u203a", left_out[] = "\u2026";

// Successive steps of one stage share a name: three projections are "project", or "project q" at that step.
typedef struct Strip {
    const char *names[TRACE_STEPS_MAX];
    char own[NAME_MAX]; // of the current one, with its label
    int count, here;
    int begin, end;            // the current layer's, or all of a single layer
    int first, last;           // those written
    int longest, longest_here; // letters of a name, and of the current one
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
            strip->names[strip->count++] = trace->steps[step].stage->name;
        if (here) {
            strip->here = strip->count - 1;
            strip->names[strip->here] = trace_step_name(trace, step, strip->own);
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
    return (length < most ? length : most) + (here ? STRIP_MARK_COLUMNS : 0);
}

static int strip_columns(const Strip *strip)
{
    int columns = (strip->first > 0) + (strip->last < strip->count - 1);
    for (int i = strip->first; i <= strip->last; i++)
        columns += name_columns(strip, i) + (i > strip->first ? utf8_width(strip->between) : 0);
    return columns;
}

// Shortens names until they fit, then leaves out those farthest from the current one.
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

// Draws the stages into the first row of the area.
static void stage_strip(const Session *session, Area area)
{
    Strip strip;
    char where[32];
    snprintf(where, sizeof where, "%d/%d", session->cursor.step + 1, session->run.trace.step_count);
    int end = area.columns - utf8_width(where), column = 0;
    collect(session, &strip);
    fit(&strip, end - STRIP_GAP);
    cells_text(area, 0, end, ROLE_QUIET, where);
    Area names = area_part(area, 0, 0, area.rows, end > STRIP_GAP ? end - STRIP_GAP : 0);
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

// --- the stage
//
// Its name, formula, line of PyTorch and paper; then its inputs and outputs with axes, shape and memory. On narrow
// screens only the current tensor (▸) has its memory and origin.

enum {
    TABLE_FROM_COLUMNS = 116,
    SPACES_FROM_COLUMNS = 60,
    STAGE_MARK_COLUMNS = 6,
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

// The tensors of a step in words.
typedef struct Facts {
    Fact facts[SESSION_TENSORS_MAX];
    int count, looked_at;
    int widths[COLUMN_COUNT];
    int first, shown, row; // of those that fit: the first, how many, the row of the first
} Facts;

static void describe_origin(const Session *session, int step, int number,
                            char text[TENSOR_TEXT_MAX])
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
                 session_step_is_learners(session, step) ? TELL(STAGE_BY_LEARNER)
                                                         : TELL(STAGE_BY_THIS));
    for (int slot = 0; tensor->step == step && slot < STAGE_READS_MAX; slot++)
        if (reads[slot] >= 0 && tensor->tensor.storage.bytes &&
            tensor->tensor.storage.bytes == trace->tensors[reads[slot]].tensor.storage.bytes)
            snprintf(text, TENSOR_TEXT_MAX, TELL(STAGE_VIEW_OF), trace->tensors[reads[slot]].name);
}

static void describe_fact(const Session *session, int step, int number, Fact *fact)
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
    describe_origin(session, step, number, fact->text[FROM]);
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

static void describe_all(const Session *session, int step, bool narrow, Facts *all)
{
    int tensors[SESSION_TENSORS_MAX];
    all->count = session_tensors(session, step, tensors);
    all->looked_at = 0;
    for (int column = 0; column < COLUMN_COUNT; column++)
        all->widths[column] = utf8_width(words_tell(headings[column]));
    for (int i = 0; i < all->count; i++) {
        describe_fact(session, step, tensors[i], &all->facts[i]);
        if (all->facts[i].is_looked_at)
            all->looked_at = i;
        for (int column = AXES; narrow && column <= STRIDE; column++)
            squeeze(all->facts[i].text[column]);
        for (int column = 0; column < COLUMN_COUNT; column++) {
            int width = utf8_width(all->facts[i].text[column]);
            all->widths[column] = (int)index_max(width, all->widths[column]);
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
    int column = STAGE_MARK_COLUMNS;
    for (int which = 0; which < shown_columns(session, area); which++) {
        cells_text(area, row, column, ROLE_QUIET, words_tell(headings[which]));
        column += all->widths[which] + PIPELINE_GAP;
    }
}

// An arrow if tensors above or below do not fit.
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
        int column = STAGE_MARK_COLUMNS;
        cells_format(area, all->row + row, 0, role, "%s%s%-3s ",
                     fact->is_looked_at ? "\u25b8" : " ", arrow_at(all, row),
                     fact->is_output ? TELL(STAGE_OUT) : TELL(STAGE_IN));
        for (int which = 0; which < columns; which++) {
            cells_text(area, all->row + row, column, which == NAME ? role : ROLE_TEXT,
                       fact->text[which]);
            column += all->widths[which] + PIPELINE_GAP;
        }
    }
}

static void draw_details(const Fact *fact, Area area, int row)
{
    Area inner =
        area_part(area, 0, STAGE_MARK_COLUMNS, area.rows, area.columns - STAGE_MARK_COLUMNS);
    if (!fact->text[DTYPE][0]) { // not computed
        cells_text(inner, row, 0, ROLE_QUIET, fact->text[FROM]);
        return;
    }
    cells_format(inner, row, 0, ROLE_QUIET, TELL(STAGE_MEMORY), fact->text[DTYPE],
                 fact->text[STRIDE], fact->text[OFFSET]);
    cells_format(inner, row + 1, 0, ROLE_QUIET, "%s, %s", fact->text[MEMORY], fact->text[FROM]);
}

// --- above the tensors: name, formula, line of PyTorch, options

enum { HEAD_LINES_MAX = 3 };

// The lines about a step below its name, and their rows.
typedef struct Head {
    char formula[TRACE_FORMULA_MAX], torch[TRACE_FORMULA_MAX], room[STAGE_SETTINGS_MAX];
    const char *settings; // the options; NULL: none
    const char *lines[HEAD_LINES_MAX];
    int line_rows[HEAD_LINES_MAX];
    int count;
    int rows; // of all, with the name
} Head;

// Adds a line, but leaves a row for the current tensor.
static void add_line(Head *head, const char *text, Area area)
{
    int most = (int)index_min(area.rows - head->rows - 1, PARAGRAPH_ROWS);
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

// Draws the name and position; on narrow screens the options instead, as the pipeline shows the position, too. A
// lecture shows all stages.
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
    int column =
        cells_text(area, 0, 0, ROLE_HEADING, trace_step_name(trace, step, name)) + PIPELINE_GAP;
    if (head->settings && is_narrow(area))
        column += cells_text(area, 0, column, ROLE_TEXT, head->settings);
    else
        column += cells_format(area, 0, column, ROLE_QUIET, TELL(STAGE_STEP_OF), step + 1,
                               trace->step_count);
    int layers, layer = trace_step_layer(trace, step, &layers);
    if (layer >= 0)
        column += PIPELINE_GAP + cells_format(area, 0, column + PIPELINE_GAP, ROLE_QUIET,
                                              TELL(STAGE_LAYER_OF), layer, layers - 1);
    if (!session->lecture && column + PIPELINE_GAP + utf8_width(stage->source) <= area.columns)
        cells_text_right(area, 0, area.columns, ROLE_QUIET, stage->source);
}

static void stage_draw_head(const Session *session, const Head *head, Area area)
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

// The rows of the table's headings, or of the current tensor's details.
static int rows_besides(const Session *session, int columns)
{
    bool tells = open_lecture_shows(session, is_table(columns) ? SHOW_SHAPES : SHOW_MEMORY);
    return !tells ? 0 : is_table(columns) ? 1 : 2;
}

// The rows of the step that needs the most.
static int rows_wanted(const Session *session, int columns)
{
    Head head;
    Area high = {.rows = 100, .columns = columns};
    int tensors[SESSION_TENSORS_MAX], most = 0;
    for (int step = 0; step < session->run.trace.step_count; step++) {
        measure_head(session, step, high, &head);
        int facts =
            open_lecture_shows(session, SHOW_SHAPES) ? session_tensors(session, step, tensors) : 0;
        most = (int)index_max(head.rows + facts + rows_besides(session, columns), most);
    }
    return most;
}

// Takes what it needs but leaves the larger part to the values, and less if a detail would not fit.
static Area stage_take(const Session *session, Area *left)
{
    ptrdiff_t most = left->rows / 2;
    if (left->rows - most < VALUES_ROWS_MIN)
        most = left->rows - VALUES_ROWS_MIN;
    int rows = (int)index_min(rows_wanted(session, left->columns), index_max(most, 1));
    Area below = area_part(*left, rows, 0, left->rows - rows, left->columns);
    if (session->look.detail != DETAIL_NONE && panel_values_share(session, below).rows == 0)
        rows = (int)index_min(rows, BRIEF_ROWS);
    return area_cut_top(left, rows);
}

// Chooses as many tensors as fit, with the current one among them.
static void place_facts(const Session *session, Facts *all, int row, Area area)
{
    int rows = area.rows - row - rows_besides(session, area.columns);
    all->shown = (int)index_min(all->count, index_max(rows, 1));
    if (!open_lecture_shows(session, SHOW_SHAPES))
        all->shown = 0;
    all->first = (int)index_max(all->looked_at - all->shown + 1, 0);
    all->row = row + is_table(area.columns);
}

static void measure(const Session *session, Area area, Head *head, Facts *all)
{
    measure_head(session, session->cursor.step, area, head);
    describe_all(session, session->cursor.step, is_narrow(area), all);
    place_facts(session, all, head->rows, area);
}

static void stage_draw(const Session *session, Area area)
{
    Head head;
    Facts all;
    measure(session, area, &head, &all);
    stage_draw_head(session, &head, area);
    if (is_table(area.columns) && all.shown > 0)
        draw_headings(session, &all, area, head.rows);
    draw_facts(session, &all, area);
    if (!is_table(area.columns) && open_lecture_shows(session, SHOW_MEMORY))
        draw_details(&all.facts[all.looked_at], area, all.row + all.shown);
}

static bool stage_hit(const Session *session, Area area, int row, int column, Command *command)
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

static void stage_hints(const Session *session, Hints *stage_hints)
{
    int tensors[SESSION_TENSORS_MAX];
    stage_hints->use = HINT_MOVES;
    hints_add_one(stage_hints, session_tensors(session, session->cursor.step, tensors) > 1,
                  COMMAND_TENSOR_NEXT);
}

const Panel panel_stage = {
    .take = stage_take, .draw = stage_draw, .hit = stage_hit, .hints = stage_hints};

// --- the code of the step
//
// The line of PyTorch that does the same, and the stage's own function in C, as in its file. Long lines are wrapped.

enum {
    NUMBER_COLUMNS = 4,
    CODE_COLUMN = 6,
    NARROW_COLUMNS = 90, // of a panel; narrower ones halve the indent
    BROKEN_INDENT = 4,   // of the rest of a wrapped line
};

// The line as the area shows it, and the indent of its other rows.
static const char *fitted(const StageCode *code, ptrdiff_t line, int columns, int *indent)
{
    const char *text = code->lines[line];
    int own = (int)strspn(text, " "), half = (columns - CODE_COLUMN) / 2;
    if (columns < NARROW_COLUMNS) {
        text += own - own / 2;
        own /= 2;
    }
    *indent = (int)index_min(own + BROKEN_INDENT, half);
    return text;
}

static int draw_line(const StageCode *code, ptrdiff_t line, bool marked, Area area, int row)
{
    Area right = area_part(area, 0, CODE_COLUMN, area.rows, area.columns - CODE_COLUMN);
    char number[32];
    int indent;
    const char *text = fitted(code, line, area.columns, &indent);
    snprintf(number, sizeof number, "%td", code->first_line + line);
    cells_text_right(area, row, NUMBER_COLUMNS, ROLE_QUIET, number);
    if (marked)
        cells_text(area, row, NUMBER_COLUMNS + 1, ROLE_CURRENT, "\u25b8");
    int rows = cells_paragraph(right, row, right.rows - row, indent,
                               marked ? ROLE_CURRENT : ROLE_TEXT, text);
    return rows > 0 ? rows : 1; // an empty line takes a row too
}

// Draws what is above the code; returns its rows.
static int source_draw_head(const Session *session, const StageCode *code, Area area)
{
    char torch[TRACE_FORMULA_MAX];
    bool is_learners = session_step_is_learners(session, session->cursor.step);
    bool is_mistake = mistake_code(session->run.trace.steps[session->cursor.step].stage) != NULL;
    bool is_edited = session->run.trace.steps[session->cursor.step].formula != NULL;
    bool is_right = !is_learners && !is_mistake && !is_edited;
    cells_fill(area, 0, 0, area.columns, ROLE_RULE, "\u2500");
    cells_format(area, 0, 1, ROLE_HEADING, " src/%s/%s ", is_mistake ? "mistakes" : "stages",
                 code->file);
    cells_text(area, 1, 0, ROLE_QUIET, TELL(SOURCE_TORCH));
    int rows = 2 + cells_paragraph(area, 2, 2, 4, ROLE_TEXT,
                                   trace_torch(&session->run.trace, session->cursor.step, torch));
    cells_text(area, rows, 0, is_right ? ROLE_QUIET : ROLE_ALARM,
               is_right      ? TELL(SOURCE_RIGHT)
               : is_edited   ? TELL(SOURCE_EDITED)
               : is_learners ? TELL(SOURCE_MINE)
                             : TELL(SOURCE_MISTAKE));
    return rows + 1;
}

static void source_draw(const Session *session, Area area)
{
    const StageCode *code = session_code(session);
    if (comparison_hides_step(session)) {
        cells_paragraph(area, 0, area.rows, 0, ROLE_TEXT,
                        open_lecture_session_word(session, WORD_STEP_HIDDEN));
        return;
    }
    ptrdiff_t line = session->code.line, marked = session_code_of_term(session);
    int row = source_draw_head(session, code, area);
    for (; line < code->count && row < area.rows; line++)
        row += draw_line(code, line, line == marked, area, row);
    char range[64];
    snprintf(range, sizeof range, TELL(SOURCE_RANGE), code->first_line + session->code.line,
             code->first_line + line - 1, code->first_line, code->first_line + code->count - 1);
    cells_text_right(area, 0, area.columns - 1, ROLE_QUIET, range);
}

// --- keeping the marked line visible

static bool fits(const StageCode *code, int first, int last, int columns, int rows)
{
    int used = 0;
    for (int line = first; line <= last && used <= rows; line++) {
        int indent;
        const char *text = fitted(code, line, columns, &indent);
        int own = cells_paragraph_rows(text, columns - CODE_COLUMN, rows + 1, indent);
        used += own > 0 ? own : 1;
    }
    return used <= rows;
}

// The first line to show: as far out as possible while the marked line's loop stays visible, or the marked line if
// the loop is too long.
static int first_for(const StageCode *code, int marked, int columns, int rows)
{
    int loop, end, first = marked;
    if (!stage_code_loop(code, marked, &loop, &end) || !fits(code, loop, end, columns, rows))
        end = marked;
    for (int line = marked; line >= 0 && fits(code, line, end, columns, rows);
         line = stage_code_around(code, line))
        first = line;
    return first;
}

static void room(const Session *session, Area area, ScreenSize *room)
{
    int marked = (int)session_code_of_term(session);
    if (marked < 0 || area.rows <= 0 || comparison_hides_step(session))
        return;
    const StageCode *code = session_code(session);
    int rows = area.rows - source_draw_head(session, code, area);
    room->code_from = first_for(code, marked, area.columns, rows) + 1;
}

static void source_hints(const Session *session, Hints *source_hints)
{
    (void)session;
    hints_add(source_hints, true, hint_terms, TELL(HINT_SCROLL));
    hints_add_one(source_hints, true, COMMAND_BACK);
}

const Panel panel_source = {
    .draw = source_draw,
    .room = room,
    .scroll = &panel_scroll_terms,
    .hints = source_hints,
};
