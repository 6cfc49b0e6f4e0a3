// What went wrong, in a sentence for the person: what is wrong, where, what to do.
//
// A function that can fail on a person's mistake (file, option, shape, memory) takes an Error,
// returns false (or NULL) and fills it. A bug of ours asserts instead. Nothing below `app` exits.
#ifndef ERROR_H
#define ERROR_H

#include <stdbool.h>

typedef struct Error {
    char text[1024]; // UTF-8 without control characters; a longer sentence is cut
    bool of_machine; // not what was asked for is wrong: this machine has no memory, say
} Error;

// Fills `err` from a printf format. Returns false, so that a caller can `return error_set(...)`.
bool error_set(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same for what this machine cannot do now: no memory, too many open files, a disk that fails.
bool error_machine(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same when it depends on errno whether it is the machine.
bool error_number(Error *err, int number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// What a number of errno means, in the person's language; quoting strerror where it is a rare one.
// 0 is a write that failed without a number.
const char *error_reason(int number);

// Puts a text (a file and a place, say) in front of what `err` already says; returns false.
bool error_prefix(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
