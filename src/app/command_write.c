// attnscope write: a model continues a text, token by token, with a cache of keys and values.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "app.h"
#include "app_words.def"
#include "clock.h"
#include "scenario_file.h"
#include "tensor_file.h"
#include "utf8.h"
#include "weight_layout.h"

enum { TOKENS_USUAL = 12, TOKENS_MAX = 100000, CANDIDATES = 3, WORD_COLUMNS = 12, SETS = 8 };

// One run of the model over the new tokens. The next run uses its keys and values.
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

// The multiply-adds of a run: each step's elements times the terms of one element.
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

// The likeliest word after those already printed, or -1.
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

// Prints the token that the run chose, with its probability and work. Returns its id, or -1 and err if the probabilities
// are NaN: then none is the likeliest.
static int64_t print_token(Writing *writing, Error *err)
{
    const Trace *trace = &writing->now->trace;
    const Scenario *scenario = trace->scenario;
    const Tensor *p = tensor_of(trace, "nucleus");
    p = p ? p : tensor_of(trace, "next_probabilities");
    int64_t id = *tensor_id3(tensor_of(trace, "next"), 0, writing->question, 0);
    if (isnan(*tensor_at4(p, 0, writing->question, 0, id))) {
        error_set(err, TELL(ANSWER_NAN), scenario->name);
        return -1;
    }
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

// memcpy reads as fast as the machine can.
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

// Prints how fast the run read a token's weights, and how fast memcpy reads the same memory. Weights that fit
// into caches would say nothing, so small models print nothing.
static void print_memory(Writing *writing)
{
    enum { TIMES = 3 };
    const double least = 64e6;
    double bytes = 0.0, tokens = (double)(writing->count - writing->prompt - 1), best = INFINITY;
    trace_visit_panels(&writing->first.trace, add_bytes, &bytes);
    if (bytes < least || tokens < 1.0)
        return;
    for (int i = 0; i < TIMES; i++) {
        double before = clock_seconds();
        trace_visit_panels(&writing->first.trace, read_all,
                           &(Reading){.team = &writing->first.trace.team});
        best = fmin(best, clock_seconds() - before);
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
    double start = clock_seconds();
    bool good = trace_run(&next->trace, err);
    writing->seconds += clock_seconds() - start;
    return good;
}

// Runs the whole text again without a cache, and checks that the last token's logits have the same bits.
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

// A weights file has no questions: asks its language model for the next token, with all its layers.
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
    if (good && all.count > SCENARIO_LAYERS_MAX)
        good = error_set(&err, TELL(WRITE_LAYERS), what, all.count, SCENARIO_LAYERS_MAX);
    if (good && all.count > 0) {
        snprintf(sets[(*used)++], 64, "model.questions=[next]");
        snprintf(sets[(*used)++], 64, "weights.layers=%d", all.count);
    }
    tensor_file_close(file);
    arena_finish(&arena);
    if (!good)
        app_fail(APP_FAILED, "%s", err.text);
    return good;
}

// Turns the options into --set lines. Reports an error and returns false.
static bool take_sets(AppOptions *options, long *tokens)
{
    static char sets[SETS][64];
    double temperature = 1.0, top_k = 0.0, top_p = 0.0, seed = 0.0, count = TOKENS_USUAL;
    if (!app_read_number((AppRange){"temperature", 0.0, 1e6, APP_ANY}, options->temperature,
                         &temperature) ||
        !app_read_number((AppRange){"top-k", 1.0, 1e9, APP_WHOLE}, options->top_k, &top_k) ||
        !app_read_number((AppRange){"top-p", 1e-6, 1.0, APP_ANY}, options->top_p, &top_p) ||
        !app_read_number((AppRange){"seed", 0.0, 4294967295.0, APP_WHOLE}, options->seed, &seed) ||
        !app_read_number((AppRange){"tokens", 1.0, TOKENS_MAX, APP_WHOLE}, options->tokens, &count))
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

// Finds the question for the next token: the only one, or the one named "next".
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

// Opens the scenario, with the options of `write` after the given ones. Returns false and sets err on
// failure.
static bool open_model(Writing *writing, const AppOptions *options, int given, Error *err)
{
    if (scenario_open(&writing->first.scenario, &options->request, err))
        return true;
    // If it opens without them, the model does not suit `write`.
    Error plain;
    Scenario *asked = &writing->passes[0].scenario;
    ScenarioRequest request = options->request;
    request.set_count = given;
    if (scenario_open(asked, &request, &plain) &&
        (!asked->options.causal || (asked->size[SYMBOL_Q] == 0 && !scenario_is_file(request.what))))
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
        int64_t id = print_token(writing, err);
        if (id < 0)
            return false;
        if (i + 1 < tokens && !go_on(writing, id, err))
            return false;
        writing->ids[writing->count++] = id;
    }
    print_end(writing);
    print_memory(writing);
    enum { PROOF_MAX = 512 }; // tokens: the whole text costs its square
    return writing->count > PROOF_MAX || print_proof(writing, err);
}

// The model that knows the words of the text, in the person's language where there are none.
static bool writes_korean(const char *text)
{
    bool korean = language_now() == LANGUAGE_KOREAN;
    for (const char *at = text ? text : ""; *at; at++)
        if (isalpha((unsigned char)*at) || (unsigned char)*at >= 0x80)
            return (unsigned char)*at >= 0x80;
    return korean;
}

// Opens the model with the text, or with ids.
static bool take_beginning(AppOptions *options)
{
    static char ids[APP_IDS_MAX], set[APP_IDS_MAX + 16]; // the options point to it
    int texts = options->ids ? 0 : 1;
    if (options->argument_count < texts || options->argument_count > texts + 1)
        return app_refuse(TELL(WRITE_WANTS));
    if (options->ids && !app_ids(options->ids, ids))
        return app_refuse(TELL(WRITE_IDS), options->ids);
    if (options->ids && options->request.set_count == APP_SETS_MAX)
        return app_refuse(TELL(SETS_MANY), APP_SETS_MAX);
    snprintf(set, sizeof set, "input.ids=[[%s]]", ids);
    if (options->ids)
        options->sets[options->request.set_count++] = set;
    else
        options->request.text = options->arguments[0];
    options->request.what = options->argument_count > texts        ? options->arguments[texts]
                            : writes_korean(options->request.text) ? "memory-korean"
                                                                   : "memory";
    return true;
}

static int run_write(AppOptions *options)
{
    static Writing writing; // too large for a small stack
    Error err = {.text = ""};
    long tokens = 0;
    if (!take_beginning(options))
        return APP_MISUSED;
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
    .summary =
        WORDS("Let a model continue a text, token by token", "모델이 글을 토큰 하나씩 이어 씁니다"),
    .details = WORDS(
        "  TEXT             the beginning: \"Mina tea. Joon milk. Mina\"\n"
        "  SCENARIO         a causal model with a readout for the next token [memory, for\n"
        "                   Korean words memory-korean]; also a file of weights or its folder:\n"
        "                   gpt2.safetensors\n"
        "  --ids \"464, 3290\" token ids in place of TEXT, where there is no tokenizer\n"
        "  --tokens N       how many tokens to add [12]\n"
        "  --temperature T  divide the logits by T, and draw; 0 takes the likeliest\n"
        "  --top-k K        draw among the K likeliest words only\n"
        "  --top-p P        draw among the likeliest words that together reach P\n"
        "  --seed N         draw as torch.multinomial after torch.manual_seed(N) [0]\n"
        "  --set KEY=VALUE  as in print\n"
        "\n"
        "Without these options it takes the likeliest word each time, and soon repeats itself:\n"
        "after a full stop memory can only guess a name, and the same one leads each time.\n"
        "--temperature 1 or --top-p 0.9 draws among them. Each line shows the token, its\n"
        "probability, the likeliest words, how many tokens were computed and how many were read\n"
        "from the cache, and the multiply-adds with and without the cache. At the end, the text\n"
        "is computed once more without the cache and compared.\n",
        "  TEXT             글의 처음: \"미나 차. 준 우유. 미나\"\n"
        "  SCENARIO         다음 토큰의 출력층과 인과 마스크가 있는 모델 [memory-korean,\n"
        "                   영어 단어면 memory]. 가중치 파일이나 그 폴더도 됩니다: "
        "gpt2.safetensors\n"
        "  --ids \"464, 3290\" 토크나이저가 없을 때 글 대신 쓰는 토큰 id\n"
        "  --tokens N       이어 쓸 토큰의 수 [12]\n"
        "  --temperature T  로짓을 T로 나누고 뽑습니다. 0이면 확률이 가장 큰 단어입니다\n"
        "  --top-k K        확률이 큰 단어 K개 가운데에서만 뽑습니다\n"
        "  --top-p P        확률이 큰 단어부터 더해 P가 될 때까지의 단어에서만 뽑습니다\n"
        "  --seed N         torch.manual_seed(N) 다음의 torch.multinomial처럼 뽑습니다 [0]\n"
        "  --set KEY=VALUE  print와 같습니다\n"
        "\n"
        "이 옵션이 없으면 언제나 확률이 가장 큰 단어를 쓰므로 같은 문장을 되풀이하기 쉽습니다.\n"
        "memory에서는 마침표 다음의 이름을 짐작할 수밖에 없고, 늘 같은 이름이 조금 앞섭니다.\n"
        "--temperature 1이나 --top-p 0.9를 쓰면 여러 이름 가운데에서 뽑습니다. 줄마다 토큰과\n"
        "그 확률, 확률이 큰 단어들, 새로 계산한 토큰과 캐시에서 읽은 토큰의 수, 캐시가 있을\n"
        "때와 없을 때의 곱셈 덧셈 횟수가 나옵니다. 끝에는 캐시 없이 글 전체를 한 번 더 계산해\n"
        "비교합니다.\n"),
    .options = "ids tokens temperature top-k top-p seed set",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .run = run_write,
};
