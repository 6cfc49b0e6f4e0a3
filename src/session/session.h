// Everything the program knows while a person steps through a trace: where they are, what they look
// at, what they were told. Screens are drawn from a const Session; only session_apply changes one.
//
// Life cycle: session_open (shows the first step), session_apply ..., session_close. The scenario
// must outlive the session.
#ifndef SESSION_H
#define SESSION_H

#include "command.h"
#include "comparison.h"
#include "line_edit.h"
#include "number_facts.h"
#include "number_text.h"
#include "picture.h"
#include "stage_code.h"
#include "trace.h"
#include "what_if.h"

enum { SESSION_TENSORS_MAX = STAGE_READS_MAX + STAGE_WRITES_MAX };

// The panel beside the values.
typedef enum SessionDetail {
    DETAIL_NONE,
#define DETAIL(NAME, name, key, opens, moves, enters, ...) DETAIL_##NAME,
#include "details.def"
#undef DETAIL
    DETAIL_COUNT
} SessionDetail;

// How far `next` goes.
typedef enum SessionDepth {
    DEPTH_STAGE,
    DEPTH_ELEMENT, // of the step's main output, in loop order; later ones are not there yet
    DEPTH_TERM,    // of that element: one multiply-add, with its running sum
    DEPTH_COUNT
} SessionDepth;

// A term that was walked to. It counts only as long as its element is the chosen one.
typedef struct SessionTermPlace {
    int step;
    ptrdiff_t element, number;
} SessionTermPlace;

// Where `run` stops: a step; an element of its output; or an element that fits a condition.
typedef struct Breakpoint {
    int number; // what the person calls it; 0: there is none
    int step;
    int tensor;        // that the element belongs to; -1: the step as a whole
    ptrdiff_t element; // in index order; -1: any that fits the condition
    Condition condition;
} Breakpoint;

enum { SESSION_BREAKS_MAX = 16 };

// Where `run` stopped last. While the person is still there, the next `run` goes on behind it.
typedef struct SessionStop {
    bool stopped, at_step;
    TraceCell cell;
} SessionStop;

// How one tensor is looked at.
typedef struct SessionView {
    bool opened;                       // looked at before
    ptrdiff_t at[TENSOR_RANK_MAX];     // the chosen element
    int row_axis, column_axis;         // laid out on screen; -1: the tensor has too few axes
    int marked_axis;                   // the one that `pick` changes; -1: no axis is left over
    ptrdiff_t first_row, first_column; // the corner of what is visible
} SessionView;

// A place to go back to: the element from which somebody walked into an input, and where that led.
typedef struct SessionCrumb {
    int step; // that was shown
    TraceCell from, to;
    ptrdiff_t marked;
} SessionCrumb;

enum { SESSION_TRAIL_MAX = 32 }; // older places are forgotten

// What the statistics panel shows, of the tensor and slice it was measured for.
typedef struct SessionStatistics {
    bool measured;
    int tensor;
    Tensor slice_view; // rows and columns on screen at the picked indices
    Summary slice, whole;
    bool is_weights; // then:
    RowSums rows;
    double row; // the sum of the chosen element's row
} SessionStatistics;

// What the panel of errors shows: the chosen tensor and number beside float64. Two runs in double
// precision, of its step alone and of all steps since the inputs, are kept while it is shown.
typedef struct SessionExact {
    bool known;        // else, where there are numbers, `why` says why there are none in float64
    unsigned long run; // of the session's, that it belongs to
    int tensor, step;  // that the errors are of, and that `alone` has run; -1: none
    TraceExact alone, since;
    ExactError error_alone, error_since;
    Error why;
} SessionExact;

// The line for words; see session.h.
typedef struct SessionPrompt {
    bool open;
    LineEdit line;
    LineEdit draft; // the line as it was before one of the history took its place
    int recalled;   // how far back in the history the line is from; 0: it was typed
    History history;
    unsigned long entered; // how many lines were typed and done
} SessionPrompt;

