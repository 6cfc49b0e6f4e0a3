// app_version: what `attnscope --version` tells; see app.h.
#include "app.h"

#include <string.h>
#include "app_words.h"
#include "commit.h"
#include "fence.h"
#include "worker.h"

void app_print_version(FILE *out)
{
    Error err;
    WorkerFence fence;
    char text[WORKER_FENCE_TEXT_MAX], kernels[128] = "";
    const Kernel *kernel;
    for (int i = 0; (kernel = kernel_get(i)) != NULL; i++) {
        size_t used = strlen(kernels);
        snprintf(kernels + used, sizeof kernels - used, "%s%s", i ? ", " : "", kernel->name);
    }
    fprintf(out, TELL(VERSION_PROGRAM), ATTNSCOPE_VERSION, ATTNSCOPE_COMMIT, kernel_choose()->name,
            kernels);
    bool known = worker_fence(&fence, &err);
    fprintf(out, known ? TELL(VERSION_FENCE) : TELL(VERSION_NO_FENCE),
            known ? worker_fence_tell(fence.text, text) : err.text,
            !known || fence.parts & FENCE_FILES ? "" : TELL(VERSION_NO_LANDLOCK),
            !known || fence.parts & FENCE_CALLS ? "" : TELL(VERSION_NO_SECCOMP));
}
