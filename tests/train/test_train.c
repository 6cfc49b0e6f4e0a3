// Training: the texts and their answers, the optimizers against their formulas in double precision, and
// trainings that end with the same bits however they went there.
#include "measure.h"
#include "suite.h"
#include "training.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- texts
//
// Each grammar's people, pronouns and marks, named once more.

typedef struct Language {
    const Grammar *grammar;
    const char *const men[7], *const women[7], *const of_men[3], *const of_women[3],
                                                                     *const marks[4];
    const char *singer;
} Language;

static const Language languages[] = {
    {&grammar_english,
     {"Jungkook", "Jimin", "Minho", "Taehyung", "Namjoon", "Junho"},
     {"Jisoo", "Lisa", "Jennie", "Suji", "Yuna", "Minji"},
     {"He", "him"},
     {"She", "her"},
     {".", "!", "?"},
     "singer"},
    {&grammar_korean,
     {"정국", "지민", "태형", "남준", "민호"},
     {"지수", "리사", "제니", "서연", "지은"},
     {"그"},
     {"그녀"},
     {"다.", "니?", "구나!"},
     "가수"},
};

static int find_word(const Grammar *grammar, const char *word)
{
    for (int i = 0; i < GRAMMAR_WORDS; i++)
        if (strcmp(grammar->words[i], word) == 0)
            return i;
    ck_abort_msg("no word %s", word);
}

