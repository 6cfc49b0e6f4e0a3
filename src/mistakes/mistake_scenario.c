// mistake_scenario: see mistake_scenario.h.
#include "mistake_scenario.h"

#include <stdio.h>
#include <string.h>
#include "mistake_reason.h"

// --- padding and masks

static bool has_short_sequence(const Scenario *scenario)
{
    const ScenarioTensor *lengths = scenario_tensor(scenario, "lengths");
    for (ptrdiff_t b = 0; lengths && b < lengths->tensor.shape[0]; b++)
        if (*tensor_id1(&lengths->tensor, b) < scenario->size[SYMBOL_LK])
            return true;
    return false;
}

static bool has_flag(const Scenario *scenario, const char *role)
{
    const ScenarioTensor *flags = scenario_tensor(scenario, role);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = flags && tensor_count(&flags->tensor) > 0; more;
         more = tensor_next(&flags->tensor, at))
        if (flags->tensor.storage.boolean[tensor_place(&flags->tensor, at)])
            return true;
    return false;
}

const char *mistake_no_padding(const Scenario *scenario)
{
    if (!scenario_tensor(scenario, "tokens"))
        return reason_no_tokens;
    return has_short_sequence(scenario) ? NULL : reason_same_lengths;
}

static bool masks_padding(const Scenario *scenario)
{
    return scenario->options.mask_padding &&
           (has_short_sequence(scenario) || has_flag(scenario, "key_padding_mask"));
}

const char *mistake_no_masked_padding(const Scenario *scenario)
{
    return scenario->masked && masks_padding(scenario) ? NULL : reason_no_masked_padding;
}

const char *mistake_no_masked_key(const Scenario *scenario)
{
    if (!scenario->masked)
        return reason_no_mask;
    bool masks = (scenario->options.causal && scenario->size[SYMBOL_LK] > 1) ||
                 masks_padding(scenario) || has_flag(scenario, "mask");
    return masks ? NULL : reason_nothing_masked;
}

// --- heads and layers

const char *mistake_no_heads(const Scenario *scenario)
{
    bool many = scenario->has_heads && scenario->size[SYMBOL_H] > 1;
    return many ? NULL : reason_one_head;
}

// A layer takes part where its output is not given.
static bool has_bias(const Scenario *scenario, const char *output, const char *role)
{
    const ScenarioTensor *bias = scenario_tensor(scenario, role);
    for (ptrdiff_t o = 0; bias && !scenario_tensor(scenario, output) && o < bias->tensor.shape[0];
         o++)
        if (*tensor_at1(&bias->tensor, o) != 0.0f)
            return true;
    return false;
}

const char *mistake_no_bias(const Scenario *scenario)
{
    bool some = has_bias(scenario, "q", "q_proj.bias") || has_bias(scenario, "k", "k_proj.bias") ||
                has_bias(scenario, "v", "v_proj.bias") ||
                has_bias(scenario, "output", "out_proj.bias");
    return some ? NULL : reason_no_bias;
}

static bool same_tensor(const Scenario *scenario, const char *a, const char *b, const char *part)
{
    char role_a[64], role_b[64];
    snprintf(role_a, sizeof role_a, "%s%s", a, part);
    snprintf(role_b, sizeof role_b, "%s%s", b, part);
    const ScenarioTensor *one = scenario_tensor(scenario, role_a);
    const ScenarioTensor *other = scenario_tensor(scenario, role_b);
    return one == other || (one && other && strcmp(one->name, other->name) == 0);
}

bool mistake_same_projection(const Scenario *scenario, const char *a, const char *b)
{
    bool own_queries = scenario_tensor(scenario, "x_query") != NULL;
    bool inputs_differ = own_queries && (*a == 'q') != (*b == 'q');
    bool is_given = scenario_tensor(scenario, a) || scenario_tensor(scenario, b);
    return !inputs_differ && !is_given && same_tensor(scenario, a, b, "_proj.weight") &&
           same_tensor(scenario, a, b, "_proj.per_head") &&
           same_tensor(scenario, a, b, "_proj.bias");
}
