// How far somebody has come: which pages they have seen, how they answered, and where they stopped;
// which code of theirs passed which exercise, and how many hints they took.
//
// It lives in one text file of the person's (state_file.h), a line a page ("seen", lecture and page,
// between tabs) or a check of code ("passed", exercise, digest and points), keyed by names and not by
// numbers, so that it outlives edits of a lecture. The first line says which version wrote it; lines
// of newer versions and broken ones stay as they are. Every note is read, changed and replaced as a
// whole under a lock: a killed program leaves it as it was before or after, and two programs at once
// lose nothing.
#ifndef PROGRESS_H
#define PROGRESS_H

#include "arena.h"
#include "error.h"

typedef enum PageMark {
    PAGE_UNSEEN,
    PAGE_SEEN,
    PAGE_WRONG, // its question was not answered rightly yet, or its answer was shown
    PAGE_LATER, // rightly, but not at the first go
    PAGE_RIGHT,
    PAGE_MARKS
} PageMark;

typedef struct ProgressLine {
    PageMark mark;
    const char *lecture, *page;
    struct ProgressLine *next;
} ProgressLine;

// How a learner's file with this digest did.
typedef struct ProgressCheck {
    const char *exercise, *digest;
    int points;
    bool passed;
    struct ProgressCheck *next;
} ProgressCheck;

typedef struct ProgressHint {
    const char *exercise;
    int level; // the highest that was shown
    struct ProgressHint *next;
} ProgressHint;

// A line that is not understood: of a newer version, or broken.
typedef struct ProgressOther {
    const char *bytes; // with anything in them
    size_t length;
    bool is_broken; // no text between tabs: nobody ever wrote it so
    struct ProgressOther *next;
} ProgressOther;

enum { PROGRESS_VERSION = 1 };

typedef struct Progress {
    ProgressLine *lines;   // the page noted last is the first one
    ProgressCheck *checks; // and so are the others: for each exercise the codes that passed, and
    ProgressHint *hints;   // the last one that did not
    ProgressOther *others; // in the order of the file
    int version;           // that wrote it; 0: it does not say
    Arena arena;
} Progress;

// Where it lives: $XDG_STATE_HOME/attnscope/progress, else ~/.local/state/attnscope/progress. NULL
// with a sentence when there is no home.
const char *progress_path(Arena *arena, Error *err);

// A file that is not there is an empty progress.
bool progress_read(Progress *progress, const char *path, Error *err);
void progress_finish(Progress *progress);

PageMark progress_mark(const Progress *progress, const char *lecture, const char *page);

// The page of a lecture that was noted last, of any lecture when `lecture` is NULL; NULL: none.
const ProgressLine *progress_last(const Progress *progress, const char *lecture);

// Notes a page: it becomes the last one, and its mark the higher one of the old and the new. Makes the
// folders on the way.
bool progress_note(const char *path, const char *lecture, const char *page, PageMark mark,
                   Error *err);

// Moves the broken lines into a file beside it, PATH.broken, behind those that are there already.
bool progress_set_aside(const char *path, Error *err);

// --- exercises

// What is known of the code with this digest; NULL: it was not checked.
const ProgressCheck *progress_check(const Progress *progress, const char *exercise,
                                    const char *digest);

// Whether any code of somebody's passed it.
bool progress_has_passed(const Progress *progress, const char *exercise);

// The highest hint that was shown; 0: none.
int progress_hint(const Progress *progress, const char *exercise);

// Notes a check; what was known of the same code is replaced.
bool progress_note_check(const char *path, const ProgressCheck *check, Error *err);

// Notes a hint; a higher one stays.
bool progress_note_hint(const char *path, const char *exercise, int level, Error *err);

#endif
