// app_version: what `attnscope --version` tells; see app.h.
#include "app.h"

#include "commit.h"
#include "worker.h"

void app_print_version(FILE *out)
{
    char fence[WORKER_FENCE_MAX];
    const Kernel *kernel;
    fprintf(out, "attnscope %s\ncommit   %s\nkernels  %s (of", ATTNSCOPE_VERSION, ATTNSCOPE_COMMIT,
            kernel_choose()->name);
    for (int i = 0; (kernel = kernel_get(i)) != NULL; i++)
        fprintf(out, "%s %s", i ? "," : "", kernel->name);
    fprintf(out, ")\nfence    %s\n", worker_fence_here(fence));
}
