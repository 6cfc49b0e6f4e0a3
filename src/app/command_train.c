// attnscope train: trains a layer on short texts until its heads have parted, or two layers on texts that repeat
// until their heads work together. Prints lines, or runs live in the terminal or in a window; --compare runs two.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "app.h"
#include "app_exercise.h"
#include "app_words.def"
#include "scenario_file.h"
#include "screen.h"
#include "shown_name.h"
#include "tensor_file.h"
#include "train_view.h"
#include "training.h"
#include "training_watch.h"
#include "tui.h"
#include "utf8.h"

// --- the recipe

static bool read_optimizer(const char *name, TrainingRecipe *recipe)
{
    recipe->is_sgd = name && strcmp(name, "sgd") == 0;
    if (recipe->is_sgd) { // SGD is slow: it would learn nothing but the overlap's penalty
        recipe->rate = 0.03f;
        recipe->overlap_cost = recipe->decay = 0.0f;
    }
    if (!name || recipe->is_sgd || strcmp(name, "adam") == 0)
        return true;
    return app_refuse(TELL(TRAIN_OPTIMIZER), name);
}

// Takes the shape of the named scenario, if any. Its weights need not exist.
static bool read_scenario(const AppOptions *options, TrainingRecipe *recipe, Error *err)
{
    Scenario scenario;
    ScenarioRequest request = options->request;
    request.shape_only = true;
    if (!request.what && request.set_count > 0)
        return error_set(err, TELL(TRAIN_SET_ALONE));
    if (!request.what)
        return true;
    if (!scenario_open(&scenario, &request, err))
        return false;
    bool good = training_recipe_of(&scenario, recipe, err);
    scenario_finish(&scenario);
    return good;
}

// "0,100,500"
static bool read_pauses(const char *text, TrainingRecipe *recipe)
{
    for (const char *at = text; at && *at;) {
        char *end;
        long long step = strtoll(at, &end, 10);
        bool good = end > at && (*end == ',' || !*end) && step >= 0 && step <= 1000000;
        if (!good || recipe->pause_count == TRAINING_PAUSES_MAX)
            return app_refuse(TELL(TRAIN_PAUSES), TRAINING_PAUSES_MAX, text);
        recipe->pauses[recipe->pause_count++] = step;
        at = *end ? end + 1 : end;
    }
    return true;
}

static bool read_options(const AppOptions *options, TrainingRecipe *recipe)
{
    if (!read_pauses(options->pause, recipe) || !read_optimizer(options->optimizer, recipe))
        return false;
    double steps = (double)recipe->steps, seed = 0, rate = (double)recipe->rate,
           heads = recipe->heads, overlap = (double)recipe->overlap_cost,
           decay = (double)recipe->decay;
    if (!app_read_number((AppRange){"steps", 0, 1e6, APP_WHOLE}, options->steps, &steps) ||
        !app_read_number((AppRange){"seed", 0, 4294967295.0, APP_WHOLE}, options->seed, &seed) ||
        !app_read_number((AppRange){"rate", 0, 1e9, APP_ABOVE}, options->rate, &rate) ||
        !app_read_number((AppRange){"overlap", 0, 1e6, APP_ANY}, options->overlap, &overlap) ||
        !app_read_number((AppRange){"decay", 0, 1, APP_ANY}, options->decay, &decay) ||
        !app_read_number((AppRange){"heads", 1, MEASURE_HEADS_MAX, APP_WHOLE}, options->heads,
                         &heads))
        return false;
    recipe->steps =
        options->steps ? (int64_t)steps : training_usual_steps(recipe->grammar, (int)heads);
    recipe->seed = (uint64_t)seed;
    recipe->rate = (float)rate;
    recipe->heads = (int)heads;
    recipe->overlap_cost = (float)overlap;
    recipe->decay = (float)decay;
    recipe->threads = options->threads;
    return true;
}

// The recipe of the options and their scenario. Reports an error, sets *code and returns false on failure.
static bool make_recipe(const AppOptions *options, TrainingRecipe *recipe, int *code)
{
    Error err = {.text = ""};
    *recipe = training_recipe(&grammar_english);
    *code = APP_MISUSED;
    if (!read_scenario(options, recipe, &err)) {
        *code = app_fail(APP_FAILED, "%s", err.text);
        return false;
    }
    if (!read_options(options, recipe))
        return false;
    return training_recipe_check(recipe, &err) || app_refuse("%s", err.text);
}

// --- printed commands: how to continue a training, how to open its weights

enum { WORD_BYTES_MAX = 4096 + 64 }; // a path with the name of a field before it

// Quotes the word for the shell.
static void print_word(const char *value)
{
    char word[SHELL_WORD_ROOM(WORD_BYTES_MAX)];
    if (value && strlen(value) <= WORD_BYTES_MAX)
        printf(" %s", shell_word(value, word));
}

