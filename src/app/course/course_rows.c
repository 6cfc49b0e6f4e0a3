// course_rows: the rows of the course, to which its parts add theirs; see course_part.h.
#include "course_part.h"

#include "app_words.h"

CourseRow *course_add(CourseList *course, Error *err)
{
    if (course->count == COURSE_ROWS_MAX) {
        error_set(err, TELL(COURSE_LONG), COURSE_ROWS_MAX);
        return NULL;
    }
    return &course->rows[course->count++];
}
