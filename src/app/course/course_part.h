// The parts of the course: what `attnscope` alone lists, one after the other. course_parts.def is the
// list; a part is one file that tells its rows and starts the one that is chosen.
#ifndef COURSE_PART_H
#define COURSE_PART_H

#include "app.h"
#include "course.h"
#include "lecture_list.h"
#include "progress.h"

enum { COURSE_ROWS_MAX = 256 };

typedef struct CourseList {
    CourseRow rows[COURSE_ROWS_MAX];
    int count;
    const Progress *progress;
    Language language;
    Arena arena; // of the rows' texts
} CourseList;

typedef struct CoursePart {
    // Adds its rows, in order.
    bool (*list)(CourseList *course, Error *err);
    // Starts its own row `number`, counted from 0; an exit code.
    int (*start)(int number, const AppOptions *options);
} CoursePart;

// A new row at the end; NULL, with a sentence, when there is no room.
CourseRow *course_add(CourseList *course, Error *err);

// A lecture in the terminal, or as options say; an exit code.
int app_walk_lecture(const LectureEntry *entry, const AppOptions *options);

#endif
