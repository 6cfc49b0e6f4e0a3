// session_detail: what stands beside the values; see details.def.
#include "session_actions.h"

#include <string.h>
#include "session_words.h"

enum { PAGE = 10 }; // terms

// --- what they do

static void open_nothing(Session *session)
{
    (void)session;
}

// The list opens at the first mistake, from the marked one on, that can show in this scenario.
static void open_mistakes(Session *session)
{
    const Scenario *scenario = session->run.trace.scenario;
    int number = session->look.mistake;
    const Mistake *mistake = mistake_get(number);
    while (mistake && mistake_cannot_show(mistake, scenario))
        mistake = mistake_get(++number);
    if (mistake)
        session->look.mistake = number;
}

static bool move_nothing(Session *session, ptrdiff_t by, Error *err)
{
    (void)session, (void)by;
    return error_set(err, TELL(NO_TERMS));
}

// The lines of a page, where it is longer than its place.
static bool move_lines(Session *session, ptrdiff_t by, Error *err)
{
    ptrdiff_t most = session->room.detail_over, line = session->look.detail_line;
    if (most == 0)
        return move_nothing(session, by, err);
    line = line > most ? most : line;
    session->look.detail_line = by > most - line ? most : by < -line ? 0 : line + by;
    return true;
}

static bool move_terms(Session *session, ptrdiff_t by, Error *err)
{
    return session_move_term(session, by, err);
}

static bool move_code(Session *session, ptrdiff_t by, Error *err)
{
    (void)err;
    session_scroll_code(session, by);
    return true;
}

static bool move_mistakes(Session *session, ptrdiff_t by, Error *err)
{
    (void)err;
    session_mark_mistake(session, by);
    return true;
}

// Where the origin is not shown yet, it is shown first.
static bool enter_origin(Session *session, ptrdiff_t wanted, Error *err)
{
    (void)wanted, (void)err;
    session->look.detail = DETAIL_ORIGIN;
    return true;
}

static bool enter_input(Session *session, ptrdiff_t wanted, Error *err)
{
    return session_walk_in(session, wanted, err);
}

static bool enter_mistake(Session *session, ptrdiff_t wanted, Error *err)
{
    (void)wanted;
    return session_compare_marked(session, err);
}

// --- the list

typedef struct Detail {
    CommandKind command;
    void (*open)(Session *session);
    bool (*move)(Session *session, ptrdiff_t by, Error *err);
    bool (*enter)(Session *session, ptrdiff_t wanted, Error *err);
} Detail;

static const Detail details[DETAIL_COUNT] = {
    [DETAIL_NONE] = {COMMAND_COUNT, open_nothing, move_nothing, enter_origin},
#define DETAIL(NAME, name, key, opens, moves, enters, ...) \
    [DETAIL_##NAME] = {COMMAND_##NAME, open_##opens, move_##moves, enter_##enters},
#include "details.def"
#undef DETAIL
};

bool session_detail(Session *session, const Command *command, Error *err)
{
    (void)err;
    SessionDetail *shown = &session->look.detail;
    session->look.detail_line = 0;
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++)
        if (details[detail].command == command->kind)
            *shown = *shown == (SessionDetail)detail ? DETAIL_NONE : (SessionDetail)detail;
    details[*shown].open(session);
    return true;
}

static ptrdiff_t distance_of(const Command *command)
{
    switch (command->kind) {
    case COMMAND_TERM_PREVIOUS:
        return -command->number;
    case COMMAND_TERMS_UP:
        return -PAGE;
    case COMMAND_TERMS_DOWN:
        return PAGE;
    default:
        return command->number;
    }
}

bool session_mark(Session *session, const Command *command, Error *err)
{
    if (command->kind == COMMAND_TERM)
        return session_choose_term(session, command->number, err);
    return details[session->look.detail].move(session, distance_of(command), err);
}

static ptrdiff_t wanted_input(const Command *command)
{
    switch (command->kind) {
    case COMMAND_INPUT_SECOND:
        return 2;
    case COMMAND_INPUT_THIRD:
        return 3;
    case COMMAND_INPUT_FOURTH:
        return 4;
    default:
        return command->number;
    }
}

bool session_enter(Session *session, const Command *command, Error *err)
{
    return details[session->look.detail].enter(session, wanted_input(command), err);
}

// --- how some of them look

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
        return error_set(err, TELL(MEMORY_BY), command->name);
    session->look.detail = DETAIL_MEMORY;
    session->look.memory_by_head = by_head;
    return true;
}
