// The command line: commands, options, exit codes. Only this folder prints to standard output and exits.
#ifndef APP_H
#define APP_H

#include <stdio.h>
#include "mistake.h"
#include "scenario_file.h"
#include "trace.h"
#include "window.h"
#include "words.h"

// Exit codes: success; failed (a file, a shape, no memory); wrong usage; this machine could not judge
// the exercise.
enum { APP_DONE = 0, APP_FAILED = 1, APP_MISUSED = 2, APP_NOT_JUDGED = 3 };

typedef struct Session Session;           // session.h
typedef struct LectureEntry LectureEntry; // lecture.h

// What an argument or a value may name, for shell completion; one bit each.
enum {
    APP_NAMES_SCENARIO = 1,
    APP_NAMES_LECTURE = 2,
    APP_NAMES_EXERCISE = 4,
    APP_NAMES_MISTAKE = 8,
    APP_NAMES_FILE = 16,
    APP_NAMES_FOLDER = 32,
    APP_NAMES_COMMAND = 64,
};

#define APP_ABOUT "see multi-head attention happen, number by number"

// A table within a command's help. The first line of a row is what the user types, the rest explains it.
typedef struct AppList {
    const char *name; // the line "@name" in the details marks where the rows go
    const Words *rows;
    int count;
} AppList;

#define APP_LIST(name, rows) \
    { \
        name, rows, sizeof(rows) / sizeof *(rows) \
    }

typedef struct AppOptions AppOptions;
typedef struct Workspace Workspace; // workspace.h

// What a command does with one exercise. Returns an exit code.
typedef int ExerciseAct(Workspace *workspace, AppOptions *options, int number);

typedef struct AppCommand {
    const char *name;
    const char *arguments; // "SCENARIO|FILE.yaml [--stage S]"
    Words summary;         // one line
    bool is_first;         // --help shows it; `attnscope help` shows all
    Words details;         // whole lines, for `attnscope help NAME`
    const AppList *lists;  // tables used in `details`; the last has no name
    const char *options;   // the options it takes: "set text stage"
    const char *words;     // fixed words it takes: "scenarios lectures", or NULL
    const char *formats;   // values of --format, or NULL
    unsigned names;        // what else its arguments may name: APP_NAMES_...
    // Returns an exit code. main closes standard output.
    int (*run)(AppOptions *options);
    ExerciseAct *act; // in place of `run`: what it does with an exercise of the workspace
    bool needs_name;  // `act` has no default exercise
} AppCommand;

#define APP_COMMAND(name) extern const AppCommand command_##name;
#include "app_commands.def"
#undef APP_COMMAND

// The commands in order, NULL past the end. app_find reports an unknown name and returns NULL.
const AppCommand *app_command(int number);
const AppCommand *app_find(const char *name);

// Prints "attnscope: " and the message to standard error. Returns `code`.
int app_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same for wrong usage. Returns false.
bool app_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

// APP_DONE; or if not `good`, prints the error and returns APP_FAILED.
int app_result(bool good, const Error *err);

// Closes standard output. Returns `code`, or APP_FAILED with a message if `code` is APP_DONE but some
// output was lost (a full disk).
int app_finish(int code);

// Prints the commands in groups: those for beginners, or all.
void app_print_help(bool all, FILE *out);

// formula_grammar.txt and formula_grammar.ko.txt, embedded at build time.
extern const Words formula_grammar;

// Prints the names of these kinds (APP_NAMES_...), one a line.
void app_list_names(unsigned names);

// "plain, avx2, avx512": the kernels of this machine.
const char *app_kernel_names(char names[128]);

