// Edits of a session: after any sequence of changes, undos and redos every number is the one that a
// fresh run of the saved scenario gives, bit by bit; and the scenario of the opener stays as it was.
#include "session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "scenario_file.h"
#include "scratch.h"
#include "suite.h"
#include "talking.h"

enum { MOVES = 30 };

static bool same_tensor(const Tensor *a, const Tensor *b)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    bool same = a->dtype == b->dtype && tensor_same_shape(a, b);
    for (bool more = same && tensor_count(a) > 0; same && more; more = tensor_next(a, at))
        same = tensor_same_number(a, b, at);
    return same;
}

// The trace of the session against a run of the scenario in a file.
static void expect_run_of(const char *what)
{
    Error err;
    Scenario fresh;
    Trace trace;
    ck_assert_msg(scenario_open(&fresh, &(ScenarioRequest){.what = what}, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &fresh, &err), "%s", err.text);
    ck_assert_int_eq(trace.step_count, it.session.run.trace.step_count);
    while (trace.steps_done < it.session.run.trace.steps_done)
        ck_assert_msg(trace_step(&trace, &err), "%s", err.text);
    for (int number = 0; number < trace.tensor_count; number++) {
        const Tensor *is = &it.session.run.trace.tensors[number].tensor;
        ck_assert_str_eq(trace.tensors[number].name, it.session.run.trace.tensors[number].name);
        if (trace.tensors[number].tensor.storage.bytes)
            ck_assert_msg(same_tensor(is, &trace.tensors[number].tensor), "%s of %s",
                          trace.tensors[number].name, what);
    }
    trace_close(&trace);
    scenario_finish(&fresh);
}

static void expect_saved_run(int number)
{
    Error err;
    char name[32];
    snprintf(name, sizeof name, "saved%d.yaml", number);
    const char *path = scratch_path(name);
    ck_assert_msg(what_if_save(&it.session, path, &err), "%s", err.text);
    expect_run_of(path);
    ck_assert_int_eq(unlink(path), 0);
}

// --- random sequences

static const char *const walked[] = {"scaled-dot-product", "causal", "cross-attention", "sentence",
                                     "causal-dropout"};

static const char *const options[] = {"attention.scale=none",
                                      "attention.scale=sqrt_d_model",
                                      "attention.scale=3",
                                      "attention.mask=causal",
                                      "attention.mask=none",
                                      "attention.mask_value=-10000",
                                      "attention.mask_before_scale=true",
                                      "attention.dropout={p: 0.25, seed: 7}",
                                      "model.heads=2",
                                      "model.heads=1",
                                      "model.qkv_bias=false",
                                      "weights.manual_seed=5"};

// Some make no sense in some scenarios: sizes differ, or no step makes the tensor.
static const char *const formulas[] = {
    "scores_scaled[b,h,i,j] = scores[b,h,i,j] / d_k",
    "scores[b,h,i,j] = sum_d q[b,h,i,d] * q[b,h,j,d]",
    "scores[b,i,j] = sum_d q[b,i,d] * k[b,j,d] / 3",
    "attn_weights[b,h,i,j] = exp(scores[b,h,i,j]) / sum_k exp(scores[b,h,i,k])",
    "attn_weights[b,h,i,j] = q_heads[b,h,i,0] * scores[b,h,i,j]", // reads what is made long before
    "q_view[b,l,h,i] = q[b,l, i*H + h]",                          // of a step that moves no number
    "q_heads[b,h,l,i] = q[b,l,h,i] * 2",
    "q[b,l,o] = sum_d x[b,l,d] * weight[o,d]",
    "attn_dropped[b,h,i,j] = weights[b,h,i,j] * keep[b,h,i,j]",
    "scores_masked[b,h,i,j] = j > i + 1 ? -inf : scores[b,h,i,j]",
};

static void random_element(uint64_t *state, char words[256])
{
    const Scenario *now = it.session.run.trace.scenario;
    char text[SCENARIO_EDIT_MAX];
    ScenarioEdit edit = {.tensor = (int)tiny_index(state, now->tensor_count)};
    const Tensor *tensor = &now->tensors[edit.tensor].tensor;
    tensor_unravel(tensor, tiny_index(state, tensor_count(tensor)), edit.at);
    if (tensor->dtype == DTYPE_F32)
        edit.value.f32 = tiny_number(state);
    else if (tensor->dtype == DTYPE_I64)
        edit.value.i64 = tiny_index(state, now->size[SYMBOL_V]);
    else
        edit.value.boolean = tiny_index(state, 2) == 1;
    snprintf(words, 256, "set %s", scenario_edit_text(now, &edit, text));
}

