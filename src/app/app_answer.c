// print --answer: who made the answer of a scenario: the share of each part of the residual stream, what is
// lost without a head, what heads read from each other, and the path down to a token.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "app.h"
#include "app_words.def"
#include "json.h"
#include "scenario_file.h"
#include "trace_heads.h"
#include "utf8.h"

static const double share_products_max = 4e9; // some ten seconds
enum { HEADS_SHOWN_MAX = 32, SCORES_SHOWN_MAX = 10, SETS_ADDED_MAX = 1, NAME_MAX_BYTES = 128 };

// --- a page of tables, as text or as JSON

typedef struct Page {
    json_t *json; // NULL: text
    json_t *table, *row;
} Page;

static void begin_table(Page *page, const char *key, const char *heading)
{
    if (!page->json) {
        fputs(heading, stdout);
        return;
    }
    page->table = json_array();
    json_object_set_new(page->json, key, page->table);
}

static void begin_row(Page *page, const char *key, const char *name)
{
    int left = 16 - utf8_width(name);
    if (!page->json) {
        printf("  %s%*s", name, left > 0 ? left : 0, "");
        return;
    }
    page->row = json_object();
    json_object_set_new(page->row, key, json_string(name));
    json_array_append_new(page->table, page->row);
}

static void end_row(const Page *page)
{
    if (!page->json)
        putchar('\n');
}

static json_t *number_json(double number)
{
    return isfinite(number) ? json_real(number)
           : isnan(number)  ? json_string("NaN")
                            : json_string(number > 0.0 ? "Infinity" : "-Infinity");
}

static void put_number(const Page *page, const char *key, int columns, double number)
{
    if (page->json)
        json_object_set_new(page->row, key, number_json(number));
    else
        printf("  %*.4f", columns, number);
}

static json_t *answer_json(const TraceAnswer *answer)
{
    return json_pack("{s:o, s:o, s:I}", "logit", number_json((double)answer->logit), "probability",
                     number_json((double)answer->probability), "rank", (json_int_t)answer->rank);
}

// "10.123  0.987    1"
static void put_answer(const Page *page, const char *key, const TraceAnswer *answer)
{
    if (page->json)
        json_object_set_new(page->row, key, answer_json(answer));
    else
        printf("  %10.4f  %11.4f  %4td", (double)answer->logit, (double)answer->probability,
               answer->rank);
}

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

static void print_answer(const Page *page, const char *key, const char *before, const Trace *trace,
                         const TraceAnswer *answer)
{
    char word[64], token[64];
    word_at(trace, answer, 3, word);
    word_at(trace, answer, 2, token);
    if (!page->json) {
        fputs(before, stdout);
        words_print(stdout, TELL(ANSWER_LINE), word, answer->at[2], token, (double)answer->logit,
                    (double)answer->probability, answer->rank);
        return;
    }
    json_t *numbers = answer_json(answer);
    json_object_set_new(numbers, "word", json_string(word));
    json_object_set_new(numbers, "token", json_string(token));
    json_object_set_new(numbers, "place", json_integer((json_int_t)answer->at[2]));
    json_object_set_new(page->json, key, numbers);
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

static void print_share(Page *page, const Run *run, ptrdiff_t part, const TraceAnswer *answer)
{
    char name[NAME_MAX_BYTES];
    const Trace *trace = &run->trace;
    const Tensor *shares = &trace->tensors[trace_find(trace, "part_logits")].tensor;
    const Tensor *lens = &trace->tensors[trace_find(trace, "lens")].tensor;
    const ptrdiff_t at[] = {answer->at[0], answer->at[1], answer->at[2], part, answer->at[3]};
    const ptrdiff_t row[] = {at[0], at[1], at[2], part, 0};
    TraceAnswer point = *answer;
    read_row(lens->storage.f32 + tensor_place(lens, row), lens->shape[4], &point);
    begin_row(page, "part", trace_part_name(&run->scenario, part, name));
    put_number(page, "share", 10, tensor_number(shares, at));
    put_answer(page, "lens", &point);
    end_row(page);
}

// Multiply-adds of stage part_logits, which takes each part of each token through the whole readout.
static double share_products(const Scenario *scenario)
{
    const ptrdiff_t *size = scenario->size;
    return (double)scenario_parts(scenario) * (double)size[SYMBOL_V] * (double)size[SYMBOL_LQ] *
           (double)size[SYMBOL_DOUT] * (double)size[SYMBOL_B];
}

static bool print_shares(Page *page, const Scenario *scenario, const TraceAnswer *answer,
                         Error *err)
{
    static Run run;
    bool is_sum = scenario->options.residual && !scenario->options.post_norm &&
                  !scenario_tensor(scenario, "post_norm.weight");
    if (!is_sum)
        return true;
    if (share_products(scenario) > share_products_max) {
        if (!page->json)
            words_print(stdout, TELL(ANSWER_SHARES_MANY), scenario_parts(scenario),
                        scenario->size[SYMBOL_V], scenario->size[SYMBOL_LQ]);
        return true;
    }
    if (!open_run(&run, scenario, "model.parts=true", false, err))
        return false;
    const Tensor *rounding = &run.trace.tensors[trace_find(&run.trace, "rounding")].tensor;
    double rest = tensor_number(rounding, answer->at);
    begin_table(page, "shares", TELL(ANSWER_SHARES));
    for (ptrdiff_t part = 0; part < run.scenario.size[SYMBOL_PARTS]; part++)
        print_share(page, &run, part, answer);
    begin_row(page, "part", TELL(ANSWER_ROUNDING));
    if (page->json)
        put_number(page, "share", 10, rest);
    else
        printf("  %10.2g", rest);
    put_answer(page, "lens", answer);
    end_row(page);
    close_run(&run);
    return true;
}

// --- without a head

static bool print_without(const Page *page, const Scenario *scenario, Head head, const char *what,
                          const TraceAnswer *answer, Error *err)
{
    static Run run;
    char set[64];
    TraceAnswer other = *answer;
    snprintf(set, sizeof set, "patch.%d.%td=%s", head.layer, head.head, what);
    if (!open_run(&run, scenario, set, false, err))
        return false;
    trace_answer_here(&run.trace, &other);
    put_answer(page, what, &other);
    close_run(&run);
    return true;
}

static int layers_of(const Scenario *scenario)
{
    return scenario->layers > 1 ? scenario->layers : 1;
}

static void begin_head(Page *page, Head head)
{
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, TELL(ANSWER_HEAD), head.layer, head.head);
    begin_row(page, "head", name);
}

