// The state of a person stepping through a trace: position, view, messages. Screens are drawn from a
// const Session; only session_apply changes one.
//
// Life cycle: session_open (shows the first step), session_apply ..., session_close. The scenario must
// outlive the session.
#ifndef SESSION_H
#define SESSION_H

#include "command.h"
#include "comparison.h"
#include "figure.h"
#include "line_edit.h"
#include "number_text.h"
#include "scenario_file.h"
#include "stage_code.h"
#include "trace.h"

// --- facts about a tensor's numbers: session_state.c
//
// Which ones meet a condition ("> 0.4", "nan", "masked": for searches and breakpoints), and statistics.

typedef enum ConditionKind {
    CONDITION_NONE,
    CONDITION_ABOVE,
    CONDITION_BELOW,
    CONDITION_AT_LEAST,
    CONDITION_AT_MOST,
    CONDITION_EQUAL,
    CONDITION_OTHER, // != a number
    CONDITION_NAN,
    CONDITION_INFINITE,
    CONDITION_MASKED,
    CONDITION_LARGEST, // equal to the largest number; ignores NaN
    CONDITION_SMALLEST,
} ConditionKind;

typedef struct Condition {
    ConditionKind kind;
    double number; // rounded to float32 for float32 tensors, as PyTorch does
    double
        half_unit; // half of the last place typed: "= 0.4010" finds every number that rounds to it
} Condition;

// Reads "> 0.4", "<= -1", "= 0", "!= 0", "0.4" (as "= 0.4"), "nan", "infinity", "masked", "largest",
// "smallest". With = and !=, only the decimals typed count; a whole number is exact. On failure, err lists the
// possible conditions.
bool condition_parse(const char *text, Condition *condition, Error *err);

// Writes the condition as it is typed; returns `text`.
enum { CONDITION_TEXT_MAX = 48 };
const char *condition_text(Condition condition, char text[CONDITION_TEXT_MAX]);

// The matches in a tensor, by element number in index order.
typedef struct ConditionMatches {
    ptrdiff_t count;
    ptrdiff_t first; // the first match; -1: none
    ptrdiff_t next;  // the first match after `after`; -1: none
    ptrdiff_t order; // matches before `next`
} ConditionMatches;

// Visits every element once (twice for the largest and smallest). The tensor must be computed.
ConditionMatches condition_matches(Condition condition, const Trace *trace, int tensor,
                                   ptrdiff_t after);

// Smallest, largest, mean and deviation are of the finite numbers. True counts as 1.
typedef struct Summary {
    ptrdiff_t count, finite, nan, infinite, masked;
    double smallest, largest, mean;
    double deviation; // with n - 1, as Tensor.std(); NaN for fewer than 2
} Summary;

// Statistics of the part of a tensor that starts at index `base`; `part` is a view of it. One pass.
Summary statistics_of(const Tensor *part, const ptrdiff_t base[], const TraceMarks *marks);

// The sums of rows of weights: 1, except for rounding and dropout.
typedef struct RowSums {
    ptrdiff_t rows, nan; // all rows; rows whose sum is NaN
    double smallest, largest;
} RowSums;

RowSums statistics_row_sums(const Tensor *weights);

// The sum of the row (last axis) of element `at`, in double precision, ascending.
double statistics_row_sum(const Tensor *weights, const ptrdiff_t at[]);

// --- the picture: the current tensor as maps of coloured cells, for windows, files and pages
//
// It shows the session's tensor and marks the chosen element. If that tensor cannot be drawn, the last one
// stays. The rest of `request` is how the person wants it drawn.

typedef struct Session Session;

enum { PICTURE_CHANGED_MAX = 384 };

// What was shown last, to detect a change.
typedef struct PicturePlace {
    char tensor[64]; // its name; "": nothing shown yet
    ptrdiff_t shape[4];
    char rows[16], columns[16]; // names of these axes; "": none
    ColourMap usual;            // default colours for its kind of numbers
    FigureScale usual_scale;    // and their range
    TraceCell chosen;           // the session's element when it last moved
} PicturePlace;

// What fitted in the last drawing, as the view reported with `map-room`. All 0: no view.
typedef struct PictureFit {
    ptrdiff_t rows, columns;             // cells
    ptrdiff_t block_rows, block_columns; // cells of a block
    int zoom;                            // as in FigureRequest
    bool is_part;                        // not all cells fitted
    bool lines;
} PictureFit;