// The parts of a session. Each says who writes it; everybody reads it.

// The run that is stepped through. Another pipeline replaces this and nothing else (session.c).
typedef struct SessionRun {
    Trace trace;
    bool failed; // the step that is shown could not be computed, for this reason:
    Error failure;
    unsigned long number; // another number, another run: what was kept of the last one is gone
} SessionRun;

// Where the person stands in the run: session_step.c, session_look.c, session_look.c,
// session_walk.c.
typedef struct SessionCursor {
    int step;   // the step that is shown
    int tensor; // the tensor of that step that is looked at, a number into trace.tensors
    SessionView views[TRACE_TENSORS_MAX];
    SessionDepth depth;
    SessionTermPlace term; // see session_term
} SessionCursor;

// How the person wants it shown: session_look.c, session_beside.c, session_walk.c. A page of a
// lecture begins with a look of its own; nothing else takes it from the person.
typedef struct SessionLook {
    NumberNotation notation; // of the numbers in the grid
    SessionDetail detail;
    ptrdiff_t detail_line; // how many of its lines are scrolled away above
    int mistake;           // the marked one of the list of mistakes
    bool memory_by_head;   // the colours of the memory panel: not by token
    bool all_heads;        // the heatmap shows every head
    bool scale_to_largest; // the heatmap's weights: not 0 to 1, and not weight times keys
    bool by_size;          // the terms are shown by size instead of by position
} SessionLook;

// `next` by itself: session_step.c.
typedef struct SessionPlay {
    bool on;
    int rate;         // how many times a second
    bool to_sequence; // elements, to the end of the picture's sequence
    ptrdiff_t stride; // then: so many at once
} SessionPlay;

// Breakpoints, and where they stopped the run: session_search.c.
typedef struct SessionBreaks {
    Breakpoint points[SESSION_BREAKS_MAX];
    int last; // the number that was given last
    SessionStop stop;
} SessionBreaks;

// The origin of the chosen element, while it is shown, and the way through origins that led there:
// session_walk.c.
typedef struct SessionOrigin {
    Explanation explanation;
    bool known;       // false: there are no values
    ptrdiff_t marked; // the listed term that is marked
    ptrdiff_t walked; // the term where the walk stood when the mark last followed it; -1: nowhere
    SessionCrumb trail[SESSION_TRAIL_MAX];
    int trail_length;
} SessionOrigin;

// The code beside the values: session_beside.c.
typedef struct SessionCode {
    int step;                   // whose code is shown
    ptrdiff_t line;             // the first visible line of it
    ptrdiff_t led_from, led_to; // where the screen last had it begin, and for which marked line
} SessionCode;

// The person's own functions: set by the caller that opens the session.
typedef struct SessionMine {
    const LearnerStages *functions; // those that run in front at first; NULL: the program's
    LearnerStagesOpen *open;        // NULL: there is nobody to ask
    void *context;
} SessionMine;

// The page of help: session.c, session_look.c.
typedef struct SessionHelp {
    bool open;
    ptrdiff_t line; // the first visible line of it
} SessionHelp;

// How much the screen shows, and how much it has no room for. A screen that is asked says so; any other
// tells it with the command `room`, in this order, when it has changed.
typedef struct ScreenSize {
    ptrdiff_t rows, columns;        // of numbers; of the page of help, while that is shown
    ptrdiff_t detail_over;          // lines beside the values that it has no room for
    ptrdiff_t text_over, text_rows; // of a lecture: lines that have no room, and those visible
    ptrdiff_t code_from; // the line of code, from 1, that leaves the mark in sight; 0: no mark
} ScreenSize;

struct Session;

// The screen that the session is shown on: set by whoever shows it. At the end of every command that
// changes what there is to see it is asked how much room there is for that.
typedef struct SessionScreen {
    ScreenSize (*fit)(void *context, const struct Session *session); // NULL: `room` tells it
    void *context;
} SessionScreen;

