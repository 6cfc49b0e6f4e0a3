// Walking through the run: by stages, elements and terms, and from an element to its inputs.
#include <stdio.h>
#include <string.h>
#include "number_text.h"
#include "session.h"
#include "session_actions.h"
#include "session_words.def"
#include "shown_name.h"
#include "trace_heads.h"
#include "utf8.h"

// --- computing a step on arrival

void session_run_to(Session *session, int step)
{
    Trace *trace = &session->run.trace;
    session->run.failed = false;
    if (step == trace->step_count - 1) // all of them: faster than one by one
        session->run.failed = !trace_run(trace, &session->run.failure);
    while (trace->steps_done <= step && !session->run.failed)
        session->run.failed = !trace_step(trace, &session->run.failure);
    session->cursor.step = session->run.failed ? trace->steps_done : step;
    session_look_at(session, session_main_output(session, session->cursor.step));
}

// --- by stages, by elements of an output, by terms of an element
//
// The stage is fully computed when its first element is shown. Walking replays it in loop order, from the
// stage's own description of each element (trace_origin).
//
// The position is the chosen element of the main output; any command that chooses another one jumps. A step
// costs as many terms as one element has, not as many as there are elements.

enum { TERMS_AT_ONCE_MAX = 1000000 };

static const Words depth_words[DEPTH_COUNT] = {
    [DEPTH_STAGE] = WORDS("stage", "단계"),
    [DEPTH_ELEMENT] = WORDS("element", "원소"),
    [DEPTH_TERM] = WORDS("term", "항"),
};

// --- elements

static const Tensor *output(const Session *session)
{
    return &session->run.trace.tensors[session_main_output(session, session->cursor.step)].tensor;
}

static SessionView *output_view(Session *session)
{
    return &session->cursor.views[session_main_output(session, session->cursor.step)];
}

ptrdiff_t session_element_count(const Session *session)
{
    return output(session)->storage.bytes ? tensor_count(output(session)) : 0;
}

ptrdiff_t session_element(const Session *session)
{
    int tensor = session_main_output(session, session->cursor.step);
    return tensor_ravel(output(session), session->cursor.views[tensor].at);
}

bool session_has_reached(const Session *session, const ptrdiff_t at[])
{
    const TraceStep *step = &session->run.trace.steps[session->cursor.step];
    bool is_output = session->cursor.tensor == session_main_output(session, session->cursor.step);
    bool is_view = step->call->writes[step->stage->main_output].is_view;
    return session->cursor.depth == DEPTH_STAGE || !is_output || is_view ||
           tensor_ravel(output(session), at) <= session_element(session);
}

// --- terms

// Finds one term of an element and counts all of them.
typedef struct TermSearch {
    ptrdiff_t wanted, count;
    TraceTerm found;
} TermSearch;

static void pass_term(void *context, const TraceTerm *term)
{
    TermSearch *search = context;
    if (search->count++ == search->wanted)
        search->found = *term;
}

static TermSearch look_up_term(const Session *session, ptrdiff_t wanted)
{
    TermSearch search = {.wanted = wanted};
    TraceCell cell = {.tensor = session_main_output(session, session->cursor.step)};
    memcpy(cell.at, session->cursor.views[cell.tensor].at, sizeof cell.at);
    if (session_element_count(session) > 0)
        trace_origin(&session->run.trace, cell, pass_term, &search);
    return search;
}

static ptrdiff_t term_number(const Session *session)
{
    const SessionTermPlace *term = &session->cursor.term;
    bool counts = term->step == session->cursor.step && term->element == session_element(session);
    return counts ? term->number : 0;
}

bool session_term(const Session *session, SessionTerm *term)
{
    if (session->cursor.depth != DEPTH_TERM)
        return false;
    ptrdiff_t number = term_number(session);
    TermSearch search = look_up_term(session, number);
    *term = (SessionTerm){number, search.count, search.found};
    return number < search.count;
}

// Chooses the factors of the term in the inputs.
static void point_at_sources(Session *session)
{
    SessionTerm now;
    if (!session_term(session, &now))
        return;
    for (int i = 0; i < now.term.source_count; i++) {
        const TraceCell *source = &now.term.sources[i];
        if (source->tensor == session_main_output(session, session->cursor.step))
            continue; // an earlier element of the output; the position stays
        SessionView *view = &session->cursor.views[source->tensor];
        if (!view->opened)
            session_view_open(view, &session->run.trace.tensors[source->tensor].tensor);
        memcpy(view->at, source->at, sizeof view->at);
    }
}

static void stand_on_term(Session *session, ptrdiff_t number)
{
    session->cursor.term =
        (SessionTermPlace){session->cursor.step, session_element(session), number};
    point_at_sources(session);
}