typedef struct Picture {
    // The view sets `keys`, `notice` and `help`; the caller that opened the session sets `title`. `cursor` is
    // the chosen element, or the cell under the pointer.
    FigureRequest request;
    PicturePlace place;
    PictureFit room;
    bool shows_origin;                 // the origin panel is open
    bool shows_compare;                // both runs and their difference
    char mistake[96];                  // the name of the other run's mistake
    FigureOther other;                 // the other run, while request.compares
    bool has_chosen;                   // marks the session's element while the pointer is outside
    FigureLock lock_before;            // the last press
    double letters;                    // font scale
    char changed[PICTURE_CHANGED_MAX]; // session_picture_changed_by; "": nothing
    bool help;                         // the help page is open
    bool tells;                        // the session's message is about the picture
    unsigned long run;                 // SessionRun.number of the numbers shown
    unsigned long revision;            // changes with the picture
    unsigned long saves, csvs;         // count requests for files; the view writes them
} Picture;

// The trace shown: the session's, or the differences of two runs.
const Trace *picture_trace(const Session *session);

// True if there is something to show; true if the current tensor can be drawn.
bool picture_is_there(const Session *session);
bool picture_possible(const Session *session);

// The name of the tensor shown.
const char *picture_tensor_name(const Session *session);

// The session's element as a cell of the tensor shown.
FigureCell picture_chosen(const Session *session);

// Describes the picture for people who cannot see it: the numbers, the maps, their rows and columns, and the
// largest number of each.
void picture_about(const Session *session, FILE *out);

// The numbers of both runs of a comparison in the tensor shown. Fills `here` and `there`, which must outlive
// the pair. Returns false if there is nothing to show.
bool picture_pair(const Session *session, FigureData *here, FigureData *there,
                  FigureSidePair *pair);

// Writes the numbers of the maps shown: a line of keys, then a line per query. "# changed: ..." and
// "# weights: ..." come first if the numbers are edited or the weights are the user's. Columns: head, query,
// its word, then one per key. A comparison has "# compared: ..." and all of it three times, with "this",
// "other" or "difference" in a first column.
void picture_csv(const Session *session, FILE *out);

// --- the parts of a session

enum { SESSION_TENSORS_MAX = STAGE_READS_MAX + STAGE_WRITES_MAX };

// The panel beside the values.
typedef enum SessionDetail {
    DETAIL_NONE,
#define DETAIL(NAME, ...) DETAIL_##NAME,
#include "details.def"
#undef DETAIL
    DETAIL_COUNT
} SessionDetail;

// The command that opens and closes a detail.
CommandKind session_detail_command(SessionDetail detail);

// How far `next` goes.
typedef enum SessionDepth {
    DEPTH_STAGE,
    DEPTH_ELEMENT, // of the step's main output, in loop order; later ones are not there yet
    DEPTH_TERM,    // of that element: one multiply-add, with its running sum
    DEPTH_COUNT
} SessionDepth;

// The current term at term depth. Valid only while its element is the chosen one.
typedef struct SessionTermPlace {
    int step;
    ptrdiff_t element, number;
} SessionTermPlace;

// Where `run` stops: at a step, at an element of its output, or at an element that meets a condition.
typedef struct Breakpoint {
    int number; // shown to the person; 0: unused
    int step;
    int tensor;        // of the element; -1: the step as a whole
    ptrdiff_t element; // in index order; -1: any that meets the condition
    Condition condition;
} Breakpoint;

enum { SESSION_BREAKS_MAX = 16 };

// Where `run` last stopped. If the person is still there, the next `run` continues after it.
typedef struct SessionStop {
    bool stopped, at_step;
    TraceCell cell;
} SessionStop;

// How one tensor is shown.
typedef struct SessionView {
    bool opened;                       // shown before
    ptrdiff_t at[TENSOR_RANK_MAX];     // the chosen element
    int row_axis, column_axis;         // on screen; -1: the tensor has too few axes
    int marked_axis;                   // the axis that `pick` changes; -1: none left
    ptrdiff_t first_row, first_column; // top left of the visible part
} SessionView;

// A step back on the trail of origins: the element left, and the input entered.
typedef struct SessionCrumb {
    int step; // shown at that time
    TraceCell from, to;
    ptrdiff_t marked;
} SessionCrumb;

enum { SESSION_TRAIL_MAX = 32 }; // older ones are dropped

// The statistics panel: what it measured, and of which tensor and slice.
typedef struct SessionStatistics {
    bool measured;
    int tensor;
    Tensor slice_view; // rows and columns on screen at the picked indices
    Summary slice, whole;
    bool is_weights; // then:
    RowSums rows;
    double row; // the sum of the chosen element's row
} SessionStatistics;

// The rounding-error panel: the chosen tensor and number beside float64. While it is open it keeps two runs
// in double precision: of this step alone, and of all steps since the inputs.
typedef struct SessionExact {
    bool known;        // if not, `why` says why there are no float64 numbers
    unsigned long run; // SessionRun.number that it belongs to
    int tensor, step;  // the tensor measured, and the step that `alone` has run; -1: none
    TraceExact alone, since;
    ExactError error_alone, error_since;
    Error why;
} SessionExact;