static bool print_ablations(Page *page, const Scenario *scenario, const TraceAnswer *answer,
                            Error *err)
{
    if (!scenario->has_heads || layers_of(scenario) * scenario->options.heads > HEADS_SHOWN_MAX)
        return true;
    begin_table(page, "without", TELL(ANSWER_WITHOUT));
    for (int layer = 0; layer < layers_of(scenario); layer++)
        for (ptrdiff_t number = 0; number < scenario->options.heads; number++) {
            Head head = {layer, number};
            begin_head(page, head);
            if (!print_without(page, scenario, head, "zero", answer, err) ||
                !print_without(page, scenario, head, "mean", answer, err))
                return false;
            end_row(page);
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

static void print_scores(Page *page, const Trace *trace)
{
    HeadScores scores = {.after = INFINITY};
    Head head;
    for (int shown = 0; shown < SCORES_SHOWN_MAX && next_head(trace, &scores, &head); shown++) {
        trace_head_scores(trace, head, &scores);
        if (shown == 0)
            begin_table(page, "looks", TELL(ANSWER_LOOKS));
        begin_head(page, head);
        put_number(page, "before", 11, scores.before);
        put_number(page, "after", 11, scores.after);
        end_row(page);
    }
}

// --- composition

static void print_ratios(Page *page, const char *name, const double ratio[COMPOSE_KINDS])
{
    begin_row(page, "heads", name);
    put_number(page, "q", 7, ratio[COMPOSE_Q]);
    put_number(page, "k", 7, ratio[COMPOSE_K]);
    put_number(page, "v", 7, ratio[COMPOSE_V]);
    end_row(page);
}

static bool print_pair(Page *page, const Trace *trace, Head earlier, Head later, Error *err)
{
    char name[NAME_MAX_BYTES];
    double ratio[COMPOSE_KINDS];
    if (!trace_composition(trace, earlier, later, ratio, err))
        return false;
    snprintf(name, sizeof name, "%d.%td > %d.%td", earlier.layer, earlier.head, later.layer,
             later.head);
    print_ratios(page, name, ratio);
    return true;
}

static bool print_composition(Page *page, const Trace *trace, Error *err)
{
    const Scenario *scenario = trace->scenario;
    ptrdiff_t heads = scenario->options.heads;
    double ratio[COMPOSE_KINDS];
    if (layers_of(scenario) < 2 || layers_of(scenario) * heads > HEADS_SHOWN_MAX)
        return true;
    begin_table(page, "composition", TELL(ANSWER_COMPOSITION));
    for (int later = 1; later < layers_of(scenario); later++)
        for (int earlier = 0; earlier < later; earlier++)
            for (ptrdiff_t pair = 0; pair < heads * heads; pair++)
                if (!print_pair(page, trace, (Head){earlier, pair / heads},
                                (Head){later, pair % heads}, err))
                    return false;
    if (!trace_composition_random(trace, ratio, err))
        return false;
    print_ratios(page, TELL(ANSWER_RANDOM), ratio);
    return true;
}

// --- the path

static void print_look(Page *page, const Trace *trace, Head head, TraceCell weight)
{
    char query[64], key[64];
    double number = tensor_number(&trace->tensors[weight.tensor].tensor, weight.at);
    trace_label(trace, weight.tensor, 2, weight.at, query);
    trace_label(trace, weight.tensor, 3, weight.at, key);
    if (!page->json) {
        words_print(stdout, TELL(ANSWER_PATH_LOOK), head.layer, head.head, query, weight.at[2], key,
                    weight.at[3], number);
        return;
    }
    begin_head(page, head);
    json_object_set_new(page->row, "query", json_string(query));
    json_object_set_new(page->row, "query_place", json_integer((json_int_t)weight.at[2]));
    json_object_set_new(page->row, "key", json_string(key));
    json_object_set_new(page->row, "key_place", json_integer((json_int_t)weight.at[3]));
    put_number(page, "weight", 0, number);
}

// What is left of a weight when a head finds nothing: what it wrote is what the key was made of.
static bool print_key(const Page *page, const Trace *trace, const TracePath *path, Error *err)
{
    static Run run;
    char set[64];
    TraceCell weight = path->cells[1];
    snprintf(set, sizeof set, "patch.%d.%td=zero", path->earlier.layer, path->earlier.head);
    if (!open_run(&run, trace->scenario, set, false, err))
        return false;
    int there = trace_find(&run.trace, trace->tensors[weight.tensor].name);
    double left = tensor_number(&run.trace.tensors[there].tensor, weight.at);
    if (page->json)
        put_number(page, "weight_without_earlier", 0, left);
    else
        words_print(stdout, TELL(ANSWER_PATH_KEY), path->earlier.layer, path->earlier.head, left);
    close_run(&run);
    return true;
}

static bool print_path(Page *page, const Trace *trace, Error *err)
{
    TracePath path;
    if (layers_of(trace->scenario) < 2)
        return true;
    if (!trace_path(trace, &path, err))
        return false;
    begin_table(page, "path", TELL(ANSWER_PATH));
    print_look(page, trace, path.later, path.cells[1]);
    if (!print_key(page, trace, &path, err))
        return false;
    print_look(page, trace, path.earlier, path.cells[3]);
    return true;
}

// What the run would have answered without the patches that somebody asked for.
static bool print_unpatched(const Page *page, const Scenario *scenario, const TraceAnswer *answer,
                            Error *err)
{
    static Run run;
    TraceAnswer before = *answer;
    if (!open_run(&run, scenario, NULL, true, err))
        return false;
    trace_answer_here(&run.trace, &before);
    print_answer(page, "unpatched", TELL(ANSWER_UNPATCHED), &run.trace, &before);
    close_run(&run);
    return true;
}

// Where nothing is read out, there is what heads look at.
static bool print_page(Page *page, const Trace *trace, Error *err)
{
    const Scenario *scenario = trace->scenario;
    bool is_patched = scenario->options.patched;
    TraceAnswer answer;
    HeadScores scores;
    if (!trace_answer(trace, &answer)) {
        if (!has_scores(trace, (Head){0, 0}, &scores))
            return error_set(err, TELL(ANSWER_NONE), scenario->name);
        print_scores(page, trace);
        return true;
    }
    if (is_patched && !print_unpatched(page, scenario, &answer, err))
        return false;
    print_answer(page, "answer", is_patched ? TELL(ANSWER_PATCHED) : "", trace, &answer);
    if (!print_shares(page, scenario, &answer, err) ||
        !print_ablations(page, scenario, &answer, err))
        return false;
    print_scores(page, trace);
    return print_composition(page, trace, err) && print_path(page, trace, err);
}

int app_print_answer(AppTrace *app, bool json)
{
    Error err = {.text = ""};
    Page page = {.json = NULL};
    bool good = trace_run(&app->trace, &err);
    if (good && json) {
        json_whole_begin();
        page.json = json_object();
        good = page.json || json_whole(&err);
        json_object_set_new(page.json, "scenario", json_string(app->scenario.name));
    }
    good = good && print_page(&page, &app->trace, &err);
    if (good && json)
        good = json_whole_print(page.json, JSON_INDENT(1), stdout, &err);
    json_decref(page.json);
    return good ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}
