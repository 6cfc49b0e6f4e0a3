// What lies in the folder of a submission beside the files of its exercises, and in their place.
#ifndef GRADING_FILES_H
#define GRADING_FILES_H

#include "grading.h"

// Tells the format which files were judged under another name than the exercise's, which may be misnamed, and
// which C files are of no exercise. Where this machine could not look, the results are not whole.
void grading_tell_files(Grading *grading, const char *folder);

#endif