// The command prompt.
typedef struct SessionPrompt {
    bool open;
    LineEdit line;
    LineEdit draft; // the typed line, while a line of the history is shown
    int recalled;   // how far back in the history the line is; 0: typed
    History history;
    unsigned long entered; // lines entered so far
} SessionPrompt;

// --- edits
//
// Edits of the scenario, with undo and redo. They are kept as text; undo, redo and save read it again. So
// memory grows with the number of edits, not with the tensors. The first edit gives the session its own copy of
// the scenario; the caller's stays as it was.

// "attention.scale=none", or "q_proj.weight[0, 3] = 1.5" with the old value.
typedef struct Edit {
    bool is_option;
    bool with_next; // done and undone together with the next edit
    char text[SCENARIO_EDIT_MAX];
    char before[SCENARIO_EDIT_MAX];
} Edit;

typedef struct WhatIf {
    Scenario *scenario; // with the edits done; NULL: the caller's
    Edit *edits;        // done, then undone ones
    size_t done, count, room;
    TraceChange change; // what the last edit changed
    bool replanned;     // it changed the pipeline: everything was computed again
    int breaks_lost;    // breakpoints without a place in the new pipeline
} WhatIf;

// --- the session
//
// Each part names the files that write it; any file may read it.

// The run being stepped through. A new pipeline replaces this part only (session.c).
typedef struct SessionRun {
    Trace trace;
    bool failed; // the step shown could not be computed, because of:
    Error failure;
    unsigned long number; // changes with each run: anything kept from the last one is stale
} SessionRun;

// The position in the run: session_step.c, session_walk.c.
typedef struct SessionCursor {
    int step;   // the step shown
    int tensor; // the tensor shown: an index into trace.tensors
    SessionView views[TRACE_TENSORS_MAX];
    SessionDepth depth;
    SessionTermPlace term; // see session_term
} SessionCursor;

// Display settings: session_step.c, session_beside.c, session_walk.c. Only the person and the pages of a
// lecture change them.
typedef struct SessionLook {
    NumberNotation notation; // of the numbers in the grid
    SessionDetail detail;
    ptrdiff_t detail_line; // its first visible line
    int mistake;           // the marked row of the list of mistakes
    bool memory_by_head;   // the memory panel colours heads, not tokens
    bool all_heads;        // the heatmap shows every head
    bool
        scale_to_largest; // the heatmap scales weights to the largest, not 0 to 1 or weight times keys
    bool by_size;         // terms are sorted by size, not by position
} SessionLook;

// Playing (`next` by itself): session_step.c.
typedef struct SessionPlay {
    bool on;
    int rate;         // steps per second
    bool to_sequence; // plays elements to the end of the picture's sequence,
    ptrdiff_t stride; // this many at once
} SessionPlay;

// Breakpoints, and the last stop: session_search.c.
typedef struct SessionBreaks {
    Breakpoint points[SESSION_BREAKS_MAX];
    int last; // the last number given
    SessionStop stop;
} SessionBreaks;

// The origin panel, and the trail of origins that led here: session_walk.c.
typedef struct SessionOrigin {
    Explanation explanation;
    bool known;       // false: no values
    ptrdiff_t marked; // the marked term
    ptrdiff_t walked; // the current term when the mark last followed it; -1: none
    SessionCrumb trail[SESSION_TRAIL_MAX];
    int trail_length;
} SessionOrigin;

// The code beside the values: session_beside.c.
typedef struct SessionCode {
    int step;       // the step whose code is shown
    ptrdiff_t line; // its first visible line
    ptrdiff_t led_from,
        led_to; // the first line that the screen last asked for, and the marked line then
} SessionCode;

// The learner's own functions; set by the caller that opens the session.
typedef struct SessionLearner {
    const LearnerStages *functions; // run in front at first; NULL: the program's
    LearnerStagesOpen *open;        // NULL: not available
    void *context;
} SessionLearner;

// The help page: session.c, session_step.c.
typedef struct SessionHelp {
    bool open;
    ptrdiff_t line; // its first visible line
} SessionHelp;

// How much the screen shows, and how much does not fit. SessionScreen.fit returns it; a screen without `fit`
// sends it with the command `room`, in this order, when it changes.
typedef struct ScreenSize {
    ptrdiff_t rows, columns;        // of numbers, or of the help page while it is open
    ptrdiff_t detail_over;          // lines of the detail panel that do not fit
    ptrdiff_t text_over, text_rows; // lines of the lecture that do not fit, and visible lines
    ptrdiff_t code_from; // first line of code, from 1, that keeps the mark visible; 0: no mark
} ScreenSize;

struct Session;

