// measure: see measure.h.
#include "measure.h"

#include <stdio.h>
#include <string.h>
#include "number_text.h"
#include "train_words.def"

static const uint64_t held_out_seed = 20170612; // the day of "Attention Is All You Need"

static const Tensor *tensor_named(const TrainingBatch *batch, const char *name)
{
    return &batch->trace.tensors[trace_find(&batch->trace, name)].tensor;
}

// The attention weights of a layer.
static const Tensor *weights_of(const TrainingBatch *batch, int layer)
{
    char name[64];
    snprintf(name, sizeof name, SCENARIO_LAYER_NAME, layer, "attn_weights");
    return tensor_named(batch, layer > 0 ? name : "attn_weights");
}

// The answer to a question: the most probable word.
static int answer_of(const Tensor *probabilities, ptrdiff_t b, int q, int l)
{
    const float *row = tensor_at4(probabilities, b, q, l, 0);
    int best = 0;
    for (int w = 1; w < probabilities->shape[3]; w++)
        best = row[w] > row[best] ? w : best;
    return best;
}

// Calls `visit` for every row that must look for its answer.
typedef void VisitRow(void *context, const TrainingBatch *batch, int b, int q, int row);

static void visit_rows(const TrainingBatch *batch, VisitRow *visit, void *context)
{
    for (int b = 0; b < batch->count; b++)
        for (int q = 0; q < batch->scenario.size[SYMBOL_Q]; q++)
            for (int row = 0; row < batch->texts[b].length; row++)
                if (batch->texts[b].where[q][row] >= 0)
                    visit(context, batch, b, q, row);
}

static int all_heads(const TrainingBatch *batch)
{
    int layers = batch->scenario.layers;
    return (int)batch->scenario.size[SYMBOL_H] * (layers > 1 ? layers : 1);
}

static double weight_at(const TrainingBatch *batch, int b, int head, int row, int to)
{
    return (double)measure_weight(batch, b, head, (const ptrdiff_t[]){row, to});
}

// The weight on the answer, at each of its positions, and on the word before it; the weight on the next word.
static void count_repeated(Measure *measure, const TrainingBatch *batch, int b, int row)
{
    const GrammarText *text = &batch->texts[b];
    bool has_next = row + 1 < text->length;
    measure->rows_ahead += has_next;
    for (int h = 0; has_next && h < all_heads(batch); h++)
        measure->ahead[h] += weight_at(batch, b, h, row, row + 1);
    for (int at = text->where[QUESTION_NEXT][row]; at > 0;
         at = text->period ? at - text->period : 0) {
        measure->rows[QUESTION_BEFORE]++;
        for (int h = 0; h < all_heads(batch); h++) {
            measure->mass[QUESTION_NEXT][h] += weight_at(batch, b, h, row, at);
            measure->mass[QUESTION_BEFORE][h] += weight_at(batch, b, h, at, at - 1);
        }
    }
}

static void count_row(void *context, const TrainingBatch *batch, int b, int q, int row)
{
    Measure *measure = context;
    const GrammarText *text = &batch->texts[b];
    measure->rows[q]++;
    if (batch->grammar->repeats)
        count_repeated(measure, batch, b, row);
    else
        for (int h = 0; h < all_heads(batch); h++)
            measure->mass[q][h] += weight_at(batch, b, h, row, text->where[q][row]);
}

// Counts the answers and the right ones.
typedef struct Answers {
    const Tensor *probabilities;
    double *right;
} Answers;

static void count_right(void *context, const TrainingBatch *batch, int b, int q, int row)
{
    const Answers *answers = context;
    answers->right[q] +=
        answer_of(answers->probabilities, b, q, row) == batch->texts[b].answers[q][row];
}

// Removes heads: zeroes the columns of the output projection that read them.
static void blind(const Training *training, unsigned heads)
{
    const TrainingRecipe *recipe = &training->recipe;
    int d_v = recipe->width / recipe->heads;
    for (int i = 0; i < training->weight_count; i++) {
        const Tensor *out = &training->weights[i];
        unsigned own = heads >> weight_layer(i) * recipe->heads;
        for (ptrdiff_t o = 0; weight_like(i) == WEIGHT_OUT && o < out->shape[0]; o++)
            for (ptrdiff_t d = 0; d < out->shape[1]; d++)
                if (d / d_v < recipe->heads && own & 1u << d / d_v)
                    *tensor_at2(out, o, d) = 0.0f;
    }
}

// Copies all output projections to `kept`, or back.
static void copy_outputs(const Training *training, const Tensor kept[], bool back)
{
    for (int i = 0; i < training->weight_count; i++)
        if (weight_like(i) == WEIGHT_OUT)
            tensor_copy(back ? &kept[weight_layer(i)] : &training->weights[i],
                        back ? &training->weights[i] : &kept[weight_layer(i)]);
}

// The number of right answers without those heads.
static bool run_without(const Training *training, TrainingBatch *batch, unsigned heads,
                        double right[QUESTION_COUNT], Error *err)
{
    const ptrdiff_t *shape = training->weights[WEIGHT_OUT].shape;
    Arena arena = {0};
    Tensor kept[TRAINING_LAYERS_MAX];
    bool taken = true;
    for (int layer = 0; taken && layer < training->recipe.layers; layer++)
        taken = tensor_take(&arena, DTYPE_F32, 2, shape, &kept[layer], err);
    if (taken) {
        copy_outputs(training, kept, false);
        blind(training, heads);
        taken = training_batch_run(batch, err);
        copy_outputs(training, kept, true);
    }
    arena_finish(&arena);
    if (taken)
        visit_rows(batch, count_right, &(Answers){tensor_named(batch, "probabilities"), right});
    return taken;
}

