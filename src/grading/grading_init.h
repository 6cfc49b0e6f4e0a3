// What a platform needs to grade with attnscope, as a folder: scripts, a container file, a course file.
// Each platform is a row of grading_platforms.def and a folder of lessons/platforms; its files.txt lists them, "MODE NAME [SOURCE]" a line.
#ifndef GRADING_INIT_H
#define GRADING_INIT_H

#include "error.h"

// Writes the files of a platform below `folder`, which may be there; no file is written over. False with
// a sentence.
bool grading_init(const char *platform, const char *folder, Error *err);

#endif
