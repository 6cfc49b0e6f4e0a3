// The stepper in a terminal, and driven by scripts; see tui.h.
#include "tui.h"

#include <errno.h>
#include <string.h>
#include "cells.h"
#include "clock.h"
#include "input_file.h"
#include "open_lecture.h"
#include "lecture.h"
#include "screen.h"
#include "session.h"
#include "state_file.h"
#include "tui_words.def"
#include "utf8.h"

// --- the loop

typedef struct Loop {
    const LoopView *view;
    Terminal terminal;
    Cells cells;
    bool stale;          // draw, whatever the revision
    unsigned long drawn; // the revision that the screen shows
} Loop;

static bool take_size(Loop *loop, Error *err)
{
    int columns, rows;
    terminal_size(&columns, &rows);
    loop->cells.colours = terminal_colours();
    loop->stale = true;
    return cells_resize(&loop->cells, columns < CELLS_COLUMNS_MAX ? columns : CELLS_COLUMNS_MAX,
                        rows < CELLS_ROWS_MAX ? rows : CELLS_ROWS_MAX, err);
}

static bool is_stale(const Loop *loop)
{
    const LoopView *view = loop->view;
    return loop->stale || (view->revision && *view->revision != loop->drawn);
}

static LoopWants wants_of(const Loop *loop)
{
    const LoopView *view = loop->view;
    return view->wants ? view->wants(view->context) : (LoopWants){.beside = -1, .milliseconds = -1};
}

static void loop_draw(Loop *loop)
{
    const LoopView *view = loop->view;
    view->draw(view->context, &loop->cells);
    terminal_mouse(&loop->terminal, wants_of(loop).mouse);
    terminal_draw(&loop->cells);
    loop->drawn = view->revision ? *view->revision : 0;
    loop->stale = false;
}

// Draws only when no event is waiting, so that a burst of keys costs one screen.
static bool serve(Loop *loop, Error *err)
{
    const LoopView *view = loop->view;
    bool good =
        take_size(loop, err) && (!view->begin || view->begin(view->context, &loop->cells, err));
    bool gone = false;
    while (good && !gone && !*view->over) {
        bool stale = is_stale(loop);
        LoopWants wants = wants_of(loop);
        loop->terminal.typing = wants.typing;
        TerminalEvent event =
            terminal_wait(&loop->terminal, wants.beside, stale ? 0 : wants.milliseconds);
        gone = event.kind == TERMINAL_GONE;
        if (event.kind == TERMINAL_TIME && stale) {
            loop_draw(loop);
        } else if (event.kind == TERMINAL_CHANGED) {
            good = take_size(loop, err);
        } else if (!gone) {
            good = view->handle(view->context, &event, &loop->cells, err);
            loop->stale = loop->stale || !view->revision;
        }
        if (view->follow)
            view->follow(view->context);
    }
    return good;
}

LoopEnd loop_run(const LoopView *view, Error *err)
{
    Loop loop = {.view = view};
    if (!terminal_open(&loop.terminal, err))
        return LOOP_UNOPENED;
    bool good = serve(&loop, err);
    cells_finish(&loop.cells);
    terminal_close(&loop.terminal);
    return good ? LOOP_OVER : LOOP_BROKEN_OFF;
}

// --- the stepper in the terminal

typedef struct Stepper {
    Session *session;
    Screen screen;
    const char *history;     // the file; NULL: none
    TuiCompanion *companion; // NULL: none
    long long due;           // when the next tick is, 0 between ticks
    bool hangul_said;
    FileWatch turned; // the page chosen by the notes in another terminal
    bool is_turned;   // the file is watched
} Stepper;

static void say(Stepper *stepper, const char *words)
{
    session_do(stepper->session, COMMAND_TELL, words, &(Error){.text = ""});
}

// Reports once that the history cannot be written, unless another message is shown.
static void keep_line(Stepper *stepper, const char *line)
{
    Error why;
    if (history_file_add(stepper->history, line, &why))
        return;
    stepper->history = NULL;
    say(stepper, why.text);
}

// Explains once that Hangul letters count as the Latin keys they share, at the first such key without a message.
static void notice_hangul(Stepper *stepper, const TerminalEvent *event)
{
    const Session *session = stepper->session;
    bool is_free = !session->prompt.open && !session->message.text[0];
    if (stepper->hangul_said || !is_free || event->kind != TERMINAL_KEY || !hangul_key(event->key))
        return;
    stepper->hangul_said = true;
    say(stepper, open_lecture_session_word(stepper->session, WORD_HANGUL_KEYS));
}

// Runs a command; the session shows an error.
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

// Loads the history of earlier runs.
static void remember(Stepper *stepper)
{
    static History history; // too large for a small stack
    history.count = 0;
    if (stepper->history)
        history_file_read(stepper->history, &history);
    for (int back = history.count; back >= 1; back--)
        session_do(stepper->session, COMMAND_REMEMBER, history_line(&history, back),
                   &(Error){.text = ""});
}

// Pasted text only goes to the prompt; elsewhere it would run unintended commands.
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

