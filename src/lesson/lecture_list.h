// Which lectures there are: every folder of the lessons (place.h) that holds a lecture.md; the
// first place that has a lecture counts.
#ifndef LECTURE_LIST_H
#define LECTURE_LIST_H

#include "lecture.h"

typedef struct LectureEntry {
    const char *name;   // "02-scaled-dot-product"
    const char *folder; // its path; a lecture of one's own may be one file that ends in .md
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

// The same, or a lecture of one's own: the path of a folder that holds lecture.md or lecture.ko.md, or
// of a file that ends in .md. NULL with a sentence; the entry lives as long as the list.
const LectureEntry *lecture_list_choose(LectureList *list, const char *what, Error *err);

// Whether this is the path of a lecture of one's own, and no name of a known one.
bool lecture_list_is_path(const char *what);

// Adds the lectures of one's own that lie in the current folder.
bool lecture_list_add_own(LectureList *list, Error *err);

// Writes a beginning of one's own into a new or an empty folder, in one language: lecture.md or
// lecture.ko.md, and a scenario beside it. False with a sentence when a file is there already.
bool lecture_begin(const char *folder, Language language, Error *err);

// The file of a lecture in a language, or in the other one; false where its path is too long.
bool lecture_path(const char *folder, Language language, char *path);

// Reads a lecture of a folder in a language; where it is not written in it, in the other one.
bool lecture_open(Lecture *lecture, const char *name, const char *folder, Language language,
                  Error *err);

#endif