static void print_option(const char *name, const char *value)
{
    if (value)
        printf(" --%s", name);
    print_word(value);
}

static void print_field(const char *field, const char *value)
{
    char set[WORD_BYTES_MAX + 1];
    snprintf(set, sizeof set, "%s=%s", field, value);
    print_option("set", set);
}

static void print_sets(const AppOptions *options)
{
    for (int i = 0; i < options->request.set_count; i++)
        print_option("set", options->request.sets[i]);
}

// The arguments of "attnscope train" that continue this training; without --out, suggests a file.
static void print_again(const AppOptions *options, const char *out)
{
    print_word(options->request.what);
    print_sets(options);
    print_option("steps", options->steps);
    print_option("seed", options->seed);
    print_option("rate", options->rate);
    print_option("heads", options->heads);
    print_option("overlap", options->overlap);
    print_option("decay", options->decay);
    print_option("optimizer", options->optimizer);
    print_option("out", out ? out : "trained.safetensors");
    printf("\n");
}

// model.asked belongs to the scenario's own heads: `resets_asked` turns it off.
static void print_opening(const char *scenario, bool resets_asked, const AppOptions *options,
                          const char *file)
{
    print_word(scenario);
    print_sets(options);
    if (options->heads)
        print_field("model.heads", options->heads);
    print_field("weights.file", file);
    if (resets_asked)
        print_field("model.asked", "none");
    printf("\n");
}

static void print_written(const AppOptions *options, const Grammar *grammar, const char *out)
{
    words_print(stdout, TELL(TRAIN_WRITTEN), out);
    print_opening(options->request.what ? options->request.what : "heads", !grammar->repeats,
                  options, out);
}

void app_print_trained(const AppOptions *options, const char *file, int layers)
{
    if (layers > 1)
        words_print(stdout, TELL(TRAIN_OPENS_LAYERS), file, layers);
    else
        words_print(stdout, TELL(TRAIN_OPENS), file);
    print_opening(layers > 1 ? "induction" : "heads", layers == 1, options, file);
}

// --- printed lines

enum { PROGRESS_STEPS = 20, CHECKPOINT_STEPS = 100, PATH_BYTES_MAX = 4096 };

typedef struct Watching {
    const AppOptions *options;
    const char *out;        // --out, or NULL
    const char *checkpoint; // a path, or NULL
    Training *training;
    bool is_terminal; // standard error: shows a progress line
} Watching;

// True if lines are printed at this step.
static bool is_printed(int64_t step, int64_t steps)
{
    static const int64_t printed[] = {0, 30, 100, 300, 1000};
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
        if (step == printed[i])
            return true;
    return step == steps;
}

// What the overlap costs, as a remark on the loss.
static void print_cost(const TrainingRecipe *recipe)
{
    if (recipe->overlap_cost > 0.0f)
        printf(TELL(TRAIN_PAID_FOR), (double)recipe->overlap_cost);
}

static void print_loss(const Training *training)
{
    if (!training->has_loss)
        return;
    printf(TELL(TRAIN_LOSS), (double)training->loss);
    if (training->recipe.overlap_cost > 0.0f)
        printf(TELL(TRAIN_PAID), (double)training->paid);
}

static void print_verdict(const Training *training, const Measure *measure)
{
    char text[2 * TRAINING_TEXT_MAX];
    training_text_verdict(training, measure, text, sizeof text);
    prose_print(text, "", app_exercise_columns(), stdout);
}

static void print_right(const Training *training, const Measure *measure)
{
    printf(TELL(TRAIN_RIGHT));
    for (int q = 0; q < training->recipe.grammar->asked; q++)
        printf("  %s %.3f", training_text_question(training, (Question)q), measure->right[q]);
}

// For each head, the word with the most weight for the query word `at`.
static void print_look(const TrainingRecipe *recipe, const TrainingBatch *batch, int at)
{
    enum { WORD_COLUMNS = 9 };
    const GrammarText *text = &batch->texts[0];
    const char *const *words = recipe->grammar->words;
    printf("    ");
    utf8_print(stdout, words[text->words[at]], WORD_COLUMNS);
    for (int h = 0; h < training_heads(recipe); h++) {
        char name[16];
        int best = 0;
        float most = 0.0f;
        for (int to = 0; to < text->length; to++) {
            float weight = measure_weight(batch, 0, h, (ptrdiff_t[]){at, to});
            best = weight > most ? to : best;
            most = weight > most ? weight : most;
        }
        printf(TELL(TRAIN_HEAD), training_head_name(recipe, h, name));
        utf8_print(stdout, words[text->words[best]], WORD_COLUMNS);
        printf(" %.2f", (double)most);
    }
    printf("\n");
}

