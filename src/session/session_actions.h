// The functions behind the rows of commands.def. Only session_apply calls them.
#ifndef SESSION_ACTIONS_H
#define SESSION_ACTIONS_H

#include "session.h"

// Changes the session. Returns false, with err and nothing changed, if the command names something that does
// not exist. The last message and the help page are closed before it is called (see commands.def).
typedef bool SessionAction(Session *session, const Command *command, Error *err);

#define COMMAND(name, action, word, argument, names, traits, keys, ...) \
    SessionAction session_##action;
#include "commands.def"
#undef COMMAND

// --- what actions share

// The place of a name in a list that ends with NULL; -1 if it is not there.
int name_index(const char *const names[], const char *name);

// Sets the message of the command.
void session_say(Session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The initial state; owns nothing that needs closing.
void session_begin(Session *session);

// Starts over with the scenario of a lecture's page. Resets position, views, edits and breakpoints; keeps the
// prompt's history, the search and the screen settings.
bool session_restart(Session *session, const Scenario *scenario, Error *err);

// Replaces the run by another pipeline, computed as far as the old one. Keeps the step, tensor and element if
// the new pipeline has them. Sets `breaks_lost` to the number of breakpoints without a place in it. Returns
// false, with the run unchanged, if it cannot run. The old scenario must live until this returns.
bool session_replan(Session *session, const Scenario *scenario, int *breaks_lost, Error *err);

// Closes the run, and the one beside it.
void session_close_run(Session *session);

// Opens the scenario of `now` again with the first `done` edits and one more option (NULL: none). The caller
// closes it.
bool what_if_open(const WhatIf *what_if, const Scenario *now, size_t done, const char *option,
                  Scenario *scenario, Error *err);

// Sets err while the other run is in front: only the first one changes.
bool what_if_may_change(const Session *session, Error *err);

void what_if_finish(WhatIf *what_if);

// Allocates a scenario; NULL and err if out of memory. Close accepts NULL.
Scenario *what_if_scenario_new(Error *err);
void what_if_scenario_close(Scenario *scenario);

// A breakpoint by name, while the pipeline is replanned.
typedef struct KeptBreak {
    Breakpoint point;
    char step[64], tensor[64]; // tensor "": the step as a whole
    int rank;                  // of the tensor
    ptrdiff_t at[TENSOR_RANK_MAX];
} KeptBreak;

// Asks the screen, if any, for its size.
void session_ask_screen(Session *session);

// Computes up to a step and shows it, or the step that failed.
void session_run_to(Session *session, int step);

// Finds a step by name, stage or number (from 1); -1, with the nearest name in err, if there is none.
int session_find_step(const Session *session, const char *name, Error *err);

// The step that makes a tensor; for an input, the first step that reads it, else the current one.
int session_step_with(const Session *session, int tensor);

// True if the command's index is inside the tensor shown.
bool session_has_element(const Session *session, const Command *command, Error *err);

// After every command: updates the statistics panel.
void session_measure(Session *session);

// After every command: computes the rounding-error panel in float64, or frees it.
void session_measure_exact(Session *session);
void session_forget_exact(Session *session);

// Moves through the main output, by elements or terms according to the depth.
bool session_walk(Session *session, bool forward, ptrdiff_t distance, Error *err);

// The origin: marks a term by number, or moves the mark in the order shown; enters an input of the marked
// term, counted from 1.
bool session_choose_term(Session *session, ptrdiff_t number, Error *err);
bool session_move_term(Session *session, ptrdiff_t by, Error *err);
bool session_walk_in(Session *session, ptrdiff_t wanted, Error *err);

// The list of mistakes: moves the mark; opens a run with the marked one.
void session_mark_mistake(Session *session, ptrdiff_t by);
bool session_compare_marked(Session *session, Error *err);

// Shows the code of a new step from its definition on.
void session_open_code(Session *session);

// When the mark or the screen's size changes, the code starts where the screen says (ScreenSize); after that
// the person scrolls it.
bool session_code_is_led(const Session *session, const ScreenSize *room);
void session_lead_code(Session *session, const ScreenSize *room);

// Keeps the origin panel on the chosen element.
void session_explain(Session *session);

// Shows a tensor; axes of the same name keep their index.
void session_look_at(Session *session, int tensor);

// Shows a step, and chooses an element of one of its tensors.
void session_show_cell(Session *session, int step, TraceCell cell);

// --- how one tensor is looked at
//
// Layout and chosen element. The cost does not depend on the tensor's size.

// Chooses the first element, with the last two axes as rows and columns.
void session_view_open(SessionView *view, const Tensor *tensor);

// Moves the chosen element along an axis, within its bounds. Axis -1 does nothing.
void session_view_move(SessionView *view, const Tensor *tensor, int axis, ptrdiff_t by);

// Scrolls as little as needed to show the chosen element.
void session_view_scroll(SessionView *view, const Tensor *tensor, ptrdiff_t rows,
                         ptrdiff_t columns);

// --- the names that a command accepts now
//
// For completion, and for the nearest name in an error.

enum { SESSION_NAMES_MAX = TRACE_STEPS_MAX + TRACE_TENSORS_MAX + 256 };

typedef struct SessionNames {
    int count;
    const char *known[SESSION_NAMES_MAX + 1]; // NULL after the last
} SessionNames;

// Empty for a command without a list of names. Composed names hold until the next call.
void session_names(const Session *session, CommandKind kind, SessionNames *names);

// --- the picture (picture_tensor.c)
//
// Elements and cells.

// The roles of a tensor's axes; -1: none. The last two are rows and columns. The second of four axes counts
// maps, usually heads; so does the first of three, unless it is B.
typedef struct PictureAxes {
    int batch, head, row, column;
} PictureAxes;

// Makes a cell the session's element, without marking it (picture_choose).
void picture_put(Session *session, ptrdiff_t batch, FigureCell cell);

// --- picture_tensor.c: from tensor to tensor, from run to run

// After every command: shows the session's tensor, its element, and the elements computed so far.
void picture_follow(Session *session, CommandKind kind);

// Shows a tensor, at the step that makes it. Sequence, head, cursor, lock and zoom stay, or move to the
// nearest valid value. Returns false, with nothing changed, if it cannot be drawn.
bool picture_look_at(Session *session, int tensor, Error *err);

// Shows the next (1) or previous (-1) tensor that a step has made.
bool picture_look_further(Session *session, int direction, Error *err);

// --- picture_tensor.c: cursor, zoom, pointer; all clamp to the map

// Draws what the request says, with this cell chosen. Returns false and sets err if that cannot be shown.
bool picture_change(Session *session, FigureRequest request, FigureCell chosen, Error *err);

// Shows the map of a head, alone if every head is shown now.
bool picture_choose_head(Session *session, ptrdiff_t head, Error *err);

// Chooses a cell, and scrolls so that it is visible.
void picture_go_to(Session *session, FigureCell cell);

// Marks the element under the cursor as chosen.
void picture_choose(Session *session);

// Scrolls so that the cursor is among the first lines, for a view that shows fewer cells.
void picture_show_cursor(Session *session);

// --- picture_tensor.c: heads that are shown together

// Adds a head or removes it. From a single head, adds to it; from all heads, removes from them. The last head
// stays. Returns false if there is nothing to pick.
bool picture_pick(Session *session, ptrdiff_t head, Error *err);

// Shows the heads "1,3" together, a single one enlarged, or "all".
bool picture_show_heads(Session *session, const char *words, Error *err);

// While heads are picked, marks the next (1) or previous (-1) one for adding. Returns false if none are.
bool picture_mark_head(Session *session, int direction);

#endif
