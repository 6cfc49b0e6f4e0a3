// course_lectures: the lectures as a part of the course; see course_part.h.
#include "course_part.h"

#include <string.h>
#include "open_lecture.h"

typedef struct Tally {
    int read, questions, answered;
} Tally;

static Tally count(const Lecture *lecture, const Progress *progress)
{
    Tally tally = {.read = 0};
    for (int i = 0; i < lecture->page_count; i++) {
        const LecturePage *page = &lecture->pages[i];
        PageMark mark = progress_mark(progress, lecture->name, page->name);
        tally.read += mark != PAGE_UNSEEN;
        tally.questions += page->question.kind != QUESTION_NONE;
        tally.answered += page->question.kind != QUESTION_NONE && mark >= PAGE_LATER;
    }
    return tally;
}

// Where somebody stopped in it; NULL where they never were.
static const LecturePage *stopped_at(const Lecture *lecture, const Progress *progress)
{
    const ProgressLine *last = progress_last(progress, lecture->name);
    int page = last ? lecture_find(lecture, last->page) : -1;
    return page < 0 ? NULL : &lecture->pages[page];
}

static bool tell(CourseList *course, const Lecture *lecture, Error *err)
{
    CourseRow *row = course_add(course, err);
    Tally tally = count(lecture, course->progress);
    const LecturePage *page = stopped_at(lecture, course->progress);
    const ProgressLine *last = progress_last(course->progress, NULL);
    bool read = tally.read == lecture->page_count;
    if (!row)
        return false;
    row->title = arena_text(&course->arena, lecture->title, err);
    row->about = arena_text(&course->arena, lecture->about, err);
    row->state = arena_format(
        &course->arena, err, "%s %2d/%-2d  %s %2d/%-2d",
        open_lecture_word(course->language, WORD_COURSE_READ), tally.read, lecture->page_count,
        open_lecture_word(course->language, WORD_COURSE_ANSWERED), tally.answered, tally.questions);
    row->goes_on = page && !read ? arena_text(&course->arena, page->title, err) : NULL;
    row->done = read && tally.answered == tally.questions;
    row->passed = read;
    row->last = last && strcmp(last->lecture, lecture->name) == 0;
    return row->title && row->about && row->state;
}

// A lecture that somebody is still writing does not keep the others from being listed.
static bool tell_unread(CourseList *course, const LectureEntry *entry, const Error *why, Error *err)
{
    CourseRow *row = course_add(course, err);
    if (!row)
        return false;
    row->title = arena_text(&course->arena, entry->name, err);
    row->about = arena_text(&course->arena, why->text, err);
    row->state = "?";
    row->passed = true;
    return row->title && row->about;
}

static bool list(CourseList *course, Error *err)
{
    LectureList lectures;
    int first = course->count;
    bool good = lecture_list_open(&lectures, err);
    for (int i = 0; good && i < lectures.count; i++) {
        const LectureEntry *entry = &lectures.entries[i];
        Lecture lecture;
        Error unread = {.text = ""};
        good = lecture_open(&lecture, entry->name, entry->folder, course->language, &unread)
                   ? tell(course, &lecture, err)
                   : tell_unread(course, entry, &unread, err);
        lecture_finish(&lecture);
    }
    if (good && course->count > first)
        course->rows[first].heading = open_lecture_word(course->language, WORD_COURSE_LECTURES);
    lecture_list_close(&lectures);
    return good;
}

static int start(int number, const AppOptions *options)
{
    LectureList lectures;
    Error err = {.text = ""};
    if (!lecture_list_open(&lectures, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int code = app_walk_lecture(&lectures.entries[number], options);
    lecture_list_close(&lectures);
    return code;
}

const CoursePart course_lectures = {.list = list, .start = start};
