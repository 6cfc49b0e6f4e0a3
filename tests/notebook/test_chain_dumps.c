// Dumps that PyTorch made (tests/golden/dumps.py), read by their numbers: in the manner of many notebooks, right or with
// one thing wrong.
#include "chain.h"
#include "suite.h"

#include <string.h>

static Dump dump;
static Chain chain;
static Arena arena;

typedef struct Told {
    const char *name;
    ptrdiff_t heads;
    bool is_causal;
    ChainSlip slip;
    const char *wrong; // the tensor; NULL: none
} Told;

static void read_told(const Told *told)
{
    char path[64];
    Error err = {.text = ""};
    snprintf(path, sizeof path, "golden/dumps/%s.npz", told->name);
    memset(&dump, 0, sizeof dump);
    ck_assert_msg(dump_read(test_file(path), &dump, &arena, &err), "%s", err.text);
    ChainAsk ask = {.heads = told->heads, .is_causal = told->is_causal};
    ck_assert_msg(chain_find(&dump, &ask, &chain, &arena, &err), "%s", err.text);
}

static void check_chain(const Told *told)
{
    ck_assert_msg(chain.slip == told->slip && (chain.slip || chain.gap == CHAIN_NO_GAP),
                  "%s: slip %d, not %d; gap %d", told->name, chain.slip, told->slip, chain.gap);
    ck_assert(chain.has_weights && chain.has_output && chain.heads == told->heads);
    if (told->wrong)
        ck_assert_str_eq(dump.tensors[chain.wrong].name, told->wrong);
    arena_finish(&arena);
}

static void check(const Told *told)
{
    read_told(told);
    check_chain(told);
}

// A mistake of the bank has its sentences there.
TEST(every_slip_is_said_in_both_languages)
{
    for (Language language = 0; language < LANGUAGE_COLUMNS; language++) {
        language_choose(language);
        for (ChainSlip slip = CHAIN_RIGHT + 1; slip < CHAIN_SLIPS; slip++) {
            const char *title = chain_title(slip), *mend = chain_mend(slip);
            ck_assert_msg(chain_mistake(slip) || (title && *title && mend && *mend),
                          "slip %d in language %d", slip, language);
        }
    }
    language_choose(LANGUAGE_ENGLISH);
}

// v00, v01 ... are not values, though each begins as one.
TEST(numbered_names_say_nothing)
{
    static const Told dumps[] = {{"half", 2, true, CHAIN_RIGHT, NULL},
                                 {"kdim", 2, false, CHAIN_RIGHT, NULL},
                                 {"lengths", 2, false, CHAIN_RIGHT, NULL}};
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++) {
        Error err = {.text = ""};
        read_told(&dumps[i]);
        for (int j = 0; j < dump.count; j++)
            dump.tensors[j].name = arena_format(&arena, &err, j % 2 ? "v%02d" : "v%02d_w", j);
        ChainAsk ask = {.heads = dumps[i].heads, .is_causal = dumps[i].is_causal};
        ck_assert_msg(chain_find(&dump, &ask, &chain, &arena, &err), "%s", err.text);
        check_chain(&dumps[i]);
    }
}

