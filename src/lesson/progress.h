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

typedef struct ProgressLine {
    PageMark mark;
    const char *lecture, *page;
    struct ProgressLine *next;
} ProgressLine;

// The result of a file with this digest.
typedef struct ProgressCheck {
    const char *exercise, *digest;
    int points;
    bool passed;
    struct ProgressCheck *next;
} ProgressCheck;

typedef struct ProgressHint {
    const char *exercise;
    int level; // the highest shown
    struct ProgressHint *next;
} ProgressHint;

// An unknown line: of a newer version, or broken.
typedef struct ProgressOther {
    const char *bytes; // may contain anything
    size_t length;
    bool is_broken; // not text between tabs: no version wrote it
    struct ProgressOther *next;
} ProgressOther;

enum { PROGRESS_VERSION = 1 };

typedef struct Progress {
    ProgressLine *lines;   // newest first
    ProgressCheck *checks; // per exercise: all code that passed, and the last that failed
    ProgressHint *hints;   // newest first
    ProgressOther *others; // in file order
    int version;           // of the file; 0: not given
    Arena arena;
} Progress;

// $XDG_STATE_HOME/attnscope/progress, or ~/.local/state/attnscope/progress. NULL and err if there is no home.
const char *progress_path(Arena *arena, Error *err);

// Reads the file; a missing one is empty.
bool progress_read(Progress *progress, const char *path, Error *err);
void progress_finish(Progress *progress);

PageMark progress_mark(const Progress *progress, const char *lecture, const char *page);

// The newest page of a lecture, or with `lecture` NULL of any; NULL: none.
const ProgressLine *progress_last(const Progress *progress, const char *lecture);

// Records a page as the newest; its mark never decreases. Creates the folders.
bool progress_note(const char *path, const char *lecture, const char *page, PageMark mark,
                   Error *err);

// Appends the broken lines to PATH.broken and removes them here.
bool progress_set_aside(const char *path, Error *err);

// --- exercises

// The result of the code with this digest; NULL: not checked.
const ProgressCheck *progress_check(const Progress *progress, const char *exercise,
                                    const char *digest);

// True if any code passed the exercise.
bool progress_has_passed(const Progress *progress, const char *exercise);

// The highest hint shown; 0: none.
int progress_hint(const Progress *progress, const char *exercise);

// Records a check, replacing an earlier one of the same code.
bool progress_note_check(const char *path, const ProgressCheck *check, Error *err);

// Records a hint; the level never decreases.
bool progress_note_hint(const char *path, const char *exercise, int level, Error *err);

#endif