typedef struct Session {
    // session_apply, for the parts that give commands themselves: a line that was typed, a page of a
    // lecture. It knows all parts, and no part knows it.
    bool (*apply)(struct Session *session, const Command *command, Error *err);

    SessionRun run;
    SessionCursor cursor;
    SessionLook look;
    SessionPlay play;
    Condition search; // what was looked for last: session_search.c
    SessionBreaks breaks;
    SessionOrigin origin;
    SessionStatistics statistics; // while they are shown: session_beside.c
    SessionExact exact;           // while it is shown: session_beside.c
    SessionCode code;
    WhatIf what_if;        // what the person changed: what_if.c
    Comparison comparison; // the run beside this one: comparison.c
    SessionMine mine;
    struct OpenLecture *lecture; // the one this session belongs to; NULL: none. See open_lecture.h
    SessionPrompt prompt;        // session_prompt.c
    SessionHelp help;
    Picture picture; // session_picture.c, picture_*.c

    SessionScreen screen;
    ScreenSize room; // session.c

    Error message;  // what the last command has to say; empty: nothing
    bool began;     // a first command was given: the words shown at the start are gone
    bool window;    // the person wants a window beside the terminal
    bool mouse_off; // the person wants it for the terminal's own uses
    bool quit;
    unsigned long revision; // another number, another screen
} Session;

// Plans the trace and computes its first step; a failure of that step is shown, not returned. False
// when the scenario cannot be planned.
bool session_open(Session *session, const Scenario *scenario, Error *err);

// The same with somebody's own functions in place of stages. `mine` must outlive the session.
bool session_open_mine(Session *session, const Scenario *scenario, const LearnerStages *mine,
                       Error *err);

// Whether the step runs a function of the person's own.
bool session_step_is_mine(const Session *session, int step);

void session_close(Session *session);

// The one function that changes a session. False, with a sentence that the session also shows as
// its message, when the command names something that is not there; nothing else has changed then.
// A step that cannot be computed is no failure of the command: the session shows it.
bool session_apply(Session *session, const Command *command, Error *err);

// False, with the step's sentence, when this machine failed to compute what is shown now. A stage that
// refuses its input is not a failure of the machine.
bool session_could_compute(const Session *session, Error *err);

// Whether the session already knows that the screen has this room, and the chosen element is in sight
// there; else session_fitting gives the command that makes it so: for a screen that is not asked, or that
// has another size.
bool session_is_fitted(const Session *session, const ScreenSize *room);
Command session_fitting(const ScreenSize *room);

// --- what panels ask

// The inputs of a step, then its outputs. Returns the count.
int session_tensors(const Session *session, int step, int tensors[SESSION_TENSORS_MAX]);

// The main output of a step: the first one that is not a mask.
int session_main_output(const Session *session, int step);

// The tensor on screen, and its view.
const TraceTensor *session_tensor(const Session *session);
const SessionView *session_view(const Session *session);

// The code of the step on screen, and the line where its loop begins.
const StageCode *session_code(const Session *session);
ptrdiff_t session_code_definition(const Session *session);

// The line of that code that computes the current term; -1 if there is no current term, or if other
// code runs.
ptrdiff_t session_code_of_term(const Session *session);

// The chosen element.
TraceCell session_cell(const Session *session);
bool session_same_cell(TraceCell a, TraceCell b);

// The targets of `enter 1`, `enter 2` ...: the inputs of the marked term of a sum, else all inputs of the
// element. Returns the count.
enum { SESSION_INPUTS_MAX = 4 };
int session_inputs(const Session *session, TraceCell inputs[SESSION_INPUTS_MAX]);

// The listed term at a rank of the current order, and the rank of the marked term.
ptrdiff_t session_term_at(const Session *session, ptrdiff_t rank);
ptrdiff_t session_marked_rank(const Session *session);