TEST(right_dumps_are_right)
{
    static const Told dumps[] = {
        {"cache", 2, true, CHAIN_RIGHT, NULL}, // two tokens after five that were kept
        {"gain", 2, true, CHAIN_RIGHT, NULL},  // q and k made even, with gains of any name
        {"half", 2, true, CHAIN_RIGHT, NULL},
        {"pads", 2, true, CHAIN_RIGHT, NULL},         // pads that no tensor names
        {"bias_kv", 2, true, CHAIN_RIGHT, NULL},      // and zeros behind it
        {"bias_kv_mean", 2, true, CHAIN_RIGHT, NULL}, // the weights' mean over the heads
        {"annotated", 2, false, CHAIN_RIGHT, NULL},
        {"inside_h3d", 2, true, CHAIN_RIGHT, NULL}, // a joined weight with a bias
        {"inside_hd3", 2, true, CHAIN_RIGHT, NULL},
        {"inside_d3h", 2, true, CHAIN_RIGHT, NULL},
        {"headed", 2, false, CHAIN_RIGHT, NULL}, // weights with an axis of heads, under numbers
        {"list", 2, true, CHAIN_RIGHT, NULL},    // of heads, with biases
        {"list_of_nine", 9, true, CHAIN_RIGHT, NULL},
        {"twice", 2, true, CHAIN_RIGHT, NULL}, // weights that are in the dump once more
        {"lengths", 2, false, CHAIN_RIGHT, NULL},
        {"kdim", 2, false, CHAIN_RIGHT, NULL},
        {"kdim_vdim", 2, false, CHAIN_RIGHT, NULL}, // k and v of texts that are not as wide
        {"groups", 4, true, CHAIN_RIGHT, NULL},     // of heads that share a key and a value
        {"featured", 1, false, CHAIN_RIGHT, NULL},
        {"one_head", 1, false, CHAIN_RIGHT, NULL},           // beside the weight of another layer
        {"pad_mask_of_tokens", 2, false, CHAIN_RIGHT, NULL}, // it hides the ends, so 1 is a token
        {"even_of_small", 2, true, CHAIN_RIGHT, NULL},
        {"gains_of_one", 2, true, CHAIN_RIGHT, NULL}, // new norms
        {"one_cached", 2, true, CHAIN_RIGHT, NULL},
        {"block", 2, true, CHAIN_RIGHT, NULL},
        {"block_unnormed", 2, true, CHAIN_RIGHT, NULL}, // the norms are not in the dump
        {"block_normed_last", 2, true, CHAIN_RIGHT, NULL},
        {"shared_with_itself_hidden", 2, false, CHAIN_RIGHT, NULL},
        {"cache_turned", 2, true, CHAIN_RIGHT, NULL},     // RoPE by places behind the cache
        {"exps", 2, false, CHAIN_RIGHT, NULL},            // the steps of softmax
        {"compared", 2, false, CHAIN_RIGHT, NULL},        // with weights at another temperature
        {"compared_axis", 2, false, CHAIN_RIGHT, NULL},   // softmax over the queries, too
        {"compared_ways", 2, false, CHAIN_RIGHT, NULL},   // what rounding leaves between two
        {"trained_and_not", 2, false, CHAIN_RIGHT, NULL}, // with dropout and without
        {"log_scale", 2, false, CHAIN_RIGHT, NULL},       // its logarithm is learned
        {"symmetric", 2, false, CHAIN_RIGHT, NULL},       // scores are, so that names tell q from k
        {"joined_vkq", 2, true, CHAIN_RIGHT, NULL},       // as its author calls what "c_attn" makes
    };
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++)
        check(&dumps[i]);
}

