// Error messages for the user: what is wrong, where, what to do.
//
// A function that can fail on a user's mistake (file, option, shape, memory) takes an Error, fills it and
// returns false or NULL. Programming errors assert instead. Nothing below `app` exits.
#ifndef ERROR_H
#define ERROR_H

#include <stdbool.h>

typedef struct Error {
    char text[1024]; // UTF-8 without control characters; longer texts are cut
    bool of_machine; // the machine is at fault (no memory, say), not the request
} Error;

// Sets err from a printf format. Returns false, for `return error_set(...)`.
bool error_set(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same for a fault of the machine: no memory, too many open files, a failing disk.
bool error_machine(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same; errno decides whether the machine is at fault.
bool error_number(Error *err, int number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Describes an errno in the user's language; quotes strerror for rare ones. 0 means a failed write without
// errno.
const char *error_reason(int number);

// Puts a text, such as a file and line, before the message. Returns false.
bool error_prefix(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
