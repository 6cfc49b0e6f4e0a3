// session: the state of the stepper and the one function that changes it; see session.h.
#include "session.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "open_lecture.h"
#include "session_actions.h"
#include "session_words.def"

// --- commands

static SessionAction *const actions[COMMAND_COUNT] = {
#define COMMAND(name, action, word, argument, names, traits, keys, ...) \
    [COMMAND_##name] = session_##action,
#include "commands.def"
#undef COMMAND
};

// Before every command, removes the last message and closes the help page, as the command's traits say.
static void clear_message(Session *session, CommandKind kind)
{
    if (!command_is(kind, COMMAND_SILENT)) {
        session->picture.revision += session->message.text[0] != '\0';
        session->picture.tells = command_is(kind, COMMAND_OF_PICTURE);
        session->message = (Error){0};
        session->began = true;
    }
    if (!command_is(kind, COMMAND_ON_HELP))
        session->help.open = false;
}

// Raises the revisions of what must be redrawn: the cell and the request were so before the command. The screen
// ignores changes in the picture's look.
static void revise(Session *session, CommandKind kind, TraceCell cell, const FigureRequest *request)
{
    Picture *picture = &session->picture;
    bool says = session->message.text[0] != '\0';
    if (says || memcmp(request, &picture->request, sizeof *request) != 0)
        picture->revision++;
    if (says || !command_is(kind, COMMAND_OF_PICTURE) ||
        !session_same_cell(cell, session_cell(session)))
        session->revision++;
}

// After every command, updates everything that depends on it.
static void follow(Session *session, CommandKind kind)
{
    comparison_follow(session);
    session_explain(session);
    session_measure(session);
    session_measure_exact(session);
    session_open_code(session);
    picture_follow(session, kind);
}

// True if a poll or a blank screen hides the scene: nobody may change it unseen.
static bool is_covered(const OpenLecture *open, CommandKind kind)
{
    return open && open->presents && (open->polls || open->blank) && !open->setting &&
           command_is(kind, COMMAND_STRAYS);
}

static bool can_be_done(const Session *session, CommandKind kind, Error *err)
{
    if (is_covered(session->lecture, kind))
        return error_set(err, "%s", open_lecture_session_word(session, WORD_COVERED));
    if (command_is(kind, COMMAND_OF_LECTURE) && !session->lecture)
        return error_set(err, TELL(NO_LECTURE));
    return !command_is(kind, COMMAND_OF_PICTURE) || picture_is_there(session) ||
           error_set(err, TELL(NO_NUMBERS_YET));
}

bool session_apply(Session *session, const Command *command, Error *err)
{
    bool is_listed = session->lecture && session->lecture->contents && !session->help.open &&
                     command_is(command->kind, COMMAND_ON_LIST);
    bool strayed = session->lecture && !is_covered(session->lecture, command->kind) &&
                   open_lecture_note_straying(session, command->kind);
    TraceCell cell = session_cell(session);
    FigureRequest request = session->picture.request;
    unsigned long revision = session->revision;
    SessionScreen screen = session->screen;
    session->screen.fit = NULL; // commands that this one gives do not ask the screen
    clear_message(session, command->kind);
    SessionAction *action = is_listed ? session_contents : actions[command->kind];
    bool good = can_be_done(session, command->kind, err) && action(session, command, err);
    if (!good && session->run.failed && session->run.failure.of_machine)
        *err = session->run.failure; // the reason why what was asked for is missing
    if (!good)
        session_say(session, "%s", err->text);
    else if (strayed)
        open_lecture_explain_straying(session, command->kind);
    follow(session, command->kind);
    revise(session, command->kind, cell, &request);
    session->screen = screen;
    if (session->revision != revision && command->kind != COMMAND_ROOM)
        session_ask_screen(session);
    return good;
}

bool session_do(Session *session, CommandKind kind, const char *name, Error *err)
{
    Command command = {.kind = kind, .number = 1};
    snprintf(command.name, sizeof command.name, "%s", name);
    return session_apply(session, &command, err);
}

// --- keys

// Returns false if the key does nothing special in a lecture.
static bool lecture_key(const Session *session, const char *key, Command *command)
{
    const OpenLecture *open = session->lecture;
    int first = open->ask ? open_lecture_poll_first(open) : 1;
    bool is_digit = key[0] >= '0' + first && key[0] <= '9' && key[1] == '\0';
    char choice[OPEN_LECTURE_CHOICE_MAX];
    // Without a vote, "2" enters an input.
    bool has_inputs = session->look.detail == DETAIL_ORIGIN && !open->polls &&
                      !(open->ask && open_lecture_poll_choice(open, 0, choice));
    *command = (Command){.kind = COMMAND_BLANK, .number = 1};
    if (open->presents && !open->blank && is_digit && !has_inputs) {
        *command = (Command){.kind = COMMAND_VOTE, .number = key[0] - '0'};
        return true;
    }
    return open->blank || command_for_key_in(PLACE_LECTURE, key, command) ||
           (open->presents && command_for_key_in(PLACE_PRESENTER, key, command));
}

bool session_key(const Session *session, const char *key, Command *command)
{
    bool known = command_for_key(key, command);
    if (session->prompt.open && !(known && command->kind == COMMAND_REDRAW)) {
        *command = (Command){.kind = COMMAND_TYPE};
        snprintf(command->name, sizeof command->name, "%s", key);
        return *key != '\0';
    }
    Command own;
    if (session->lecture && !session->help.open && lecture_key(session, key, &own)) {
        *command = own;
        return true;
    }
    return (session_has_layers(session) && command_for_key_in(PLACE_LAYERS, key, command)) ||
           command_for_key(key, command);
}

// --- life cycle

void session_begin(Session *session)
{
    *session = (Session){.apply = session_apply,
                         .revision = 1,
                         .room = {.rows = 1, .columns = 1},
                         .play.rate = 1,
                         .picture = {.letters = 1.0, .place.chosen.tensor = -1}};
}

bool session_open(Session *session, const Scenario *scenario, Error *err)
{
    return session_open_learner(session, scenario, NULL, err);
}

bool session_open_learner(Session *session, const Scenario *scenario, const LearnerStages *learner,
                          Error *err)
{
    session_begin(session);
    session->learner.functions = learner;
    return session_restart(session, scenario, err);
}

void session_close(Session *session)
{
    session_close_run(session);
    what_if_finish(&session->what_if);
    *session = (Session){.quit = false};
}

// --- the screen itself: its size, the help page, quitting

static void scroll(const Session *session, const ScreenSize *room, SessionView *view)
{
    *view = *session_view(session);
    if (!session->help.open)
        session_view_scroll(view, &session_tensor(session)->tensor, room->rows, room->columns);
}

bool session_is_fitted(const Session *session, const ScreenSize *room)
{
    SessionView view;
    scroll(session, room, &view);
    return memcmp(room, &session->room, sizeof *room) == 0 && session_code_is_led(session, room) &&
           view.first_row == session_view(session)->first_row &&
           view.first_column == session_view(session)->first_column;
}

static void take_room(Session *session, const ScreenSize *room)
{
    session->room = *room;
    scroll(session, room, &session->cursor.views[session->cursor.tensor]);
    session_lead_code(session, room);
}

void session_ask_screen(Session *session)
{
    if (!session->screen.fit)
        return;
    ScreenSize room = session->screen.fit(session->screen.context, session);
    take_room(session, &room);
}

// A view that shows only numbers sends only the first two.
bool session_fit(Session *session, const Command *command, Error *err)
{
    ScreenSize room = {.rows = 0};
    ptrdiff_t *const parts[] = {&room.rows,      &room.columns,   &room.detail_over,
                                &room.text_over, &room.text_rows, &room.code_from};
    int count = sizeof parts / sizeof *parts;
    if (command->rank < 2 || command->rank > count)
        return error_set(err, TELL(ROOM_TWO));
    for (int i = 0; i < command->rank; i++)
        *parts[i] = command->index[i];
    take_room(session, &room);
    return true;
}

Command session_fitting(const ScreenSize *room)
{
    return (Command){.kind = COMMAND_ROOM,
                     .rank = 6,
                     .index = {room->rows, room->columns, room->detail_over, room->text_over,
                               room->text_rows, room->code_from}};
}

bool session_screen(Session *session, const Command *command, Error *err)
{
    (void)err;
    switch (command->kind) {
    case COMMAND_HELP:
        session->help = (SessionHelp){.open = !session->help.open};
        break;
    case COMMAND_BACK:
        if (!session->help.open)
            session->look.detail = DETAIL_NONE;
        session->help.open = false;
        break;
    case COMMAND_TELL:
        if (!session->message.text[0])
            session_say(session, "%s", command->name);
        break;
    case COMMAND_QUIT:
        session->quit = true;
        break;
    default: // COMMAND_REDRAW: every command raises the revision, which redraws the screen
        break;
    }
    return true;
}

bool session_window(Session *session, const Command *command, Error *err)
{
    (void)err;
    session->window = command->kind == COMMAND_WINDOW && !session->window;
    session->picture.tells = session->window; // the window shows the message, too
    return true;
}

bool session_window_gone(Session *session, const Command *command, Error *err)
{
    (void)err;
    bool by_user = strcmp(command->name, "-") == 0;
    session->window = false;
    if (session->lecture && !by_user)
        open_lecture_report_no_window(session, command->name);
    else if (!by_user)
        session_say(session, "%s", command->name);
    return true;
}

bool session_mouse(Session *session, const Command *command, Error *err)
{
    bool on = strcmp(command->name, "on") == 0;
    if (!on && strcmp(command->name, "off") != 0)
        return error_set(err, TELL(MOUSE_SWITCH), command->name);
    session->mouse_off = !on;
    return true;
}
