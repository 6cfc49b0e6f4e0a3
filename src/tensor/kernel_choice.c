// kernel_choice: which kernels this build has and this machine can run; see kernel.h.
#include <stdlib.h>
#include <string.h>
#include "kernel.h"

extern const Kernel kernel_plain;
#ifdef KERNEL_X86
extern const Kernel kernel_avx2, kernel_avx512;
#endif
#ifdef KERNEL_ARM
extern const Kernel kernel_neon;
#endif

typedef struct Choice {
    const Kernel *kernel;
    bool can_run;
} Choice;

const Kernel *kernel_get(int number)
{
    const Choice choices[] = {
#ifdef KERNEL_X86
        {&kernel_avx512, __builtin_cpu_supports("avx512f")},
        {&kernel_avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")},
#endif
#ifdef KERNEL_ARM
        {&kernel_neon, true},
#endif
        {&kernel_plain, true},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].can_run && number-- == 0)
            return choices[i].kernel;
    return NULL;
}

const Kernel *kernel_find(const char *name)
{
    const Kernel *kernel;
    for (int i = 0; (kernel = kernel_get(i)) != NULL; i++)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

const Kernel *kernel_choose(void)
{
    const char *wanted = getenv("ATTNSCOPE_ISA");
    const Kernel *kernel = wanted ? kernel_find(wanted) : NULL;
    return kernel ? kernel : kernel_get(0);
}