// --- walking

// Moves to the first element of the next step, or the last one of the step before. False at the ends.
static bool cross(Session *session, bool forward)
{
    int last = session->run.trace.step_count - 1;
    if (forward ? session->cursor.step == last || session->run.failed : session->cursor.step == 0)
        return false;
    session_run_to(session, session->cursor.step + (forward ? 1 : -1));
    ptrdiff_t count = session_element_count(session);
    if (count > 0)
        tensor_unravel(output(session), forward ? 0 : count - 1, output_view(session)->at);
    return true;
}

// Shows the output again, at the walk's position.
static void look_at_output(Session *session)
{
    SessionView before = *output_view(session);
    session_look_at(session, session_main_output(session, session->cursor.step));
    if (before.opened)
        *output_view(session) = before;
}

// Stops at the last element in that direction and returns false if there are fewer. Skips steps without
// elements; leaving one counts as one element.
static bool walk_elements(Session *session, bool forward, ptrdiff_t distance)
{
    ptrdiff_t count = session_element_count(session), at = session_element(session);
    ptrdiff_t left = count == 0 ? 0 : forward ? count - 1 - at : at;
    look_at_output(session);
    while (distance > left && cross(session, forward)) {
        distance -= left + 1;
        left = session_element_count(session) - 1;
    }
    ptrdiff_t walked = index_min(distance, left);
    if (walked > 0) {
        at = session_element(session);
        tensor_unravel(output(session), forward ? at + walked : at - walked,
                       output_view(session)->at);
    }
    return distance <= left || session->run.failed;
}

static bool walk_terms(Session *session, bool forward, ptrdiff_t distance)
{
    for (;;) {
        ptrdiff_t at = term_number(session), count = look_up_term(session, at).count;
        ptrdiff_t left = count == 0 ? 0 : forward ? count - 1 - at : at;
        ptrdiff_t walked = index_min(distance, left);
        if (walked > 0)
            stand_on_term(session, forward ? at + walked : at - walked);
        if (distance <= left || (forward && session->run.failed))
            return true;
        distance -= left + 1;
        if (!walk_elements(session, forward, 1))
            return false;
        count = look_up_term(session, 0).count;
        stand_on_term(session, forward || count == 0 ? 0 : count - 1);
    }
}

bool session_walk(Session *session, bool forward, ptrdiff_t distance, Error *err)
{
    bool by_terms = session->cursor.depth == DEPTH_TERM;
    if (by_terms && distance > TERMS_AT_ONCE_MAX)
        return error_set(err, TELL(DEPTH_TERMS), TERMS_AT_ONCE_MAX, distance);
    bool arrived = by_terms ? walk_terms(session, forward, distance)
                            : walk_elements(session, forward, distance);
    if (!arrived)
        session_say(session, TELL(DEPTH_END), forward ? TELL(DEPTH_LAST) : TELL(DEPTH_FIRST),
                    words_tell(depth_words[session->cursor.depth]),
                    forward ? TELL(DEPTH_LAST) : TELL(DEPTH_FIRST));
    return true;
}

// --- the depth itself

static void change(Session *session, SessionDepth depth)
{
    session->cursor.depth = depth;
    session_look_at(session, session_main_output(session, session->cursor.step));
    if (depth == DEPTH_TERM)
        stand_on_term(session, 0);
}

bool session_depth(Session *session, const Command *command, Error *err)
{
    if (command->kind == COMMAND_DEPTH_NEXT) {
        change(session, (SessionDepth)((session->cursor.depth + 1) % DEPTH_COUNT));
        return true;
    }
    int depth = name_index(session_depth_names, command->name);
    if (depth >= 0) {
        change(session, (SessionDepth)depth);
        return true;
    }
    const char *nearest = nearest_word(command->name, session_depth_names);
    return error_set(err, TELL(DEPTH_UNKNOWN), command->name, nearest ? TELL(DID_YOU_MEAN) : "",
                     nearest ? nearest : "", nearest ? TELL(MEANT_END) : "");
}

// --- the position in words

// "q[0,0,2] 0.282"
static void add_source(const Trace *trace, const TraceCell *cell, char text[SESSION_WALK_MAX])
{
    char name[TRACE_CELL_MAX], number[NUMBER_FULL_TEXT_MAX];
    text_add(text, SESSION_WALK_MAX, "%s %s", trace_cell_name(trace, *cell, name),
             number_text(&trace->tensors[cell->tensor].tensor, cell->at, number));
}