// Milliseconds to the next tick; -1: none.
static int time_to_tick(Stepper *stepper)
{
    int interval = session_next_tick(stepper->session);
    long long now = clock_milliseconds();
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

// --- beside the terminal

static int beside(const Stepper *stepper)
{
    int companion = stepper->companion ? stepper->companion->descriptor : -1;
    return companion < 0 && stepper->is_turned ? stepper->turned.descriptor : companion;
}

// The shorter of two waits, where -1 is for ever.
static int shorter(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int patience(Stepper *stepper)
{
    int companion = stepper->companion ? stepper->companion->milliseconds : -1;
    int turned = stepper->is_turned ? file_watch_milliseconds(&stepper->turned) : -1;
    return shorter(shorter(time_to_tick(stepper), companion), turned);
}

// Turns to the page that the speaker chose in the notes. Ignores an unreadable file.
static void follow_notes(Stepper *stepper)
{
    const OpenLecture *open = stepper->session->lecture;
    Presenting wanted;
    Error unread;
    Command turn = {.kind = COMMAND_PAGE};
    if (!stepper->is_turned || !open->announces || !file_watch_changed(&stepper->turned) ||
        !presenting_read(open->announces, &wanted, &unread))
        return;
    int page = lecture_find(open->lecture, wanted.page);
    snprintf(turn.name, sizeof turn.name, "%d", page + 1);
    if (page >= 0 && page != open->page)
        apply(stepper, &turn);
}

static void listen(void *context)
{
    Stepper *stepper = context;
    follow_notes(stepper);
    if (stepper->companion)
        stepper->companion->listen(stepper->companion, stepper->session);
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

static void tui_draw(void *context, Cells *cells)
{
    Stepper *stepper = context;
    screen_fit(&stepper->screen, stepper->session, cells->columns, cells->rows);
    screen_draw(&stepper->screen, stepper->session, cells);
}

static bool handle_event(void *context, const TerminalEvent *event, const Cells *cells, Error *err)
{
    Stepper *stepper = context;
    Command command;
    (void)err; // the session shows errors
    screen_fit(&stepper->screen, stepper->session, cells->columns, cells->rows);
    if (find_command(stepper, event, &command))
        apply(stepper, &command);
    notice_hangul(stepper, event);
    if (event->kind == TERMINAL_TIME && time_to_tick(stepper) == 0)
        tick(stepper);
    return true;
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

bool tui_run(Session *session, const char *history, TuiCompanion *companion, Error *err)
{
    Stepper stepper = {.session = session, .history = history, .companion = companion};
    Arena arena = {0};
    const LoopView view = {.context = &stepper,
                           .over = &session->quit,
                           .revision = &session->revision,
                           .begin = begin,
                           .draw = tui_draw,
                           .handle = handle_event,
                           .wants = wants,
                           .follow = listen};
    const char *announces = session->lecture ? session->lecture->announces : NULL;
    if (announces && !file_watch_open(&stepper.turned, announces, true, &arena, err))
        return false;
    stepper.is_turned = announces != NULL;
    bool good = loop_run(&view, err) == LOOP_OVER;
    if (stepper.is_turned)
        file_watch_close(&stepper.turned);
    arena_finish(&arena);
    screen_leave(session);
    return good;
}

// --- scripts

enum { LINE_MAX_BYTES = 1024 };

typedef struct Player {
    Session *session;
    Screen screen;
    Cells cells;
    FILE *out;
} Player;

static void write_screen(Player *player)
{
    screen_draw(&player->screen, player->session, &player->cells);
    fprintf(player->out, "=== %dx%d\n", player->cells.columns, player->cells.rows);
    cells_print(&player->cells, player->out);
    fputs("===\n", player->out);
}

static bool change_size(Player *player, const char *text, Error *err)
{
    int columns, rows, used = 0;
    bool good = sscanf(text, "%5dx%5d%n", &columns, &rows, &used) == 2 && text[used] == '\0' &&
                columns >= 1 && rows >= 1 && columns <= CELLS_COLUMNS_MAX && rows <= CELLS_ROWS_MAX;
    if (!good)
        return error_set(err, TELL(SCRIPT_SIZE), CELLS_COLUMNS_MAX, CELLS_ROWS_MAX, text);
    return cells_resize(&player->cells, columns, rows, err);
}

static bool press_key(Player *player, const char *key, Error *err)
{
    Command command;
    if (!session_key(player->session, key, &command))
        return error_set(err, TELL(SCRIPT_KEY), key);
    return session_apply(player->session, &command, err);
}

static bool play_line(Player *player, const char *line, Error *err)
{
    Command command;
    bool good = true;
    if (*line == '\0' || *line == '#')
        return true;
    if (strcmp(line, "screen") == 0)
        write_screen(player);
    else if (strncmp(line, "size ", 5) == 0)
        good = change_size(player, line + 5, err);
    else if (strncmp(line, "key ", 4) == 0)
        good = press_key(player, line + 4, err);
    else
        good = command_parse(line, &command, err) && session_apply(player->session, &command, err);
    // As a user would see it after every line.
    screen_fit(&player->screen, player->session, player->cells.columns, player->cells.rows);
    return good && session_could_compute(player->session, err);
}

static bool play(Player *player, FILE *script, Error *err)
{
    char line[LINE_MAX_BYTES];
    for (int number = 1; !player->session->quit && fgets(line, sizeof line, script); number++) {
        size_t length = strcspn(line, "\r\n");
        if (line[length] == '\0' && !feof(script))
            return error_set(err, TELL(SCRIPT_LONG), number, LINE_MAX_BYTES - 2);
        line[length] = '\0';
        if (!play_line(player, line, err))
            return error_prefix(err, TELL(SCRIPT_LINE), number);
    }
    if (ferror(script))
        return error_number(err, errno, TELL(SCRIPT_UNREAD), error_reason(errno));
    return true;
}

bool tui_script(Session *session, FILE *script, int columns, int rows, FILE *out, Error *err)
{
    Player player = {.session = session, .out = out};
    bool good = cells_resize(&player.cells, columns, rows, err);
    if (good) {
        screen_join(&player.screen, session, columns, rows);
        good = play(&player, script, err);
        screen_leave(session);
    }
    cells_finish(&player.cells);
    return good;
}
