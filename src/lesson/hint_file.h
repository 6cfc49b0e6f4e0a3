// The hints that somebody was shown, noted beside their exercises: exercises/hints.txt goes with what
// they hand in, which their progress does not. It is theirs, and they can change it: what a course takes
// for a hint rests on their word.
//
// A line is an exercise and the highest hint that was shown: "scale 2". Other lines are passed over.
#ifndef HINT_FILE_H
#define HINT_FILE_H

#include "workspace.h"

#define HINT_FILE_NAME "hints.txt"

enum { HINT_FILE_BYTES_MAX = 1 << 16 };

typedef struct HintFile {
    bool is_there;
    int levels[EXERCISES_MAX]; // by the exercises' numbers; 0: none
} HintFile;

// What is noted in a workspace, or in what somebody handed in. What is no plain file, or larger than
// HINT_FILE_BYTES_MAX, is as if it were not there. False with a sentence when this machine cannot read it.
bool hint_file_read(HintFile *hints, const Workspace *workspace, Error *err);

// Notes a hint; a higher one stays. False with a sentence.
bool hint_file_note(const Workspace *workspace, int number, int level, Error *err);

#endif
