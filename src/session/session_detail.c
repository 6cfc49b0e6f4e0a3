// session_detail: what stands beside the values; see details.def.
#include "session_actions.h"

static const CommandKind commands[DETAIL_COUNT] = {
#define DETAIL(NAME, name, key, help) [DETAIL_##NAME] = COMMAND_##NAME,
#include "details.def"
#undef DETAIL
};

bool session_detail(Session *session, const Command *command, Error *err)
{
    (void)err;
    session->help = false;
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++)
        if (commands[detail] == command->kind)
            session->detail =
                session->detail == (SessionDetail)detail ? DETAIL_NONE : (SessionDetail)detail;
    return true;
}

bool session_map(Session *session, const Command *command, Error *err)
{
    (void)err;
    session->help = false;
    session->detail = DETAIL_HEATMAP;
    if (command->kind == COMMAND_ALL_HEADS)
        session->all_heads = !session->all_heads;
    else
        session->scale_to_largest = !session->scale_to_largest;
    return true;
}