// True when something was changed, undone or done again.
static bool random_move(uint64_t *state)
{
    char words[256];
    switch (tiny_index(state, 10)) {
    case 0:
    case 1:
        snprintf(words, sizeof words, "undo");
        break;
    case 2:
        snprintf(words, sizeof words, "redo");
        break;
    case 3:
    case 4:
        snprintf(words, sizeof words, "set %s",
                 options[tiny_index(state, sizeof options / sizeof *options)]);
        break;
    case 5:
        snprintf(words, sizeof words, "next 3");
        break;
    case 6:
    case 7:
        snprintf(words, sizeof words, "formula %s",
                 formulas[tiny_index(state, sizeof formulas / sizeof *formulas)]);
        break;
    default:
        random_element(state, words);
    }
    return try_words(words); // some make no sense, and change nothing
}

LOOP_TEST(every_sequence_of_edits_equals_a_run_of_the_saved_scenario,
          (int)(sizeof walked / sizeof *walked))
{
    uint64_t state = 2026;
    int moved = 0;
    open_named(walked[_i]);
    say("last");
    for (int move = 0; move < MOVES; move++) {
        moved += random_move(&state);
        expect_saved_run(move);
    }
    ck_assert_int_gt(moved, MOVES / 3);
    while (it.session.what_if.done > 0)
        say("undo");
    expect_run_of(walked[_i]);
    close_all();
}

// --- single claims

TEST(the_scenario_of_the_opener_stays_as_it_was)
{
    open_named("causal");
    float was = *tensor_at2(&scenario_tensor(&it.scenario, "q_proj.weight")->tensor, 0, 1);
    say("set q_proj.weight[0, 1] = 0.5");
    ck_assert(*tensor_at2(&scenario_tensor(&it.scenario, "q_proj.weight")->tensor, 0, 1) == was);
    int number = trace_find(&it.session.run.trace, "q_proj.weight");
    ck_assert(*tensor_at2(&it.session.run.trace.tensors[number].tensor, 0, 1) == 0.5f);
    close_all();
}