// Two telling query words. If texts repeat: an asked word, and where its answer stands.
static void choose_rows(const GrammarText *text, bool repeats, int rows[2])
{
    enum { HANDSOME_AT = 3, HE_AT = 5 };
    rows[0] = HANDSOME_AT;
    rows[1] = HE_AT;
    for (int at = 0; repeats && at < text->length; at++)
        if (text->where[QUESTION_NEXT][at] >= 0) {
            rows[0] = at;
            rows[1] = text->where[QUESTION_NEXT][at];
            return;
        }
}

static bool print_sentence(const Training *training, Error *err)
{
    const Grammar *grammar = training->recipe.grammar;
    TrainingBatch batch;
    Generator generator;
    int rows[2];
    if (!training_batch_open(training, 1, grammar->length, &batch, err))
        return false;
    generator_seed(&generator, 0);
    if (grammar->repeats)
        grammar_draw_where(grammar, &generator, true, &batch.texts[0]);
    else
        grammar_document_text(grammar, &batch.texts[0]);
    choose_rows(&batch.texts[0], grammar->repeats, rows);
    bool good = training_batch_run(&batch, err);
    for (int i = 0; good && i < 2; i++)
        print_look(&training->recipe, &batch, rows[i]);
    training_batch_close(&batch);
    return good;
}

static bool print_state(const Training *training, Error *err)
{
    Measure measure;
    if (!measure_answers(training, &measure, err))
        return false;
    printf(TELL(TRAIN_STEP), (long long)training->step);
    print_loss(training);
    print_right(training, &measure);
    printf("\n");
    bool good = print_sentence(training, err);
    fflush(stdout);
    return good;
}

static void show_progress(const Watching *watching)
{
    const Training *training = watching->training;
    if (watching->is_terminal && training->step % PROGRESS_STEPS == 0)
        fprintf(stderr, TELL(TRAIN_AT), (long long)training->step,
                (long long)training->recipe.steps, (double)training->loss);
}

static void end_progress(const Watching *watching)
{
    enum { PROGRESS_COLUMNS = 60 };
    if (watching->is_terminal)
        fprintf(stderr, "\r%*s\r", PROGRESS_COLUMNS, "");
}

static void print_question(const Training *training, const Measure *measure, Question q)
{
    const TrainingRecipe *recipe = &training->recipe;
    char name[16];
    printf(TELL(TRAIN_QUESTION), training_text_question(training, q), measure->right[q],
           measure->rows[q]);
    for (int h = 0; h < training_heads(recipe); h++)
        if (recipe->grammar->repeats)
            printf(TELL(TRAIN_MEASURE_NEXT), training_head_name(recipe, h, name),
                   measure->mass[q][h], h == measure->owner[q] ? "*" : " ",
                   measure->mass[QUESTION_BEFORE][h],
                   h == measure->owner[QUESTION_BEFORE] ? "*" : " ", measure->right_without[q][h]);
        else
            printf(TELL(TRAIN_MEASURE), training_head_name(recipe, h, name),
                   h == measure->owner[q] ? "*" : " ", measure->mass[q][h],
                   measure->right_without[q][h]);
}

static void print_table(const Training *training, const Measure *measure)
{
    const Grammar *grammar = training->recipe.grammar;
    printf(TELL(TRAIN_HELD), MEASURE_TEXTS);
    for (int q = 0; q < grammar->asked; q++)
        print_question(training, measure, (Question)q);
    if (grammar->repeats)
        prose_print(TELL(TRAIN_MEANS_NEXT), "", app_exercise_columns(), stdout);
    print_verdict(training, measure);
}

// --- a training, line by line

static bool train_on(const Watching *watching, Error *err)
{
    Training *training = watching->training;
    print_cost(&training->recipe);
    bool good = !is_printed(training->step, training->recipe.steps) || print_state(training, err);
    while (good && training->step < training->recipe.steps) {
        good = training_step(training, err);
        show_progress(watching);
        if (good && is_printed(training->step, training->recipe.steps)) {
            end_progress(watching);
            good = print_state(training, err);
        }
        if (good && watching->checkpoint && training->step % CHECKPOINT_STEPS == 0)
            good = training_write_checkpoint(training, watching->checkpoint, err);
    }
    end_progress(watching);
    return good;
}

static bool finish(const Watching *watching, Error *err)
{
    Measure measure;
    if (!measure_training(watching->training, 0, &measure, err))
        return false;
    print_table(watching->training, &measure);
    if (!watching->out)
        return true;
    if (!training_write_weights(watching->training, watching->out, err))
        return false;
    unlink(watching->checkpoint);
    print_written(watching->options, watching->training->recipe.grammar, watching->out);
    return true;
}

// Keeps the weights of before the step that failed.
static void keep_last(const Watching *watching)
{
    Error err;
    if (watching->out && training_write_weights(watching->training, watching->out, &err))
        fprintf(stderr, TELL(TRAIN_BEFORE), watching->out);
}

