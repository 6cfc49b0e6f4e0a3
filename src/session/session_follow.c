// session_follow: from an element into the inputs that made it, again and again, and back; see
// commands.def.
#include "session_actions.h"

#include <string.h>
#include "session_words.h"

// --- the explanation and its marked term

// What a person would look at first: what made NaN, the element's own term, the first one shown.
static ptrdiff_t first_marked(const Session *session)
{
    const Explanation *explanation = &session->origin.explanation;
    ptrdiff_t nan = explanation->first_nan - explanation->first;
    if (explanation->first_nan >= 0 && nan >= 0 && nan < explanation->listed)
        return nan;
    bool is_product = explanation->adds_up && explanation->first == 0;
    return is_product ? session_term_at(session, 0) : explanation->own;
}

// At term depth the mark goes along with the walk.
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
    rank = by > last - rank ? last : by < -rank ? 0 : rank + by;
    session->origin.marked = session_term_at(session, rank);
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
