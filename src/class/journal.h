// What has been judged already: a file with a line for each judged exercise, which is only ever added
// to. A line is JSON: {"key": K, "what": {...}}; the key is a digest of everything that the result
// depends on, so a result whose files have changed is not found any more.
//
// Several processes add lines at once. One that is killed leaves whole lines, and at most one that is
// not: it is passed over. A later line of the same key holds.
//
// Life cycle: journal_open or journal_open_unnamed; journal_find, journal_add, journal_refresh; journal_close. After a fork
// both processes may go on.
#ifndef JOURNAL_H
#define JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "error.h"

typedef struct Journal {
    int file;      // -1: there is none
    size_t read;   // bytes of it that are known
    json_t *known; // what, by its key
} Journal;

// Where the journal of a folder of submissions lies when nobody names another: among what is kept
// between runs, not in the folder, in which others put files. False with a sentence.
enum { JOURNAL_PATH_MAX = 4096 };
bool journal_place(const char *folder, char path[JOURNAL_PATH_MAX], Error *err);

// Makes or reads it. What says {"again": true} is not taken from earlier runs. False with a sentence,
// and a journal that is empty and keeps nothing; a file that holds anything else stays as it is.
bool journal_open(Journal *journal, const char *path, Error *err);

// One that no name leads to: it is gone with the last process that has it. False with a sentence, likewise.
bool journal_open_unnamed(Journal *journal, Error *err);

// What lies under a key; NULL: nothing. It lives until the next refresh.
const json_t *journal_find(const Journal *journal, const char *key);

// Adds a line, in one piece. False with a sentence.
bool journal_add(const Journal *journal, const char *key, json_t *what, Error *err);

// Reads what others have added since.
bool journal_refresh(Journal *journal, Error *err);

void journal_close(Journal *journal);

#endif
