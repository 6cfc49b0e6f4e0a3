// loop: see loop.h.
#include "loop.h"

typedef struct Loop {
    const LoopView *view;
    void *context;
    Terminal terminal;
    Cells cells;
    bool stale;          // it has to be drawn, whatever the revision says
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
    return loop->stale || (view->revision && view->revision(loop->context) != loop->drawn);
}

static LoopWants wants_of(const Loop *loop)
{
    const LoopView *view = loop->view;
    return view->wants ? view->wants(loop->context) : (LoopWants){.beside = -1, .milliseconds = -1};
}

static void draw(Loop *loop)
{
    const LoopView *view = loop->view;
    view->draw(loop->context, &loop->cells);
    terminal_mouse(&loop->terminal, wants_of(loop).mouse);
    terminal_draw(&loop->cells);
    loop->drawn = view->revision ? view->revision(loop->context) : 0;
    loop->stale = false;
}

// Draws only when no further event is waiting, so that a burst of keys costs one screen and not one each.
static bool serve(Loop *loop, Error *err)
{
    const LoopView *view = loop->view;
    bool good =
        take_size(loop, err) && (!view->begin || view->begin(loop->context, &loop->cells, err));
    bool gone = false;
    while (good && !gone && !view->is_over(loop->context)) {
        bool stale = is_stale(loop);
        LoopWants wants = wants_of(loop);
        loop->terminal.typing = wants.typing;
        TerminalEvent event =
            terminal_wait(&loop->terminal, wants.beside, stale ? 0 : wants.milliseconds);
        gone = event.kind == TERMINAL_GONE;
        if (event.kind == TERMINAL_TIME && stale) {
            draw(loop);
        } else if (event.kind == TERMINAL_CHANGED) {
            good = take_size(loop, err);
        } else if (!gone) {
            good = view->hear(loop->context, &event, &loop->cells, err);
            loop->stale = loop->stale || !view->revision;
        }
        if (view->follow)
            view->follow(loop->context);
    }
    return good;
}

LoopEnd loop_run(const LoopView *view, void *context, Error *err)
{
    Loop loop = {.view = view, .context = context};
    if (!terminal_open(&loop.terminal, err))
        return LOOP_UNOPENED;
    bool good = serve(&loop, err);
    cells_finish(&loop.cells);
    terminal_close(&loop.terminal);
    return good ? LOOP_OVER : LOOP_BROKEN_OFF;
}
