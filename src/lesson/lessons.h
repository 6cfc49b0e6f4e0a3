// Where the lessons are: ATTNSCOPE_LESSONS, the source that was built, where `meson install` puts
// them.
#ifndef LESSONS_H
#define LESSONS_H

// The folders to look into, in this order; one that is not set is left out. NULL beyond the last.
const char *lessons_folder(int number);

#endif
