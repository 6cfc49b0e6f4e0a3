// Options of stages that scenarios give by their own names (options.def): what is refused, and why.
#include "scenario_file.h"
#include "suite.h"

#include <string.h>

typedef struct Refusal {
    const char *set, *also; // what --set asks for; NULL: nothing more
    const char *says;
} Refusal;

static const Refusal refusals[] = {
    {"model.kv_heads=5", NULL,
     "--set:1:16: 12 query heads cannot share 5 key and value heads equally; use a number that "
     "divides heads"},
    {"model.kv_heads=0", NULL, "--set:1:16: expected a whole number from 1 to 65536, found '0'"},
    {"model.per_head=true", "model.kv_heads=2",
     "--set:1:16: kv_heads needs k_proj and v_proj for all heads together; remove it if q, k and v "
     "are given, or with per_head"},
    {"model.layer_norm=true", "model.rms_norm=true",
     "--set:1:16: layer_norm and rms_norm are in the same place; keep one of them"},
    {"model.residual=true", "model.out_proj=false",
     "--set:1:16: a residual adds x to the output of out_proj: both are needed"},
    {"attention.rope=0.5", NULL, "--set:1:16: rope must be a number from 1 to 1e+12, not 0.5"},
    {"attention.rope=.nan", NULL, "--set:1:16: rope must be a number from 1 to 1e+12, not .nan"},
    {"attention.alibi=3", NULL, "--set:1:17: expected true or false, found '3'"},
    {"attention.window=-1", NULL,
     "--set:1:18: expected a whole number from 1 to 2147483647, found '-1'"},
    {"model.feed_forward=8", NULL,
     "--set:1:20: feed_forward, learned positions, relative_buckets, relative_key and add_bias_kv "
     "need weights from a file or values, not draws"},
    {"model.feed_forward=8", "model.out_proj=false",
     "--set:1:20: feed_forward reads the output of out_proj; remove out_proj: false"},
    {"model.post_norm=true", "model.layer_norm=false",
     "--set:1:17: post_norm has no effect: no stage of this scenario reads it"},
    {"model.gelu_tanh=true", NULL,
     "--set:1:17: gelu_tanh has no effect: no stage of this scenario reads it"},
    {"attention.rope_neighbours=true", NULL,
     "--set:1:27: rope_neighbours has no effect: no stage of this scenario reads it"},
    {"input.pair=x", NULL,
     "pair is a second text for a model's tokenizer, but there is no tokenizer: use --pair with "
     "--text and whole layers of a file with a tokenizer next to it (--set weights.layers=1), or "
     "input.pair with input.text and input.tokenizer"},
    {"attention.mask_value=-9", NULL,
     "--set:1:22: mask_value has no effect: no stage of this scenario reads it"},
    {"attention.mask_before_scale=true", NULL,
     "--set:1:29: mask_before_scale has no effect: no stage of this scenario reads it"},
    {"attention.context_length=16", NULL,
     "--set:1:26: context_length has no effect: no stage of this scenario reads it"},
    {"model.qk_norm_across=true", NULL,
     "--set:1:22: qk_norm_across has no effect: no stage of this scenario reads it"},
    {"model.relative_buckets=8", NULL,
     "--set:1:24: feed_forward, learned positions, relative_buckets, relative_key and add_bias_kv "
     "need weights from a file or values, not draws"},
    {"model.relative_buckets=3", NULL,
     "--set:1:24: expected a whole number from 4 to 65536, found '3'"},
    {"attention.mask=pad_id", NULL,
     "--set:1:16: pad_id masks ids, but this scenario has none; use key_padding with "
     "key_padding_mask"},
    {"attention={softcap: 2, mask: causal, mask_before_scale: true}", NULL,
     "--set:1:57: softcap changes scaled scores, but the mask before it would already have "
     "replaced them; remove mask_before_scale"},
    {"attention={mask: causal, alibi: true, mask_before_scale: true}", NULL,
     "--set:1:58: alibi changes scaled scores, but the mask before it would already have replaced "
     "them; remove mask_before_scale"},
};

LOOP_TEST(what_no_option_can_be_is_refused, (int)(sizeof refusals / sizeof *refusals))
{
    Error err;
    Scenario scenario;
    const Refusal *at = &refusals[_i];
    const char *const sets[] = {at->set, at->also};
    ScenarioRequest request = {
        .what = "self-attention", .sets = sets, .set_count = at->also ? 2 : 1};
    ck_assert(!scenario_open(&scenario, &request, &err));
    ck_assert_str_eq(err.text, at->says);
}

TEST(what_is_not_given_is_not_there)
{
    Error err;
    Scenario scenario;
    const char *const sets[] = {"attention.window=4"};
    ScenarioRequest request = {.what = "self-attention", .sets = sets, .set_count = 1};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_int_eq(scenario.options.window, 4);
    ck_assert(scenario.masked);
    ck_assert(!scenario.options.alibi);
    ck_assert_float_eq(scenario.options.rope, 0.0f);
    ck_assert_int_eq(scenario.options.kv_heads, 0);
    scenario_finish(&scenario);
}

SUITE("scenario_options")
