// A learner's folder: one file per exercise, and the state of each.
//
//   DIR/.attnscope              version: 1, language: en (YAML)
//   DIR/README.md
//   DIR/exercises/attnscope.h
//   DIR/exercises/scale.c       starts as the task, in a comment, and a stub
//
// Never overwrites a learner's work: copies it to the next free name first ("scale.c.1").
//
// Life cycle: workspace_open; workspace_look, repeatedly; workspace_close.
#ifndef WORKSPACE_H
#define WORKSPACE_H

#include "digest.h"
#include "exercise.h"
#include "progress.h"

enum { WORKSPACE_VERSION = 1, WORKSPACE_BYTES_MAX = 1 << 20 };

// The file used for an exercise that has no file of its own name, and why no other one is.
typedef struct WorkspaceOther {
    const char *name; // NULL: the exercise has its own file, or none. Includes the folder, if the
                      // submission has several
    bool is_own;      // it has the exercise's name, in another folder
    const char *passed_over; // another candidate; NULL: none
    ExerciseWord why;        // why that one was not used
} WorkspaceOther;

typedef struct Workspace {
    const char *folder; // "" for the current directory; otherwise ends in a slash
    const char *files;  // subfolder of the exercises: "exercises/"
    Language language;
    Language own_language; // the workspace's default
    ExerciseList exercises;
    Progress progress; // as last read
    bool is_main,
        has_names;  // `files` takes precedence over other folders; some exercise file exists
    Error not_read; // why progress could not be read; "": it was
    const char *progress_path; // NULL: none
    WorkspaceOther others[EXERCISES_MAX];
    int compile_seconds; // limit per exercise; 0: default
    int time_limit;      // limit for waiting on its function, in milliseconds
    Arena arena;
} Workspace;

// Whether there is a workspace: at `folder`, or around the current directory.
bool workspace_is_near(const char *folder);

// Opens the workspace at `folder`; NULL: the one around the current directory. `language` is "en", "ko"
// or NULL for the workspace's own. Returns false and sets err, with what to do.
bool workspace_open(Workspace *workspace, const char *folder, const char *language, Error *err);
void workspace_close(Workspace *workspace);

// Folders with exercises inside a submission. If two hold the same exercise, the file that is not a stub
// counts, or the newer one.
typedef struct WorkspaceFolders {
    const char **names; // each ends in a slash, or is ""; NULL-terminated
    bool is_main;       // the first one takes precedence over the others
} WorkspaceFolders;

// Opens a submission: a workspace without .attnscope, a folder with scale.c and others, or, if
// folders->names is set, several folders. It has no progress, and checking records none. Returns false
// and sets err.
bool workspace_open_submission(Workspace *workspace, const char *folder,
                               const WorkspaceFolders *folders, const ExerciseList *exercises,
                               Error *err);

// Whether any exercise's file comes from this folder, or was compared with one from it.
bool workspace_takes_from(const Workspace *workspace, const char *folder);

// The workspace that was created or watched last, for commands run outside of any; stored next to the
// progress. NULL: none.
bool workspace_remember(const Workspace *workspace, Error *err);
const char *workspace_remembered(Arena *arena);

// Rereads the progress. Returns false and leaves it empty if it cannot be read.
bool workspace_read_progress(Workspace *workspace, Error *err);

typedef enum WorkspaceState {
    WORKSPACE_MISSING, // no file
    WORKSPACE_NEW,     // unchanged stub
    WORKSPACE_BEGUN,   // changed, not checked since
    WORKSPACE_CHANGED, // changed after an earlier version passed
    WORKSPACE_FAILED,  // checked in its current form: failed
    WORKSPACE_DONE,    // checked in its current form: passed
    WORKSPACE_STATES
} WorkspaceState;

typedef struct WorkspaceFile {
    WorkspaceState state;
    int points;                   // from the check of this exact code; 0: none
    char digest[DIGEST_TEXT_MAX]; // of the file; "" when missing
} WorkspaceFile;

// Reads the state of an exercise's file. Returns false and sets err if it cannot be read.
bool workspace_look(const Workspace *workspace, int number, WorkspaceFile *file, Error *err);

// Why the file of that name is unusable (a folder, a pipe, far too large, unreadable);
// SAY_COUNT if it is usable or missing.
ExerciseWord workspace_odd(const Workspace *workspace, int number);

// Finds which exercises' functions a file defines; false: none. A submission may ask for at most
// WORKSPACE_TEXTS_MAX files.
enum { WORKSPACE_TEXTS_MAX = 64 };
bool workspace_file_defines(const char *path, const ExerciseList *list,
                            bool defined[EXERCISES_MAX]);

// The exercise a folder is named after, if the file in it defines its function; -1: none.
int workspace_folder_exercise(const ExerciseList *list, const char *folder, const char *path);

// Whether this is the exercise's own file name ("scale.c").
bool workspace_is_own(const Workspace *workspace, int number, const char *name);

// "exercises/scale.c" relative to the workspace, and as a path to open; in the arena.
const char *workspace_below(const Workspace *workspace, int number, Arena *arena, Error *err);
const char *workspace_path(const Workspace *workspace, int number, Arena *arena, Error *err);

// The current exercise: the one checked last, or the next that is not done. Returns -1 if all are done.
// A file that could not be read counts as not done, and sets `unknown`.
int workspace_current(const Workspace *workspace, Error *unknown);

// The next exercise after `number` that is not done, wrapping around; -1: none. `unknown` as above.
int workspace_next(const Workspace *workspace, int number, Error *unknown);

// --- creating and resetting

typedef enum WorkspaceWork {
    WORKSPACE_WROTE, // wrote a new file
    WORKSPACE_KEPT,  // kept the old file under this name
} WorkspaceWork;

typedef void WorkspaceReport(void *context, WorkspaceWork work, const char *path);

// Creates a workspace, or completes one and updates its header. Returns false and sets err, before
// writing anything, if a file is in the way.
bool workspace_make(const char *folder, Language language, WorkspaceReport *report, void *context,
                    Error *err);

// Restores the stub and keeps the learner's file under the next free name. On failure returns false and
// changes nothing.
bool workspace_reset(const Workspace *workspace, int number, WorkspaceReport *report, void *context,
                     Error *err);

// Whether attnscope.h differs from the one in this program.
bool workspace_header_differs(const Workspace *workspace);

// --- hints used
//
// The hints that a learner has seen, in exercises/hints.txt, which is handed in with the exercises, unlike the
// progress. The learner can edit it; a course that counts hints relies on their honesty.
//
// Each line is an exercise and its highest hint: "scale 2". Other lines are ignored.

#define HINT_FILE_NAME "hints.txt"

enum { HINT_FILE_BYTES_MAX = 1 << 16 };

typedef struct HintFile {
    bool is_there;
    int levels[EXERCISES_MAX]; // by exercise number; 0: none
} HintFile;

// Reads the hints of a workspace or submission. Anything but a plain file of at most HINT_FILE_BYTES_MAX counts as
// missing. Returns false and sets err if the machine cannot read it.
bool hint_file_read(HintFile *hints, const Workspace *workspace, Error *err);

// Records a hint; the level never decreases. Returns false and sets err on failure.
bool hint_file_note(const Workspace *workspace, int number, int level, Error *err);

#endif
