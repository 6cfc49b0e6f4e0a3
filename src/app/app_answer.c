// print --answer: who made the answer of a scenario: the share of each part of the residual stream, what is
// lost without a head, what heads read from each other, and the path down to a token.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "app.h"
#include "app_words.def"
#include "scenario_file.h"
#include "trace_heads.h"
#include "utf8.h"

enum { HEADS_SHOWN_MAX = 32, SCORES_SHOWN_MAX = 10, SETS_ADDED_MAX = 1, NAME_MAX_BYTES = 128 };

// --- another run of the same scenario

typedef struct Run {
    Scenario scenario;
    Trace trace;
} Run;

static bool open_run(Run *run, const Scenario *like, const char *set, bool unpatched, Error *err)
{
    Arena arena = {0};
    ScenarioRequest request = like->request;
    size_t count = (size_t)request.set_count;
    const char **sets = arena_take(&arena, count + SETS_ADDED_MAX, sizeof *sets, err);
    if (!sets)
        return false;
    if (count > 0)
        memcpy(sets, request.sets, count * sizeof *sets);
    sets[count] = set;
    request.sets = sets;
    request.set_count += set != NULL;
    request.unpatched = unpatched;
    bool opened = scenario_open(&run->scenario, &request, err);
    arena_finish(&arena);
    if (!opened)
        return false;
    run->scenario.backward = false;
    if (trace_open(&run->trace, &run->scenario, err)) {
        if (trace_run(&run->trace, err))
            return true;
        trace_close(&run->trace);
    }
    scenario_finish(&run->scenario);
    return false;
}

static void close_run(Run *run)
{
    trace_close(&run->trace);
    scenario_finish(&run->scenario);
}

// --- the answer, and the same answer elsewhere

static const char *word_at(const Trace *trace, const TraceAnswer *answer, int axis, char text[64])
{
    return trace_label(trace, trace_find(trace, "logits"), axis, answer->at, text);
}

static void print_answer(const Trace *trace, const TraceAnswer *answer)
{
    char word[64], token[64];
    words_print(stdout, TELL(ANSWER_LINE), word_at(trace, answer, 3, word), answer->at[2],
                word_at(trace, answer, 2, token), (double)answer->logit,
                (double)answer->probability, answer->rank);
}

// "10.123  0.987    1"
static void print_numbers(const TraceAnswer *answer)
{
    printf("  %10.4f  %11.4f  %4td", (double)answer->logit, (double)answer->probability,
           answer->rank);
}

// The first column of a table.
static void print_name(const char *name)
{
    int left = 16 - utf8_width(name);
    printf("  %s%*s", name, left > 0 ? left : 0, "");
}

// --- shares, and the logits behind each part

// The probability and rank that a row of logits gives a word.
static void read_row(const float *row, ptrdiff_t words, TraceAnswer *answer)
{
    double sum = 0.0;
    answer->logit = row[answer->at[3]];
    answer->rank = 1;
    for (ptrdiff_t w = 0; w < words; w++) {
        answer->rank += row[w] > answer->logit;
        sum += exp((double)row[w] - (double)answer->logit);
    }
    answer->probability = (float)(1.0 / sum);
}

static bool print_shares(const Scenario *scenario, const TraceAnswer *answer, Error *err)
{
    static Run run;
    char name[NAME_MAX_BYTES];
    bool is_sum = scenario->options.residual && !scenario->options.post_norm &&
                  !scenario_tensor(scenario, "post_norm.weight");
    if (!is_sum)
        return true;
    if (!open_run(&run, scenario, "model.parts=true", false, err))
        return false;
    const Trace *trace = &run.trace;
    const Tensor *shares = &trace->tensors[trace_find(trace, "part_logits")].tensor;
    const Tensor *lens = &trace->tensors[trace_find(trace, "lens")].tensor;
    const Tensor *rounding = &trace->tensors[trace_find(trace, "rounding")].tensor;
    ptrdiff_t at[] = {answer->at[0], answer->at[1], answer->at[2], 0, answer->at[3]};
    fputs(TELL(ANSWER_SHARES), stdout);
    for (; at[3] < shares->shape[3]; at[3]++) {
        TraceAnswer point = *answer;
        ptrdiff_t row[] = {at[0], at[1], at[2], at[3], 0};
        read_row(lens->storage.f32 + tensor_place(lens, row), lens->shape[4], &point);
        print_name(trace_part_name(&run.scenario, at[3], name));
        printf("  %10.4f", tensor_number(shares, at));
        print_numbers(&point);
        putchar('\n');
    }
    print_name(TELL(ANSWER_ROUNDING));
    printf("  %10.2g", tensor_number(rounding, answer->at));
    print_numbers(answer);
    putchar('\n');
    close_run(&run);
    return true;
}

