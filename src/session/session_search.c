// session_search: finding numbers in the tensor that is looked at, or in the whole trace. Asked for by
// a command of its own, so that no other key pays for looking at every number.
#include "session_actions.h"
#include "session_words.h"

static void choose(Session *session, ptrdiff_t element)
{
    tensor_unravel(&session_tensor(session)->tensor, element,
                   session->cursor.views[session->cursor.tensor].at);
}

// "> 0.4: match 2 of 17 in attn_weights, from the start again"
static void tell(Session *session, ConditionMatches matches)
{
    char text[CONDITION_TEXT_MAX];
    const char *name = session_tensor(session)->name;
    bool again = matches.next < 0;
    condition_text(session->search, text);
    if (matches.count == 0)
        session_say(session, TELL(SEARCH_NOTHING), name, text);
    else
        session_say(session, TELL(SEARCH_MATCH), text, again ? 1 : matches.order + 1, matches.count,
                    name, again ? TELL(SEARCH_AGAIN) : "");
}

static void look_for(Session *session, bool from_here)
{
    ptrdiff_t here = tensor_ravel(&session_tensor(session)->tensor, session_view(session)->at);
    ConditionMatches matches = condition_matches(
        session->search, &session->run.trace, session->cursor.tensor, from_here ? here - 1 : here);
    if (matches.count > 0)
        choose(session, matches.next >= 0 ? matches.next : matches.first);
    tell(session, matches);
}

// The step that makes a tensor, or the first one that reads it.
static int step_with(const Session *session, int tensor)
{
    int tensors[SESSION_TENSORS_MAX];
    for (int step = 0; step < session->run.trace.step_count; step++) {
        int count = session_tensors(session, step, tensors);
        for (int i = 0; i < count; i++)
            if (tensors[i] == tensor && step >= session->run.trace.tensors[tensor].step)
                return step;
    }
    return 0;
}

// The first NaN there is: inputs and weights, then the outputs of every step.
static void find_first_nan(Session *session)
{
    Trace *trace = &session->run.trace;
    Error unused;
    while (trace->steps_done < trace->step_count && trace_step(trace, &unused))
        ;
    session->search = (Condition){.kind = CONDITION_NAN};
    for (int step = -1; step < trace->steps_done; step++)
        for (int tensor = 0; tensor < trace->tensor_count; tensor++) {
            const TraceTensor *candidate = &trace->tensors[tensor];
            if (candidate->step != step || !candidate->tensor.storage.bytes)
                continue;
            ConditionMatches matches = condition_matches(session->search, trace, tensor, -1);
            if (matches.count == 0)
                continue;
            session_reach(session, step_with(session, tensor));
            session_look_at(session, tensor);
            choose(session, matches.first);
            session_say(session, TELL(SEARCH_FIRST_NAN), matches.count, candidate->name);
            return;
        }
    session_say(session, TELL(SEARCH_NO_NAN));
}

static Condition asked_for(CommandKind kind)
{
    switch (kind) {
    case COMMAND_NEXT_NAN:
        return (Condition){.kind = CONDITION_NAN};
    case COMMAND_NEXT_INFINITY:
        return (Condition){.kind = CONDITION_INFINITE};
    case COMMAND_NEXT_MASKED:
        return (Condition){.kind = CONDITION_MASKED};
    case COMMAND_LARGEST:
        return (Condition){.kind = CONDITION_LARGEST};
    default:
        return (Condition){.kind = CONDITION_SMALLEST};
    }
}

bool session_search(Session *session, const Command *command, Error *err)
{
    Condition condition = session->search;
    if (command->kind == COMMAND_FIRST_NAN) {
        find_first_nan(session);
        return true;
    }
    if (command->kind == COMMAND_AGAIN && condition.kind == CONDITION_NONE)
        return error_set(err, TELL(SEARCH_NOT_YET));
    if (command->kind == COMMAND_SEARCH && !condition_parse(command->name, &condition, err))
        return false;
    if (!session_has_values(session))
        return error_set(err, TELL(SEARCH_NO_VALUES), session_tensor(session)->name);
    if (command->kind != COMMAND_SEARCH && command->kind != COMMAND_AGAIN)
        condition = asked_for(command->kind);
    session->search = condition;
    look_for(session, command->kind == COMMAND_SEARCH || command->kind == COMMAND_LARGEST ||
                          command->kind == COMMAND_SMALLEST);
    return true;
}