// True for an axis of the tensor on screen that is neither rows nor columns.
bool session_axis_is_picked(const Session *session, int axis);

// True if the tensor on screen has elements and they are computed.
bool session_has_values(const Session *session);

// Milliseconds between two `next` while playing, else -1. A loop that waits for keys waits at most this
// long, then applies the command of session_tick.
int session_next_tick(const Session *session);
Command session_tick(const Session *session);

// True if this step has a breakpoint.
bool session_breaks_at(const Session *session, int step);

// The name of a notation in commands: "print", "full", "hexadecimal".
const char *session_notation_name(NumberNotation notation);

// The slice of the tensor on screen that scrolling can reach: its rows and columns at the picked indices,
// with all its axes. Sets `base` to the index of its first element.
Tensor session_slice(const Session *session, ptrdiff_t base[TENSOR_RANK_MAX]);

// --- the position in elements and terms; see session_walk.c

// "stage", "element", "term".
extern const char *const session_depth_names[DEPTH_COUNT + 1]; // NULL after the last

// The number of elements of the step's main output (0 until it is computed), and the chosen element, counted
// in loop order: the position below stage depth.
ptrdiff_t session_element_count(const Session *session);
ptrdiff_t session_element(const Session *session);

// True if element `at` of the tensor on screen is computed. At stage depth, and for views, every element
// counts as computed.
bool session_has_reached(const Session *session, const ptrdiff_t at[]);

// The current term, counted from 0. False at other depths and without values.
typedef struct SessionTerm {
    ptrdiff_t number, count;
    TraceTerm term;
} SessionTerm;

bool session_term(const Session *session, SessionTerm *term);

// "term 3 of 64: q[0,0,2] 0.28 * k[0,1,2] 0.3 = ..., running sum ..."; "" at stage depth.
enum { SESSION_WALK_MAX = 512 };
const char *session_walk_text(const Session *session, char text[SESSION_WALK_MAX]);

// --- the prompt
//
// It has completion and a history. Keys reach it as the command `type`.

// Maps a key to a command, or to input for the open prompt. False if the key does nothing.
bool session_key(const Session *session, const char *key, Command *command);

// The rows of keymaps.def for PLACE_PROMPT.
int prompt_key_count(void);
const KeyRow *prompt_key(int number);

// A line about the text at the prompt: the arguments and effect of the command, or the commands that begin
// with these letters.
enum { PROMPT_HINT_MAX = 1024 };
const char *session_prompt_hint(const Session *session, char text[PROMPT_HINT_MAX]);

// --- the help page, line by line
//
// Every command of commands.def under the heading of its group, then the keys of the prompt (keymaps.def).

// A heading, or a key with what it does.
typedef struct HelpLine {
    const char *heading;  // NULL: no heading
    const char *keys;     // separated by spaces
    const char *word;     // "": not in scripts
    const char *argument; // the syntax of the argument
    const char *help;
} HelpLine;

int help_page_lines(void);

// Lines are counted from 0.
HelpLine help_page_line(int line);

// --- the source of the numbers on screen
//
// Titles of screens, pictures and files of numbers show it, so that nobody takes a changed number for the
// document's.

// Why the numbers in front differ from the scenario's file, as the user wrote it: "attention.scale=none",
// "mistake scale-missing", "own text"; "" if they do not differ. A text that does not fit ends with an
// ellipsis.
enum { SESSION_SOURCE_MAX = PICTURE_CHANGED_MAX };
const char *session_changed_by(const Session *session, char text[SESSION_SOURCE_MAX]);

// The document that prints these numbers; NULL if there is none, or if only the user's own file claims so.
const char *session_document(const Session *session);

// The file that the weights are from, where a scenario of the person's own names it; NULL elsewhere. A
// file of weights that was opened is named as the scenario already.
const char *session_own_weights(const Session *session);

#endif
