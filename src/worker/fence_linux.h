// The parts of the fence that only Linux has. Elsewhere, and on kernels without them, each says that
// it is not there.
#ifndef FENCE_LINUX_H
#define FENCE_LINUX_H

#include <stdbool.h>

// No new rights by starting other programs; with a sanitizer, no random addresses, which it does
// not always get on with.
void fence_linux_calm(bool has_sanitizer);

// Landlock: only this program and the system's libraries can be read from now on. Its version; 0:
// not there.
int fence_linux_files(const char *program);

// seccomp: only what computing takes, and one execve of this very pointer. False: not there.
bool fence_linux_calls(const char *program);

#endif
