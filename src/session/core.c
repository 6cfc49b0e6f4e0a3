// attnscope as a library; see core.h.
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "scenario_file.h"
#include "session.h"
#include "session_words.def"

_Static_assert((int)CORE_RANK_MAX == (int)TENSOR_RANK_MAX, "a tensor fits into a CoreTensor");

struct Core {
    Scenario scenario;
    Session session;
    Error message; // of a line that is not a command; empty: the session's message counts
    char step_name[64];
};

Core *core_open(const char *scenario, char error[CORE_ERROR_MAX])
{
    Error err = {.text = ""};
    ScenarioRequest request = {.what = scenario};
    Core *core = calloc(1, sizeof *core);
    if (!core) {
        snprintf(error, CORE_ERROR_MAX, "%s", TELL(CORE_MEMORY));
        return NULL;
    }
    if (scenario_open(&core->scenario, &request, &err) &&
        session_open(&core->session, &core->scenario, &err))
        return core;
    snprintf(error, CORE_ERROR_MAX, "%s", err.text);
    core_close(core);
    return NULL;
}

void core_close(Core *core)
{
    if (!core)
        return;
    session_close(&core->session);
    scenario_finish(&core->scenario);
    free(core);
}

bool core_do(Core *core, const char *words)
{
    Command command;
    core->message = (Error){.text = ""};
    return command_parse(words, &command, &core->message) &&
           session_apply(&core->session, &command, &core->message);
}

const char *core_message(const Core *core)
{
    return core->message.text[0] ? core->message.text : core->session.message.text;
}

int core_steps(const Core *core)
{
    return core->session.run.trace.step_count;
}

int core_step(const Core *core)
{
    return core->session.cursor.step;
}

const char *core_step_name(Core *core, int step)
{
    return trace_step_name(&core->session.run.trace, step, core->step_name);
}

int core_tensors(const Core *core)
{
    return core->session.run.trace.tensor_count;
}

CoreTensor core_tensor(const Core *core, int tensor)
{
    const TraceTensor *known = &core->session.run.trace.tensors[tensor];
    CoreTensor result = {.name = known->name,
                         .axes = known->axes,
                         .type = dtype_name(known->tensor.dtype),
                         .rank = known->tensor.rank,
                         .offset = known->tensor.offset,
                         .numbers = known->tensor.storage.bytes};
    memcpy(result.shape, known->tensor.shape, sizeof result.shape);
    memcpy(result.stride, known->tensor.stride, sizeof result.stride);
    return result;
}

int core_looked_at(const Core *core)
{
    return core->session.cursor.tensor;
}

const ptrdiff_t *core_chosen(const Core *core)
{
    return session_view(&core->session)->at;
}