static void describe_term(const Session *session, const SessionTerm *now,
                          char text[SESSION_WALK_MAX])
{
    const TraceTerm *term = &now->term;
    char value[NUMBER_FULL_TEXT_MAX], running[NUMBER_FULL_TEXT_MAX];
    bool is_product = term->kind == TERM_MULTIPLY_ADD;
    snprintf(text, SESSION_WALK_MAX, TELL(WALK_TERM), now->number + 1, now->count);
    if (!is_product)
        text_add(text, SESSION_WALK_MAX, "%s%s", term->what, term->source_count > 0 ? ": " : "");
    for (int i = 0; i < term->source_count && i < STAGE_SOURCES_MAX; i++) { // gcc 14 asks for both
        text_add(text, SESSION_WALK_MAX, "%s", i == 0 ? "" : is_product ? " * " : ", ");
        add_source(&session->run.trace, &term->sources[i], text);
    }
    text_add(text, SESSION_WALK_MAX, "%s%s%s%s", is_product ? " = " : "; ",
             number_full_text(term->value, value),
             is_product ? TELL(WALK_RUNNING) : TELL(WALK_SO_FAR),
             number_full_text(term->running, running));
    if (now->number + 1 == now->count)
        text_add(text, SESSION_WALK_MAX, TELL(WALK_ELEMENT));
}

const char *session_walk_text(const Session *session, char text[SESSION_WALK_MAX])
{
    ptrdiff_t count = session_element_count(session);
    SessionTerm term;
    text[0] = '\0';
    if (session->cursor.depth == DEPTH_STAGE || count == 0)
        return text;
    if (session_term(session, &term))
        describe_term(session, &term, text);
    else
        snprintf(text, SESSION_WALK_MAX, TELL(WALK_ORDER), session_element(session) + 1, count);
    return text;
}

// --- the explanation and its marked term

// The term to look at first: the one that made NaN, the element's own term, or the first one shown.
static ptrdiff_t first_marked(const Session *session)
{
    const Explanation *explanation = &session->origin.explanation;
    ptrdiff_t nan = explanation->first_nan - explanation->first;
    if (explanation->first_nan >= 0 && nan >= 0 && nan < explanation->listed)
        return nan;
    bool is_product = explanation->adds_up && explanation->first == 0;
    return is_product ? session_term_at(session, 0) : explanation->own;
}

// At term depth, moves the mark with the walk.
static void follow_walk(Session *session)
{
    SessionTerm now;
    bool walks = session_term(session, &now) && session->origin.explanation.adds_up &&
                 session->cursor.tensor == session_main_output(session, session->cursor.step);
    ptrdiff_t number = walks ? now.number - session->origin.explanation.first : -1;
    if (number >= 0 && number < session->origin.explanation.listed &&
        number != session->origin.walked)
        session->origin.marked = number;
    session->origin.walked = number;
}

static void explain(Session *session, TraceCell cell)
{
    Error err;
    bool is_same =
        session->origin.known && session_same_cell(session->origin.explanation.cell, cell);
    if (is_same && session_has_values(session))
        return;
    session->origin.known =
        session_has_values(session) &&
        explanation_make(&session->origin.explanation, &session->run.trace, cell, &err);
    session->origin.marked = session->origin.known ? first_marked(session) : 0;
    session->origin.walked = -1;
    if (session_has_values(session) && !session->origin.known)
        session->message = err;
}

void session_explain(Session *session)
{
    if (session->look.detail == DETAIL_NONE)
        session->origin.trail_length = 0;
    if (session->look.detail != DETAIL_ORIGIN)
        return;
    explain(session, session_cell(session));
    if (session->origin.known)
        follow_walk(session);
}

ptrdiff_t session_term_at(const Session *session, ptrdiff_t rank)
{
    return session->look.by_size ? session->origin.explanation.by_size[rank].number : rank;
}

ptrdiff_t session_marked_rank(const Session *session)
{
    ptrdiff_t rank = 0;
    while (session_term_at(session, rank) != session->origin.marked)
        rank++;
    return rank;
}

static bool has_terms(const Session *session, Error *err)
{
    if (session->look.detail != DETAIL_ORIGIN)
        return error_set(err, TELL(NO_TERMS));
    if (!session->origin.known || !session->origin.explanation.adds_up)
        return error_set(err, TELL(NO_SUM), session_tensor(session)->name);
    return true;
}

bool session_move_term(Session *session, ptrdiff_t by, Error *err)
{
    if (!has_terms(session, err))
        return false;
    ptrdiff_t last = session->origin.explanation.listed - 1;
    ptrdiff_t rank = session_marked_rank(session);
    session->origin.marked = session_term_at(session, index_move(rank, by, last));
    return true;
}