// Prints lines of help and lists. On a terminal, those that are too wide are broken at spaces, and go on below the
// text of their last column; there app_print_lines takes at most 4 kB.
void app_put_lines(const char *text, FILE *out);
void app_print_lines(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Passes the details, with their tables, to `put` in pieces that start at a line's beginning.
typedef void AppPut(const char *text, FILE *out);
void app_put_details(const AppCommand *command, AppPut *put, FILE *out);
void app_print_command_help(const AppCommand *command, FILE *out);

// --- options

enum { APP_SETS_MAX = 64 };

// Options as parsed: one field per row of app_options.def, and what several options add up to.
struct AppOptions {
#define APP_FIELD_TEXT(field) const char *field;
#define APP_FIELD_FLAG(field) bool field;
#define APP_FIELD_PAIR APP_FIELD_TEXT
#define APP_FIELD_SET APP_FIELD_TEXT
#define APP_FIELD_FORMULA APP_FIELD_TEXT
#define APP_FIELD_BACKWARD APP_FIELD_FLAG
#define APP_OPTION(KIND, field, ...) APP_FIELD_##KIND(field)
#include "app_options.def"
    ScenarioRequest request;
    const char *sets[APP_SETS_MAX]; // for request.sets: --set, --pair, --formula, --backward
    int formula_count;              // how many of the sets come from --formula
    int threads;                    // --threads, or 0
    const char *page;               // LECTURE#PAGE
    char **arguments;               // those after the options
    int argument_count;
};

typedef enum AppOptionKind {
    APP_OPTION_TEXT,
    APP_OPTION_FLAG,
    APP_OPTION_PAIR,    // a text that also adds a set
    APP_OPTION_SET,     // may be repeated
    APP_OPTION_FORMULA, // may be repeated; each adds a set
    APP_OPTION_BACKWARD // a flag that also adds a set
} AppOptionKind;

typedef struct AppOption {
    const char *name; // without the dashes
    size_t place;     // offset of its field in AppOptions
    AppOptionKind kind;
    unsigned names;    // what its value may name: APP_NAMES_...
    const char *words; // the values it may have: "en ko", or NULL
} AppOption;

// The rows of app_options.def in order, NULL past the end.
const AppOption *app_option(int number);
bool app_option_has_value(const AppOption *option);
// True if the command takes the option.
bool app_option_fits(const AppOption *option, const AppCommand *command);

// Parses options; `allowed` lists those of this command ("set text stage"). Reports an error and returns
// false if the command line is wrong.
bool app_options(int argc, char **argv, const char *allowed, AppOptions *options);

// The valid values of an option. APP_ABOVE: `least` itself is invalid.
typedef struct AppRange {
    const char *name;
    double least, most;
    enum { APP_WHOLE, APP_ANY, APP_ABOVE } kind;
} AppRange;

// Parses an option's number; NULL leaves *number as it is. Reports an error and returns false if it is invalid.
bool app_read_number(AppRange range, const char *text, double *number);

// A scenario and its trace, opened from the options.
typedef struct AppLearner AppLearner; // app_exercise.h

typedef struct AppTrace {
    Scenario scenario;
    Trace trace;
    AppLearner *mine; // --mine: the learner's functions in the trace, or NULL
} AppTrace;

// Reports an error and returns false if the arguments name more than one scenario.
bool app_takes_one(const AppOptions *options);

// The same, and if they name none.
bool app_needs_one(const AppOptions *options);

// Reports an error and returns false if the scenario cannot be opened.
bool app_open(AppTrace *app, const AppOptions *options);
void app_close(AppTrace *app);

// Metadata for an exported file: version, scenario, seed, changes; `beside` is what it was compared with,
// or NULL. Allocated in `arena`; the last note has no name. NULL and err without memory.
typedef struct FileNote FileNote;
const FileNote *app_notes(const AppTrace *app, const char *beside, Arena *arena, Error *err);

// --- mistakes

enum { APP_MISTAKES_MAX = 128 };

// Reports an error and returns false if --mistake is unknown or conflicts with another option.
bool app_takes_mistake(const AppOptions *options);

// --- commands with a screen

// Parses --size ("100x30"); NULL means 80x24. Reports an error and returns false if it is malformed.
bool app_size(const char *text, int *columns, int *rows);

// Rechecks and redraws a lecture at each save until Ctrl-C; once if the output is not a terminal. Returns an
// exit code.
int app_watch_lecture(const char *what);

// The process's one session, allocated at the first call: it is too large for the stack. NULL and err
// without memory.
Session *app_session(Error *err);

// Shows a lecture in the terminal, or exports it as the options say. Returns an exit code.
int app_walk_lecture(const LectureEntry *entry, const AppOptions *options);

// Opens a session of the scenario, calls `show`, and closes it. Returns the exit code.
typedef int SessionShow(Session *session, const AppOptions *options);
int app_show(const AppTrace *app, const AppOptions *options, SessionShow *show);

// Shows the stepper in the terminal, plays --script, or writes --png. Returns an exit code.
int app_step(Session *session, const AppOptions *options);

// Shows the course: progress, what comes next; starts what the user picks. Returns an exit code.
int app_course(const AppOptions *options);

// Names the file that attnscope train wrote, and prints the command that opens it.
void app_print_trained(const AppOptions *options, const char *file, int layers);

// --- language

// Chooses the language from --lang (removed from the command line), ATTNSCOPE_LANG or the locale. Reports
// an error and returns false if it is unknown. `commands` gives the commands by number: a printed command
// names the language that it would not choose by itself.
bool app_choose_language(int *argc, char **argv, const AppCommand *commands(int number));

// The language that --lang or ATTNSCOPE_LANG asked for, or NULL.
const char *app_language_asked(void);

// Switches to a workspace's language, unless the user asked for another.
void app_language_own(Language language);

// --- printing a trace

// Lists the steps that a formula of the scenario replaces, with the original formulas.
void app_print_edits(const Trace *trace);

typedef struct AppWalk {
    const char *stage;  // only this stage; NULL: all
    const char *tensor; // only this tensor; NULL: whole stages
    bool exact;         // also compute in float64
} AppWalk;

// Runs and prints the trace. Returns APP_FAILED if a stage refuses its input, after printing what came
// before.
int app_print_walk(AppTrace *app, const AppWalk *walk, FILE *out);

// Prints each head's share in the model's answer. Returns an exit code.
int app_print_answer(AppTrace *app, bool json);

// Token ids as people write them, "464 3290" or "464, 3290", as a list of YAML. False where there is another
// character, no id, or too many.
enum { APP_IDS_MAX = 4096 };
bool app_ids(const char *given, char text[APP_IDS_MAX]);

// Runs two variants to the end and prints their distance at each step, or with `path` saves both. `what`
// is as in the stepper's :compare ("attention.scale=none", "mistake scale-missing", a scenario). Returns an
// exit code.
int app_export_comparison(AppTrace *app, const char *what, const char *path);

// --- pictures
//
// The window process draws display lists into files; it needs no display for that.

// The extension of a file name, with its dot, or NULL.
const char *app_picture_ending(const char *path);

// Writes the list to `path` atomically: PNG for a window from window_open_unseen, PDF for one from
// window_open_paper. Warns on standard error about characters that no font has.
bool app_picture_save(Window *window, const DisplayList *list, const char *path, Error *err);

// Waits until the window process has written the picture. `lacks`, if set, becomes true if no font has one of
// its characters; otherwise that is a warning on standard error.
bool app_picture_wait(Window *window, bool *lacks, Error *err);

// Adds the list as the next frame of an animated PNG. The file appears, complete, with the last frame.
bool app_picture_film(Window *window, const DisplayList *list, WindowFilm film, const char *path,
                      Error *err);

#endif