static bool is_one_of(const char *word, const char *const words[])
{
    for (int i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static const char *word_at(const Language *language, const GrammarText *text, int at)
{
    return language->grammar->words[text->words[at]];
}

// Who is meant by word `at`, looked for in the text from its beginning.
static int who_is(const Language *language, const GrammarText *text, int at)
{
    const char *word = word_at(language, text, at);
    if (is_one_of(word, language->men) || is_one_of(word, language->women))
        return text->words[at];
    bool is_man = is_one_of(word, language->of_men);
    if (!is_man && !is_one_of(word, language->of_women))
        return 0;
    for (int i = 0; i < at; i++)
        if (is_one_of(word_at(language, text, i), is_man ? language->men : language->women))
            return text->words[i];
    ck_abort_msg("%s is said of nobody", word);
}

static int mark_of(const Language *language, const GrammarText *text, int at)
{
    while (at < text->length && !is_one_of(word_at(language, text, at), language->marks))
        at++;
    ck_assert_int_lt(at, text->length);
    return text->words[at];
}

static void check_answers(const Language *language, const GrammarText *text)
{
    ck_assert_int_ge(text->length, 4);
    ck_assert_int_le(text->length, GRAMMAR_LENGTH_MAX);
    for (int at = 0; at < text->length; at++) {
        ck_assert_int_eq(text->answers[QUESTION_WHO][at], who_is(language, text, at));
        ck_assert_int_eq(text->answers[QUESTION_BEFORE][at], at ? text->words[at - 1] : 0);
        ck_assert_int_eq(text->answers[QUESTION_MARK][at], mark_of(language, text, at));
        for (int q = 0; q < QUESTION_COUNT; q++)
            if (text->where[q][at] >= 0)
                ck_assert_int_eq(text->words[text->where[q][at]], text->answers[q][at]);
    }
}

LOOP_TEST(every_answer_is_in_the_text, 2)
{
    const Language *language = &languages[_i];
    Generator generator;
    GrammarText text;
    int held_out = 0;
    generator_seed(&generator, 3);
    for (int i = 0; i < 5000; i++) {
        grammar_draw(language->grammar, &generator, &text);
        held_out += text.is_held_out;
        check_answers(language, &text);
    }
    ck_assert_int_gt(held_out, 300); // a fifth of six tenths, and a few more
    ck_assert_int_lt(held_out, 1200);
}

// 정국은, 지민은, 태형은, 남준은, 지은은, 서연은, but 민호는, 지수는, 리사는, 제니는, 그는, 그녀는; and so with 을, 를.
TEST(a_particle_fits_the_word_before_it)
{
    static const char *const vowels[] = {"민호", "지수", "리사", "제니", "그", "그녀", NULL};
    static const char *const particles[] = {"은", "을", "는", "를", NULL};
    Generator generator;
    GrammarText text;
    int seen = 0;
    generator_seed(&generator, 4);
    for (int i = 0; i < 2000; i++) {
        grammar_draw(&grammar_korean, &generator, &text);
        for (int at = 1; at < text.length; at++) {
            const char *word = grammar_korean.words[text.words[at]];
            if (!is_one_of(word, particles))
                continue;
            seen++;
            bool is_vowel = is_one_of(grammar_korean.words[text.words[at - 1]], vowels);
            ck_assert_int_eq(is_one_of(word, &particles[2]), is_vowel);
        }
    }
    ck_assert_int_gt(seen, 2000); // one a sentence
}

LOOP_TEST(the_documents_own_sentence_is_never_trained_on, 2)
{
    static const char *const words[][11] = {
        {"Jungkook", "is", "very", "handsome", ".", "He", "is", "a", "perfect", "singer", "."},
        {"정국", "은", "아주", "잘생겼", "다.", "그", "는", "완벽한", "가수", "이", "다."}};
    const Language *language = &languages[_i];
    const Grammar *grammar = language->grammar;
    GrammarText document, text;
    Generator generator;
    grammar_document_text(grammar, &document);
    ck_assert_int_eq(document.length, 11);
    for (int at = 0; at < 11; at++)
        ck_assert_int_eq(document.words[at], find_word(grammar, words[_i][at]));
    check_answers(language, &document);
    ck_assert_int_eq(document.where[QUESTION_WHO][5], 0);
    generator_seed(&generator, 8);
    for (int i = 0; i < 5000; i++) {
        grammar_draw_where(grammar, &generator, false, &text);
        bool is_it = text.words[0] == document.words[0];
        bool has_singer = false;
        for (int at = 0; at < text.length; at++)
            has_singer = has_singer || strcmp(word_at(language, &text, at), language->singer) == 0;
        ck_assert(!is_it || !has_singer);
    }
}

// --- optimizers

enum { WEIGHTS = 7, STEPS = 100 };

static double slope(int i, double weight)
{
    return (weight - i) * (1.0 + 0.25 * i); // of a bowl of its own for each weight
}

// Kingma and Ba's algorithm with epsilon where torch.optim has it, in double precision.
TEST(adam_follows_its_formula)
{
    float weight[WEIGHTS], m[WEIGHTS] = {0}, v[WEIGHTS] = {0}, gradient[WEIGHTS];
    double w[WEIGHTS], first[WEIGHTS] = {0}, second[WEIGHTS] = {0};
    Optimizer adam = optimizer_adam(0.05f, 0.9f, 0.98f);
    for (int i = 0; i < WEIGHTS; i++)
        w[i] = weight[i] = 0.5f * (float)i - 1.0f;
    for (int t = 1; t <= STEPS; t++) {
        for (int i = 0; i < WEIGHTS; i++)
            gradient[i] = (float)slope(i, (double)weight[i]);
        optimizer_begin(&adam);
        optimizer_step(&adam, WEIGHTS, gradient, m, v, weight);
        for (int i = 0; i < WEIGHTS; i++) {
            double g = slope(i, w[i]);
            first[i] = 0.9 * first[i] + 0.1 * g;
            second[i] = 0.98 * second[i] + 0.02 * g * g;
            double size = sqrt(second[i]) / sqrt(1.0 - pow(0.98, t)) + 1e-8;
            w[i] -= 0.05 / (1.0 - pow(0.9, t)) * first[i] / size;
            ck_assert_double_eq_tol((double)weight[i], w[i], 1e-5);
        }
    }
}

static Tensor row_of(float numbers[WEIGHTS])
{
    return tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){1, WEIGHTS});
}

static void run_stage(const char *name, StageArgs args)
{
    Error err;
    ck_assert_msg(stage_find(name)->run(&args, &err), "%s", err.text);
}