static void find_owners(Measure *measure, const Grammar *grammar, int heads)
{
    unsigned owners = 0;
    measure->is_distinct = true;
    for (int q = 0; q < grammar->measured; q++) {
        for (int h = 1; h < heads; h++)
            if (measure->mass[q][h] > measure->mass[q][measure->owner[q]])
                measure->owner[q] = h;
        measure->is_distinct = measure->is_distinct && !(owners & 1u << measure->owner[q]);
        owners |= 1u << measure->owner[q];
    }
}

// True if a question's strongest head does its work; in repeating texts, together with a head of
// another layer.
static bool is_clear(const Measure *measure, const TrainingRecipe *recipe, int q)
{
    int own = measure->owner[q], per_layer = recipe->heads;
    bool repeats = recipe->grammar->repeats;
    if (measure->mass[q][own] < (repeats ? 0.5 : 0.8) || measure->right_without[q][own] > 0.5)
        return false;
    if (repeats)
        return measure->owner[QUESTION_BEFORE] / per_layer <
               measure->owner[QUESTION_NEXT] / per_layer;
    for (int other = 0; other < recipe->grammar->asked; other++)
        if (other != q && measure->right_without[other][own] < 0.7)
            return false;
    return true;
}

static void judge(Measure *measure, const TrainingRecipe *recipe)
{
    const Grammar *grammar = recipe->grammar;
    find_owners(measure, grammar, training_heads(recipe));
    measure->is_learned = true;
    for (int q = 0; q < grammar->measured; q++)
        measure->is_learned = measure->is_learned && measure->right[q] >= MEASURE_LEARNED;
    measure->is_clear = measure->is_distinct && measure->is_learned;
    for (int q = 0; q < grammar->measured; q++)
        measure->is_clear = measure->is_clear && is_clear(measure, recipe, q);
}

// The word before is not a question: right answers, with and without a head, belong to the only
// question.
static void take_means(Measure *measure, const TrainingRecipe *recipe)
{
    const Grammar *grammar = recipe->grammar;
    int heads = training_heads(recipe);
    for (int h = 0; measure->rows_ahead > 0 && h < heads; h++)
        measure->ahead[h] = number_unsigned_nan(measure->ahead[h] / measure->rows_ahead);
    for (int q = grammar->measured - 1; q >= 0; q--) {
        int asked = q < grammar->asked ? q : QUESTION_NEXT;
        measure->right[q] = measure->right[asked] / measure->rows[asked];
        for (int h = 0; h < heads; h++) {
            measure->mass[q][h] = number_unsigned_nan(measure->mass[q][h] / measure->rows[q]);
            measure->right_without[q][h] = measure->right_without[asked][h] / measure->rows[asked];
        }
    }
}

static bool measure_batch(const Training *training, unsigned without, int heads,
                          TrainingBatch *batch, Measure *measure, Error *err)
{
    const Grammar *grammar = training->recipe.grammar;
    bool good = run_without(training, batch, without, measure->right, err);
    if (good)
        visit_rows(batch, count_row, measure);
    for (int h = 0; good && h < heads; h++) {
        double right[QUESTION_COUNT] = {0};
        good = run_without(training, batch, without | 1u << h, right, err);
        for (int q = 0; q < grammar->asked; q++)
            measure->right_without[q][h] = right[q];
    }
    return good;
}

// The batch of held-out texts. A training that is watched is measured often, and a new batch takes as long to make,
// 20 MB of fresh memory, as to run.
static bool open_held_out(const Training *training, Error *err)
{
    TrainingBatch *batch = training->held_out;
    const Grammar *grammar = training->recipe.grammar;
    Generator generator;
    if (batch->texts)
        return true;
    if (!training_batch_open(training, MEASURE_TEXTS, grammar->length, batch, err)) {
        *batch = (TrainingBatch){.count = 0};
        return false;
    }
    generator_seed(&generator, held_out_seed);
    for (int b = 0; b < MEASURE_TEXTS; b++)
        grammar_draw_where(grammar, &generator, true, &batch->texts[b]);
    return true;
}

// Also measures without each of the first `heads` heads.
static bool measure_all(const Training *training, unsigned without, int heads, Measure *measure,
                        Error *err)
{
    const TrainingRecipe *recipe = &training->recipe;
    *measure = (Measure){.rows = {0}};
    if (training_heads(recipe) > MEASURE_HEADS_MAX)
        return error_set(err, TELL(MEASURE_HEADS), MEASURE_HEADS_MAX, training_heads(recipe));
    if (!open_held_out(training, err))
        return false;
    bool good = measure_batch(training, without, heads, training->held_out, measure, err);
    take_means(measure, recipe);
    judge(measure, recipe);
    return good;
}

bool measure_training(const Training *training, unsigned without, Measure *measure, Error *err)
{
    return measure_all(training, without, training_heads(&training->recipe), measure, err);
}

bool measure_answers(const Training *training, Measure *measure, Error *err)
{
    return measure_all(training, 0, 0, measure, err);
}

float measure_weight(const TrainingBatch *batch, int b, int head, const ptrdiff_t at[2])
{
    int each = (int)batch->scenario.size[SYMBOL_H];
    return *tensor_at4(weights_of(batch, head / each), b, head % each, at[0], at[1]);
}

bool measure_is_asked(const Measure *measure, int head, const GrammarText *text, int row)
{
    bool has_work = false, is_asked = false;
    for (int q = 0; q < QUESTION_COUNT; q++) {
        bool does = measure->mass[q][head] > 0.5;
        has_work = has_work || does;
        is_asked = is_asked || (does && text->where[q][row] >= 0);
    }
    return is_asked || !has_work;
}
