// A learner's folder: a file for each exercise, and how far each of them is.
//
//   DIR/.attnscope              version: 1, language: en (YAML)
//   DIR/README.md
//   DIR/exercises/attnscope.h
//   DIR/exercises/scale.c       begins as the task, in a comment, and the exercise's stub
//
// Nothing that somebody wrote there is ever overwritten: what has to make room is first copied to the
// next free name ("scale.c.1").
//
// Life cycle: workspace_open; workspace_look as often as wanted; workspace_close.
#ifndef WORKSPACE_H
#define WORKSPACE_H

#include "digest.h"
#include "exercise_list.h"
#include "exercise_words.h"
#include "progress.h"

enum { WORKSPACE_VERSION = 1, WORKSPACE_BYTES_MAX = 1 << 20 };

// The file that stands for an exercise in the place of one of its own name, and why no other does.
typedef struct WorkspaceOther {
    const char *name; // NULL: it has its own, or none; with a folder before it where it lies in
                      // another one of what was handed in
    bool is_own;      // of that name in that folder
    const char *passed_over; // another one that might have been meant; NULL: there is none
    ExerciseWord why;        // it was passed over
} WorkspaceOther;

typedef struct Workspace {
    const char *folder; // "" where the program runs in it; otherwise ends in a slash
    const char *files;  // of the exercises, below it: "exercises/"
    Language language;
    Language own_language; // that its commands choose where nobody says another
    ExerciseList exercises;
    Progress progress;         // as workspace_open or workspace_read_progress found it
    bool is_main, has_names;   // `files` goes before further folders; it has an exercise's file
    Error not_read;            // why it is empty although there may be one; "": it is not
    const char *progress_path; // NULL: there is no place for it
    WorkspaceOther others[EXERCISES_MAX];
    int compile_seconds; // what may be spent on one exercise; 0: the usual
    int patience;        // and on waiting for its function, in milliseconds
    Arena arena;
} Workspace;

// Whether one is meant: `folder` names it, or the program runs in one.
bool workspace_is_near(const char *folder);

// Finds the workspace: `folder`, or when that is NULL the one that the program runs in, at any depth.
// `language` is "en", "ko" or NULL: the workspace's own. False with a sentence that says what to do.
bool workspace_open(Workspace *workspace, const char *folder, const char *language, Error *err);
void workspace_close(Workspace *workspace);

// Folders below what somebody handed in, each with exercises. Of an exercise in two of them the file counts
// that is no stub, or was changed last.
typedef struct WorkspaceFolders {
    const char **names; // each with a slash behind it, or ""; NULL behind the last
    bool is_main;       // what the first one has goes before all others
} WorkspaceFolders;

// What somebody handed in: a workspace without its mark, or a folder with scale.c and others in it, or,
// where folders->names are not NULL, several folders. It has no progress, and what is checked in it is
// noted nowhere. False with a sentence.
bool workspace_open_submission(Workspace *workspace, const char *folder,
                               const WorkspaceFolders *folders, const ExerciseList *exercises,
                               Error *err);

// Whether the file of any exercise is taken from one of those folders, or was weighed against another.
bool workspace_takes_from(const Workspace *workspace, const char *folder);

// Where it was made or watched last, for whoever is in none: kept beside the progress. NULL: nowhere.
// Remembering that fails, with a sentence, costs nothing but this.
bool workspace_remember(const Workspace *workspace, Error *err);
const char *workspace_remembered(Arena *arena);

// The progress as it is now. False, with an empty one, where it cannot be read.
bool workspace_read_progress(Workspace *workspace, Error *err);

typedef enum WorkspaceState {
    WORKSPACE_MISSING, // there is no such file
    WORKSPACE_NEW,     // as it was made
    WORKSPACE_BEGUN,   // changed, and not checked since
    WORKSPACE_CHANGED, // the same, after other code had passed
    WORKSPACE_FAILED,  // checked as it is, and did not pass
    WORKSPACE_DONE,    // checked as it is, and passed
    WORKSPACE_STATES
} WorkspaceState;

typedef struct WorkspaceFile {
    WorkspaceState state;
    int points;                   // of the check of this very code; 0: none
    char digest[DIGEST_TEXT_MAX]; // of the file; "" when missing
} WorkspaceFile;

// How the file of exercise `number` is now. False with a sentence where it cannot be read.
bool workspace_look(const Workspace *workspace, int number, WorkspaceFile *file, Error *err);

// Why what stands under that name is no file that anybody could have written an exercise in (a folder, a
// pipe, far too large, closed to whoever checks); EXERCISE_SAYS_COUNT: it is one, or there is none.
ExerciseWord workspace_odd(const Workspace *workspace, int number);

// Which exercises' functions a file defines; false: none. Nobody asks of more files of one submission than
// WORKSPACE_TEXTS_MAX.
enum { WORKSPACE_TEXTS_MAX = 64 };
bool workspace_file_defines(const char *path, const ExerciseList *list,
                            bool defined[EXERCISES_MAX]);

// The exercise that a folder is named after, of which a file in it defines the function; -1: none.
int workspace_folder_exercise(const ExerciseList *list, const char *folder, const char *path);

// Whether the file of this name is the exercise's own ("scale.c"), and whether one holds nothing but the stub.
bool workspace_is_own(const Workspace *workspace, int number, const char *name);

// "exercises/scale.c" for opening, and below the workspace's folder; in the arena.
const char *workspace_below(const Workspace *workspace, int number, Arena *arena, Error *err);
const char *workspace_path(const Workspace *workspace, int number, Arena *arena, Error *err);

// The exercise to do now: the one that was checked last, or when that is done the next that is not.
// Its number; -1 when all are done. A file that this machine could not look at counts as not done, and
// `unknown` says why; nothing else changes it.
int workspace_current(const Workspace *workspace, Error *unknown);

// The next exercise after `number` that is not done, from the start again after the last; -1: none.
// `unknown` as above.
int workspace_next(const Workspace *workspace, int number, Error *unknown);

// --- making and mending (workspace.c)

typedef enum WorkspaceWork {
    WORKSPACE_WROTE, // a file that was not there
    WORKSPACE_KEPT,  // what was there, under this name
} WorkspaceWork;

typedef void WorkspaceTell(void *context, WorkspaceWork work, const char *path);

// Makes a workspace, or adds to one what is missing and brings its header up to date. False with a
// sentence, before anything is written, when a file is in the way.
bool workspace_make(const char *folder, Language language, WorkspaceTell *tell, void *context,
                    Error *err);

// Puts the stub back, and what was there under the next free name, which is told. False, and all as it
// was, when that cannot be.
bool workspace_reset(const Workspace *workspace, int number, WorkspaceTell *tell, void *context,
                     Error *err);

// Whether attnscope.h is another than this program brings.
bool workspace_header_differs(const Workspace *workspace);

#endif