// --- without a head

static bool print_without(const Scenario *scenario, Head head, const char *what,
                          const TraceAnswer *answer, Error *err)
{
    static Run run;
    char set[64];
    TraceAnswer other = *answer;
    snprintf(set, sizeof set, "patch.%d.%td=%s", head.layer, head.head, what);
    if (!open_run(&run, scenario, set, false, err))
        return false;
    trace_answer_here(&run.trace, &other);
    print_numbers(&other);
    close_run(&run);
    return true;
}

static int layers_of(const Scenario *scenario)
{
    return scenario->layers > 1 ? scenario->layers : 1;
}

static bool print_ablations(const Scenario *scenario, const TraceAnswer *answer, Error *err)
{
    char name[NAME_MAX_BYTES];
    if (!scenario->has_heads || layers_of(scenario) * scenario->options.heads > HEADS_SHOWN_MAX)
        return true;
    fputs(TELL(ANSWER_WITHOUT), stdout);
    for (int layer = 0; layer < layers_of(scenario); layer++)
        for (ptrdiff_t head = 0; head < scenario->options.heads; head++) {
            snprintf(name, sizeof name, TELL(ANSWER_HEAD), layer, head);
            print_name(name);
            if (!print_without(scenario, (Head){layer, head}, "zero", answer, err) ||
                !print_without(scenario, (Head){layer, head}, "mean", answer, err))
                return false;
            putchar('\n');
        }
    return true;
}

// --- what heads look at

static bool has_scores(const Trace *trace, Head head, HeadScores *scores)
{
    return trace_head_scores(trace, head, scores) && !isnan(scores->after);
}

// The next head in the order of what came after: the largest below `last`, heads with as much as it stay out.
static bool next_head(const Trace *trace, const HeadScores *last, Head *head)
{
    HeadScores one, best = {.after = -1.0};
    for (int layer = 0; layer < layers_of(trace->scenario); layer++)
        for (ptrdiff_t h = 0; h < trace->scenario->options.heads; h++)
            if (has_scores(trace, (Head){layer, h}, &one) && one.after > best.after &&
                one.after < last->after) {
                best = one;
                *head = (Head){layer, h};
            }
    return best.after >= 0.0;
}

static void print_scores(const Trace *trace)
{
    HeadScores scores = {.after = INFINITY};
    Head head;
    for (int shown = 0; shown < SCORES_SHOWN_MAX && next_head(trace, &scores, &head); shown++) {
        char name[NAME_MAX_BYTES];
        trace_head_scores(trace, head, &scores);
        if (shown == 0)
            fputs(TELL(ANSWER_LOOKS), stdout);
        snprintf(name, sizeof name, TELL(ANSWER_HEAD), head.layer, head.head);
        print_name(name);
        printf("  %11.4f  %11.4f\n", scores.before, scores.after);
    }
}

// --- composition

static void print_ratios(const char *name, const double ratio[COMPOSE_KINDS])
{
    print_name(name);
    printf("  %7.4f  %7.4f  %7.4f\n", ratio[COMPOSE_Q], ratio[COMPOSE_K], ratio[COMPOSE_V]);
}

static bool print_pair(const Trace *trace, Head earlier, Head later, Error *err)
{
    char name[NAME_MAX_BYTES];
    double ratio[COMPOSE_KINDS];
    if (!trace_composition(trace, earlier, later, ratio, err))
        return false;
    snprintf(name, sizeof name, "%d.%td > %d.%td", earlier.layer, earlier.head, later.layer,
             later.head);
    print_ratios(name, ratio);
    return true;
}

