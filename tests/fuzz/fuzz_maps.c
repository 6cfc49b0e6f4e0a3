// Attention maps of another model. The first line is what stands behind --maps, then the words of --words
// if there are any; the file's bytes follow:
//
//   maps.npz#attn so it is
//
// What is read has maps of four axes; written and read again it is the same. Rows of shares that sum to 1
// do so after rollout, too.
#include "fuzz.h"
#include "fuzz_tensors.h"
#include "scenario_maps.h"
#include "session.h"
#include "tensor_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES_MAX = 200, NUMBERS_MAX = 1 << 14 };

static const char *const names[] = {"maps.npy", "maps.npz", "maps.safetensors", "maps.pt"};

// Writes the file under one of the names, the first one when the line begins with none. What is left of
// the line.
static const char *write_maps(const char *line, const uint8_t *data, size_t size, const char **path)
{
    int known = (int)(sizeof names / sizeof *names);
    for (int i = 0; i < known; i++)
        if (strncmp(line, names[i], strlen(names[i])) == 0) {
            *path = fuzz_write(names[i], data, size);
            return line + strlen(names[i]);
        }
    *path = fuzz_write(names[0], data, size);
    return line;
}

static const Tensor *maps_of(const Scenario *scenario)
{
    const ScenarioTensor *given = scenario_tensor(scenario, "maps");
    fuzz_must(given && given->tensor.rank == 4, "the scenario has maps with four axes");
    fuzz_must(tensor_count(&given->tensor) > 0, "and numbers in them");
    return &given->tensor;
}

static void read_again(const Scenario *scenario)
{
    Scenario again;
    Error err = {.text = ""};
    NamedTensor maps = {.name = "maps", .tensor = *maps_of(scenario)};
    const char *path = fuzz_path("again.safetensors");
    fuzz_must(tensor_file_write(path, &maps, 1, &err), "they are written: %s", err.text);
    fuzz_must(scenario_of_maps(&again, &(MapsRequest){.file = path}, &err), "and read again: %s",
              err.text);
    fuzz_same_tensors(&maps.tensor, maps_of(&again));
    fuzz_must(again.odd_rows == scenario->odd_rows, "as many rows do not sum to 1");
    fuzz_must(!scenario_tensor(&again, "attn_mask") == !scenario_tensor(scenario, "attn_mask"),
              "and they are as causal");
    scenario_finish(&again);
}

static bool are_shares(const Tensor *maps)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(maps, at))
        if (!(maps->storage.f32[tensor_place(maps, at)] >= 0.0f))
            return false;
    return true;
}

// A row of map_residual is divided by its sum, and each layer mixes rows of the one before it. What is left
// is rounding: a row's sum, a division, a product's sum, each at most Lk + 2 times half of 2^-23.
static void check_rollout(const Tensor *rollout)
{
    for (ptrdiff_t n = 0; n < rollout->shape[0]; n++)
        for (ptrdiff_t i = 0; i < rollout->shape[1]; i++) {
            double sum = 0.0, apart = ldexp((double)((n + 1) * (rollout->shape[2] + 2)), -23);
            for (ptrdiff_t j = 0; j < rollout->shape[2]; j++)
                sum += (double)*tensor_at3(rollout, n, i, j);
            fuzz_must(fabs(sum - 1.0) <= apart, "row %td of layer %td sums to %.9g", i, n, sum);
        }
}

static void run(const Scenario *scenario)
{
    Session session;
    Error err = {.text = ""};
    Command last = {.kind = COMMAND_LAST};
    if (!session_open(&session, scenario, &err)) {
        fuzz_refused(&err);
        return;
    }
    bool ran = session_apply(&session, &last, &err);
    if (!ran)
        fuzz_refused(&err);
    int rollout = trace_find(&session.run.trace, "rollout");
    if (ran && rollout >= 0 && scenario->odd_rows == 0 && are_shares(maps_of(scenario)))
        check_rollout(&session.run.trace.tensors[rollout].tensor);
    session_close(&session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Scenario scenario;
    Error err = {.text = ""};
    char line[LINE_BYTES_MAX] = "", file[2 * LINE_BYTES_MAX];
    const char *path;
    fuzz_line(&data, &size, line, sizeof line);
    const char *rest = write_maps(line, data, size, &path);
    size_t named = *rest == '#' ? strcspn(rest, " ") : 0;
    snprintf(file, sizeof file, "%s%.*s", path, (int)named, rest);
    const char *words = rest[named] == ' ' ? rest + named + 1 : NULL;
    if (!scenario_of_maps(&scenario, &(MapsRequest){.file = file, .words = words}, &err)) {
        fuzz_refused(&err);
        return 0;
    }
    scenario.threads = 1;
    read_again(&scenario);
    if (tensor_count(maps_of(&scenario)) <= NUMBERS_MAX)
        run(&scenario);
    scenario_finish(&scenario);
    return 0;
}
