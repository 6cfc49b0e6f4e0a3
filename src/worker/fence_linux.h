// The parts of the fence that only Linux has. Elsewhere, and on kernels without them, each says that
// it is not there.
#ifndef FENCE_LINUX_H
#define FENCE_LINUX_H

#include <stdbool.h>
#include "fence.h"

// No new rights by starting other programs; with a sanitizer, no random addresses, which it does
// not always get on with.
void fence_linux_calm(bool has_sanitizer);

// Whether this kernel has Landlock.
bool fence_linux_has_files(void);

// Landlock: only this program and the system's libraries can be read from now on. Its version; 0:
// not there; -1 with errno: there, but this machine has no memory or descriptors for it now.
int fence_linux_files(const char *program);

// Landlock for a tool: the system's headers, libraries and what it names can be read and run, and its
// one folder written. The same.
int fence_linux_tool_files(const FenceTool *tool);

// seccomp: only what computing takes, and one execve of this very pointer. 1: it holds; 0: not there; -1
// with errno: there, but this machine has no memory for it now.
int fence_linux_calls(const char *program);

// seccomp for a tool: no network, no debugging, nothing that changes the system. The same.
int fence_linux_tool_calls(void);

#endif
