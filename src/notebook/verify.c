// verify: see verify.h.
#include "verify.h"

#include <math.h>
#include <string.h>
#include "notebook_words.h"

// The dumped tensor that stands for one of the trace's; -1.
static int dumped_as(const Dump *dump, int number)
{
    for (int i = 0; i < dump->count; i++)
        if (dump->tensors[i].match != DUMP_NOT && dump->tensors[i].number == number)
            return i;
    return -1;
}

// The step's arguments with the dumped tensor as its result. False where they do not go together.
static bool arguments(const Trace *right, const TraceTensor *tensor, const Tensor *given,
                      StageArgs *args)
{
    Error ignored;
    if (!trace_arguments(right, tensor->step, args, &ignored))
        return false;
    Tensor *out = &args->out[tensor->slot];
    Tensor result = out->rank == given->rank + 1 ? tensor_unsqueeze(given, 1) : *given;
    bool fits = tensor_same_shape(out, &result) && out->dtype == result.dtype;
    *out = result;
    return fits;
}

static void find_relations(const Trace *right, int number, const StageArgs *args,
                           VerifyFinding *finding)
{
    StageArgs known;
    const TraceTensor *tensor = &right->tensors[number];
    const TraceStep *step = &right->steps[tensor->step];
    if (tensor->slot != step->stage->main_output || tensor->tensor.dtype != DTYPE_F32 ||
        !trace_arguments(right, tensor->step, &known, &finding->failure))
        return;
    relation_read(&(RelationCase){.right = right,
                                  .step = tensor->step,
                                  .given = args,
                                  .wrong = &args->out[tensor->slot],
                                  .known = &known.out[tensor->slot],
                                  .axes = step->call->writes[tensor->slot].axes,
                                  .machine = &finding->failure},
                  &finding->relations);
}

// Whether a mistake makes every tensor of the dump, not the first that differs alone.
static bool makes_all(const Mistake *mistake, const Dump *dump, const Trace *right, Error *err)
{
    Trace wrong;
    TraceWay way = {.stages = mistake->stages};
    if (mistake_cannot_show(mistake, right->scenario) ||
        !trace_open_way(&wrong, right->scenario, &way, err))
        return false;
    bool all = trace_run(&wrong, err);
    for (int i = 0; i < dump->count && all; i++) {
        const DumpTensor *one = &dump->tensors[i];
        if (one->match == DUMP_NOT)
            continue;
        int number = trace_find(&wrong, right->tensors[one->number].name);
        all = number >= 0 && tensor_difference(&one->tensor, &wrong.tensors[number].tensor).kind ==
                                 DIFFERENCE_NONE;
    }
    trace_close(&wrong);
    return all;
}

static void find_mistakes(const Dump *dump, const Trace *right, VerifyFinding *finding)
{
    const Mistake *mistake;
    for (int i = 0; (mistake = mistake_get(i)) && finding->mistake_count < MISTAKE_FOUND_MAX; i++)
        if (!finding->failure.of_machine && makes_all(mistake, dump, right, &finding->failure))
            finding->mistakes[finding->mistake_count++] = mistake;
}

// Of the first tensor that differs, where nothing explains all of them.
static void find_cause(const Trace *right, int number, const Tensor *given, VerifyFinding *finding)
{
    StageArgs args;
    Error *err = &finding->failure;
    const TraceTensor *tensor = &right->tensors[number];
    if (tensor->step < 0 || !tensor_same_shape(&tensor->tensor, given))
        return;
    bool fits = arguments(right, tensor, given, &args);
    if (fits)
        finding->mistake_count =
            mistake_recognise_step(right, tensor->step, &args, finding->mistakes, err);
    if (finding->mistake_count <= 0 && !err->of_machine)
        finding->mistake_count =
            mistake_recognise_tensor(right, number, given, finding->mistakes, err);
    if (fits && finding->mistake_count == 0 && !err->of_machine)
        find_relations(right, number, &args, finding);
}

// In the order in which tensors are made: inputs, then what each step makes.
void verify_find(const Dump *dump, const Trace *right, VerifyFinding *finding)
{
    *finding = (VerifyFinding){.dumped = -1};
    for (int step = -1; step < right->step_count; step++)
        for (int number = 0; number < right->tensor_count; number++) {
            int dumped = right->tensors[number].step == step ? dumped_as(dump, number) : -1;
            if (dumped < 0)
                continue;
            const Tensor *given = &dump->tensors[dumped].tensor;
            finding->difference = tensor_difference(given, &right->tensors[number].tensor);
            if (finding->difference.kind == DIFFERENCE_NONE) {
                finding->same++;
                continue;
            }
            finding->dumped = dumped;
            find_mistakes(dump, right, finding);
            if (finding->mistake_count == 0 && !finding->failure.of_machine)
                find_cause(right, number, given, finding);
            return;
        }
}

// --- a scenario from the dump

