// Which parts of the fence this machine and this build have, asked without putting one up.
#ifndef FENCE_THERE_H
#define FENCE_THERE_H

#include <stdbool.h>

typedef struct FenceThere {
    int landlock; // its version; 0: the kernel has none, or has it switched off
    bool calls;   // seccomp: built in, and known to the kernel
} FenceThere;

FenceThere fence_there(void);

#endif