bool session_choose_term(Session *session, ptrdiff_t number, Error *err)
{
    if (!has_terms(session, err))
        return false;
    ptrdiff_t last = session->origin.explanation.listed - 1;
    if (number > last)
        return error_set(err, TELL(TERM_UNKNOWN), last, number);
    session->origin.marked = number;
    return true;
}

bool session_arrange(Session *session, const Command *command, Error *err)
{
    if (command->kind == COMMAND_ORIGIN_SORT)
        session->look.by_size = !session->look.by_size;
    else if (strcmp(command->name, "size") == 0 || strcmp(command->name, "position") == 0)
        session->look.by_size = strcmp(command->name, "size") == 0;
    else
        return error_set(err, TELL(TERM_ORDER), command->name);
    return true;
}

// --- walking

static void remember(Session *session, TraceCell to)
{
    if (session->origin.trail_length == SESSION_TRAIL_MAX)
        memmove(session->origin.trail, session->origin.trail + 1,
                sizeof *session->origin.trail * (size_t)--session->origin.trail_length);
    session->origin.trail[session->origin.trail_length++] =
        (SessionCrumb){session->cursor.step, session_cell(session), to, session->origin.marked};
}

int session_inputs(const Session *session, TraceCell inputs[SESSION_INPUTS_MAX])
{
    const Explanation *explanation = &session->origin.explanation;
    int count = 0;
    if (!session->origin.known || explanation->listed == 0)
        return 0;
    ptrdiff_t chosen = explanation->adds_up ? session->origin.marked : explanation->own;
    for (ptrdiff_t number = chosen; number >= 0; number--) {
        const TraceTerm *term = explanation_term(explanation, number);
        for (int source = 0; source < term->source_count && count < SESSION_INPUTS_MAX; source++)
            inputs[count++] = term->sources[source];
        if (explanation->adds_up)
            break;
    }
    return count;
}

static bool refuse(const Session *session, int inputs, ptrdiff_t wanted, Error *err)
{
    const TraceTensor *tensor = session_tensor(session);
    const Explanation *explanation = &session->origin.explanation;
    if (!session->origin.known)
        return error_set(err, TELL(WALK_NO_VALUES), tensor->name);
    if (explanation->count == 0)
        return error_set(err, TELL(WALK_GIVEN), tensor->name,
                         tensor->from ? tensor->from : TELL(WALK_INPUT));
    if (inputs == 0)
        return error_set(err, TELL(WALK_BEGINS),
                         explanation_term(explanation, explanation->own)->what);
    return error_set(err, inputs == 1 ? TELL(WALK_ONE_INPUT) : TELL(WALK_INPUTS), inputs, wanted);
}

bool session_walk_in(Session *session, ptrdiff_t wanted, Error *err)
{
    TraceCell inputs[SESSION_INPUTS_MAX];
    int count = session_inputs(session, inputs);
    if (wanted < 1 || wanted > count)
        return refuse(session, count, wanted, err);
    TraceCell to = inputs[wanted - 1];
    int maker = session->run.trace.tensors[to.tensor].step;
    int reader = session_tensor(session)->step;
    remember(session, to);
    session_show_cell(session, maker >= 0 ? maker : reader, to);
    return true;
}

// Lays the trail from the answer down to the token, where the cursor ends.
bool session_path(Session *session, const Command *command, Error *err)
{
    TracePath path;
    const Trace *trace = &session->run.trace;
    int now = session->cursor.step, answers = trace_find(trace, "probabilities");
    (void)command;
    if (answers >= 0)
        session_run_to(session, trace->tensors[answers].step);
    session_run_to(session, now);
    if (!trace_path(trace, &path, err))
        return false;
    session->origin.trail_length = 0;
    session->look.detail = DETAIL_ORIGIN;
    for (int i = 0; i < path.count; i++) {
        int step = trace->tensors[path.cells[i].tensor].step;
        if (i > 0)
            remember(session, path.cells[i]);
        session_show_cell(session, step, path.cells[i]);
    }
    session_say(session, TELL(PATH_TOLD), path.later.layer, path.later.head, path.earlier.layer,
                path.earlier.head);
    return true;
}

bool session_back_out(Session *session, const Command *command, Error *err)
{
    (void)command;
    if (session->origin.trail_length == 0)
        return error_set(err, TELL(WALK_BEGAN));
    SessionCrumb crumb = session->origin.trail[--session->origin.trail_length];
    session->look.detail = DETAIL_ORIGIN;
    session_show_cell(session, crumb.step, crumb.from);
    explain(session, crumb.from);
    session->origin.marked = crumb.marked;
    return true;
}
