// A lecture that is written in a test, opened for its questions to be answered.
#ifndef ANSWERING_H
#define ANSWERING_H

#include "open_lecture.h"

extern Lecture lecture;
extern OpenLecture opened;
extern Session session;
extern Error failure; // of the last words

// The lecture of a text, as the file of that name would be read; its progress is kept in `kept`, NULL: nowhere.
void open_text(const char *file, const char *text, const char *kept);
void close_lecture(void);

// Whether the words are not refused.
bool accepted(const char *words);

// Goes to the page of that name, which is there.
void go(const char *page);

// What was said to the last answer, in one line.
const char *said(void);

PageMark mark_of(const char *page);

// An answer, and what the page's question is marked with then.
typedef struct Given {
    const char *page, *answer;
    PageMark mark; // PAGE_SEEN: refused, and no try
} Given;

#endif
