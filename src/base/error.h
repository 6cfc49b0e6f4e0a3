// Error messages for the user: what is wrong, where, what to do. And output that is complete, or such an error.
//
// A function that can fail on a user's mistake (file, option, shape, memory) takes an Error, fills it and
// returns false or NULL. Programming errors assert instead. Nothing below `app` exits.
#ifndef ERROR_H
#define ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

// "cannot write PATH", with what errno says. Returns false.
bool error_unwritten(Error *err, int number, const char *path);

// Describes an errno in the user's language; quotes strerror for rare ones. 0 means a failed write without
// errno.
const char *error_reason(int number);

// Puts a text, such as a file and line, before the message. Returns false.
bool error_prefix(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// --- standard output, complete or reported as lost

// Closes standard output. Returns false and sets err if any of it could not be written.
bool output_finish(Error *err);

// Prints "attnscope: " and the message to standard error, after flushing standard output.
void output_say(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

// --- a file in memory
//
// A memory stream drops what it has no memory for, and reports that only if asked. This asks once, at the
// end.
//
// Life cycle: written_begin; fprintf(written.out, ...); written_end; read written.text; written_drop, at
// any time, also repeatedly.

typedef struct Written {
    FILE *out;  // between written_begin and written_end
    char *text; // after written_end, NUL-terminated; NULL if incomplete
    size_t length;
} Written;

// Starts an empty text. Returns false, sets err and leaves `out` NULL without memory.
bool written_begin(Written *written, Error *err);

// Ends it. Returns false, sets err and frees the text if part of it was lost.
bool written_end(Written *written, Error *err);

// Frees it. Does nothing for a zeroed one.
void written_drop(Written *written);

#endif