static bool print_composition(const Trace *trace, Error *err)
{
    const Scenario *scenario = trace->scenario;
    ptrdiff_t heads = scenario->options.heads;
    double ratio[COMPOSE_KINDS];
    if (layers_of(scenario) < 2 || layers_of(scenario) * heads > HEADS_SHOWN_MAX)
        return true;
    fputs(TELL(ANSWER_COMPOSITION), stdout);
    for (int later = 1; later < layers_of(scenario); later++)
        for (int earlier = 0; earlier < later; earlier++)
            for (ptrdiff_t pair = 0; pair < heads * heads; pair++)
                if (!print_pair(trace, (Head){earlier, pair / heads}, (Head){later, pair % heads},
                                err))
                    return false;
    if (!trace_composition_random(trace, ratio, err))
        return false;
    print_ratios(TELL(ANSWER_RANDOM), ratio);
    return true;
}

// --- the path

static void print_look(const Trace *trace, const char *format, Head head, TraceCell weight)
{
    char query[64], key[64];
    words_print(stdout, format, head.layer, head.head,
                trace_label(trace, weight.tensor, 2, weight.at, query), weight.at[2],
                trace_label(trace, weight.tensor, 3, weight.at, key), weight.at[3],
                tensor_number(&trace->tensors[weight.tensor].tensor, weight.at));
}

// What is left of a weight when a head finds nothing: what it wrote is what the key was made of.
static bool print_key(const Trace *trace, const TracePath *path, Error *err)
{
    static Run run;
    char set[64];
    TraceCell weight = path->cells[1];
    snprintf(set, sizeof set, "patch.%d.%td=zero", path->earlier.layer, path->earlier.head);
    if (!open_run(&run, trace->scenario, set, false, err))
        return false;
    int there = trace_find(&run.trace, trace->tensors[weight.tensor].name);
    words_print(stdout, TELL(ANSWER_PATH_KEY), path->earlier.layer, path->earlier.head,
                tensor_number(&run.trace.tensors[there].tensor, weight.at));
    close_run(&run);
    return true;
}

static bool print_path(const Trace *trace, Error *err)
{
    TracePath path;
    if (layers_of(trace->scenario) < 2)
        return true;
    if (!trace_path(trace, &path, err))
        return false;
    fputs(TELL(ANSWER_PATH), stdout);
    print_look(trace, TELL(ANSWER_PATH_LOOK), path.later, path.cells[1]);
    if (!print_key(trace, &path, err))
        return false;
    print_look(trace, TELL(ANSWER_PATH_LOOK), path.earlier, path.cells[3]);
    return true;
}

// What the run would have answered without the patches that somebody asked for.
static bool print_unpatched(const Scenario *scenario, const TraceAnswer *answer, Error *err)
{
    static Run run;
    TraceAnswer before = *answer;
    if (!scenario->options.patched)
        return true;
    if (!open_run(&run, scenario, NULL, true, err))
        return false;
    fputs(TELL(ANSWER_UNPATCHED), stdout);
    trace_answer_here(&run.trace, &before);
    print_answer(&run.trace, &before);
    close_run(&run);
    fputs(TELL(ANSWER_PATCHED), stdout);
    return true;
}

static bool print_all(const Trace *trace, const TraceAnswer *answer, Error *err)
{
    const Scenario *scenario = trace->scenario;
    if (!print_unpatched(scenario, answer, err))
        return false;
    print_answer(trace, answer);
    if (!print_shares(scenario, answer, err) || !print_ablations(scenario, answer, err))
        return false;
    print_scores(trace);
    return print_composition(trace, err) && print_path(trace, err);
}

// Where nothing is read out, there is what heads look at.
int app_print_answer(AppTrace *app)
{
    Error err = {.text = ""};
    TraceAnswer answer;
    HeadScores scores;
    if (!trace_run(&app->trace, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    if (trace_answer(&app->trace, &answer))
        return print_all(&app->trace, &answer, &err) ? APP_DONE
                                                     : app_fail(APP_FAILED, "%s", err.text);
    if (!has_scores(&app->trace, (Head){0, 0}, &scores))
        return app_fail(APP_FAILED, TELL(ANSWER_NONE), app->scenario.name);
    print_scores(&app->trace);
    return APP_DONE;
}
