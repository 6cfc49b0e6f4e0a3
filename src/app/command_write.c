// attnscope write: a model goes on with a text, token after token, with a cache of keys and values.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "app.h"
#include "app_words.def"
#include "json.h"
#include "scenario_file.h"
#include "tensor_file.h"
#include "trace_heads.h"
#include "utf8.h"
#include "weight_layout.h"

// --- print --answer
//
// Who made the answer of a scenario: the share of each part of the residual stream, what is
// lost without a head, what heads read from each other, and the path down to a token.

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
    if (!page->json) {
        fputs("  ", stdout);
        utf8_print(stdout, name, 20);
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

static void put_number(const Page *page, const char *key, int columns, double number)
{
    if (page->json)
        json_object_set_new(page->row, key, json_number(number));
    else
        printf("  %*.4f", columns, number);
}

static json_t *answer_json(const TraceAnswer *answer)
{
    return json_pack("{s:o, s:o, s:I}", "logit", json_number((double)answer->logit), "probability",
                     json_number((double)answer->probability), "rank", (json_int_t)answer->rank);
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
    if (!scenario->options.residual)
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
    return app_result(good, &err);
}

enum { TOKENS_USUAL = 12, TOKENS_MAX = 100000, CANDIDATES = 3, WORD_COLUMNS = 12, SETS = 8 };

// One run of the model over the tokens that are new; its keys and values go on to the next.
typedef struct Pass {
    Scenario scenario;
    Trace trace;
    bool is_open;
} Pass;

typedef struct Writing {
    Pass first, passes[2]; // the run over the prompt stays open: it has packed the weights
    Pass *now;
    ptrdiff_t question;
    int64_t *ids; // of the whole text
    ptrdiff_t count, prompt;
    double anew, whole; // multiply-adds: those done, and those without a cache
    double seconds;     // of the runs over single tokens
} Writing;

// --- work

static void count_product(void *context, const TraceTerm *term)
{
    *(double *)context += term->kind == TERM_MULTIPLY_ADD;
}

// Multiply-adds of a run: the terms of one element of each step, times its elements.
static double work_of(const Trace *trace)
{
    double all = 0.0;
    for (int i = 0; i < trace->step_count; i++) {
        const TraceStep *step = &trace->steps[i];
        if (!step->stage->terms[TERM_MULTIPLY_ADD])
            continue;
        TraceCell cell = {.tensor = step->writes[step->stage->main_output]};
        const Tensor *made = &trace->tensors[cell.tensor].tensor;
        double terms = 0.0;
        trace_origin(trace, cell, count_product, &terms);
        all += terms * (double)tensor_count(made);
    }
    return all;
}

// --- one token

static const Tensor *tensor_of(const Trace *trace, const char *name)
{
    int number = trace_find(trace, name);
    return number < 0 ? NULL : &trace->tensors[number].tensor;
}

static const char *word_of(const Scenario *scenario, int64_t id, char text[64])
{
    bool has_word = scenario->vocabulary && id >= 0 && id < scenario->size[SYMBOL_V];
    if (has_word && strlen(scenario->vocabulary[id]) < 64)
        strcpy(text, scenario->vocabulary[id]);
    else
        snprintf(text, 64, "%lld", (long long)id);
    return text;
}

// The likeliest word behind those already printed; -1: there is none.
static ptrdiff_t next_candidate(const Tensor *p, ptrdiff_t question, ptrdiff_t before)
{
    ptrdiff_t best = -1;
    float limit = before < 0 ? INFINITY : *tensor_at4(p, 0, question, 0, before);
    for (ptrdiff_t w = 0; w < p->shape[3]; w++) {
        float own = *tensor_at4(p, 0, question, 0, w);
        bool is_left = own < limit || (own == limit && w > before);
        if (is_left && (best < 0 || own > *tensor_at4(p, 0, question, 0, best)))
            best = w;
    }
    return best;
}

static void print_candidates(const Writing *writing)
{
    char word[64];
    const Tensor *p = tensor_of(&writing->now->trace, "next_probabilities");
    ptrdiff_t at = -1;
    for (int i = 0; i < CANDIDATES; i++) {
        at = next_candidate(p, writing->question, at);
        if (at < 0)
            continue;
        utf8_print(stdout, word_of(&writing->first.scenario, at, word), WORD_COLUMNS / 2);
        printf(" %.3f  ", (double)*tensor_at4(p, 0, writing->question, 0, at));
    }
}

// The token that the run has chosen, with its probability and its work. Returns the id.
static int64_t print_token(Writing *writing)
{
    const Trace *trace = &writing->now->trace;
    const Scenario *scenario = trace->scenario;
    const Tensor *p = tensor_of(trace, "nucleus");
    p = p ? p : tensor_of(trace, "next_probabilities");
    int64_t id = *tensor_id3(tensor_of(trace, "next"), 0, writing->question, 0);
    double tokens = (double)scenario->size[SYMBOL_LQ], keys = (double)scenario->size[SYMBOL_LK];
    double anew = work_of(trace), whole = anew / tokens * keys; // each query costs the same
    char word[64];
    utf8_print(stdout, word_of(&writing->first.scenario, id, word), WORD_COLUMNS);
    printf("%7.3f   ", (double)*tensor_at4(p, 0, writing->question, 0, id));
    print_candidates(writing);
    printf("%8td %8td %12.0f %12.0f\n", scenario->size[SYMBOL_LQ], scenario->options.cached, anew,
           whole);
    fflush(stdout);
    writing->anew += anew;
    writing->whole += whole;
    return id;
}

// --- weights and memory

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void add_bytes(void *context, const Tensor *panels)
{
    *(double *)context += (double)tensor_count(panels) * sizeof(float);
}

enum { READ_PIECE = 1 << 18, READ_AT_ONCE = 1 << 13 }; // numbers; the smaller stay in a cache

typedef struct Reading {
    Team *team;
    const float *numbers;
    ptrdiff_t count;
} Reading;

// memcpy reads as fast as a machine can.
static void read_piece(void *context, ptrdiff_t number)
{
    const Reading *reading = context;
    ptrdiff_t first = number * READ_PIECE, end = first + READ_PIECE;
    float copy[READ_AT_ONCE];
    for (; first + READ_AT_ONCE <= reading->count && first < end; first += READ_AT_ONCE) {
        memcpy(copy, reading->numbers + first, sizeof copy);
        volatile float kept = copy[number % READ_AT_ONCE]; // nothing is left out
        (void)kept;
    }
}

static void read_all(void *context, const Tensor *panels)
{
    Reading *reading = context;
    reading->numbers = panels->storage.f32 + panels->offset;
    reading->count = tensor_count(panels);
    team_run(reading->team, (reading->count + READ_PIECE - 1) / READ_PIECE, read_piece, reading);
}

// How fast the weights of a token were read, and how fast the same memory is read by who does nothing else.
// Weights that stay in caches tell nothing of it.
static void print_memory(Writing *writing)
{
    enum { TIMES = 3 };
    const double least = 64e6;
    double bytes = 0.0, tokens = (double)(writing->count - writing->prompt - 1), best = INFINITY;
    trace_visit_panels(&writing->first.trace, add_bytes, &bytes);
    if (bytes < least || tokens < 1.0)
        return;
    for (int i = 0; i < TIMES; i++) {
        double before = seconds_now();
        trace_visit_panels(&writing->first.trace, read_all,
                           &(Reading){.team = &writing->first.trace.team});
        best = fmin(best, seconds_now() - before);
    }
    double each = writing->seconds / tokens;
    words_print(stdout, TELL(WRITE_MEMORY), bytes * 1e-6, each * 1e3, bytes / each * 1e-9,
                bytes / best * 1e-9);
}

// --- going on

static void close_pass(Pass *pass)
{
    if (pass->is_open)
        trace_close(&pass->trace);
    scenario_finish(&pass->scenario);
    pass->is_open = false;
}

static bool go_on(Writing *writing, int64_t id, Error *err)
{
    Pass *before = writing->now;
    Pass *next = before == &writing->passes[0] ? &writing->passes[1] : &writing->passes[0];
    close_pass(next);
    if (!trace_go_on(&before->trace, &id, 1, &next->scenario, err) ||
        !trace_open(&next->trace, &next->scenario, err))
        return false;
    next->is_open = true;
    trace_borrow_panels(&next->trace, &writing->first.trace);
    writing->now = next;
    double start = seconds_now();
    bool good = trace_run(&next->trace, err);
    writing->seconds += seconds_now() - start;
    return good;
}

// Runs the whole text once more without a cache: the logits of its last token have the same bits.
static bool print_proof(const Writing *writing, Error *err)
{
    Pass whole = {.is_open = false};
    const Tensor *with = tensor_of(&writing->now->trace, "last_logits");
    ptrdiff_t read = writing->count - 1; // nothing was asked behind the last token
    bool good = trace_start_over(&writing->first.trace, writing->ids, read, &whole.scenario, err) &&
                trace_open(&whole.trace, &whole.scenario, err);
    whole.is_open = good;
    if (good)
        trace_borrow_panels(&whole.trace, &writing->first.trace);
    good = good && trace_run(&whole.trace, err);
    const Tensor *without = good ? tensor_of(&whole.trace, "last_logits") : NULL;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, same = 0;
    for (bool more = good; more; more = tensor_next(with, at))
        same += tensor_same_number(with, without, at);
    if (good)
        words_print(stdout, TELL(WRITE_PROOF), read, same, tensor_count(with));
    close_pass(&whole);
    return good;
}

static void print_end(const Writing *writing)
{
    char word[64];
    printf("\n");
    for (ptrdiff_t i = 0; i < writing->count; i++)
        printf("%s%s", i ? " " : "", word_of(&writing->first.scenario, writing->ids[i], word));
    printf("\n\n");
    words_print(stdout, TELL(WRITE_WORK), writing->count - writing->prompt, writing->anew,
                writing->whole, writing->whole / writing->anew);
}

// --- from the command line

// A number of an option; false after a sentence.
static bool number_of(const char *name, const char *text, double least, double most, double *number)
{
    char *end = NULL;
    if (!text)
        return true;
    *number = strtod(text, &end);
    if (end != text && *end == '\0' && *number >= least && *number <= most)
        return true;
    return app_refuse(TELL(WRITE_NUMBER), name, least, most, text);
}

// A file of weights tells no questions: its language model is asked for the next token, with all layers
// there is room for.
static bool take_file(const AppOptions *options, char sets[][64], int *used)
{
    const char *what = options->request.what;
    Arena arena = {0};
    Error err = {.text = ""};
    WeightLayers all = {.count = 0};
    if (!scenario_is_file(what))
        return true;
    const char *path = scenario_file_of_folder(what, &arena, &err);
    TensorFile *file = path ? tensor_file_open(path, &arena, &err) : NULL;
    bool good = file && weight_layout_layers(file, NULL, &arena, &all, &err);
    int layers = all.count < SCENARIO_LAYERS_MAX ? all.count : SCENARIO_LAYERS_MAX;
    if (good && layers > 0) {
        snprintf(sets[(*used)++], 64, "model.questions=[next]");
        snprintf(sets[(*used)++], 64, "weights.layers=%d", layers);
    }
    tensor_file_close(file);
    arena_finish(&arena);
    if (!good)
        app_fail(APP_FAILED, "%s", err.text);
    return good;
}

// What the options say, as --set has it; false after a sentence.
static bool take_sets(AppOptions *options, long *tokens)
{
    static char sets[SETS][64];
    double temperature = 1.0, top_k = 0.0, top_p = 0.0, seed = 0.0, count = TOKENS_USUAL;
    if (!number_of("--temperature", options->temperature, 0.0, 1e6, &temperature) ||
        !number_of("--top-k", options->top_k, 1.0, 1e9, &top_k) ||
        !number_of("--top-p", options->top_p, 1e-6, 1.0, &top_p) ||
        !number_of("--seed", options->seed, 0.0, 4294967295.0, &seed) ||
        !number_of("--tokens", options->tokens, 1.0, TOKENS_MAX, &count))
        return false;
    bool draws = temperature > 0.0 &&
                 (options->temperature || options->top_k || options->top_p || options->seed);
    int used = 0;
    snprintf(sets[used++], sizeof *sets, "next.choose=true");
    if (draws && options->temperature)
        snprintf(sets[used++], sizeof *sets, "next.temperature=%.9g", temperature);
    if (draws && options->top_k)
        snprintf(sets[used++], sizeof *sets, "next.top_k=%.0f", top_k);
    if (draws && options->top_p)
        snprintf(sets[used++], sizeof *sets, "next.top_p=%.9g", top_p);
    if (draws)
        snprintf(sets[used++], sizeof *sets, "next.draw=true");
    if (draws)
        snprintf(sets[used++], sizeof *sets, "next.draw_seed=%.0f", seed);
    *tokens = (long)count;
    if (!take_file(options, sets, &used))
        return false;
    if (options->request.set_count + used > APP_SETS_MAX)
        return app_refuse(TELL(SETS_MANY), APP_SETS_MAX);
    for (int i = 0; i < used; i++)
        options->sets[options->request.set_count++] = sets[i];
    return true;
}

// The question that asks for the next token: the only one, or the one called "next".
static bool find_question(Writing *writing, Error *err)
{
    const Scenario *scenario = &writing->first.scenario;
    ptrdiff_t questions = scenario->size[SYMBOL_Q];
    for (ptrdiff_t q = 0; scenario->questions && q < questions; q++)
        if (questions == 1 || strcmp(scenario->questions[q], "next") == 0) {
            writing->question = q;
            return true;
        }
    return questions == 1 || error_set(err, TELL(WRITE_QUESTION), scenario->name);
}

static bool take_prompt(Writing *writing, long tokens, Error *err)
{
    const Trace *trace = &writing->first.trace;
    const Tensor *given = tensor_of(trace, "input_ids");
    if (!given || given->shape[0] != 1 || !trace->scenario->options.causal)
        return error_set(err, TELL(WRITE_CAUSAL), trace->scenario->name);
    writing->count = writing->prompt = given->shape[1];
    writing->ids = calloc((size_t)(writing->count + tokens), sizeof *writing->ids);
    for (ptrdiff_t i = 0; writing->ids && i < writing->count; i++)
        writing->ids[i] = *tensor_id2(given, 0, i);
    return writing->ids || error_machine(err, "%s", TELL(NO_MEMORY));
}

// Opens the scenario, with the options of write behind those that were given. False with a sentence.
static bool open_model(Writing *writing, const AppOptions *options, int given, Error *err)
{
    if (scenario_open(&writing->first.scenario, &options->request, err))
        return true;
    // Where it opens without them, it is no model for write.
    Error plain;
    Scenario *asked = &writing->passes[0].scenario;
    ScenarioRequest request = options->request;
    request.set_count = given;
    if (scenario_open(asked, &request, &plain) &&
        (!asked->options.causal || asked->size[SYMBOL_Q] == 0))
        error_set(err, TELL(WRITE_CAUSAL), asked->name);
    return false;
}

static bool write_tokens(Writing *writing, const AppOptions *options, int given, long tokens,
                         Error *err)
{
    Pass *first = &writing->first;
    if (!open_model(writing, options, given, err))
        return false;
    first->scenario.threads = options->threads;
    if (!trace_open(&first->trace, &first->scenario, err))
        return false;
    first->is_open = true;
    writing->now = first;
    if (!find_question(writing, err) || !trace_run(&first->trace, err) ||
        !take_prompt(writing, tokens, err))
        return false;
    printf("%s", TELL(WRITE_HEAD));
    for (long i = 0; i < tokens; i++) {
        int64_t id = print_token(writing);
        if (i + 1 < tokens && !go_on(writing, id, err))
            return false;
        writing->ids[writing->count++] = id;
    }
    print_end(writing);
    print_memory(writing);
    enum { PROOF_MAX = 512 }; // tokens: the whole text costs its square
    return writing->count > PROOF_MAX || print_proof(writing, err);
}

static int run_write(AppOptions *options)
{
    static Writing writing; // too large for a small stack
    Error err = {.text = ""};
    long tokens = 0;
    if (options->argument_count < 1 || options->argument_count > 2)
        return app_fail(APP_MISUSED, TELL(WRITE_WANTS));
    options->request.text = options->arguments[0];
    options->request.what = options->argument_count > 1         ? options->arguments[1]
                            : language_now() == LANGUAGE_KOREAN ? "memory-korean"
                                                                : "memory";
    int given = options->request.set_count;
    if (!take_sets(options, &tokens))
        return APP_MISUSED;
    writing = (Writing){.count = 0};
    bool good = write_tokens(&writing, options, given, tokens, &err);
    close_pass(&writing.passes[0]);
    close_pass(&writing.passes[1]);
    close_pass(&writing.first);
    free(writing.ids);
    return app_result(good, &err);
}

const AppCommand command_write = {
    .name = "write",
    .arguments = "\"TEXT\" [SCENARIO|FILE.yaml] [--tokens N] [--temperature T] [--seed N]",
    .summary = WORDS("Let a model go on with a text, token by token",
                     "모델이 글을 토큰 하나씩 이어 씁니다"),
    .details = WORDS(
        "  TEXT             the beginning: \"Mina tea. Joon milk. Mina\"\n"
        "  SCENARIO         a causal model with a readout for the next token [memory]\n"
        "  --tokens N       how many tokens to add [12]\n"
        "  --temperature T  divide the logits by T, and draw; 0 takes the likeliest\n"
        "  --top-k K        draw among the K likeliest words only\n"
        "  --top-p P        draw among the likeliest words that together reach P\n"
        "  --seed N         draw as torch.multinomial after torch.manual_seed(N) [0]\n"
        "  --set KEY=VALUE  as in print\n"
        "\n"
        "Without these options it takes the likeliest word each time. Each line shows the\n"
        "token, its probability, the likeliest words, how many tokens were computed and how\n"
        "many were read from the cache, and the multiply-adds with and without the cache.\n"
        "At the end, the text is computed once more without the cache and compared.\n",
        "  TEXT             글의 처음: \"미나 차. 준 우유. 미나\"\n"
        "  SCENARIO         다음 토큰의 출력층과 인과 마스크가 있는 모델 [memory-korean]\n"
        "  --tokens N       이어 쓸 토큰의 수 [12]\n"
        "  --temperature T  로짓을 T로 나누고 뽑습니다. 0이면 확률이 가장 큰 단어입니다\n"
        "  --top-k K        확률이 큰 단어 K개 가운데에서만 뽑습니다\n"
        "  --top-p P        확률이 큰 단어부터 더해 P가 될 때까지의 단어에서만 뽑습니다\n"
        "  --seed N         torch.manual_seed(N) 다음의 torch.multinomial처럼 뽑습니다 [0]\n"
        "  --set KEY=VALUE  print와 같습니다\n"
        "\n"
        "이 옵션이 없으면 언제나 확률이 가장 큰 단어입니다. 줄마다 토큰과 그 확률, 확률이 큰\n"
        "단어들, 새로 계산한 토큰과 캐시에서 읽은 토큰의 수, 캐시가 있을 때와 없을 때의\n"
        "곱셈 덧셈 횟수가 나옵니다. 끝에는 캐시 없이 글 전체를 한 번 더 계산해 비교합니다.\n"),
    .options = "tokens temperature top-k top-p seed set",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .run = run_write,
};