// What a person steps through is what trains: the stages and the optimizer, 100 steps, bit by bit.
TEST(the_stages_of_adam_make_the_optimizers_bits)
{
    float weight[WEIGHTS], m[WEIGHTS] = {0}, v[WEIGHTS] = {0}, gradient[WEIGHTS];
    float own[WEIGHTS], own_m[WEIGHTS] = {0}, own_v[WEIGHTS] = {0}, next[WEIGHTS];
    StageOptions options = {.rate = 0.05f, .beta1 = 0.9f, .beta2 = 0.98f, .epsilon = 1e-8f};
    Optimizer adam = optimizer_adam(options.rate, options.beta1, options.beta2);
    for (int i = 0; i < WEIGHTS; i++)
        own[i] = weight[i] = 0.5f * (float)i - 1.0f;
    for (options.update = 1; options.update <= STEPS; options.update++) {
        for (int i = 0; i < WEIGHTS; i++)
            gradient[i] = (float)slope(i, (double)weight[i]);
        optimizer_begin(&adam);
        optimizer_step(&adam, WEIGHTS, gradient, m, v, weight);
        run_stage("moments", (StageArgs){.in = {row_of(gradient), row_of(own_m), row_of(own_v)},
                                         .out = {row_of(own_m), row_of(own_v)},
                                         .options = &options});
        run_stage("adam", (StageArgs){.in = {row_of(own), row_of(own_m), row_of(own_v)},
                                      .out = {row_of(next)},
                                      .options = &options});
        memcpy(own, next, sizeof own);
        ck_assert_mem_eq(own_m, m, sizeof m);
        ck_assert_mem_eq(own_v, v, sizeof v);
        ck_assert_mem_eq(own, weight, sizeof weight);
    }
}

// 3 - 0.1 * 4 = 2.6
TEST(sgd_takes_a_tenth_of_the_gradient)
{
    float weight[] = {3.0f}, gradient[] = {4.0f};
    Optimizer sgd = optimizer_sgd(0.1f);
    optimizer_begin(&sgd);
    optimizer_step(&sgd, 1, gradient, NULL, NULL, weight);
    ck_assert_float_eq_tol(weight[0], 2.6f, 1e-6f);
}

// 2 * (1 - 0.05 * 0.3) = 1.97. Adam's first step is as long as the rate, SGD's 0.05 * 4.
TEST(weights_decay_before_they_move)
{
    Optimizer adam = optimizer_adam(0.05f, 0.9f, 0.98f), sgd = optimizer_sgd(0.05f);
    float weight[] = {2.0f, 2.0f}, gradient[] = {4.0f}, m[] = {0.0f}, v[] = {0.0f};
    adam.decay = sgd.decay = 0.3f;
    optimizer_begin(&adam);
    optimizer_step(&adam, 1, gradient, m, v, &weight[0]);
    optimizer_step(&sgd, 1, gradient, NULL, NULL, &weight[1]);
    ck_assert_float_eq_tol(weight[0], 1.92f, 1e-6f);
    ck_assert_float_eq_tol(weight[1], 1.77f, 1e-6f);
}

// --- trainings

static TrainingRecipe small_recipe(void)
{
    TrainingRecipe recipe = training_recipe(&grammar_english);
    recipe.batch = 5;
    recipe.width = 12;
    recipe.steps = 60;
    recipe.threads = 1;
    return recipe;
}

static void open_training(Training *training, const TrainingRecipe *recipe)
{
    Error err = {.text = ""};
    ck_assert_msg(training_open(training, recipe, &err), "%s", err.text);
}

static void train(Training *training, int64_t until)
{
    Error err = {.text = ""};
    while (training->step < until)
        ck_assert_msg(training_step(training, &err), "%s", err.text);
}

static void check_equal(const Training *a, const Training *b)
{
    for (int i = 0; i < a->weight_count; i++)
        ck_assert_mem_eq(a->weights[i].storage.f32, b->weights[i].storage.f32,
                         (size_t)tensor_count(&a->weights[i]) * sizeof(float));
}

static void check_threads(TrainingRecipe recipe)
{
    static const int threads[] = {2, 3, 4, 7, 16};
    static Training alone, other;
    open_training(&alone, &recipe);
    train(&alone, 20);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        recipe.threads = threads[i];
        open_training(&other, &recipe);
        train(&other, 20);
        check_equal(&alone, &other);
        training_close(&other);
    }
    open_training(&other, &recipe);
    other.batch.trace.kernel = NULL; // the definitions
    train(&other, 20);
    check_equal(&alone, &other);
    training_close(&other);
    training_close(&alone);
}

TEST(threads_and_kernels_change_no_bit)
{
    check_threads(small_recipe());
}

TEST(threads_and_kernels_change_no_bit_of_two_layers)
{
    TrainingRecipe recipe = training_recipe(&grammar_pieces);
    recipe.batch = 5;
    recipe.width = 12;
    recipe.threads = 1;
    check_threads(recipe);
}

