// How far somebody has come: which pages they have seen, how they answered, and where they stopped.
//
// It lives in one text file of the person's, a line a page ("seen", lecture and page, between tabs),
// keyed by names and not by numbers, so that it outlives edits of a lecture. Every note is read,
// changed and replaced as a whole under a lock: a killed program leaves it as it was before or after,
// and two programs at once lose nothing.
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

typedef struct Progress {
    ProgressLine *lines; // the page noted last is the first one
    Arena arena;
} Progress;

// Where it lives: $XDG_STATE_HOME/attnscope/progress, else ~/.local/state/attnscope/progress. NULL
// with a sentence when there is no home.
const char *progress_path(Arena *arena, Error *err);

// A file that is not there is an empty progress; lines that nobody understands are left out.
bool progress_read(Progress *progress, const char *path, Error *err);
void progress_finish(Progress *progress);

PageMark progress_mark(const Progress *progress, const char *lecture, const char *page);

// The page of a lecture that was noted last, of any lecture when `lecture` is NULL; NULL: none.
const ProgressLine *progress_last(const Progress *progress, const char *lecture);

// Notes a page: it becomes the last one, and its mark the higher one of the old and the new. Makes the
// folders on the way.
bool progress_note(const char *path, const char *lecture, const char *page, PageMark mark,
                   Error *err);

#endif
