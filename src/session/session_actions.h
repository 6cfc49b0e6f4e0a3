// What commands do. Each row of commands.def names one of these functions; session_apply calls it.
// Nobody else does.
#ifndef SESSION_ACTIONS_H
#define SESSION_ACTIONS_H

#include "session.h"

// Changes the session. False, with a sentence and nothing changed, when the command names something
// that is not there. What the last command said is gone when it is called, and so is the page of help
// (see commands.def).
typedef bool SessionAction(Session *session, const Command *command, Error *err);

#define COMMAND(name, action, word, argument, names, traits, keys, ...) \
    SessionAction session_##action;
#include "commands.def"
#undef COMMAND

// --- what actions share

// What the command has to say, for the line of messages; in place of what it has said before.
void session_say(Session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

// As it is before anything has been done; there is nothing to close.
void session_begin(Session *session);

// Starts over with a scenario: a page of a lecture. Where the person was, how they looked at it, their
// edits and breakpoints are gone; what they typed, looked for and wanted of the screen stays.
bool session_restart(Session *session, const Scenario *scenario, Error *err);

// Another pipeline takes the place of the run, which is computed as far as the old one was. The
// person stays at the same step, tensor and element where the new one has them; nothing else of
// theirs changes. `breaks_lost` becomes the number of breakpoints that have no place in the new
// pipeline. False when it cannot be run: then the run stays as it was. The old scenario must live
// until this returns.
bool session_replan(Session *session, const Scenario *scenario, int *breaks_lost, Error *err);

// Closes the run, and the one beside it.
void session_close_run(Session *session);

// Breakpoints by the names of what they stop at, while the pipeline is planned anew.
typedef struct KeptBreak {
    Breakpoint point;
    char step[64], tensor[64]; // "" where it stops at a step as a whole
    int rank;                  // of the tensor
    ptrdiff_t at[TENSOR_RANK_MAX];
} KeptBreak;

// Asks the screen, if there is one, how much room it has for what is shown now.
void session_ask_screen(Session *session);

// Computes what is missing up to a step and shows it, or the step that could not be computed.
void session_run_to(Session *session, int step);

// The step with this name, stage or number (from 1); -1, with the nearest name, when there is none.
int session_find_step(const Session *session, const char *name, Error *err);

// True when the index of the command is one of the tensor looked at.
bool session_has_element(const Session *session, const Command *command, Error *err);

// After every command: measures what the statistics panel shows, where it has changed.
void session_measure(Session *session);

// After every command: computes in float64 what the panel of errors shows, or gives that back.
void session_measure_exact(Session *session);
void session_forget_exact(Session *session);

// Moves forwards or backwards through the main output: by elements or by terms, as the depth says.
bool session_walk(Session *session, bool forward, ptrdiff_t distance, Error *err);

// The origin: marks another term in the order shown, or one by its number; walks into an input of the
// marked one, counted from 1.
bool session_choose_term(Session *session, ptrdiff_t number, Error *err);
bool session_move_term(Session *session, ptrdiff_t by, Error *err);
bool session_walk_in(Session *session, ptrdiff_t wanted, Error *err);

// The list of mistakes: marks another one; opens a run with the one that is marked.
void session_mark_mistake(Session *session, ptrdiff_t by);
bool session_compare_marked(Session *session, Error *err);

// Shows the code of a new step from its definition on; moves a line up or down.
void session_open_code(Session *session);

// Once the mark or the screen's room is another, the code begins where the screen says (ScreenSize); from then
// on it stays where the person scrolls it.
bool session_code_is_led(const Session *session, const ScreenSize *room);
void session_lead_code(Session *session, const ScreenSize *room);

// While the origin is shown, keeps it that of the chosen element.
void session_explain(Session *session);

// Looks at a tensor; axes of the same name keep their index.
void session_look_at(Session *session, int tensor);

// Shows a step, and chooses an element of one of its tensors.
void session_show_cell(Session *session, int step, TraceCell cell);

// --- how one tensor is looked at
//
// How it is laid out, and which of its elements is chosen. The cost does not depend on the tensor's size.

// The first element, with the last two axes as rows and columns.
void session_view_open(SessionView *view, const Tensor *tensor);

// Moves the chosen element along an axis (-1: does nothing), not beyond its ends.
void session_view_move(SessionView *view, const Tensor *tensor, int axis, ptrdiff_t by);

// Moves the visible corner as little as possible so that the chosen element is visible.
void session_view_scroll(SessionView *view, const Tensor *tensor, ptrdiff_t rows,
                         ptrdiff_t columns);

// --- the names that a command's argument can have now
//
// What completion offers, and what a refusal finds the nearest of.

enum { SESSION_NAMES_MAX = 1024, SESSION_COMPOSED_MAX = TRACE_STEPS_MAX };

typedef struct SessionNames {
    int count;
    const char *known[SESSION_NAMES_MAX + 1]; // NULL after the last
    char room[SESSION_COMPOSED_MAX][64];      // for those that are put together when asked for
} SessionNames;

// None for a command that takes no name of a known list.
void session_names(const Session *session, CommandKind kind, SessionNames *names);

#endif
