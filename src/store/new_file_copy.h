// The bytes of a file into what stays itself: a stream, or a file that cannot be replaced. Those that
// copy return false with errno set.
#ifndef NEW_FILE_COPY_H
#define NEW_FILE_COPY_H

#include <stdbool.h>

// The descriptor that a path means by its name (/dev/stdout, /dev/fd/3), whether or not the system has
// such a name; -1: none.
int new_file_copy_number(const char *path);

// What is open here already (/dev/stdout, /dev/fd/3) is shared, with the place in it: what somebody
// writes next comes behind.
bool new_file_copy_into_stream(const char *from, const char *stream);

// Over a file's bytes. It is as it was when there is no room for the new ones. Signals wait.
bool new_file_copy_over(const char *from, const char *file);

#endif
