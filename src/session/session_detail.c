// session_detail: what stands beside the values; see details.def.
#include "session_actions.h"

#include <string.h>

static const CommandKind commands[DETAIL_COUNT] = {
#define DETAIL(NAME, name, key, help) [DETAIL_##NAME] = COMMAND_##NAME,
#include "details.def"
#undef DETAIL
};

// Nobody has to walk past mistakes that cannot show in this scenario.
static void mark_one_that_shows(Session *session)
{
    const Scenario *scenario = session->run.trace.scenario;
    int number = session->look.mistake;
    const Mistake *mistake = mistake_get(number);
    while (mistake && mistake->cannot_show && mistake->cannot_show(scenario))
        mistake = mistake_get(++number);
    if (mistake)
        session->look.mistake = number;
}

bool session_detail(Session *session, const Command *command, Error *err)
{
    (void)err;
    session->look.detail_line = 0;
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++)
        if (commands[detail] == command->kind)
            session->look.detail =
                session->look.detail == (SessionDetail)detail ? DETAIL_NONE : (SessionDetail)detail;
    if (session->look.detail == DETAIL_MISTAKES)
        mark_one_that_shows(session);
    return true;
}

void session_scroll_detail(Session *session, ptrdiff_t by)
{
    ptrdiff_t most = session->room.detail_over, line = session->look.detail_line;
    line = line > most ? most : line;
    session->look.detail_line = by > most - line ? most : by < -line ? 0 : line + by;
}

bool session_map(Session *session, const Command *command, Error *err)
{
    (void)err;
    session->look.detail = DETAIL_HEATMAP;
    if (command->kind == COMMAND_ALL_HEADS)
        session->look.all_heads = !session->look.all_heads;
    else
        session->look.scale_to_largest = !session->look.scale_to_largest;
    return true;
}

bool session_memory_by(Session *session, const Command *command, Error *err)
{
    bool by_head = command->kind == COMMAND_MEMORY_BY ? strcmp(command->name, "head") == 0
                                                      : !session->look.memory_by_head;
    if (command->kind == COMMAND_MEMORY_BY && !by_head && strcmp(command->name, "token") != 0)
        return error_set(err, "memory is coloured by token or by head, not by \"%s\"",
                         command->name);
    session->look.detail = DETAIL_MEMORY;
    session->look.memory_by_head = by_head;
    return true;
}
