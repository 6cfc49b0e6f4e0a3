// Which lectures there are: every folder of the lessons (place.h) that holds a lecture.md; the
// first place that has a lecture counts.
#ifndef LECTURE_LIST_H
#define LECTURE_LIST_H

#include "lecture.h"

typedef struct LectureEntry {
    const char *name;   // "02-scaled-dot-product"
    const char *folder; // its path
} LectureEntry;

enum { LECTURE_ENTRIES_MAX = 64 };

typedef struct LectureList {
    LectureEntry entries[LECTURE_ENTRIES_MAX]; // by name
    int count;
    Arena arena;
} LectureList;

bool lecture_list_open(LectureList *list, Error *err);
void lecture_list_close(LectureList *list);

// Finds by name, or by the part before or after its first hyphen ("02", "scaled-dot-product"). -1
// with the nearest name.
int lecture_list_find(const LectureList *list, const char *name, Error *err);

// Reads a lecture of a folder in a language; where it is not written in it, in English.
bool lecture_open(Lecture *lecture, const char *name, const char *folder, Language language,
                  Error *err);

#endif
