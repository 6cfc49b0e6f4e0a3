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

#endif