TEST(what_is_wrong_is_told)
{
    static const Told dumps[] = {
        {"pads_off_by_one", 2, true, CHAIN_SLIP_MASK_OFF_BY_ONE, "shares"},
        {"bias_kv_off_by_one", 2, true, CHAIN_SLIP_MASK_OFF_BY_ONE, "attn_weights"},
        {"annotated", 2, true, CHAIN_SLIP_MASK_MISSING, "shares"}, // it hides pads alone
        {"annotated_inverted", 2, false, CHAIN_SLIP_PADDING_INVERTED, "shares"},
        {"headed_k_for_v", 2, false, CHAIN_SLIP_K_FOR_V, "t9"},
        {"list_inverted", 2, true, CHAIN_SLIP_MASK_INVERTED, "heads.0.wei"}, // a row is NaN
        {"pads_zeroed", 2, false, CHAIN_SLIP_MASK_ZERO, "shares"},
        {"pads_added", 2, false, CHAIN_SLIP_MASK_ADDED, "shares"},
        {"diagonal_after", 2, true, CHAIN_SLIP_MASKED_AFTER, "shares"},
        {"kept_heads", 2, false, CHAIN_SLIP_K_FOR_V, "out"},
        {"kdim_swapped", 2, false, CHAIN_SLIP_K_V_SWAPPED, "weights"},
        {"shared_keys", 4, true, CHAIN_SLIP_K_FOR_V, "output"},
        {"mask_unused", 2, false, CHAIN_SLIP_PADS_NOT_MASKED,
         "shares"}, // (B, 1, 1, L), to be added
        {"in_turn", 2, true, CHAIN_SLIP_MERGED_IN_TURN, "context"},
        {"unscaled_alibi", 2, true, CHAIN_SLIP_SCALE_MISSING, "shares"},
        {"lengths_inverted", 2, false, CHAIN_SLIP_PADDING_INVERTED, "shares"},
        {"lengths_unused", 2, false, CHAIN_SLIP_PADS_NOT_MASKED, "shares"},
        {"whole_hidden", 2, false, CHAIN_SLIP_PADDING_INVERTED, "shares"},
        {"cache_swapped", 2, true, CHAIN_SLIP_K_V_SWAPPED, "K"}, // the last row of a cache
        {"cache_mask_inverted", 2, true, CHAIN_SLIP_MASK_OTHER, "a"},
        {"over_sequences", 2, false, CHAIN_SLIP_OVER_SEQUENCES, "t5"},
        {"weights_turned", 2, false, CHAIN_SLIP_WEIGHTS_TRANSPOSED, "t6"},
        {"k_v_swapped", 2, false, CHAIN_SLIP_K_V_SWAPPED, "t4"}, // "lin_K"
        {"view_turned", 2, true, CHAIN_SLIP_BY_VIEW, "w"},       // before RoPE
        {"view_even", 2, true, CHAIN_SLIP_BY_VIEW, "w"},         // before a norm of q and k
        {"mean_of_twice", 2, false, CHAIN_SLIP_TWICE, "w"},
        {"pads_added_inverted", 2, false, CHAIN_SLIP_PADDING_INVERTED, "shares"},
        {"pads_of_queries", 2, false, CHAIN_SLIP_MASK_QUERY_AXIS, "shares"},
        {"mask_small", 2, true, CHAIN_SLIP_MASK_SMALL, "masked"}, // -10
        {"twice_k", 2, false, CHAIN_SLIP_OTHER_WEIGHTS, "t2"},
        {"bias_forgotten", 2, false, CHAIN_SLIP_BIAS_FORGOTTEN, "t1"}, // "lin_Q_b"
        {"turned_back", 2, true, CHAIN_SLIP_TURNED_APART, "w"},
        {"turned_unsigned", 2, true, CHAIN_SLIP_TURNED_WRONGLY, "q_made"},
        {"turned_by_head", 2, true, CHAIN_SLIP_TURNED_BY_HEAD, "q_made"},
        {"gain_missing", 2, true, CHAIN_SLIP_GAIN_MISSING, "q_made"},
        {"gains_exchanged", 2, true, CHAIN_SLIP_GAIN_OTHER, "q_made"},
        {"norm_missing", 2, true, CHAIN_SLIP_NORM_MISSING, "k_made"},
        {"bias_other", 2, false, CHAIN_SLIP_BIAS_OTHER, "t2"},
        {"value_not_made", 2, false, CHAIN_SLIP_NOT_MADE, "t3"},
        {"output_by_v", 2, false, CHAIN_SLIP_OTHER_WEIGHTS, "t7"},
        {"far_alibi", 2, false, CHAIN_SLIP_SLOPES_TURNED, "t5"},
        {"mask_named_only", 2, true, CHAIN_SLIP_MASK_MISSING, "masked"},
        {"dropped", 2, true, CHAIN_SLIP_DROPPED, "context"},
        {"dropped_output", 2, true, CHAIN_SLIP_DROPPED, "output"},
        {"weights_dropped_alone", 2, false, CHAIN_SLIP_DROPPED_ALONE, "t5_dropped"},
        {"projected_twice", 2, false, CHAIN_SLIP_OUTPUT_TWICE, "t7"},
        {"list_in_turn", 2, true, CHAIN_SLIP_MERGED_IN_TURN, "joined"},
        {"joined_q_twice", 2, true, CHAIN_SLIP_SAME_Q_K, "k"}, // k's part is not used
        {"cache_behind", 2, true, CHAIN_SLIP_CACHED_BEHIND, "K"},
    };
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++)
        check(&dumps[i]);
}

