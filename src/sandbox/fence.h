// The sandbox of a process that runs untrusted code. The process closes it around itself between fork and
// exec. Parts that this kernel lacks are skipped, and reported.
//
// limits    CPU time, memory, open files, no core files, how much is written to a file
// files     Landlock: what can be read, run and written
// calls     seccomp: which system calls may be made
//
// It holds two kinds of processes: a learner's program, which only computes, and a tool (a compiler, a
// linker), which starts others and writes in one folder.
#ifndef FENCE_H
#define FENCE_H

#include <stdbool.h>

// The parts, as bits.
enum { FENCE_LIMITS = 1, FENCE_FILES = 2, FENCE_CALLS = 4, FENCE_WHOLE = 7 };

typedef struct Fence {
    const char *program; // the only program it may start; the pointer itself is compared
    int seconds;         // CPU time
    int megabytes;       // memory; 0: no limit, because AddressSanitizer maps terabytes
} Fence;

typedef struct FenceTool {
    int seconds;           // CPU time of each process
    const char *writable;  // the only writable folder; "": none
    char *const *readable; // readable and executable besides the system's own; NULL-terminated
} FenceTool;

enum { FENCE_TEXT_MAX = 128 };

// Sandboxes the calling process for good. Returns the active parts; `text` describes them: "limits, files
// (Landlock 4), calls (seccomp)". Returns -1 and sets errno if a part exists but cannot be set up now; then
// run no untrusted code.
int fence_close(const Fence *fence, char text[FENCE_TEXT_MAX]);
int fence_close_tool(const FenceTool *tool, char text[FENCE_TEXT_MAX]);

// --- Linux only
//
// On other systems, and on kernels without these parts, the functions report that they are unavailable.

// Forbids new privileges. With a sanitizer, also turns off address randomisation, which sanitizers do not
// always tolerate.
void fence_linux_calm(bool has_sanitizer);

bool fence_linux_has_files(void);

// Landlock: restricts reading to this program and the system's libraries. Returns the version of Landlock,
// 0 if the kernel has none, -1 and errno if memory or descriptors ran out.
int fence_linux_files(const char *program);

// The same for a tool: it may read and run the system's headers, libraries and tool->readable, and write in
// one folder.
int fence_linux_tool_files(const FenceTool *tool);

// --- the record of a fence
//
// One line that names the parts: "a process of its own, limits, files (Landlock 7)". It is stored with a
// verdict; worker_fence_text translates it.

typedef enum FencePart {
#define FENCE_PART(NAME, english, korean) FENCE_PART_##NAME,
#include "fence_parts.def"
#undef FENCE_PART
    FENCE_PARTS
} FencePart;

// The name of a part in such a record.
const char *fence_recorded(FencePart part);

#endif
