// What holds a process that works on somebody's code, put up between fork and exec by the process that
// will become it. Every part that this kernel does not have is left out, and it is told which are
// there.
//
// limits    CPU time, memory, open files, no core files, how much is written to a file
// files     Landlock: what can be read, run and written
// calls     seccomp: which system calls may be made
//
// Two kinds of processes: a learner's program, which computes and nothing else, and a tool (a
// compiler, a linker), which starts others of its family and writes in one folder.
#ifndef FENCE_H
#define FENCE_H

#include <stdbool.h>

// The parts, as bits.
enum { FENCE_LIMITS = 1, FENCE_FILES = 2, FENCE_CALLS = 4, FENCE_WHOLE = 7 };

typedef struct Fence {
    const char *program; // the one program that may be started, by this very pointer
    int seconds;         // of CPU time
    int megabytes;       // of memory; 0: AddressSanitizer is there, which maps terabytes
} Fence;

typedef struct FenceTool {
    int seconds;           // of CPU time, for each process
    const char *writable;  // the one folder that it may write to; "": none
    char *const *readable; // what it may read and run besides the system's own; NULL ends it
} FenceTool;

enum { FENCE_TEXT_MAX = 128 };

// Holds the calling process from now on, for good. Tells which parts stand; `text` says so in words:
// "limits, files (Landlock 4), calls (seccomp)". -1 with errno: this machine lacks now what a part takes
// that it has, and nobody's code should run behind the rest.
int fence_close(const Fence *fence, char text[FENCE_TEXT_MAX]);
int fence_close_tool(const FenceTool *tool, char text[FENCE_TEXT_MAX]);

// --- the parts that only Linux has
//
// Elsewhere, and on kernels without them, each says that it is not there.

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

// --- the record of a fence
//
// A line that names the parts, "a process of its own, limits, files (Landlock 7)". It is kept with a
// verdict; worker_fence_tell makes words of it.

typedef enum FencePart {
#define FENCE_PART(NAME, recorded, english, korean) FENCE_PART_##NAME,
#include "fence_parts.def"
#undef FENCE_PART
    FENCE_PARTS
} FencePart;

// What a record calls a part.
const char *fence_recorded(FencePart part);

#endif
