// session_look: which of a step's tensors is looked at.
#include "session_actions.h"

#include <string.h>
#include "nearest.h"
#include "session_names.h"
#include "session_words.h"

// Another tensor of the same step. Below stage depth the walk has its place in the output, and a term
// has one in every input; looking around does not change them.
static void look_within_step(Session *session, int tensor)
{
    SessionView *view = &session->cursor.views[tensor];
    bool is_output = tensor == session_main_output(session, session->cursor.step);
    bool stays = view->opened && (session->cursor.depth == DEPTH_TERM ||
                                  (session->cursor.depth == DEPTH_ELEMENT && is_output));
    SessionView before = *view;
    session_look_at(session, tensor);
    if (stays)
        *view = before;
}

static void look_around(Session *session, int by)
{
    int tensors[SESSION_TENSORS_MAX];
    int count = session_tensors(session, session->cursor.step, tensors);
    for (int i = 0; i < count; i++)
        if (tensors[i] == session->cursor.tensor) {
            look_within_step(session, tensors[(i + by + count) % count]);
            return;
        }
}

static bool look_by_name(Session *session, const char *name, Error *err)
{
    int tensors[SESSION_TENSORS_MAX];
    SessionNames names;
    session_tensors(session, session->cursor.step, tensors);
    session_names(session, COMMAND_TENSOR, &names);
    for (int i = 0; i < names.count; i++)
        if (strcmp(names.known[i], name) == 0) {
            look_within_step(session, tensors[i]);
            return true;
        }
    const char *nearest = nearest_name(name, names.known);
    return error_set(err, TELL(LOOK_UNKNOWN), name, nearest ? nearest : names.known[0]);
}

bool session_look(Session *session, const Command *command, Error *err)
{
    if (command->kind == COMMAND_TENSOR)
        return look_by_name(session, command->name, err);
    look_around(session, command->kind == COMMAND_TENSOR_NEXT ? 1 : -1);
    return true;
}