TEST(one_changed_token_reaches_its_own_sequence_only)
{
    open_named("padded-batch");
    say("last");
    say("set tokens[0] = 7");
    // Document 001 has 10 sequences of at most 20 tokens, 8 heads of 64. Token 0 of sequence 0 makes
    // one row of 512 of q; in each of the 8 heads one row and one column of 20 x 20 scores (39), all
    // 400 weights, and all 20 x 512 numbers of sequence 0's output.
    struct {
        const char *name;
        ptrdiff_t reached;
    } wanted[] = {
        {"input_ids", 1},          {"q", 512},           {"k_heads", 512},       {"scores", 8 * 39},
        {"attn_weights", 8 * 400}, {"output", 20 * 512}, {"key_padding_mask", 0}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ck_assert_msg(trace_changed(&it.session.what_if.change,
                                    trace_find(&it.session.run.trace, wanted[i].name))
                              ->reached_count == wanted[i].reached,
                      "%s: %td", wanted[i].name,
                      trace_changed(&it.session.what_if.change,
                                    trace_find(&it.session.run.trace, wanted[i].name))
                          ->reached_count);
    close_all();
}

// The scenario causal has d_k = 4, and divides by sqrt(4) = 2; by d_k its scores are half of that.
TEST(a_formula_is_computed_undone_and_done_again)
{
    open_named("causal");
    say("last");
    say("goto scale");
    int scaled = trace_find(&it.session.run.trace, "scores_scaled");
    float was = *tensor_at4(&it.session.run.trace.tensors[scaled].tensor, 0, 1, 2, 1);
    say("formula scores_scaled[b,h,i,j] = scores[b,h,i,j] / d_k");
    ck_assert(*tensor_at4(&it.session.run.trace.tensors[scaled].tensor, 0, 1, 2, 1) == was / 2);
    ck_assert_int_gt(trace_changed(&it.session.what_if.change, scaled)->changed_count, 0);
    ck_assert_int_gt(
        trace_changed(&it.session.what_if.change, trace_find(&it.session.run.trace, "output"))
            ->changed_count,
        0);
    say("undo");
    ck_assert(*tensor_at4(&it.session.run.trace.tensors[scaled].tensor, 0, 1, 2, 1) == was);
    say("redo");
    ck_assert(*tensor_at4(&it.session.run.trace.tensors[scaled].tensor, 0, 1, 2, 1) == was / 2);
    expect_saved_run(0);
    close_all();
}

static float answered(ptrdiff_t word)
{
    const Trace *trace = &it.session.run.trace;
    return *tensor_at4(&trace->tensors[trace_find(trace, "probabilities")].tensor, 0, 0, 12, word);
}

// In `memory` Joon has milk, word 9; in the other text rice, word 11. Without head 0.0 nobody knows.
TEST(a_patched_head_changes_the_answer_and_is_undone)
{
    open_named("memory");
    say("last");
    float was = answered(9);
    ck_assert(was > 0.9f);
    say("patch head 0.0 zero");
    ck_assert_ptr_nonnull(strstr(it.session.message.text, "rank 1"));
    ck_assert(answered(9) < 0.5f);
    say("undo");
    ck_assert(answered(9) == was);
    say("patch head 0.0 from \"Mina tea . Hana milk . Suji cake . Joon rice . Joon\"");
    ck_assert(answered(9) < 0.5f && answered(11) > 0.5f);
    expect_saved_run(0);
    say("patch head 0.0 none");
    ck_assert(answered(9) == was);
    expect_refusal("patch 0.0 zero", "head 0.0");
    expect_refusal("patch head 0.0 from \"Mina tea\"", "2 tokens");
    expect_refusal("patch head 2.0 mean", "0 to 1");
    say("path");
    const Trace *trace = &it.session.run.trace;
    ck_assert_str_eq(trace->tensors[it.session.cursor.tensor].name, "input_ids");
    ck_assert_int_eq(at()[1], 3);
    ck_assert_int_eq(it.session.origin.trail_length, 4);
    close_all();
}

static ptrdiff_t token_count(int64_t *last)
{
    const Trace *trace = &it.session.run.trace;
    const Tensor *tokens = &trace->tensors[trace_find(trace, "tokens")].tensor;
    *last = *tensor_id1(tokens, tokens->shape[0] - 1);
    return tokens->shape[0];
}

// "milk", 9, is what PyTorch's logits choose (golden/sampling.json).
TEST(a_written_token_is_an_edit)
{
    int64_t last;
    open_named("memory");
    say("write");
    ck_assert_int_eq(token_count(&last), 14);
    ck_assert_int_eq(last, 9);
    expect_saved_run(0);
    say("undo");
    ck_assert_int_eq(token_count(&last), 13);
    close_all();
}

// Scores this large are infinite, and the weights NaN: no word is the likeliest.
TEST(no_token_is_written_from_nan)
{
    open_named("memory");
    say("set attention.scale=1e-42");
    expect_refusal("write", "NaN");
    say("set next.choose=true");
    expect_refusal("write", "NaN");
    close_all();
}

static const StageOptions *options_now(void)
{
    return &it.session.run.trace.scenario->options;
}

static const Tensor *logits_at_the_end(void)
{
    say("last");
    return &it.session.run.trace.tensors[trace_find(&it.session.run.trace, "logits")].tensor;
}

// The new token is all that is computed, and its logits have the bits of a run without a cache.
TEST(a_written_token_makes_the_cache_grow)
{
    float logits[17];
    int64_t last;
    open_named("memory");
    say("set attention.cached=12");
    for (int token = 1; token <= 3; token++) {
        say("write");
        ck_assert_int_eq(token_count(&last), 1);
        ck_assert_int_eq(options_now()->cached, 12 + token);
    }
    memcpy(logits, logits_at_the_end()->storage.f32, sizeof logits);
    close_all();
    open_named("memory");
    for (int token = 1; token <= 3; token++)
        say("write");
    const Tensor *whole = logits_at_the_end();
    ck_assert_int_eq(tensor_count(whole), 16 * 17);
    ck_assert_mem_eq(logits, tensor_at4(whole, 0, 0, 15, 0), sizeof logits);
    close_all();
}

TEST(the_words_the_draw_and_the_cache_are_one_edit)
{
    open_named("memory");
    say("set attention.cached=12");
    say("set next.choose=true");
    say("set next.draw=true");
    say("write");
    ck_assert(options_now()->cached == 13 && options_now()->drawn == 1);
    say("undo");
    ck_assert(options_now()->cached == 12 && options_now()->drawn == 0);
    say("redo");
    ck_assert(options_now()->cached == 13 && options_now()->drawn == 1);
    close_all();
}

// torch.multinomial's six successive draws behind the text, at temperature 4 (golden/sampling.json: drawn). An
// undo takes back the token and its place in the stream.
TEST(written_tokens_are_successive_draws)
{
    static const int64_t wanted[] = {13, 10, 0, 10, 15, 16};
    int64_t last;
    open_named("memory");
    say("set next.choose=true");
    say("set next.draw=true");
    say("set next.draw_seed=4");
    say("set next.temperature=4");
    for (int i = 0; i < 6; i++) {
        say("write");
        ck_assert_int_eq(token_count(&last), 14 + i);
        ck_assert_int_eq(last, wanted[i]);
        ck_assert_int_eq(it.session.run.trace.scenario->options.drawn, i + 1);
    }
    expect_saved_run(1);
    say("undo");
    ck_assert_int_eq(token_count(&last), 18);
    ck_assert_int_eq(it.session.run.trace.scenario->options.drawn, 5);
    say("redo");
    ck_assert_int_eq(token_count(&last), 19);
    ck_assert_int_eq(last, wanted[5]);
    ck_assert_int_eq(it.session.run.trace.scenario->options.drawn, 6);
    close_all();
}

TEST(edits_that_make_no_sense_are_refused_in_words)
{
    open_named("padded-batch");
    say("last");
    say("set q_proj.weight[0, 1] = 0.5");
    size_t done = it.session.what_if.done;
    expect_refusal("set q_proj.weight[0, 512] = 1", "has shape (512, 512)");
    expect_refusal("set q_proj.weigth[0, 0] = 1", "did you mean q_proj.weight?");
    expect_refusal("set q_proj.weight[0, 0] = one", "'one' is not a number");
    expect_refusal("set tokens[0] = 100000", "outside the vocabulary");
    expect_refusal("set lengths[0] = 3", "change input.ids");
    expect_refusal("set model.heads=7", "7");
    expect_refusal("set attention.scale=sqrt_dk", "expected one of sqrt_d_k");
    expect_refusal("set q_proj.weight = 1", "choose one, as in set q_proj.weight[0,0]=0.5");
    expect_refusal("set attention.mask_file=[[true, false]]", "does not broadcast");
    expect_refusal("redo", "nothing to redo");
    expect_refusal("formula scores_scaled[b,h,i,j] = scores[b,h,i,d]", "1:39: unknown tensor");
    expect_refusal("formula scores_scaled[b,h,i,j] = attn_weights[b,h,i,j]",
                   "1:26: attn_weights is computed by a later step");
    expect_refusal("formula scores[b,h,i,j] = sum_d q[b,h,i,d] * v_heads[b,h,d,j]",
                   "axis d has size 20 in v_heads (its axis 3) but 64 in q (its axis 4)");
    expect_refusal("formula scaled[b] = 1", "no step of this scenario computes a tensor 'scaled'");
    expect_refusal("formula q_proj.weight[o,d] = 1", "'q_proj.weight' is given, so no step");
    expect_refusal("formula scores[b,h,i,j] = (q", "expected ')'");
    say("goto score");
    expect_refusal("set 3", "scores is computed");
    ck_assert_uint_eq(it.session.what_if.done, done);
    expect_saved_run(0);
    close_all();
}

TEST(a_bare_value_is_for_the_chosen_element_and_a_word_for_its_id)
{
    open_named("sentence");
    say("tensor tokens");
    say("@[2]");
    ptrdiff_t id = it.scenario.size[SYMBOL_V] - 1;
    char words[128];
    snprintf(words, sizeof words, "set %s", it.scenario.vocabulary[id]);
    say(words);
    int number = trace_find(&it.session.run.trace, "tokens");
    ck_assert_int_eq(*tensor_id1(&it.session.run.trace.tensors[number].tensor, 2), id);
    say("last");
    expect_saved_run(0);
    close_all();
}

TEST(another_pipeline_is_computed_as_far_as_the_run_had_been)
{
    open_named("memory");
    say("last");
    say("goto score");
    say("patch head 0.0 zero"); // a step more
    ck_assert(it.session.what_if.replanned);
    ck_assert_int_eq(it.session.run.trace.steps_done, it.session.run.trace.step_count);
    say("undo");
    ck_assert_int_eq(it.session.run.trace.steps_done, it.session.run.trace.step_count);
    char name[64];
    ck_assert_str_eq(trace_step_name(&it.session.run.trace, it.session.cursor.step, name), "score");
    close_all();
    open_named("memory");
    say("goto score");
    int done = it.session.run.trace.steps_done;
    say("patch head 0.0 zero");
    ck_assert_int_eq(it.session.run.trace.steps_done, done);
    close_all();
    open_named("causal");
    say("goto mask");
    done = it.session.run.trace.steps_done;
    say("set attention.mask=none"); // the step itself is gone
    ck_assert_int_eq(it.session.run.trace.steps_done, done - 1);
    close_all();
}

TEST(breakpoints_stay_where_another_pipeline_has_their_places)
{
    open_named("scaled-dot-product");
    say("last");
    say("break softmax");
    say("break attn_weights > 0.36");
    say("goto scale");
    say("break @[0,2,1]");
    say("set attention.mask=causal"); // a step more before the softmax
    say("breaks");
    ck_assert_str_eq(it.session.message.text,
                     "1: softmax   2: attn_weights > 0.36   3: scores_scaled[0,2,1]   (R runs to "
                     "the next, :unbreak N removes one)");
    say("first");
    say("run");
    say("run");
    char name[64];
    ck_assert_str_eq(trace_step_name(&it.session.run.trace, it.session.cursor.step, name),
                     "softmax");
    say("set attention.scale=none");
    ck_assert_ptr_nonnull(strstr(it.session.message.text, "1 breakpoint was removed"));
    say("breaks");
    ck_assert_str_eq(
        it.session.message.text,
        "1: softmax   2: attn_weights > 0.36   (R runs to the next, :unbreak N removes one)");
    say("break score");
    ck_assert_str_eq(it.session.message.text, "breakpoint 4: score. R runs until one is hit");
    close_all();
}

static void expect_what_was_set_up(void)
{
    const SessionView *view = session_view(&it.session);
    ck_assert(it.session.what_if.replanned);
    ck_assert_int_eq(it.session.look.notation, NUMBER_FULL);
    ck_assert_int_eq(it.session.look.detail, DETAIL_STATISTICS);
    ck_assert(it.session.look.memory_by_head && it.session.look.scale_to_largest &&
              it.session.look.by_size);
    ck_assert_int_eq(it.session.cursor.depth, DEPTH_ELEMENT);
    ck_assert_str_eq(session_tensor(&it.session)->name, "attn_weights");
    ck_assert_int_eq(view->at[1], 2);
    ck_assert_int_eq(view->at[2], 1);
    ck_assert_int_eq(view->row_axis, 2); // as it was flipped
    ck_assert_int_eq(it.session.play.rate, 7);
}

TEST(another_pipeline_takes_nothing_that_belongs_to_the_person)
{
    open_named("scaled-dot-product");
    say("play 7");
    say("goto softmax");
    say("depth element");
    say("@[0,2,1]");
    say("flip");
    say("format full");
    say("memory-by head");
    say("map-scale");
    say("origin-order size");
    say("statistics");
    say("set attention.scale=none"); // a step less before the softmax
    expect_what_was_set_up();
    say("undo");
    expect_what_was_set_up();
    close_all();
}

TEST(a_file_that_exists_is_not_replaced)
{
    Error err;
    open_named("causal");
    say("set attention.scale=none");
    const char *path = scratch_write("mine.yaml", "x", 1);
    ck_assert(!what_if_save(&it.session, path, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "already exists"));
    ck_assert(!what_if_save(&it.session, scratch_path("mine.txt"), &err));
    ck_assert(!what_if_save(&it.session, scratch_path("no/folder.yaml"), &err));
    ck_assert_int_eq(scratch_count(), 1);
    close_all();
}

SUITE_WITH("what_if", scratch_open, scratch_close)
