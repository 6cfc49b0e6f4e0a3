// measure: see measure.h.
#include "measure.h"

#include <string.h>
#include "number_text.h"
#include "train_words.h"

static const uint64_t held_out_seed = 20170612; // the day of "Attention Is All You Need"

static const Tensor *tensor_named(const TrainingBatch *batch, const char *name)
{
    return &batch->trace.tensors[trace_find(&batch->trace, name)].tensor;
}

// The word that a question is answered with: the most probable one.
static int answer_of(const Tensor *probabilities, ptrdiff_t b, int q, int l)
{
    const float *row = tensor_at4(probabilities, b, q, l, 0);
    int best = 0;
    for (int w = 1; w < GRAMMAR_WORDS; w++)
        best = row[w] > row[best] ? w : best;
    return best;
}

// Calls `visit` for every row that has to look for its answer, with the tensor of that name.
typedef void VisitRow(void *context, const Tensor *tensor, const GrammarText *text, int b,
                      const int at[2]); // the question, the row

static void visit_rows(const TrainingBatch *batch, const char *name, VisitRow *visit, void *context)
{
    const Tensor *tensor = tensor_named(batch, name);
    for (int b = 0; b < batch->count; b++)
        for (int q = 0; q < QUESTION_COUNT; q++)
            for (int l = 0; l < batch->texts[b].length; l++)
                if (batch->texts[b].where[q][l] >= 0)
                    visit(context, tensor, &batch->texts[b], b, (int[]){q, l});
}

static void count_row(void *context, const Tensor *weights, const GrammarText *text, int b,
                      const int at[2])
{
    Measure *measure = context;
    int q = at[0], l = at[1];
    measure->rows[q]++;
    for (int h = 0; h < weights->shape[1]; h++)
        measure->mass[q][h] += (double)*tensor_at4(weights, b, h, l, text->where[q][l]);
}

static void count_right(void *context, const Tensor *probabilities, const GrammarText *text, int b,
                        const int at[2])
{
    double *right = context;
    int q = at[0], l = at[1];
    right[q] += answer_of(probabilities, b, q, l) == text->answers[q][l];
}

// Takes heads away: the columns of the output projection that read them are 0.
static void blind(const Training *training, unsigned heads)
{
    const Tensor *out = &training->weights[WEIGHT_OUT];
    int d_v = training->recipe.width / training->recipe.heads;
    for (ptrdiff_t o = 0; o < out->shape[0]; o++)
        for (ptrdiff_t d = 0; d < out->shape[1]; d++)
            if (heads & 1u << d / d_v)
                *tensor_at2(out, o, d) = 0.0f;
}

// How many answers are right while those heads are away.
static bool run_without(const Training *training, TrainingBatch *batch, unsigned heads,
                        double right[QUESTION_COUNT], Error *err)
{
    const Tensor *out = &training->weights[WEIGHT_OUT];
    Arena arena = {0};
    Tensor kept;
    bool taken = tensor_take(&arena, DTYPE_F32, 2, out->shape, &kept, err);
    if (taken) {
        tensor_copy(out, &kept);
        blind(training, heads);
        taken = training_batch_run(batch, err);
        tensor_copy(&kept, out);
    }
    arena_finish(&arena);
    if (taken)
        visit_rows(batch, "probabilities", count_right, right);
    return taken;
}

static void judge(Measure *measure, int heads)
{
    unsigned owners = 0;
    measure->is_distinct = true;
    for (int q = 0; q < QUESTION_COUNT; q++) {
        for (int h = 1; h < heads; h++)
            if (measure->mass[q][h] > measure->mass[q][measure->owner[q]])
                measure->owner[q] = h;
        measure->is_distinct = measure->is_distinct && !(owners & 1u << measure->owner[q]);
        owners |= 1u << measure->owner[q];
    }
    measure->is_learned = true;
    for (int q = 0; q < QUESTION_COUNT; q++)
        measure->is_learned = measure->is_learned && measure->right[q] >= MEASURE_LEARNED;
    measure->is_clear = measure->is_distinct && measure->is_learned;
    for (int q = 0; q < QUESTION_COUNT; q++) {
        int own = measure->owner[q];
        measure->is_clear = measure->is_clear && measure->mass[q][own] >= 0.8 &&
                            measure->right_without[q][own] <= 0.5;
        for (int other = 0; other < QUESTION_COUNT; other++)
            measure->is_clear =
                measure->is_clear && (other == q || measure->right_without[other][own] >= 0.7);
    }
}

static void take_means(Measure *measure, int heads)
{
    for (int q = 0; q < QUESTION_COUNT; q++) {
        double rows = measure->rows[q];
        measure->right[q] /= rows;
        for (int h = 0; h < heads; h++) {
            measure->mass[q][h] = number_unsigned_nan(measure->mass[q][h] / rows);
            measure->right_without[q][h] /= rows;
        }
    }
}

bool measure_training(const Training *training, unsigned without, Measure *measure, Error *err)
{
    TrainingBatch batch;
    Generator generator;
    int heads = training->recipe.heads;
    *measure = (Measure){.rows = {0}};
    if (heads > MEASURE_HEADS_MAX)
        return error_set(err, TELL(MEASURE_HEADS), MEASURE_HEADS_MAX, heads);
    if (!training_batch_open(training, MEASURE_TEXTS, GRAMMAR_LENGTH_MAX, &batch, err))
        return false;
    generator_seed(&generator, held_out_seed);
    for (int b = 0; b < MEASURE_TEXTS; b++)
        grammar_draw_where(training->recipe.grammar, &generator, true, &batch.texts[b]);
    bool good = run_without(training, &batch, without, measure->right, err);
    if (good)
        visit_rows(&batch, "attn_weights", count_row, measure);
    for (int h = 0; good && h < heads; h++) {
        double right[QUESTION_COUNT] = {0};
        good = run_without(training, &batch, without | 1u << h, right, err);
        for (int q = 0; q < QUESTION_COUNT; q++)
            measure->right_without[q][h] = right[q];
    }
    training_batch_close(&batch);
    take_means(measure, heads);
    judge(measure, heads);
    return good;
}

float measure_weight(const TrainingBatch *batch, int b, int head, const ptrdiff_t at[2])
{
    return *tensor_at4(tensor_named(batch, "attn_weights"), b, head, at[0], at[1]);
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
