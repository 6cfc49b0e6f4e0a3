// What holds a learner's process, put up between fork and exec by the process that will become it.
// Every part that this kernel does not have is left out, and the words say which are there.
//
// limits    CPU time, memory, open files, no core files, nothing written to files, no processes
// files     Landlock: only the program and the system's libraries can be read
// calls     seccomp: only what computing takes; no processes, sockets, files, or signals to others
#ifndef FENCE_H
#define FENCE_H

typedef struct Fence {
    const char *program; // the one program that may be started, by this very pointer
    int seconds;         // of CPU time
    int megabytes;       // of memory; 0: AddressSanitizer is there, which maps terabytes
} Fence;

enum { FENCE_TEXT_MAX = 128 };

// Holds the calling process from now on, for good. `text` says what holds it: "limits, files
// (Landlock 4), calls (seccomp)".
void fence_close(const Fence *fence, char text[FENCE_TEXT_MAX]);

// The limits that a compiler gets: memory, time, size of a file.
void fence_close_compiler(int seconds);

#endif