static bool resume(const Watching *watching, Error *err)
{
    if (!watching->checkpoint || access(watching->checkpoint, F_OK) != 0)
        return true;
    if (!training_read_checkpoint(watching->training, watching->checkpoint, err))
        return false;
    printf(TELL(TRAIN_GOES_ON), (long long)watching->training->step, watching->checkpoint);
    return true;
}

// Prints and saves the result, or the error.
static int end(const Watching *watching, bool trained, Error *err)
{
    int code = trained && finish(watching, err) ? APP_DONE : app_fail(APP_FAILED, "%s", err->text);
    if (watching->training->broke_off)
        keep_last(watching);
    return code;
}

static int train_lines(const TrainingRecipe *recipe, Watching watching)
{
    static Training training; // with a generator: large
    Error err = {.text = ""};
    watching.training = &training;
    if (!training_open(&training, recipe, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    bool trained = resume(&watching, &err) && train_on(&watching, &err);
    int code = end(&watching, trained, &err);
    training_close(&training);
    return code;
}

// --- live: one training or two, in the terminal or a window

enum { FRAME_MILLISECONDS = 20 }; // the wait for keys between frames

// What is watched. The first training's `left` ends the view.
typedef struct Watched {
    TrainingWatch *watch;
    const char *checkpoint; // a path, or NULL
} Watched;

static bool runs(const Watched *watched)
{
    return training_watch_runs(watched->watch) && !watched->watch->shows_help;
}

// Computes a frame, and writes a checkpoint when one is due.
static bool next_frame(const Watched *watched, Error *err)
{
    const Training *training = &watched->watch->training;
    int64_t kept = training->step / CHECKPOINT_STEPS;
    if (!training_watch_frame(watched->watch, err))
        return false;
    bool is_due = training->step / CHECKPOINT_STEPS != kept;
    return !watched->checkpoint || !is_due ||
           training_write_checkpoint(training, watched->checkpoint, err);
}

static void draw(void *context, Cells *cells)
{
    const Watched *watched = context;
    train_screen_draw(watched->watch, cells);
}

static bool handle_event(void *context, const TerminalEvent *event, const Cells *cells, Error *err)
{
    const Watched *watched = context;
    (void)cells;
    if (event->kind == TERMINAL_KEY)
        return training_watch_press(watched->watch, event->key, err);
    return event->kind != TERMINAL_TIME || next_frame(watched, err);
}

static LoopWants wants(void *context)
{
    return (LoopWants){.beside = -1, .milliseconds = runs(context) ? FRAME_MILLISECONDS : -1};
}

static LoopEnd follow_in_terminal(Watched *watched, Error *err)
{
    return loop_run(&(LoopView){.context = watched,
                                .over = &watched->watch->left,
                                .draw = draw,
                                .handle = handle_event,
                                .wants = wants},
                    err);
}

// Handles keys and clicks. Returns false and sets err if the machine fails or the window is lost.
static bool take_keys(TrainWindow *window, TrainingWatch *watch, Error *err)
{
    char key[WINDOW_MESSAGE_MAX];
    while (!watch->left && train_window_next(window, key, err))
        if (!training_watch_press(watch, key, err))
            return false;
    watch->left = watch->left || window->closed;
    return err->text[0] == '\0';
}

static bool follow(TrainWindow *window, const Watched *watched, Error *err)
{
    bool good = true;
    while (good && !watched->watch->left) {
        bool is_running = runs(watched);
        if (is_running)
            good = next_frame(watched, err);
        window->stale = window->stale || is_running;
        good = good && train_window_show(window, watched->watch, err);
        if (good && !is_running)
            window_wait(&window->window, -1);
        good = good && take_keys(window, watched->watch, err);
    }
    return good;
}

static LoopEnd follow_in_window(const Watched *watched, Error *err)
{
    static TrainWindow window; // large
    Error why = {.text = ""};  // its advice is about pictures
    if (!train_window_open(&window, watched->watch->other != NULL, &why)) {
        error_set(err, "%s", TELL(TRAIN_NO_WINDOW));
        return LOOP_BROKEN_OFF;
    }
    bool good = follow(&window, watched, err);
    train_window_close(&window);
    return good ? LOOP_OVER : LOOP_BROKEN_OFF;
}

typedef enum TrainPlace { TRAIN_IN_LINES, TRAIN_IN_TERMINAL, TRAIN_IN_WINDOW } TrainPlace;

// Live if the user can see it and press keys.
static TrainPlace place_of(const AppOptions *options)
{
    bool is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    return options->window                  ? TRAIN_IN_WINDOW
           : is_terminal && !options->lines ? TRAIN_IN_TERMINAL
                                            : TRAIN_IN_LINES;
}

// LOOP_UNOPENED: lines remain. A terminal that cannot be drawn on has said so.
static LoopEnd follow_in(TrainPlace place, Watched *watched, Error *err)
{
    return place == TRAIN_IN_WINDOW     ? follow_in_window(watched, err)
           : place == TRAIN_IN_TERMINAL ? follow_in_terminal(watched, err)
                                        : LOOP_UNOPENED;
}

// After the user left early: keeps the state, and prints how to continue.
static int leave(const Watching *watching, Error *err)
{
    if (watching->out && !training_write_checkpoint(watching->training, watching->checkpoint, err))
        return app_fail(APP_FAILED, "%s", err->text);
    words_print(stdout, watching->out ? TELL(TRAIN_LEFT) : TELL(TRAIN_LEFT_NOTHING),
                (long long)watching->training->step);
    print_again(watching->options, watching->out);
    return APP_DONE;
}

static int end_live(TrainingWatch *watch, const Watching *watching, Error *err)
{
    if (watch->state == WATCH_ENDED)
        return end(watching, true, err);
    if (watch->state == WATCH_BROKE_OFF)
        return end(watching, false, &watch->broken);
    return leave(watching, err);
}

static int train_live(const TrainingRecipe *recipe, Watching watching, TrainPlace place)
{
    static TrainingWatch watch; // with a generator: large
    Error err = {.text = ""};
    LoopEnd looked = LOOP_BROKEN_OFF;
    if (!training_watch_open(&watch, recipe, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    watching.training = &watch.training;
    if (resume(&watching, &err) && training_watch_begin(&watch, &err))
        looked =
            follow_in(place, &(Watched){.watch = &watch, .checkpoint = watching.checkpoint}, &err);
    int code = looked == LOOP_BROKEN_OFF ? app_fail(APP_FAILED, "%s", err.text)
               : looked == LOOP_OVER     ? end_live(&watch, &watching, &err)
                                         : APP_DONE;
    training_watch_close(&watch);
    return looked == LOOP_UNOPENED ? train_lines(recipe, watching) : code;
}

static int train(const TrainingRecipe *recipe, const AppOptions *options)
{
    char checkpoint[PATH_BYTES_MAX];
    const char *out = options->out;
    Error err;
    if (out && !tensor_file_try(out, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    snprintf(checkpoint, sizeof checkpoint, "%s.part.safetensors", out ? out : "");
    const Watching watching = {.options = options,
                               .out = out,
                               .checkpoint = out ? checkpoint : NULL,
                               .is_terminal = isatty(STDERR_FILENO)};
    TrainPlace place = place_of(options);
    return place == TRAIN_IN_LINES ? train_lines(recipe, watching)
                                   : train_live(recipe, watching, place);
}

// --- two trainings side by side

// The value in "FIELD VALUE"; NULL for another field.
static const char *value_of(const char *what, const char *field)
{
    size_t length = strlen(field);
    return strncmp(what, field, length) == 0 && what[length] == ' ' ? what + length + 1 : NULL;
}

// Parses a whole number from 1 to `most`.
static bool read_count(const char *text, int most, int *count)
{
    char *rest;
    long number = strtol(text, &rest, 10);
    *count = (int)number;
    return *text != '\0' && *rest == '\0' && number >= 1 && number <= most;
}

// Changes one thing of the recipe. Returns false if `what` is unknown.
static bool read_other(const char *what, TrainingRecipe *other)
{
    static const char *const fields[] = {"scale", "position", "overlap", "mask"};
    bool repeats = other->grammar->repeats;
    const char *heads = value_of(what, "heads"), *layers = value_of(what, "layers");
    if (heads)
        return read_count(heads, MEASURE_HEADS_MAX, &other->heads);
    if (layers)
        return repeats && read_count(layers, TRAINING_LAYERS_MAX, &other->layers);
    for (int i = 0; i < (int)(sizeof fields / sizeof *fields); i++) {
        const char *value = value_of(what, fields[i]);
        bool has_none = i != (repeats ? 2 : 3); // texts that repeat have no penalty, others no mask
        if (!value || strcmp(value, "none") != 0 || !has_none)
            continue;
        other->unscaled = other->unscaled || i == 0;
        other->unplaced = other->unplaced || i == 1;
        other->overlap_cost = i == 2 ? 0.0f : other->overlap_cost;
        other->unmasked = other->unmasked || i == 3;
        return true;
    }
    return false;
}

static void print_side(const TrainingWatch *watch)
{
    enum { NAME_COLUMNS = 15 };
    utf8_print(stdout, watch->name, NAME_COLUMNS);
    if (watch->state == WATCH_BROKE_OFF) {
        printf(TELL(TRAIN_COMPARE_BROKE), watch->broken.text);
        return;
    }
    print_loss(&watch->training);
    print_right(&watch->training, &watch->measure);
    printf(TELL(TRAIN_COMPARE_SHARP), training_watch_sharpness(watch));
}

// Shows the step of a side that has not failed.
static void print_sides(const TrainingWatch *watch)
{
    const TrainingWatch *shown = watch->state == WATCH_BROKE_OFF ? watch->other : watch;
    printf(TELL(TRAIN_STEP), (long long)shown->training.step);
    printf("\n");
    print_side(watch);
    print_side(watch->other);
    fflush(stdout);
}

static bool look(TrainingWatch *watch, Error *err)
{
    return training_watch_look(watch, true, err) && training_watch_look(watch->other, true, err);
}

// For each question, the head that answers it; and whether the heads have parted.
static void print_heads(const TrainingWatch *watch)
{
    enum { QUESTION_COLUMNS = 8 };
    const Measure *measure = &watch->measure;
    if (watch->state == WATCH_BROKE_OFF)
        return;
    printf("%s\n", watch->name);
    for (int q = 0; q < watch->training.recipe.grammar->measured; q++) {
        int own = measure->owner[q];
        char name[16];
        printf("  ");
        utf8_print(stdout, training_text_question(&watch->training, (Question)q), QUESTION_COLUMNS);
        printf(TELL(TRAIN_COMPARE_HEAD), measure->right[q],
               training_head_name(&watch->training.recipe, own, name), measure->mass[q][own],
               measure->right_without[q][own]);
    }
    print_verdict(&watch->training, measure);
}

static void print_end(const TrainingWatch *watch)
{
    printf(TELL(TRAIN_HELD), MEASURE_TEXTS);
    print_heads(watch);
    print_heads(watch->other);
}

static void print_meaning(const TrainingRecipe *recipe)
{
    print_cost(recipe);
    if (recipe->grammar->repeats)
        prose_print(TELL(TRAIN_MEANS_NEXT), "", app_exercise_columns(), stdout);
    else
        words_print(stdout, TELL(TRAIN_COMPARE_MEANS),
                    recipe->grammar->words[recipe->grammar->first_of[0]]);
}

static bool run_lines(TrainingWatch *watch, Error *err)
{
    int64_t steps = watch->training.recipe.steps;
    bool good = true;
    print_meaning(&watch->training.recipe);
    print_sides(watch);
    for (int64_t step = 1; good && step <= steps; step++) {
        good = training_watch_step(watch, err);
        if (good && is_printed(step, steps) && (good = look(watch, err)))
            print_sides(watch);
    }
    if (good)
        print_end(watch);
    return good;
}

// The result has all heads, also those that the user removed for a while.
static bool report_end(TrainingWatch *watch, Error *err)
{
    watch->without = watch->other->without = 0;
    if (!look(watch, err))
        return false;
    print_meaning(&watch->training.recipe);
    print_sides(watch);
    print_end(watch);
    return true;
}

static bool run_in(TrainPlace place, TrainingWatch *watch, Error *err)
{
    LoopEnd looked = follow_in(place, &(Watched){.watch = watch}, err);
    return looked == LOOP_UNOPENED ? run_lines(watch, err)
                                   : looked == LOOP_OVER && report_end(watch, err);
}

static bool is_same(const TrainingRecipe *a, const TrainingRecipe *b)
{
    return a->heads == b->heads && a->layers == b->layers && a->unscaled == b->unscaled &&
           a->unplaced == b->unplaced && a->unmasked == b->unmasked &&
           a->overlap_cost == b->overlap_cost;
}

// Nobody asked for another number of steps: both take what the slower needs.
static void lengthen(const TrainingRecipe *given, TrainingRecipe *own, TrainingRecipe *other)
{
    int64_t one = training_usual_steps(own->grammar, own->heads);
    int64_t two = training_usual_steps(other->grammar, other->heads);
    if (given->steps == training_usual_steps(given->grammar, given->heads))
        own->steps = other->steps = one > two ? one : two;
}

// Trains the recipe and one that differs in `what`, from the same seed: "overlap none", "heads 1".
static int compare(const TrainingRecipe *recipe, const char *what, TrainPlace place)
{
    static TrainingWatch first, second; // large
    TrainingRecipe own = *recipe, other = *recipe;
    char name[32];
    Error err = {.text = ""};
    if (!read_other(what, &other))
        return app_fail(
            APP_MISUSED,
            own.grammar->repeats ? TELL(TRAIN_COMPARE_WHAT_NEXT) : TELL(TRAIN_COMPARE_WHAT), what);
    bool has_so_many = value_of(what, "heads") && other.heads == own.heads;
    if (has_so_many) // it asks for a contrast: one head next to two
        own.heads = other.heads == 1 ? 2 : 1;
    lengthen(recipe, &own, &other);
    if (is_same(&own, &other))
        return app_fail(APP_MISUSED, TELL(TRAIN_COMPARE_SAME), what);
    if (!training_recipe_check(&other, &err))
        return app_fail(APP_MISUSED, "%s", err.text);
    if (!training_watch_open(&first, &own, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    snprintf(name, sizeof name, "%s %d", "heads", own.heads);
    first.name = has_so_many ? name : TELL(TRAIN_COMPARE_RECIPE);
    bool good = training_watch_open_other(&first, &second, &other, &err);
    second.name = what;
    good = good && training_watch_begin(&first, &err) && run_in(place, &first, &err);
    training_watch_close(&first);
    return app_result(good, &err);
}

// --- the command

static int run(AppOptions *options)
{
    TrainingRecipe recipe;
    if (!app_takes_one(options))
        return APP_MISUSED;
    if (options->compare && options->out)
        return app_fail(APP_MISUSED, TELL(TRAIN_COMPARE_OUT));
    int code;
    if (!make_recipe(options, &recipe, &code))
        return code;
    return options->compare ? compare(&recipe, options->compare, place_of(options))
                            : train(&recipe, options);
}

const AppCommand command_train = {
    .name = "train",
    .arguments = "[SCENARIO] [--steps N] [--seed S] [--pause 0,100,500] [--out FILE.safetensors] "
                 "[--lines|--window]",
    .is_first = true,
    .summary = WORDS("Train a layer, or two, and watch what their heads learn to do",
                     "층 하나나 둘을 학습합니다: 비슷하게 시작한 헤드가 서로 다른 일을 맡습니다"),
    .details = WORDS(
        "Trains one attention layer from scratch on sentences from a small grammar (\"Jungkook\n"
        "is very handsome . He is a singer .\"). Three readouts answer a question at every word:\n"
        "who is meant, which word comes before, which mark ends the sentence. While it trains,\n"
        "it prints held-out accuracy and where each head looks from two words. At the end it\n"
        "shows what each head does, and what is lost without that head.\n"
        "This is not a language model. Where a head looks explains nothing by itself; removing\n"
        "the head does. In a terminal you watch the training live, and ? lists the keys.\n"
        "Elsewhere, or with --lines, the output is line by line.\n"
        "`attnscope train induction` and `attnscope train memory` train two layers on texts that\n"
        "repeat: letters, or who has what (memory-korean: in Korean). They learn which word is\n"
        "next where the text shows it. A head of the first layer looks at the word before, one\n"
        "of the second at what came after: an induction head. No single layer can do that. From\n"
        "half of the steps on, `memory` is also asked for the full stop and for the next name,\n"
        "which it can only guess: the loss rises there, and the model learns to continue a text\n"
        "(attnscope write).\n"
        "A SCENARIO with the words and questions of `heads` trains another shape: its d_model,\n"
        "heads, position and attention.scale apply. Its weights file need not exist yet.\n"
        "With those of `sentence-korean` it learns from Korean texts.\n"
        "  --set KEY=VALUE change the scenario: attnscope train heads --set model.heads=6\n"
        "  --steps N       training steps; the learning rate falls over them [2000; where texts\n"
        "                  repeat 400, with two heads per layer 1200]\n"
        "  --seed S        the seed for the initial weights and the texts [0]\n"
        "  --rate R        the learning rate [0.01; with sgd 0.03]\n"
        "  --heads H       the number of heads that share the width of 48 [3; where texts repeat\n"
        "                  1 in each layer]\n"
        "  --overlap C     a penalty if two questions use the same head [5; with sgd 0]. It\n"
        "                  makes the heads specialise; with 0, they do so from some seeds only.\n"
        "                  The printed loss does not include it\n"
        "  --decay D       weight decay, times the learning rate [0.3; with sgd 0; where texts\n"
        "                  repeat 0.1]\n"
        "  --optimizer O   adam or sgd [adam]\n"
        "  --out FILE      save the weights as .safetensors or .npz. A checkpoint is kept every\n"
        "                  100 steps in FILE.part.safetensors; the same command resumes from it\n"
        "                  and ends with the same bits. To open the result:\n"
        "                  trace heads --set weights.file=FILE --set model.asked=none\n"
        "                  trace induction --set weights.file=FILE\n"
        "  --pause 0,100   wait at these steps until you press Space; + and - double and\n"
        "                  halve the speed\n"
        "  --lines         print line by line, even in a terminal\n"
        "  --window        train live in a window: the maps of all heads, keys and mouse\n"
        "  --compare WHAT  train a second layer from the same seed with one difference:\n"
        "                  \"overlap none\", \"scale none\", \"position none\", \"heads 1\"\n"
        "                  (or another number); where texts repeat also \"layers 1\" and \"mask\n"
        "                  none\", but no overlap. Both are live, in a terminal or a window, and\n"
        "                  keys act on both\n",
        "작은 문법의 글(\"Jungkook is very handsome . He is a singer .\")과 단어마다 세 가지\n"
        "질문이 있습니다: 누구를 가리키는지, 앞 단어가 무엇인지, 문장이 어떤 부호로 끝나는지.\n"
        "어텐션 층 하나와 질문마다 하나씩 있는 출력층이 처음부터 배웁니다. 몇몇 스텝에서\n"
        "검증용 글에 얼마나 맞게 답하는지, 헤드마다 두 단어에서 어디를 보는지 알려 줍니다. "
        "끝에는\n"
        "어느 헤드가 무엇을 하는지, 그 헤드를 빼면 무엇을 잃는지 나옵니다. 언어 모델이 아니고,\n"
        "헤드가 보는 것만으로는 아무것도 설명되지 않습니다. 그래서 헤드를 빼 봅니다.\n"
        "`attnscope train induction`과 `attnscope train memory`는 되풀이하는 글로 두 층을 "
        "학습합니다.\n"
        "글자 묶음이 되풀이되거나, 누가 무엇을 가졌는지 나옵니다(한국어는 memory-korean). 글이 "
        "이미\n"
        "알려 준 곳에서 다음 단어가 무엇인지 배웁니다. 첫 층의 헤드는 앞 단어를 보고, 둘째 층의 "
        "헤드는\n"
        "앞에서 뒤이어 나온 단어를 봅니다. 이것이 귀납 헤드이고, 층 하나로는 할 수 없습니다.\n"
        "memory는 스텝이 절반을 지나면 마침표와 다음 이름도 맞혀야 합니다. 이름은 짐작할 수밖에 "
        "없어서\n"
        "손실이 그때 커지지만, 글을 이어 쓸 수 있게 됩니다(attnscope write).\n"
        "터미널에서는 배우는 모습이 그대로 보이고 ?를 누르면 무엇을 누를 수 있는지 나옵니다. 그 "
        "밖에서는, 그리고\n"
        "--lines를 쓰면 한 줄씩 나옵니다.\n"
        "`heads`의 단어와 질문이 있는 시나리오를 쓰면 다른 모양의 모델을 학습합니다. 그 d_model, "
        "heads,\n"
        "position, attention.scale을 따르고, 가중치는 아직 없어도 됩니다.\n"
        "`attnscope train sentence-korean`은 한국어 글로 학습합니다.\n"
        "  --set KEY=VALUE 시나리오를 바꿉니다: attnscope train heads --set model.heads=6\n"
        "  --steps N       스텝 수. 학습률은 학습하는 동안 줄어듭니다 [2000, 되풀이하는 글은 400,\n"
        "                  층마다 헤드가 여럿이면 1200]\n"
        "  --seed S        첫 가중치와 글의 시드 [0]\n"
        "  --rate R        학습률 [0.01, sgd는 0.03]\n"
        "  --heads H       48차원을 나눠 쓰는 헤드의 수 [3, 되풀이하는 글은 층마다 1]\n"
        "  --overlap C     두 질문이 한 헤드를 함께 쓸 때의 비용 [5, sgd는 0]. 비용이 있으면\n"
        "                  헤드가 더 확실하게 갈라지고, 0이면 몇몇 시드에서만 갈라집니다.\n"
        "                  보여 주는 손실에는 들어 있지 않습니다\n"
        "  --decay D       가중치가 줄어드는 빠르기. 학습률을 곱해서 씁니다 [0.3, sgd는 0, "
        "되풀이하는\n"
        "                  글은 0.1]\n"
        "  --optimizer O   adam 또는 sgd [adam]\n"
        "  --out FILE      가중치, .safetensors나 .npz. 100스텝마다 중간 상태를 옆의\n"
        "                  FILE.part.safetensors에 둡니다. 같은 명령을 다시 쓰면 거기에서 이어서\n"
        "                  같은 비트로 끝납니다. 끝나면 무엇으로 여는지 알려 줍니다:\n"
        "                  trace heads --set weights.file=FILE --set model.asked=none\n"
        "                  trace induction --set weights.file=FILE\n"
        "  --pause 0,100   그 스텝에서 멈추고 Space를 누르면 이어 갑니다. +와 -는 빠르기를\n"
        "                  두 배, 절반으로 합니다\n"
        "  --lines         터미널에서도 한 줄씩 알려 줍니다\n"
        "  --window        창에서 배우는 모습을 봅니다. 모든 헤드의 맵이 한꺼번에 나오고,\n"
        "                  키보드와 마우스를 씁니다\n"
        "  --compare WHAT  시드가 같고 한 가지만 다른 학습을 나란히 합니다:\n"
        "                  \"overlap none\", \"scale none\", \"position none\", \"heads 1\"\n"
        "                  (또는 다른 수). 되풀이하는 글에서는 overlap 대신 \"layers 1\"과\n"
        "                  \"mask none\"이 있습니다. 터미널이나 창에 둘이 함께 보이고,\n"
        "                  누르는 키는 둘 모두에 적용됩니다\n"),
    .options = "set steps seed rate heads overlap decay optimizer pause out lines window compare",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .run = run,
};
