// The program from the outside: commands, their options, exit codes. The only floor that prints to
// the person directly and ends the process.
#ifndef APP_H
#define APP_H

#include <stdio.h>
#include "mistake.h"
#include "scenario_file.h"
#include "trace.h"
#include "window.h"
#include "words.h"

// Exit codes: it worked; it could not be done (a file, a shape, memory); it was asked wrongly; this
// machine could not judge what was to be checked.
enum { APP_DONE = 0, APP_FAILED = 1, APP_MISUSED = 2, APP_NOT_JUDGED = 3 };

typedef struct Session Session;           // session.h
typedef struct LectureEntry LectureEntry; // lecture.h

// What a word of the command line may name, for shells that complete it; one bit each.
enum {
    APP_NAMES_SCENARIO = 1,
    APP_NAMES_LECTURE = 2,
    APP_NAMES_EXERCISE = 4,
    APP_NAMES_MISTAKE = 8,
    APP_NAMES_FILE = 16,
    APP_NAMES_FOLDER = 32,
    APP_NAMES_COMMAND = 64,
};

// What attnscope is, in one line.
#define APP_ABOUT "see multi-head attention happen, number by number"

// Rows of a table that a command's details tell of: each what one writes, and, from the next line on, what
// that means.
typedef struct AppList {
    const char *name; // a line of "@" and this name stands in the details where the rows belong
    const Words *rows;
    int count;
} AppList;

#define APP_LIST(name, rows) \
    { \
        name, rows, sizeof(rows) / sizeof *(rows) \
    }

typedef struct AppOptions AppOptions;

typedef struct AppCommand {
    const char *name;
    const char *arguments; // "SCENARIO|FILE.yaml [--stage S]"
    Words summary;         // one line
    bool is_first;         // --help shows it; `attnscope help` shows all
    Words details;         // for `attnscope help NAME`; whole lines
    const AppList *lists;  // whose rows the details have; the last has no name
    const char *options;   // the names of those it has: "set text stage"
    const char *words;     // its own words: "scenarios lectures"; NULL: none
    const char *formats;   // the words after --format; NULL: it has none
    unsigned names;        // what else its arguments may name: APP_NAMES_...
    // An exit code. Takes the options as the person gave them, and closes no output: app_run does.
    int (*run)(AppOptions *options);
} AppCommand;

#define APP_COMMAND(name) extern const AppCommand command_##name;
#include "app_commands.def"
#undef APP_COMMAND

// The commands in order, NULL beyond the last; by name, NULL when there is none.
const AppCommand *app_command(int number);
const AppCommand *app_find(const char *name);

// Writes "attnscope: " and the sentence to standard error; returns `code`.
int app_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Closes standard output; an exit code: `code`, or, where that is APP_DONE and not everything has
// arrived there (a full disk), APP_FAILED after a sentence.
int app_finish(int code);

// A command from its words to its exit code; argv[0] is its name.
int app_run(const AppCommand *command, int argc, char **argv);

// The commands in groups: those to begin with, or all.
void app_print_help(bool all, FILE *out);

// formula_grammar.txt and formula_grammar.ko.txt, put into the program when it is built.
extern const Words formula_grammar;

// The details with the rows of their lists, piece by piece; none begins within a line.
typedef void AppPut(const char *text, FILE *out);
void app_put_details(const AppCommand *command, AppPut *put, FILE *out);
void app_print_command_help(const AppCommand *command, FILE *out);

// --- options that several commands share

enum { APP_SETS_MAX = 64 };

struct AppOptions {
    ScenarioRequest request;
    int formula_count; // --formula, each among the sets
    const char *sets[APP_SETS_MAX];
    const char *pair;         // the second of two texts, which is among the sets, too
    const char *stage;        // --stage
    const char *tensor;       // --tensor
    const char *format;       // --format
    const char *script;       // --script
    const char *size;         // --size
    const char *threads_text; // --threads, of every command; and what it says, 0: nothing
    int threads;
    const char *spill;   // --spill, of every command: a folder for what memory has no room for
    const char *peer;    // --peer
    bool json;           // --json
    bool requires_fence; // --require-fence
    bool is_short;       // --short
    bool stages;         // --stages
    const char *batch, *head, *map, *scale, *mode, *at; // of a picture: what to show, and how
    const char *title, *letters;                        // of one on a slide
    const char *origin;                // of a picture: the cell whose origin it shows
    const char *png, *svg, *pdf, *csv; // files to write
    const char *frames, *apng;         // --frames, --apng: a folder of pictures, a file that moves
    const char *mistake;               // --mistake: the trace runs that way
    const char *lang, *html, *worksheet;        // --lang, --html, --worksheet of a lecture
    const char *slides;                         // --slides: a folder for its pictures
    const char *page;                           // LECTURE#PAGE
    bool presents, notes;                       // --present, --notes
    const char *compare;                        // --compare
    const char *seed;                           // --seed, of a check or a worksheet
    const char *pause;                          // --pause, of a training
    const char *minutes;                        // --minutes, of a lecture
    const char *jobs, *journal, *course, *init; // of grading, as --NAME
    const char *report, *pairs;
    bool names;             // likewise
    const char *dir, *mine; // --dir, --mine: a learner's workspace
    bool mean, dark;
    const char *maps, *axes;                    // --maps, --axes: a file in place of a scenario
    const char *words, *query_words;            // --words, --query-words: of its keys and queries
    const char *steps, *rate, *optimizer, *out; // of a training
    const char *overlap, *decay;                // likewise
    const char *tokens, *temperature, *top_k, *top_p; // of a text that goes on
    bool lines;                                       // likewise: no screen
    bool window;                                      // train: not in the terminal
    const char *layer, *heads, *save; // of a file of weights; heads of a training too
    const char *layers, *ids;         // of a file: how many layers, over which tokens
    const char *as;                   // and which model it is
    bool answer;                      // --answer: who made it
    bool formulas;                    // --formulas: the scenario as a page of them
    bool exact;                       // --exact: float64 beside float32
    bool backward;                    // gradients too: stands for --set backward=true
    bool mends;                       // --mend
    char **arguments;                 // what is left after the options
    int argument_count;
    bool wants_help; // --help
};