TEST(what_is_wrong_around_attention_is_told)
{
    static const Told dumps[] = {
        {"block_over_tokens", 2, true, CHAIN_SLIP_NORM_AXIS, "h"},
        {"block_no_gain", 2, true, CHAIN_SLIP_GAIN_MISSING, "h"},
        {"block_no_residual", 2, true, CHAIN_SLIP_RESIDUAL_MISSING, "r"},
        {"block_not_activated", 2, true, CHAIN_SLIP_ACTIVATION_MISSING, "fed"},
        {"block_v_unnormed", 2, true, CHAIN_SLIP_SOURCE_OTHER, "vs"},
        {"block_first_normed", 2, true, CHAIN_SLIP_RESIDUAL_OTHER, "r"},
        {"block_fed_not_added", 2, true, CHAIN_SLIP_RESIDUAL_MISSING, "hidden_out"},
        {"block_unkept_not_activated", 2, true, CHAIN_SLIP_ACTIVATION_MISSING, "fed"},
        {"block_not_normed", 2, true, CHAIN_SLIP_NORM_UNUSED, "shares"},
        {"block_no_shift", 2, true, CHAIN_SLIP_SHIFT_MISSING, "h"},
        {"block_gain_of_first", 2, true, CHAIN_SLIP_GAIN_OTHER, "m"},
        {"block_squared", 2, true, CHAIN_SLIP_NORM_SQUARED, "h"},
        {"block_sum_lost", 2, true, CHAIN_SLIP_RESIDUAL_SKIPPED, "last"},
        {"gate_other", 2, true, CHAIN_SLIP_GATE_OTHER, "fed"},
        {"stack", 2, true, CHAIN_RIGHT, NULL},
        {"stack_apart", 2, true, CHAIN_SLIP_LAYERS_APART, "h.2.active"},
        {"mask_high", 2, true, CHAIN_SLIP_MASK_HIGH, "h.0.scores"},
        {"input_projected", 2, true, CHAIN_SLIP_OUTPUT_OF_INPUT, "cross.out"},
        {"cross_of_one", 2, true, CHAIN_SLIP_CROSS_OF_ONE, NULL},
        {"alibi_unused", 2, false, CHAIN_SLIP_BIAS_UNUSED, "t5"},
        {"t5_unused", 2, false, CHAIN_SLIP_BIAS_UNUSED, "t5"},
        {"alibi_doubled", 2, false, CHAIN_SLIP_SLOPES_OTHER, "t5"},
        {"alibi_reversed", 2, false, CHAIN_SLIP_SLOPES_OTHER, "t5"},
        {"mask_of_queries", 2, false, CHAIN_SLIP_MASK_QUERY_AXIS, "shares"},
    };
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++)
        check(&dumps[i]);
}

// Of a block, every tensor is found, and counted as compared: all but x and the parameters.
TEST(blocks_are_explained)
{
    static const Told dumps[] = {{"block", 2, true, CHAIN_RIGHT, NULL},
                                 {"block_normed_last", 2, true, CHAIN_RIGHT, NULL}};
    static const int same[] = {10, 8};
    for (int i = 0; i < 2; i++) {
        read_told(&dumps[i]);
        ck_assert_int_eq(chain.left_count, 0);
        ck_assert_int_eq(chain.same, same[i]);
        arena_finish(&arena);
    }
}

static ChainLine line_of(const char *name)
{
    for (int i = 0; i < chain.line_count; i++)
        if (chain.lines[i].dumped >= 0 &&
            strcmp(dump.tensors[chain.lines[i].dumped].name, name) == 0)
            return chain.lines[i];
    ck_abort_msg("%s: no line", name);
}

// New norms have all gains 1 and biases 0: names tell them apart. Rows that are even already are as their norm.
TEST(new_norms_have_their_own_gains)
{
    read_told(&(Told){.name = "hooked_encoder", .heads = 2});
    ck_assert_str_eq(line_of("norm1").formula,
                     "norm1[b,l,c] = layer_norm_c(x[b,l,c] + self_attn[b,l,c]) * "
                     "`norm1.weight`[c] + `norm1.bias`[c]");
    ck_assert_str_eq(line_of("norm2").formula,
                     "norm2[b,l,c] = layer_norm_c(linear2[b,l,c] + norm1[b,l,c]) * "
                     "`norm2.weight`[c] + `norm2.bias`[c]");
    ck_assert(chain.alone < 0);
    arena_finish(&arena);
}

// float32's nearest number to -1e30.
TEST(scores_that_are_capped_and_hidden_show_what_hides_them)
{
    read_told(&(Told){.name = "capped_hidden", .heads = 2, .is_causal = true});
    ck_assert_str_eq(line_of("hidden").formula,
                     "hidden[b,h,i,j] = j > i ? -1.00000002e+30 : capped[b,h,i,j]");
    arena_finish(&arena);
}

// q before RoPE is no value.
TEST(rows_before_they_are_rotated_are_called_by_their_weight)
{
    read_told(&(Told){.name = "before_turned", .heads = 2, .is_causal = true});
    ck_assert_str_eq(line_of("q_before").role, "q_heads");
    ck_assert_str_eq(line_of("k_before").role, "k_heads");
    arena_finish(&arena);
}