TEST(a_training_that_is_continued_has_the_same_bits)
{
    TrainingRecipe recipe = small_recipe();
    static Training whole, first, second;
    Error err = {.text = ""};
    const char *path = "train-checkpoint.safetensors";
    open_training(&whole, &recipe);
    open_training(&first, &recipe);
    open_training(&second, &recipe);
    train(&whole, 30);
    train(&first, 13);
    first.by_hand = true; // a person's doing: is kept with it
    ck_assert_msg(training_write_checkpoint(&first, path, &err), "%s", err.text);
    ck_assert_msg(training_read_checkpoint(&second, path, &err), "%s", err.text);
    ck_assert_int_eq(second.step, 13);
    ck_assert(second.by_hand);
    train(&second, 30);
    check_equal(&whole, &second);
    training_close(&second);

    recipe.seed = 9; // another training's
    open_training(&second, &recipe);
    ck_assert(!training_read_checkpoint(&second, path, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "belongs to another training"));
    remove(path);
    training_close(&whole);
    training_close(&first);
    training_close(&second);
}

// Without scale a score is larger by sqrt(12 / 3) = 2; without positions equal words look alike.
TEST(scale_and_positions_can_be_left_out)
{
    TrainingRecipe recipe = small_recipe();
    static Training whole, unscaled, unplaced;
    recipe.unscaled = true;
    open_training(&unscaled, &recipe);
    recipe.unscaled = false;
    recipe.unplaced = true;
    open_training(&unplaced, &recipe);
    recipe.unplaced = false;
    open_training(&whole, &recipe);
    train(&whole, 1);
    train(&unscaled, 1);
    train(&unplaced, 1);
    const Trace *trace = &whole.batch.trace, *bare = &unscaled.batch.trace;
    float divided = trace->tensors[trace_find(trace, "scores_scaled")].tensor.storage.f32[1];
    float score = bare->tensors[trace_find(bare, "scores")].tensor.storage.f32[1];
    ck_assert_float_ne(score, 0.0f);
    ck_assert_float_eq(score, divided * 2.0f);
    ck_assert_int_lt(trace_find(bare, "scores_scaled"), 0);
    ck_assert_int_lt(trace_find(&unplaced.batch.trace, "positional_encoding"), 0);
    training_close(&whole);
    training_close(&unscaled);
    training_close(&unplaced);
}

TEST(the_loss_falls)
{
    TrainingRecipe recipe = small_recipe();
    static Training training;
    open_training(&training, &recipe);
    train(&training, 1);
    float before = training.loss;
    train(&training, 60);
    ck_assert_float_gt(before, 3.5f); // log 41 = 3.71: nothing is known yet
    ck_assert_float_lt(training.loss, 2.8f);
    training_close(&training);
}

TEST(a_step_that_breaks_off_says_where_and_leaves_the_weights)
{
    TrainingRecipe recipe = small_recipe();
    static Training training;
    Error err = {.text = ""};
    recipe.rate = 1e30f;
    open_training(&training, &recipe);
    while (training.step < recipe.steps && training_step(&training, &err))
        ;
    ck_assert_int_lt(training.step, recipe.steps);
    ck_assert_msg(strstr(err.text, "NaN; the learning rate is") != NULL, "%s", err.text);
    for (ptrdiff_t i = 0; i < tensor_count(&training.weights[WEIGHT_Q]); i++)
        ck_assert(isfinite(training.weights[WEIGHT_Q].storage.f32[i]));
    training_close(&training);

    recipe.rate = NAN;
    ck_assert(!training_open(&training, &recipe, &err));
    ck_assert_str_eq(err.text, "the learning rate must be above 0, not nan");
    recipe = small_recipe();
    recipe.heads = 5;
    ck_assert(!training_open(&training, &recipe, &err));
    ck_assert_str_eq(err.text, "width 12 is not divisible by 5 heads");
}

// Measuring takes heads away, and puts them back.
TEST(measuring_changes_nothing)
{
    TrainingRecipe recipe = small_recipe();
    static Training measured, left;
    Measure measure;
    Error err = {.text = ""};
    open_training(&measured, &recipe);
    open_training(&left, &recipe);
    train(&measured, 5);
    train(&left, 5);
    ck_assert_msg(measure_training(&measured, 0, &measure, &err), "%s", err.text);
    check_equal(&measured, &left);
    for (int q = 0; q < QUESTION_COUNT; q++) {
        double mass = 0.0;
        for (int h = 0; h < recipe.heads; h++)
            mass += measure.mass[q][h];
        ck_assert_double_gt(mass, 0.0);
        ck_assert_double_le(mass, recipe.heads);
        ck_assert_int_gt(measure.rows[q], 50);
    }
    training_close(&measured);
    training_close(&left);
}

SUITE("train")
