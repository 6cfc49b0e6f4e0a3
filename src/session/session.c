// session: the state of the stepper and the one function that changes it; see session.h.
#include "session.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "guide.h"
#include "picture_parts.h"
#include "session_actions.h"
#include "session_words.h"

// --- what panels ask

int session_tensors(const Session *session, int step, int tensors[SESSION_TENSORS_MAX])
{
    const TraceStep *wiring = &session->run.trace.steps[step];
    int count = 0;
    for (int slot = 0; slot < STAGE_READS_MAX && wiring->call->reads[slot].role; slot++)
        if (wiring->reads[slot] >= 0)
            tensors[count++] = wiring->reads[slot];
    for (int slot = 0; slot < STAGE_WRITES_MAX && wiring->call->writes[slot].role; slot++)
        if (wiring->writes[slot] >= 0)
            tensors[count++] = wiring->writes[slot];
    return count;
}

int session_main_output(const Session *session, int step)
{
    const TraceStep *wiring = &session->run.trace.steps[step];
    return wiring->writes[wiring->stage->main_output];
}

const TraceTensor *session_tensor(const Session *session)
{
    return &session->run.trace.tensors[session->cursor.tensor];
}

const SessionView *session_view(const Session *session)
{
    return &session->cursor.views[session->cursor.tensor];
}

bool session_axis_is_picked(const Session *session, int axis)
{
    const SessionView *view = session_view(session);
    return axis != view->row_axis && axis != view->column_axis;
}

bool session_has_values(const Session *session)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    return tensor->storage.bytes && tensor_count(tensor) > 0;
}

bool session_step_is_mine(const Session *session, int step)
{
    const Mine *mine = session->lane.swapped ? session->lane.mine : session->mine.functions;
    for (const char *const *name = mine ? mine->stages : NULL; name && *name; name++)
        if (strcmp(*name, session->run.trace.steps[step].stage->name) == 0)
            return true;
    return false;
}

bool session_could_compute(const Session *session, Error *err)
{
    const Error *failure = session->run.failed    ? &session->run.failure
                           : session->lane.failed ? &session->lane.failure
                                                  : NULL;
    return !failure || !failure->of_machine || error_machine(err, "%s", failure->text);
}

// --- commands

static SessionAction *const actions[COMMAND_COUNT] = {
#define COMMAND(name, action, word, argument, names, traits, keys, ...) \
    [COMMAND_##name] = session_##action,
#include "commands.def"
#undef COMMAND
};

void session_say(Session *session, const char *format, ...)
{
    char text[sizeof session->message.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error_set(&session->message, "%s", text);
}

// Before every command: what the last one said is gone, and the page of help, but for commands that
// have to do with neither.
static void make_way(Session *session, CommandKind kind)
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

// What screens and pictures go by.
typedef struct Seen {
    TraceCell cell;
    FigureRequest request;
} Seen;

static Seen see(const Session *session)
{
    return (Seen){session_cell(session), session->picture.request};
}

// Who has to draw again. A screen need not for what only changes how the picture is drawn.
static void revise(Session *session, CommandKind kind, const Seen *was)
{
    Picture *picture = &session->picture;
    bool says = session->message.text[0] != '\0';
    if (says || memcmp(&was->request, &picture->request, sizeof was->request) != 0)
        picture->revision++;
    if (says || !command_is(kind, COMMAND_OF_PICTURE) ||
        !session_same_cell(was->cell, session_cell(session)))
        session->revision++;
}

// What is shown follows what was done.
static void follow(Session *session, CommandKind kind)
{
    lane_follow(session);
    session_explain(session);
    session_measure(session);
    session_measure_exact(session);
    session_open_code(session);
    picture_follow(session, kind);
}

static bool can_be_done(const Session *session, CommandKind kind, Error *err)
{
    return !command_is(kind, COMMAND_OF_PICTURE) || picture_is_there(session) ||
           error_set(err, TELL(NO_NUMBERS_YET));
}

bool session_apply(Session *session, const Command *command, Error *err)
{
    bool is_listed = session->guide && session->guide->contents && !session->help.open &&
                     command_is(command->kind, COMMAND_ON_LIST);
    bool strayed = session->guide && guide_note_straying(session, command->kind);
    Seen was = see(session);
    make_way(session, command->kind);
    SessionAction *action = is_listed ? session_contents : actions[command->kind];
    bool good = can_be_done(session, command->kind, err) && action(session, command, err);
    if (!good && session->run.failed && session->run.failure.of_machine)
        *err = session->run.failure; // that is why what was asked for is not there
    if (!good)
        session_say(session, "%s", err->text);
    else if (strayed)
        guide_tell_straying(session, command->kind);
    follow(session, command->kind);
    revise(session, command->kind, &was);
    return good;
}

// --- life cycle

void session_close_run(Session *session)
{
    lane_close(session);
    explanation_finish(&session->origin.explanation);
    session_forget_exact(session);
    trace_close(&session->run.trace);
}

bool session_plan_run(const Session *session, const Scenario *scenario, Trace *planned, Error *err)
{
    const Mine *mine = session->mine.functions;
    if (trace_open_way(planned, scenario, mine ? &mine->way : NULL, err))
        return true;
    trace_close(planned);
    return false;
}

// What was worked out from the numbers of the last run goes with it.
void session_start_run(Session *session, const Trace *planned)
{
    session->run = (SessionRun){.trace = *planned, .number = session->run.number + 1};
    session->origin = (SessionOrigin){.known = false};
    session->statistics.measured = false;
    session->code.step = -1;
    assert(session->run.trace.step_count > 0);
    session->cursor.tensor = session_main_output(session, 0);
    session_reach(session, 0);
    session_open_code(session);
}

void session_begin(Session *session)
{
    *session = (Session){.revision = 1,
                         .room = {.rows = 1, .columns = 1},
                         .play.rate = 1,
                         .picture = {.letters = 1.0, .place.chosen.tensor = -1}};
}

bool session_restart(Session *session, const Scenario *scenario, Error *err)
{
    Trace planned;
    if (!session_plan_run(session, scenario, &planned, err))
        return false;
    session_close_run(session);
    what_if_finish(&session->what_if);
    session->cursor = (SessionCursor){.step = 0};
    session->look = (SessionLook){.notation = session->guide ? NUMBER_DECIMALS : NUMBER_PRINTED};
    session->breaks = (SessionBreaks){.last = 0};
    session->help = (SessionHelp){.open = false};
    session->play.on = session->began = session->quit = false;
    session->message = (Error){.text = ""};
    session_start_run(session, &planned);
    picture_follow(session, COMMAND_FIRST);
    return true;
}

bool session_open(Session *session, const Scenario *scenario, Error *err)
{
    return session_open_mine(session, scenario, NULL, err);
}

bool session_open_mine(Session *session, const Scenario *scenario, const Mine *mine, Error *err)
{
    session_begin(session);
    session->mine.functions = mine;
    return session_restart(session, scenario, err);
}

void session_close(Session *session)
{
    session_close_run(session);
    what_if_finish(&session->what_if);
    *session = (Session){.quit = false};
}