// Numbers do not say whether a norm over the tokens is meant (nn.InstanceNorm1d), nor whether "last" is a residual sum.
TEST(what_only_the_person_knows_is_not_told)
{
    read_told(&(Told){.name = "block_one_norm_over_tokens", .heads = 2, .is_causal = true});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    ck_assert_int_eq(chain.gap, CHAIN_GAP_NORM);
    ck_assert_str_eq(dump.tensors[chain.open].name, "h");
    arena_finish(&arena);
    read_told(&(Told){.name = "block_fed_alone", .heads = 2, .is_causal = true});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    ck_assert_int_eq(chain.gap, CHAIN_NO_GAP);
    ck_assert(chain.alone >= 0);
    arena_finish(&arena);
    read_told(&(Told){.name = "block", .heads = 2, .is_causal = true});
    ck_assert(chain.alone < 0 && chain.normed < 0);
    arena_finish(&arena);
}

// Weights are dumped whole, and as dropout leaves them: it is meant to be on.
TEST(dropout_that_is_dumped_is_meant)
{
    static const Told told = {"weights_dropped", 2, false, CHAIN_RIGHT, NULL};
    read_told(&told);
    ck_assert_str_eq(dump.tensors[chain.dropped].name, "t5_dropped");
    check_chain(&told);
}

// Padding on the left and an inverted mask look alike.
TEST(pads_that_come_first_are_told)
{
    read_told(&(Told){.name = "pads_first", .heads = 2});
    ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
    ck_assert(chain.hides_first);
    arena_finish(&arena);
    read_told(&(Told){.name = "pads", .heads = 2});
    ck_assert(!chain.hides_first);
    arena_finish(&arena);
}

// A context may be called "out2" or "output", and its output be left out of the dump.
TEST(a_context_alone_is_no_output)
{
    static const char *const names[] = {"numbered_context", "lone_output"};
    for (int i = 0; i < 2; i++) {
        read_told(&(Told){.name = names[i], .heads = 2});
        ck_assert_int_eq(chain.slip, CHAIN_RIGHT);
        ck_assert_int_eq(chain.gap, CHAIN_GAP_CONTEXT);
        arena_finish(&arena);
    }
}

// No map is dumped: names say which rows go together, or the order of a joined weight.
TEST(outputs_alone_are_told)
{
    static const Told dumps[] = {
        {"hooked_list", 2, true, CHAIN_RIGHT, NULL},
        {"hooked_list_scale", 2, true, CHAIN_SLIP_SCALE_D_MODEL, "heads.0"},
        {"hooked_list_stacked", 2, true, CHAIN_SLIP_MERGED_IN_TURN, "proj"},
        {"hooked_joined", 2, true, CHAIN_RIGHT, NULL},
        {"hooked_joined_scale", 2, true, CHAIN_SLIP_SCALE_MISSING, "c_proj"},
        {"hooked_joined_axis", 2, true, CHAIN_SLIP_OVER_QUERIES, "c_proj"},
        {"hooked_joined_view", 2, true, CHAIN_SLIP_MERGED_BY_VIEW, "c_proj"},
        {"hooked_joined_split", 2, true, CHAIN_SLIP_BY_VIEW, "c_proj"},
        {"hooked_joined_k_for_v", 2, true, CHAIN_SLIP_K_FOR_V, "c_proj"},
        {"hooked_joined_swapped", 2, true, CHAIN_SLIP_Q_K_SWAPPED, "c_proj"},
        {"hooked_joined_late", 2, true, CHAIN_SLIP_MASK_OFF_BY_ONE, "c_proj"},
        {"hooked_joined_open", 2, false, CHAIN_RIGHT, NULL}, // its mask may be for others
        {"hooked_joined_one", 2, true, CHAIN_RIGHT, NULL},   // token, which hides nothing
        {"hooked_block", 2, true, CHAIN_RIGHT, NULL},
        {"hooked_block_normed", 2, true, CHAIN_SLIP_RESIDUAL_OTHER, "output"},
        {"hooked_encoder", 2, false, CHAIN_RIGHT, NULL},
    };
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++) {
        read_told(&dumps[i]);
        bool says_mask = strcmp(dumps[i].name, "hooked_joined_open") == 0;
        ck_assert(!chain.has_weights && chain.left_count == 0 &&
                  chain.has_unused_mask == says_mask);
        chain.has_weights = true; // as the others have
        check_chain(&dumps[i]);
    }
}

SUITE("chain_dumps")
