// Which page a presenter shows, noted in a file of the person's own state (state_file.h), so that a
// second terminal can follow it.
#ifndef PRESENTING_H
#define PRESENTING_H

#include "lecture.h"

enum { PRESENTING_NAME_MAX = 4096 }; // a path, too

typedef struct Presenting {
    char lecture[PRESENTING_NAME_MAX]; // "02-scaled-dot-product", or the path of one's own
    char page[PRESENTING_NAME_MAX];    // its name
    Language language;
} Presenting;

// Where the file is, in the arena; NULL with a sentence when there is no home for it.
const char *presenting_path(Arena *arena, Error *err);

bool presenting_note(const char *path, const Lecture *lecture, const char *page, Error *err);

// False, with a sentence, when nobody has presented, or the file holds something else.
bool presenting_read(const char *path, Presenting *presenting, Error *err);

#endif
