// tui: the loop between a person at a terminal and a session; see tui.h.
#include "tui.h"

#include <time.h>
#include "cells.h"
#include "open_lecture.h"
#include "hangul.h"
#include "history_file.h"
#include "loop.h"
#include "screen.h"
#include "session.h"

typedef struct Stepper {
    Session *session;
    Screen screen;
    const char *history;           // the file; NULL: none
    const TuiCompanion *companion; // NULL: none
    long long due;                 // when the next tick is, 0 between ticks
    bool hangul_said;
} Stepper;

static void say(Stepper *stepper, const char *words)
{
    Command tell = {.kind = COMMAND_TELL};
    snprintf(tell.name, sizeof tell.name, "%.*s", COMMAND_NAME_MAX - 1, words);
    session_apply(stepper->session, &tell, &(Error){.text = ""});
}

// A history that cannot be written is told once, unless something more important is on show.
static void keep_line(Stepper *stepper, const char *line)
{
    Error why;
    if (history_file_add(stepper->history, line, &why))
        return;
    stepper->history = NULL;
    say(stepper, why.text);
}

// That Hangul is taken for the keys beneath it is said once, at the first such key that has
// nothing else to say.
static void notice_hangul(Stepper *stepper, const TerminalEvent *event)
{
    const Session *session = stepper->session;
    bool is_free = !session->prompt.open && !session->message.text[0];
    if (stepper->hangul_said || !is_free || event->kind != TERMINAL_KEY || !hangul_key(event->key))
        return;
    stepper->hangul_said = true;
    say(stepper, open_lecture_session_word(stepper->session, WORD_HANGUL_KEYS));
}

// What a command refuses, the session shows.
static void apply(Stepper *stepper, const Command *command)
{
    Session *session = stepper->session;
    unsigned long entered = session->prompt.entered;
    Error refused;
    if (command->kind == COMMAND_REDRAW)
        terminal_forget();
    session_apply(session, command, &refused);
    if (stepper->history && session->prompt.entered != entered)
        keep_line(stepper, history_line(&session->prompt.history, 1));
}

// The lines that other runs kept.
static void remember(Stepper *stepper)
{
    static History history; // too large for a small stack
    history.count = 0;
    if (stepper->history)
        history_file_read(stepper->history, &history);
    for (int back = history.count; back >= 1; back--) {
        Command command = {.kind = COMMAND_REMEMBER};
        snprintf(command.name, sizeof command.name, "%s", history_line(&history, back));
        session_apply(stepper->session, &command, &(Error){.text = ""});
    }
}

// Pasted text is for the line for words; elsewhere it would be a row of commands that nobody meant.
static bool find_command(const Stepper *stepper, const TerminalEvent *event, Command *command)
{
    const Session *session = stepper->session;
    const Screen *screen = &stepper->screen;
    switch (event->kind) {
    case TERMINAL_KEY:
        return session_key(session, event->key, command);
    case TERMINAL_PASTED:
        return session->prompt.open && session_key(session, event->key, command);
    case TERMINAL_CLICK:
        return screen_click(screen, session, event->mouse.row, event->mouse.column, command);
    case TERMINAL_WHEEL:
        return screen_wheel(screen, event->mouse.row, event->mouse.column, event->mouse.wheel,
                            command);
    default:
        return false;
    }
}

// --- playing: the session says how often, the loop what time it is

static long long milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// How long to wait for the tick that is due; -1 when there is none.
static int time_to_tick(Stepper *stepper)
{
    int interval = session_next_tick(stepper->session);
    long long now = milliseconds_now();
    if (interval < 0) {
        stepper->due = 0;
        return -1;
    }
    if (stepper->due == 0)
        stepper->due = now + interval;
    return stepper->due > now ? (int)(stepper->due - now) : 0;
}

static void tick(Stepper *stepper)
{
    Command next = session_tick(stepper->session);
    stepper->due = 0;
    apply(stepper, &next);
}

// --- what stands beside the terminal

static int beside(const Stepper *stepper)
{
    return stepper->companion ? stepper->companion->descriptor(stepper->companion->context) : -1;
}

// The shorter of two waits, where -1 is for ever.
static int shorter(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int patience(Stepper *stepper)
{
    int companion = stepper->companion ? stepper->companion->wait(stepper->companion->context) : -1;
    return shorter(time_to_tick(stepper), companion);
}

static void listen(void *context)
{
    Stepper *stepper = context;
    Command command;
    if (!stepper->companion)
        return;
    while (stepper->companion->next(stepper->companion->context, stepper->session, &command))
        apply(stepper, &command);
    stepper->companion->follow(stepper->companion->context, stepper->session);
}

// --- the view

static bool begin(void *context, const Cells *cells, Error *err)
{
    Stepper *stepper = context;
    (void)err;
    remember(stepper);
    screen_join(&stepper->screen, stepper->session, cells->columns, cells->rows);
    return true;
}

static void draw(void *context, Cells *cells)
{
    Stepper *stepper = context;
    screen_fit(&stepper->screen, stepper->session, cells->columns, cells->rows);
    screen_draw(&stepper->screen, stepper->session, cells);
}

static bool hear(void *context, const TerminalEvent *event, const Cells *cells, Error *err)
{
    Stepper *stepper = context;
    Command command;
    (void)err; // what a command refuses, the session shows
    screen_fit(&stepper->screen, stepper->session, cells->columns, cells->rows);
    if (find_command(stepper, event, &command))
        apply(stepper, &command);
    notice_hangul(stepper, event);
    if (event->kind == TERMINAL_TIME && time_to_tick(stepper) == 0)
        tick(stepper);
    return true;
}

static bool is_over(const void *context)
{
    const Stepper *stepper = context;
    return stepper->session->quit;
}

static LoopWants wants(void *context)
{
    Stepper *stepper = context;
    const Session *session = stepper->session;
    return (LoopWants){.beside = beside(stepper),
                       .milliseconds = patience(stepper),
                       .typing = session->prompt.open,
                       .mouse = !session->mouse_off};
}

static unsigned long revision(const void *context)
{
    const Stepper *stepper = context;
    return stepper->session->revision;
}

static const LoopView view = {
    .begin = begin,
    .draw = draw,
    .hear = hear,
    .is_over = is_over,
    .wants = wants,
    .revision = revision,
    .follow = listen,
};

bool tui_run(Session *session, const char *history, const TuiCompanion *companion, Error *err)
{
    Stepper stepper = {.session = session, .history = history, .companion = companion};
    bool good = loop_run(&view, &stepper, err) == LOOP_OVER;
    screen_leave(session);
    return good;
}
