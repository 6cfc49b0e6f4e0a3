// A scenario file, with its run where that is small: what is opened, changed and saved opens to the
// same numbers. Two kinds of comments in it are for this target:
//
//   #= attention.scale=none      given with --set
//   #: set x[0, 0, 0] = 0.5      said to the stepper; set, undo and redo only
#include "fuzz.h"
#include "fuzz_tensors.h"
#include "scenario_file.h"
#include "session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SETS_MAX = 4, LINE_BYTES_MAX = 200, BYTES_MAX = 1 << 18, WORK_MAX = 1 << 23 };

// Whether a run takes few milliseconds.
static bool is_small(const Trace *trace)
{
    const Scenario *scenario = trace->scenario;
    ptrdiff_t widest = 1;
    for (int symbol = 0; symbol < SYMBOL_COUNT; symbol++)
        if (symbol != SYMBOL_V && scenario->size[symbol] > widest)
            widest = scenario->size[symbol];
    size_t bytes = trace_bytes(trace);
    return bytes <= BYTES_MAX && bytes / 4 * (size_t)widest <= WORK_MAX;
}

// A session over the scenario with every step computed; false where it is too large or cannot run.
static bool open_session(Session *session, const Scenario *scenario)
{
    Trace trace;
    Error err = {.text = ""};
    if (!trace_open(&trace, scenario, &err)) {
        fuzz_refused(&err);
        return false;
    }
    bool small = is_small(&trace);
    trace_close(&trace);
    if (!small)
        return false;
    fuzz_must(session_open(session, scenario, &err), "what is planned is opened: %s", err.text);
    Command last = {.kind = COMMAND_LAST};
    if (!session_apply(session, &last, &err))
        fuzz_refused(&err);
    return true;
}

static void change(Session *session, const uint8_t *data, size_t size)
{
    char line[LINE_BYTES_MAX];
    Command command;
    Error err = {.text = ""};
    while (fuzz_line(&data, &size, line, sizeof line)) {
        if (strncmp(line, "#:", 2) != 0 || !command_parse(line + 2, &command, &err))
            continue;
        bool is_change = command.kind == COMMAND_SET || command.kind == COMMAND_UNDO ||
                         command.kind == COMMAND_REDO;
        if (is_change && !session_apply(session, &command, &err))
            fuzz_refused(&err);
    }
}

static void same_run(const Trace *run, const Trace *again)
{
    fuzz_must(run->tensor_count == again->tensor_count, "the pipeline is the same");
    for (int i = 0; i < run->tensor_count; i++) {
        const TraceTensor *tensor = &run->tensors[i], *other = &again->tensors[i];
        fuzz_must(strcmp(tensor->name, other->name) == 0, "%s has its place", tensor->name);
        if (tensor->tensor.storage.bytes && other->tensor.storage.bytes)
            fuzz_same_tensors(&tensor->tensor, &other->tensor);
    }
}

static void save_and_open_again(const Session *session)
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace again;
    const char *path = fuzz_path("saved.yaml");
    unlink(path);
    if (session->run.failed)
        return;
    fuzz_must(what_if_save(session, path, &err), "it is saved: %s", err.text);
    fuzz_must(scenario_open(&scenario, &(ScenarioRequest){.what = path}, &err),
              "what was saved is opened: %s", err.text);
    scenario.threads = 1;
    fuzz_must(trace_open(&again, &scenario, &err) && trace_run(&again, &err), "and runs: %s",
              err.text);
    same_run(&session->run.trace, &again);
    trace_close(&again);
    scenario_finish(&scenario);
}

static int find_sets(const uint8_t *data, size_t size, char lines[SETS_MAX][LINE_BYTES_MAX],
                     const char *sets[SETS_MAX])
{
    int count = 0;
    while (count < SETS_MAX && fuzz_line(&data, &size, lines[count], LINE_BYTES_MAX))
        if (strncmp(lines[count], "#=", 2) == 0) {
            sets[count] = lines[count] + 2 + strspn(lines[count] + 2, " ");
            count++;
        }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Scenario scenario;
    Session session;
    Error err = {.text = ""};
    char lines[SETS_MAX][LINE_BYTES_MAX];
    const char *sets[SETS_MAX];
    ScenarioRequest request = {.what = fuzz_write("x.yaml", data, size), .sets = sets};
    request.set_count = find_sets(data, size, lines, sets);
    if (!scenario_open(&scenario, &request, &err)) {
        fuzz_refused(&err);
        return 0;
    }
    scenario.threads = 1;
    if (open_session(&session, &scenario)) {
        change(&session, data, size);
        save_and_open_again(&session);
        session_close(&session);
    }
    scenario_finish(&scenario);
    return 0;
}
