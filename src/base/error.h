// What went wrong, in a sentence for the person: what is wrong, where, what to do.
//
// A function that can fail on a person's mistake (file, option, shape, memory) takes an Error,
// returns false (or NULL) and fills it. A bug of ours asserts instead. Nothing below `app` exits.
#ifndef ERROR_H
#define ERROR_H

#include <stdbool.h>

typedef struct Error {
    char text[1024]; // UTF-8 without control characters; a longer sentence is cut
} Error;

// Fills `err` from a printf format. Returns false, so that a caller can `return error_set(...)`.
bool error_set(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Puts a text (a file and a place, say) in front of what `err` already says; returns false.
bool error_prefix(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
