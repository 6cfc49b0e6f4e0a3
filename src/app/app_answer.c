// print --answer: who made the answer of a scenario: the share of each part of the residual stream, what is lost
// without a head, what heads look at and read from each other, and the path down to a token.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "app.h"
#include "app_words.def"
#include "json.h"
#include "number_text.h"
#include "trace_heads.h"
#include "utf8.h"

static const double share_products_max = 2e10; // some ten seconds
enum {
    HEADS_SHOWN_MAX = 32, // of a model with more heads only some are asked about
    BEFORE_SHOWN = 2,     // those that look most at the token before
    AFTER_SHOWN = 4,      // those that look most at what came after
    PARTS_SHOWN_MAX = 40, // of more shares the largest are shown
    SHARES_SHOWN = 12,    // so many
    SETS_ADDED_MAX = 2,
    NAME_MAX_BYTES = 128
};

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
        printf("  %*.4f", columns, number_unsigned_nan(number));
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
        printf("  %10.4f  %11.4f  %4td", number_unsigned_nan((double)answer->logit),
               number_unsigned_nan((double)answer->probability), answer->rank);
}

// --- another run of the same scenario

typedef struct Run {
    Scenario scenario;
    Trace trace;
} Run;

// `sets`: up to SETS_ADDED_MAX, the others NULL.
static bool open_run(Run *run, const Trace *like, const char *const added[SETS_ADDED_MAX],
                     bool unpatched, Error *err)
{
    Arena arena = {0};
    ScenarioRequest request = like->scenario->request;
    size_t count = (size_t)request.set_count;
    const char **sets = arena_take(&arena, count + SETS_ADDED_MAX, sizeof *sets, err);
    if (!sets)
        return false;
    if (count > 0)
        memcpy(sets, request.sets, count * sizeof *sets);
    for (int i = 0; i < SETS_ADDED_MAX && added[i]; i++)
        sets[request.set_count++] = added[i];
    request.sets = sets;
    request.unpatched = unpatched;
    request.like = like;
    bool opened = scenario_open(&run->scenario, &request, err);
    arena_finish(&arena);
    if (!opened)
        return false;
    run->scenario.backward = false;
    if (trace_open(&run->trace, &run->scenario, err)) {
        trace_borrow_panels(&run->trace, like);
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
        words_print(stdout, TELL(ANSWER_LINE), word, answer->at[2], token,
                    number_unsigned_nan((double)answer->logit),
                    number_unsigned_nan((double)answer->probability), answer->rank);
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

static double share_of(const Trace *trace, ptrdiff_t part, const TraceAnswer *answer)
{
    const ptrdiff_t at[] = {answer->at[0], answer->at[1], answer->at[2], part, answer->at[3]};
    return tensor_number(&trace->tensors[trace_find(trace, "part_logits")].tensor, at);
}

static void print_share(Page *page, const Run *run, ptrdiff_t part, const TraceAnswer *answer)
{
    char name[NAME_MAX_BYTES];
    const Trace *trace = &run->trace;
    const Tensor *lens = &trace->tensors[trace_find(trace, "lens")].tensor;
    const ptrdiff_t row[] = {answer->at[0], answer->at[1], answer->at[2], part, 0};
    TraceAnswer point = *answer;
    read_row(lens->storage.f32 + tensor_place(lens, row), lens->shape[4], &point);
    begin_row(page, "part", trace_part_name(&run->scenario, part, name));
    put_number(page, "share", 10, share_of(trace, part, answer));
    put_answer(page, "lens", &point);
    end_row(page);
}

// Multiply-adds of stage part_logits for `tokens` tokens, which takes each part of each through the whole readout.
static double share_products(const Scenario *scenario, ptrdiff_t tokens)
{
    const ptrdiff_t *size = scenario->size;
    return (double)scenario_parts(scenario) * (double)size[SYMBOL_V] * (double)tokens *
           (double)size[SYMBOL_DOUT] * (double)size[SYMBOL_B];
}

// The parts of the last token alone, which has the same bits behind a cache of the others. False where there
// is none.
static bool last_alone(const Scenario *scenario, TraceAnswer *answer, char set[64])
{
    ptrdiff_t last = scenario->size[SYMBOL_LQ] - 1;
    if (answer->at[2] != last || last < 1 || scenario->options.cached > 0 ||
        !scenario->options.causal || scenario->options.patched || scenario->size[SYMBOL_B] != 1)
        return false;
    snprintf(set, 64, "attention.cached=%td", last);
    answer->at[2] = 0;
    return true;
}

// How many shares are larger than this one.
static int larger_shares(const Trace *trace, ptrdiff_t part, const TraceAnswer *answer)
{
    int larger = 0;
    double own = fabs(share_of(trace, part, answer));
    for (ptrdiff_t other = 0; other < trace->scenario->size[SYMBOL_PARTS]; other++)
        larger += fabs(share_of(trace, other, answer)) > own;
    return larger;
}

// Of many parts a table shows the largest, and what the others have together.
static void print_all_shares(Page *page, const Run *run, const TraceAnswer *answer)
{
    ptrdiff_t parts = run->scenario.size[SYMBOL_PARTS], left = 0;
    double others = 0.0;
    for (ptrdiff_t part = 0; part < parts; part++)
        if (page->json || parts <= PARTS_SHOWN_MAX ||
            larger_shares(&run->trace, part, answer) < SHARES_SHOWN) {
            print_share(page, run, part, answer);
        } else {
            others += share_of(&run->trace, part, answer);
            left++;
        }
    if (left > 0)
        words_print(stdout, TELL(ANSWER_OTHERS), left, others);
}

static bool print_shares(Page *page, const Trace *trace, const TraceAnswer *answer, Error *err)
{
    static Run run;
    const Scenario *scenario = trace->scenario;
    char set[64];
    TraceAnswer own = *answer;
    bool are_many = share_products(scenario, scenario->size[SYMBOL_LQ]) > share_products_max;
    if (!scenario->options.residual)
        return true;
    if (are_many &&
        (share_products(scenario, 1) > share_products_max || !last_alone(scenario, &own, set))) {
        if (!page->json)
            words_print(stdout, TELL(ANSWER_SHARES_MANY), scenario_parts(scenario),
                        scenario->size[SYMBOL_V], scenario->size[SYMBOL_LQ]);
        return true;
    }
    if (!open_run(&run, trace, (const char *[]){"model.parts=true", are_many ? set : NULL}, false,
                  err))
        return false;
    const Tensor *rounding = &run.trace.tensors[trace_find(&run.trace, "rounding")].tensor;
    double rest = tensor_number(rounding, own.at);
    begin_table(page, "shares", TELL(ANSWER_SHARES));
    print_all_shares(page, &run, &own);
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

// --- which heads are asked about

typedef struct Score {
    Head head;
    HeadScores scores;
} Score;

// The heads of a model, and of many those that look most at the token before or at what came after.
typedef struct Chosen {
    Score *all; // in memory of the arena
    int count;
    Score some[HEADS_SHOWN_MAX];
    int shown;
    bool has_after; // some token comes again
} Chosen;

static int layers_of(const Scenario *scenario)
{
    return scenario->layers > 1 ? scenario->layers : 1;
}

static int by_after(const void *a, const void *b)
{
    const Score *first = a, *second = b;
    return (first->scores.after < second->scores.after) -
           (first->scores.after > second->scores.after);
}

static int by_before(const void *a, const void *b)
{
    const Score *first = a, *second = b;
    return (first->scores.before < second->scores.before) -
           (first->scores.before > second->scores.before);
}

static void choose(Chosen *chosen, int most)
{
    for (int i = 0, taken = 0; i < chosen->count && taken < most; i++) {
        const Score *one = &chosen->all[i];
        bool is_there = false;
        for (int j = 0; j < chosen->shown; j++)
            is_there |= chosen->some[j].head.layer == one->head.layer &&
                        chosen->some[j].head.head == one->head.head;
        if (!is_there)
            chosen->some[chosen->shown++] = *one;
        taken++;
    }
}

// Those with most of what came after first.
static bool choose_heads(const Trace *trace, Chosen *chosen, Arena *arena, Error *err)
{
    const Scenario *scenario = trace->scenario;
    ptrdiff_t heads = scenario->has_heads ? scenario->options.heads : 0;
    *chosen = (Chosen){.count = 0};
    chosen->all = arena_take(arena, (size_t)(layers_of(scenario) * heads) + 1, sizeof(Score), err);
    if (!chosen->all)
        return false;
    for (int layer = 0; layer < layers_of(scenario); layer++)
        for (ptrdiff_t h = 0; h < heads; h++) {
            Score *one = &chosen->all[chosen->count];
            one->head = (Head){layer, h};
            chosen->count += trace_head_scores(trace, one->head, &one->scores);
        }
    chosen->has_after = chosen->count > 0 && !isnan(chosen->all[0].scores.after);
    bool all = chosen->count <= HEADS_SHOWN_MAX;
    if (chosen->has_after) {
        qsort(chosen->all, (size_t)chosen->count, sizeof(Score), by_after);
        choose(chosen, all ? chosen->count : AFTER_SHOWN);
    }
    qsort(chosen->all, (size_t)chosen->count, sizeof(Score), by_before);
    choose(chosen, all ? chosen->count : BEFORE_SHOWN);
    return true;
}

// The chosen ones in the order of the model. Returns how many.
static int heads_in_order(const Chosen *chosen, Head heads[HEADS_SHOWN_MAX])
{
    for (int i = 0; i < chosen->shown; i++) {
        Head own = chosen->some[i].head;
        int at = i;
        for (; at > 0 && (heads[at - 1].layer > own.layer ||
                          (heads[at - 1].layer == own.layer && heads[at - 1].head > own.head));
             at--)
            heads[at] = heads[at - 1];
        heads[at] = own;
    }
    return chosen->shown;
}

// --- without a head

static bool print_without(const Page *page, const Trace *trace, Head head, const char *what,
                          const TraceAnswer *answer, Error *err)
{
    static Run run;
    char set[64];
    TraceAnswer other = *answer;
    snprintf(set, sizeof set, "patch.%d.%td=%s", head.layer, head.head, what);
    if (!open_run(&run, trace, (const char *[]){set, NULL}, false, err))
        return false;
    trace_answer_here(&run.trace, &other);
    put_answer(page, what, &other);
    close_run(&run);
    return true;
}

static void begin_head(Page *page, Head head)
{
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, TELL(ANSWER_HEAD), head.layer, head.head);
    begin_row(page, "head", name);
}

static bool print_ablations(Page *page, const Trace *trace, const Chosen *chosen,
                            const TraceAnswer *answer, Error *err)
{
    Head heads[HEADS_SHOWN_MAX];
    int count = heads_in_order(chosen, heads);
    if (count == 0)
        return true;
    begin_table(page, "without", TELL(ANSWER_WITHOUT));
    for (int i = 0; i < count; i++) {
        begin_head(page, heads[i]);
        if (!print_without(page, trace, heads[i], "zero", answer, err) ||
            !print_without(page, trace, heads[i], "mean", answer, err))
            return false;
        end_row(page);
    }
    return true;
}

// --- what heads look at

static void print_scores(Page *page, const Chosen *chosen)
{
    if (!chosen->has_after)
        return;
    begin_table(page, "looks", TELL(ANSWER_LOOKS));
    for (int i = 0; i < chosen->shown; i++) {
        begin_head(page, chosen->some[i].head);
        put_number(page, "before", 11, chosen->some[i].scores.before);
        put_number(page, "after", 11, chosen->some[i].scores.after);
        end_row(page);
    }
    if (chosen->shown < chosen->count && !page->json)
        words_print(stdout, TELL(ANSWER_SOME), chosen->count);
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

static bool print_composition(Page *page, const Trace *trace, const Chosen *chosen, Error *err)
{
    Head heads[HEADS_SHOWN_MAX];
    int count = heads_in_order(chosen, heads);
    double ratio[COMPOSE_KINDS];
    if (layers_of(trace->scenario) < 2 || count == 0)
        return true;
    begin_table(page, "composition", TELL(ANSWER_COMPOSITION));
    for (int later = 0; later < count; later++)
        for (int earlier = 0; earlier < later; earlier++)
            if (heads[earlier].layer < heads[later].layer &&
                !print_pair(page, trace, heads[earlier], heads[later], err))
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
    if (!open_run(&run, trace, (const char *[]){set, NULL}, false, err))
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
static bool print_unpatched(const Page *page, const Trace *trace, const TraceAnswer *answer,
                            Error *err)
{
    static Run run;
    TraceAnswer before = *answer;
    if (!open_run(&run, trace, (const char *[]){NULL, NULL}, true, err))
        return false;
    trace_answer_here(&run.trace, &before);
    print_answer(page, "unpatched", TELL(ANSWER_UNPATCHED), &run.trace, &before);
    close_run(&run);
    return true;
}

static bool print_of_answer(Page *page, const Trace *trace, const TraceAnswer *answer,
                            const Chosen *chosen, Error *err)
{
    bool is_patched = trace->scenario->options.patched;
    if (is_patched && !print_unpatched(page, trace, answer, err))
        return false;
    print_answer(page, "answer", is_patched ? TELL(ANSWER_PATCHED) : "", trace, answer);
    if (!print_shares(page, trace, answer, err) ||
        !print_ablations(page, trace, chosen, answer, err))
        return false;
    print_scores(page, chosen);
    return print_composition(page, trace, chosen, err) && print_path(page, trace, err);
}

// Where nothing is read out, there is what heads look at.
static bool print_page(Page *page, const Trace *trace, Error *err)
{
    Arena arena = {0};
    Chosen chosen;
    TraceAnswer answer;
    bool good = choose_heads(trace, &chosen, &arena, err);
    bool is_read = good && trace_answer(trace, &answer);
    if (is_read && isnan(answer.probability))
        good = error_set(err, TELL(ANSWER_NAN), trace->scenario->name);
    else if (is_read)
        good = print_of_answer(page, trace, &answer, &chosen, err);
    else if (good && chosen.has_after)
        print_scores(page, &chosen);
    else if (good)
        good = error_set(err, TELL(ANSWER_NONE), trace->scenario->name);
    arena_finish(&arena);
    return good;
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
