// app_version: what `attnscope --version` tells; see app.h.
#include "app.h"

#include "commit.h"
#include "fence.h"
#include "worker.h"

void app_print_version(FILE *out)
{
    Error err;
    WorkerFence fence;
    const Kernel *kernel;
    fprintf(out, "attnscope %s\ncommit   %s\nkernels  %s (of", ATTNSCOPE_VERSION, ATTNSCOPE_COMMIT,
            kernel_choose()->name);
    for (int i = 0; (kernel = kernel_get(i)) != NULL; i++)
        fprintf(out, "%s %s", i ? "," : "", kernel->name);
    bool known = worker_fence(&fence, &err);
    fprintf(out, ")\nfence    %s%s%s%s\n",
            known ? "" : "not known: ", known ? fence.text : err.text,
            !known || fence.parts & FENCE_FILES ? "" : ", no Landlock",
            !known || fence.parts & FENCE_CALLS ? "" : ", no seccomp");
}
