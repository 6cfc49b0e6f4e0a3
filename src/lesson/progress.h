// A user's progress: pages seen, answers, the last page; code that passed, hints used.
//
// One text file in the user's state (state_file.h): a line per page ("seen", lecture and page, separated by tabs)
// or check ("passed", exercise, digest and points). Keys are names, not numbers, so they survive edits of a
// lecture. The first line has the version; lines of newer versions and broken lines are kept. Each change reads
// and replaces the whole file under a lock, so a killed program damages nothing and concurrent programs lose
// nothing.
#ifndef PROGRESS_H
#define PROGRESS_H

#include "arena.h"
#include "error.h"

typedef enum PageMark {
    PAGE_UNSEEN,
    PAGE_SEEN,
    PAGE_WRONG, // wrong so far, or the answer was shown
    PAGE_LATER, // right, but not at once
    PAGE_RIGHT,
    PAGE_MARKS
} PageMark;

typedef enum ProgressKind {
    PROGRESS_PAGE,
    PROGRESS_CHECK,
    PROGRESS_HINT,
    PROGRESS_OTHER, // of a newer version, or broken
    PROGRESS_KINDS
} ProgressKind;

typedef struct ProgressLine {
    ProgressKind kind;
    const char *name; // lecture or exercise
    const char *key;  // page, digest of the file checked, or ""
    int number;       // PageMark, points, or the highest hint shown
    bool passed;      // a check
    bool is_broken;   // not text between tabs: no version wrote it
    const char *text; // as in the file; may contain anything
    size_t length;
    struct ProgressLine *next;
} ProgressLine;

enum { PROGRESS_VERSION = 1 };

typedef struct Progress {
    ProgressLine *lines; // newest first; of checks, all code that passed, and the last that failed
    int version;         // of the file; 0: not given
    Arena arena;
} Progress;

// $XDG_STATE_HOME/attnscope/progress, or ~/.local/state/attnscope/progress. NULL and err if there is no home.
const char *progress_path(Arena *arena, Error *err);

// Reads the file; a missing one is empty.
bool progress_read(Progress *progress, const char *path, Error *err);
void progress_finish(Progress *progress);

PageMark progress_mark(const Progress *progress, const char *lecture, const char *page);

// The newest line of this kind and name, or with `name` NULL of any; NULL: none.
const ProgressLine *progress_last(const Progress *progress, ProgressKind kind, const char *name);

// Records a page as the newest; its mark never decreases. Creates the folders.
bool progress_note(const char *path, const char *lecture, const char *page, PageMark mark,
                   Error *err);

// Appends the broken lines to PATH.broken and removes them here.
bool progress_set_aside(const char *path, Error *err);

// --- exercises

// The result of the code with this digest; NULL: not checked.
const ProgressLine *progress_check(const Progress *progress, const char *exercise,
                                   const char *digest);

// True if any code passed the exercise.
bool progress_has_passed(const Progress *progress, const char *exercise);

// The highest hint shown; 0: none.
int progress_hint(const Progress *progress, const char *exercise);

// Records a check (name, key, points, passed), replacing an earlier one of the same code.
bool progress_note_check(const char *path, const ProgressLine *check, Error *err);

// Records a hint; the level never decreases.
bool progress_note_hint(const char *path, const char *exercise, int level, Error *err);

#endif
