// How much room there is for what is about to be kept, in memory or in a folder.
#ifndef ROOM_H
#define ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include "error.h"

// Bytes of memory that can be taken now without taking them from somebody else, as the system and
// the container it runs in say; SIZE_MAX where neither says anything.
size_t room_in_memory(void);

// Bytes that files in this folder may take. False with a sentence when there is no such folder.
bool room_in_folder(const char *folder, size_t *bytes, Error *err);

// "3.2 GB", where a kB is 1000 bytes, as disks are sold. Returns `text`.
enum { ROOM_TEXT_MAX = 32 };
const char *room_text(size_t bytes, char text[ROOM_TEXT_MAX]);

// A new file without a name, of this size, taken from the disk at once. It lies in memory at the
// address that is returned; munmap gives everything back. NULL with a sentence: no such folder, disk
// full.
void *room_map_file(const char *folder, size_t bytes, Error *err);

// Has so many bytes, but no more than ROOM_AHEAD_MOST, ready in this process for what is called next. For
// libraries that do not look whether they were given memory, or go on without what they had none for.
// False: it is not to be had, and no such library should be called. Promised with glibc alone; with
// other C libraries it has been there a moment ago.
enum { ROOM_AHEAD_MOST = 16 << 20 };
bool room_ahead(size_t bytes);

// Takes the stack that this program needs, at its beginning: one that cannot grow any more ends a program
// by a signal, without a word. False with a sentence: the shell's limit leaves less than ROOM_STACK_LEAST
// bytes of it, or there is no memory. Of all commands `walk` takes the most, about 130 kB as gcc builds
// it; that no function takes much more some day, the compiler looks after (meson.build).
enum { ROOM_STACK_LEAST = 208 * 1024 };
bool room_on_stack(Error *err);

#endif
