// What the files that read a lecture share. Nobody else includes this.
#ifndef LECTURE_INTERNAL_H
#define LECTURE_INTERNAL_H

#include <cmark.h>
#include "lecture.h"

typedef struct LectureReader {
    Lecture *lecture;
    LecturePage *page; // NULL before the first
    Error *err;
} LectureReader;

// Says "file:line: " and the message; returns false.
bool lecture_error(LectureReader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A copy in the lecture's arena; NULL when there is no memory.
const char *lecture_text(LectureReader *reader, const char *text);

// The text inside a paragraph or heading, appended to *spans. `line` is what to say where the parser
// knows none.
bool lecture_spans(LectureReader *reader, cmark_node *parent, int line, LectureSpan **spans);

// The block of a fence that starts with ```question.
bool lecture_question(LectureReader *reader, const char *yaml, int line);

#endif
