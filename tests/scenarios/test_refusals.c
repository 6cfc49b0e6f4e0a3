// Mistakes that only show while a scenario runs: the stage that cannot go on says so, with both
// shapes, and everything before it is there.
#include "scenario_file.h"
#include "suite.h"
#include "trace.h"

#include <string.h>

typedef struct Refusal {
    const char *says;
    const char *scenario;
    const char *sets[6];
    int steps_done; // how many stages ran before it
    const char *sentence;
} Refusal;

static const Refusal refusals[] = {
    // int(770 / 12) = 64 and 12 x 64 = 768, but dense = Linear(770, 770): PyTorch says "mat1 and
    // mat2 shapes cannot be multiplied (10x768 and 770x770)"
    {"document 000 with hidden_size 770 fails at dense and not before",
     "self-attention",
     {"model={d_in: 770, d_out: 768, heads: 12, out_proj: {in_features: 770, out_features: 770}}",
      "input.vectors={randn: [1, 10, 770]}"},
     14,
     "output_projection: out_proj.weight has shape (770, 770), but (d_out, H*d_v) = (770, 768) is "
     "needed: it meets context_concat of shape (1, 10, 768)"},
    // PyTorch with a mask of 8 tokens on 6: "The size of tensor a (8) must match the size of tensor b
    // (6) at non-singleton dimension 3"; here 2 tokens on 6
    {"a causal mask that is not as long as the tokens",
     "causal",
     {"attention.mask=none", "attention.mask_file=[[false, true], [false, false]]",
      "attention.context_length=8"},
     10,
     "mask: a mask of shape (2, 2) does not broadcast to the scores (2, 2, 6, 6): counted from the "
     "last axis, every length must be equal or 1 (for one flag per key use (B, 1, 1, Lk))"},
    // PyTorch: "The size of tensor a (2) must match the size of tensor b (6) at non-singleton
    // dimension 2"
    {"a key padding mask that is not expanded",
     "causal",
     {"attention.mask_file=[[false, false, false, false, false, true], [false, false, false, "
      "false, "
      "true, true]]"},
     10,
     "mask: a mask of shape (2, 6) does not broadcast to the scores (2, 2, 6, 6): counted from the "
     "last axis, every length must be equal or 1 (for one flag per key use (B, 1, 1, Lk))"},
};

LOOP_TEST(the_stage_that_cannot_go_on_says_so, (int)(sizeof refusals / sizeof *refusals))
{
    const Refusal *refusal = &refusals[_i];
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    ScenarioRequest request = {.what = refusal->scenario, .sets = refusal->sets};
    while (refusal->sets[request.set_count])
        request.set_count++;
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s: %s", refusal->says, err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s: %s", refusal->says, err.text);
    ck_assert_msg(!trace_run(&trace, &err), "%s: it ran", refusal->says);
    ck_assert_str_eq(err.text, refusal->sentence);
    ck_assert_int_eq(trace.steps_done, refusal->steps_done);
    trace_close(&trace);
    scenario_finish(&scenario);
}

SUITE("refusals")