// The screen; set by the caller that draws. It is asked for its size after every command that changes what is
// shown.
typedef struct SessionScreen {
    ScreenSize (*fit)(void *context, const struct Session *session); // NULL: it sends `room`
    void *context;
} SessionScreen;

typedef struct Session {
    // session_apply, for parts that run commands: the prompt, the page of a lecture.
    bool (*apply)(struct Session *session, const Command *command, Error *err);

    SessionRun run;
    SessionCursor cursor;
    SessionLook look;
    SessionPlay play;
    Condition search; // the last search: session_search.c
    SessionBreaks breaks;
    SessionOrigin origin;
    SessionStatistics statistics; // while shown: session_beside.c
    SessionExact exact;           // while shown: session_beside.c
    SessionCode code;
    WhatIf what_if;        // edits: what_if.c
    Comparison comparison; // the run beside this one: comparison.c
    SessionLearner learner;
    struct OpenLecture *lecture; // open_lecture.h; NULL: none
    SessionPrompt prompt;        // session_prompt.c
    SessionHelp help;
    Picture picture; // session_picture.c, picture_*.c

    SessionScreen screen;
    ScreenSize room; // session.c

    Error message;  // from the last command; may be empty
    bool began;     // a first command was run: the welcome message is gone
    bool window;    // a window beside the terminal is wanted
    bool mouse_off; // the mouse belongs to the terminal
    bool quit;
    unsigned long revision; // changes with the screen
} Session;

// Plans the trace and computes its first step; a failure of that step is shown, not returned. Returns false
// if the scenario cannot be planned.
bool session_open(Session *session, const Scenario *scenario, Error *err);

// The same with the learner's functions in place of stages. `learner` must outlive the session.
bool session_open_learner(Session *session, const Scenario *scenario, const LearnerStages *learner,
                          Error *err);

// True if the step runs a function of the learner.
bool session_step_is_learners(const Session *session, int step);

void session_close(Session *session);

// The only function that changes a session. Returns false, with err also shown as the message and nothing
// else changed, if the command names something that does not exist. A step that cannot be computed is not a
// failure of the command: the session shows it.
bool session_apply(Session *session, const Command *command, Error *err);

// The same for a command with this name, "" for none, done once.
bool session_do(Session *session, CommandKind kind, const char *name, Error *err);

// Returns false, with the step's error, if this machine failed to compute the step shown. A stage that
// refuses its input is not a failure of the machine.
bool session_could_compute(const Session *session, Error *err);

// True if the session knows this screen size and the chosen element is visible in it. If not, the command of
// session_fitting makes it so; for screens without `fit`, or after a resize.
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

// The slice of the tensor on screen that scrolling can reach: its rows and columns at the picked indices,
// with all its axes. Sets `base` to the index of its first element.
Tensor session_slice(const Session *session, ptrdiff_t base[TENSOR_RANK_MAX]);

// Writes a scenario file that opens to the same bits. Does not overwrite a file.
bool what_if_save(const Session *session, const char *path, Error *err);

// What the last edit changed. NULL while the other run is in front: its tensors may differ.
const TraceChange *what_if_change(const Session *session);

// The element's number before the last edit; false if the edit did not change it.
bool what_if_before(const Session *session, TraceCell cell, const Tensor **before);

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

// True for a model of several layers, where other keys work.
bool session_has_layers(const Session *session);

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
enum { HELP_KEYS_MAX = 64 };
typedef struct HelpLine {
    const char *heading;      // NULL: no heading
    char keys[HELP_KEYS_MAX]; // separated by spaces
    const char *word;         // "": not in scripts
    const char *argument;     // the syntax of the argument
    const char *help;
} HelpLine;

int help_page_lines(void);

// Lines are counted from 0. The keys are those that work in the session's model.
HelpLine help_page_line(const Session *session, int line);

// --- the source of the numbers on screen
//
// Titles of screens, pictures and files show it, so that a changed number is not taken for the document's.

// Why the numbers in front differ from the scenario's file, as the user wrote it: "attention.scale=none",
// "mistake scale-missing", "own text"; "" if they do not differ. A text that does not fit ends with an
// ellipsis.
enum { SESSION_SOURCE_MAX = PICTURE_CHANGED_MAX };
const char *session_changed_by(const Session *session, char text[SESSION_SOURCE_MAX]);

// The same of the numbers in the picture, which may be differences.
const char *session_picture_changed_by(const Session *session, char text[SESSION_SOURCE_MAX]);

// The document that prints these numbers; NULL if there is none, or if only the user's own file claims so.
const char *session_document(const Session *session);

// The weights file, if a scenario of the user names one; NULL otherwise. A weights file that was opened
// directly is the scenario's name already.
const char *session_own_weights(const Session *session);

#endif