static const DumpTensor *find(const Dump *dump, const char *ours, int rank)
{
    for (int i = 0; i < dump->count; i++)
        if (dump->tensors[i].tensor.rank == rank && dump->tensors[i].tensor.dtype == DTYPE_F32 &&
            dump_is_named(dump->tensors[i].name, ours))
            return &dump->tensors[i];
    return NULL;
}

// Whether no query looks at a later key, and some at earlier ones.
static bool is_causal(const Tensor *weights)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, later = 0, ahead = 0;
    int last = weights->rank - 1;
    do {
        bool is_later = at[last] > at[last - 1];
        later += is_later;
        ahead += is_later && tensor_number(weights, at) != 0.0;
    } while (tensor_next(weights, at));
    return later > 0 && ahead == 0;
}

static bool has_infinity(const Tensor *tensor)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        if (isinf(tensor_number(tensor, at)))
            return true;
    } while (tensor_next(tensor, at));
    return false;
}

// As YAML writes it between single quotes: each of its own is doubled.
static const char *quoted(const char *text, Arena *arena, Error *err)
{
    char *out = arena_take(arena, 2 * strlen(text) + 3, 1, err);
    if (!out)
        return NULL;
    char *end = out;
    *end++ = '\'';
    for (; *text; text++) {
        if (*text == '\'')
            *end++ = '\'';
        *end++ = *text;
    }
    *end++ = '\'';
    *end = '\0';
    return out;
}

static const char *from_file(const char *path, const DumpTensor *one, Arena *arena, Error *err)
{
    const char *file = quoted(path, arena, err);
    const char *name = file ? quoted(one->name, arena, err) : NULL;
    return name ? arena_format(arena, err, "{file: %s, name: %s}", file, name) : NULL;
}

static const char *weights_set(const Dump *dump, const char *path, Arena *arena, Error *err)
{
    static const struct {
        const char *name;
        int rank;
    } layers[] = {{"q_proj.weight", 2},   {"k_proj.weight", 2}, {"v_proj.weight", 2},
                  {"out_proj.weight", 2}, {"q_proj.bias", 1},   {"k_proj.bias", 1},
                  {"v_proj.bias", 1},     {"out_proj.bias", 1}};
    const char *text = "weights={values: {";
    for (size_t i = 0; text && i < sizeof layers / sizeof *layers; i++) {
        const char *name = layers[i].name;
        const DumpTensor *one = find(dump, name, layers[i].rank);
        if (!one && i < 3) {
            error_set(err, TELL(VERIFY_NO_ROLE), name);
            return NULL;
        }
        const char *place = one ? from_file(path, one, arena, err) : NULL;
        if (one)
            text = place ? arena_format(arena, err, "%s%s%s: %s", text, i ? ", " : "", name, place)
                         : NULL;
    }
    return text ? arena_format(arena, err, "%s}}", text) : NULL;
}

bool verify_tells_heads(const Dump *dump)
{
    return find(dump, "attn_weights", 4) || find(dump, "scores", 4) ||
           find(dump, "attn_weights", 3);
}

static const char *model_set(const Dump *dump, const DumpTensor *x, Arena *arena, Error *err)
{
    const DumpTensor *weights = find(dump, "attn_weights", 4);
    const DumpTensor *heads = weights ? weights : find(dump, "scores", 4);
    const DumpTensor *q = find(dump, "q_proj.weight", 2);
    const char *head_text =
        heads ? arena_format(arena, err, ", heads: %td", heads->tensor.shape[1]) : "";
    return q && head_text
               ? arena_format(arena, err,
                              "model={d_in: %td, d_out: %td%s, qkv_bias: %s, out_proj: %s, "
                              "out_bias: %s}",
                              x->tensor.shape[2], q->tensor.shape[0], head_text,
                              find(dump, "q_proj.bias", 1) ? "true" : "false",
                              find(dump, "out_proj.weight", 2) ? "true" : "false",
                              find(dump, "out_proj.bias", 1) ? "true" : "false")
               : NULL;
}

int verify_scenario(const Dump *dump, const char *path, const char *sets[VERIFY_SETS], Arena *arena,
                    Error *err)
{
    const DumpTensor *x = find(dump, "x", 3), *weights = find(dump, "attn_weights", 4);
    weights = weights ? weights : find(dump, "attn_weights", 3);
    if (!x) {
        error_set(err, TELL(VERIFY_NO_INPUT));
        return -1;
    }
    const char *input = from_file(path, x, arena, err);
    sets[0] = input ? arena_format(arena, err, "input={vectors: %s}", input) : NULL;
    sets[1] = weights_set(dump, path, arena, err);
    sets[2] = sets[1] ? model_set(dump, x, arena, err) : NULL;
    const DumpTensor *scaled = find(dump, "scores_scaled", weights ? weights->tensor.rank : 4);
    bool causal = weights && is_causal(&weights->tensor);
    bool masked_first = scaled && has_infinity(&scaled->tensor); // divided after the mask
    sets[3] = causal && masked_first ? "attention={mask: causal, mask_before_scale: true}"
              : causal               ? "attention.mask=causal"
                                     : "attention.mask=none";
    return sets[0] && sets[1] && sets[2] ? VERIFY_SETS : -1;
}