typedef enum AppOptionKind {
    APP_OPTION_TEXT,
    APP_OPTION_FLAG,
    APP_OPTION_SETS,
    APP_OPTION_FORMULAS
} AppOptionKind;

typedef struct AppOption {
    const char *name; // "stage"
    size_t
        place; // in AppOptions: a text, a bool, (SETS) a list of texts or (FORMULAS) their number
    AppOptionKind kind;
    unsigned names;    // what its value may name: APP_NAMES_...
    const char *words; // or which words the value may be: "en ko"; NULL: not known
} AppOption;

// The options of all commands in order, NULL beyond the last; and whether a command has one.
const AppOption *app_option(int number);
bool app_option_fits(const AppOption *option, const AppCommand *command);

// Reads options; `allowed` names those this command has ("set text stage"). False after a sentence.
// With --text the scenario may be left out.
bool app_options(int argc, char **argv, const char *allowed, AppOptions *options);

// A scenario and its trace, opened from options.
typedef struct AppMine AppMine; // app_exercise.h

typedef struct AppTrace {
    Scenario scenario;
    Trace trace;
    AppMine *mine; // --mine: whose functions the trace runs; NULL: the program's
} AppTrace;

// False, after a sentence, where more is named than one scenario.
bool app_takes_one(const AppOptions *options);

// False after a sentence on standard error.
bool app_open(AppTrace *app, const AppOptions *options);
void app_close(AppTrace *app);

// What an exported file says of itself: version, scenario, seed, what was changed; `beside` is what it
// was compared with, or NULL. In `arena`; ends with one that has no name. NULL with a sentence.
typedef struct FileNote FileNote;
const FileNote *app_notes(const AppTrace *app, const char *beside, Arena *arena, Error *err);

// --- mistakes

enum { APP_MISTAKES_MAX = 128 };

// False, after a sentence, where --mistake names none of the bank, or goes together with another way.
bool app_takes_mistake(const AppOptions *options);

// --- commands with a screen

// "100x30"; NULL is the classic 80x24. False after a sentence.
bool app_size(const char *text, int *columns, int *rows);

// A lecture that is being written: gone through and drawn at each save, until Ctrl-C; once where the
// output is no terminal. An exit code.
int app_watch_lecture(const char *what);

// The one session of this process, empty: too large for a small stack, and for a program that needs none.
// It stays until the process ends. NULL without memory.
Session *app_session(Error *err);

// A lecture in the terminal, or as options say; an exit code.
int app_walk_lecture(const LectureEntry *entry, const AppOptions *options);

// Lets a person step through a session: in the terminal, or from --script, or as --png. An exit code.
int app_step(Session *session, const AppOptions *options);

// The course in the terminal: what is done, where to go on; starts what is chosen. An
// exit code.
int app_course(const AppOptions *options);

// --- the language

// Chooses it: what --lang says, which is taken out of the command line wherever it stands, or
// ATTNSCOPE_LANG, or the locale. False after a sentence.
bool app_choose_language(int *argc, char **argv);

// Chooses what the person asks for; what that was: what --lang or ATTNSCOPE_LANG said, NULL: neither did.
const char *app_language_asked(void);

// Chooses the language of a workspace, where the person has asked for no other; which that is, -1: it is not
// known.
void app_language_own(Language language);

// What `attnscope print` shows as text.
// Which steps are computed by a formula of the scenario's, and what theirs was.
void app_print_edits(const Trace *trace);

typedef struct AppWalk {
    const char *stage;  // that alone; NULL: every stage
    const char *tensor; // that alone; NULL: whole stages
    bool exact;         // float64 beside float32
} AppWalk;

// APP_DONE, or APP_FAILED when a stage refuses (what came before it is printed).
int app_print_walk(AppTrace *app, const AppWalk *walk, FILE *out);

// Who made the scenario's answer. An exit code.
int app_print_answer(AppTrace *app, bool json);

// Two runs, taken to their ends: `what` as in the stepper's compare ("attention.scale=none", "mistake
// scale-missing", a scenario). How far apart they are at each step, or both of them in a file. An exit
// code.
int app_export_comparison(AppTrace *app, const char *what, const char *path);

// --- pictures in files
//
// A display list drawn by the window's process, which needs no display for it.

// What a file's name ends in, from its last dot on; NULL: it has none.
const char *app_picture_ending(const char *path);

// Writes the list to `path`, whole or not at all: as PNG by a window that window_open_unseen has opened, as
// PDF by one of window_open_paper.
// What the picture lacks (a letter that no font has) is said on standard error.
bool app_picture_save(Window *window, const DisplayList *list, const char *path, Error *err);

// Writes the list as the next picture of an animated PNG, which is there, whole, after the last.
bool app_picture_film(Window *window, const DisplayList *list, WindowFilm film, const char *path,
                      Error *err);

#endif
