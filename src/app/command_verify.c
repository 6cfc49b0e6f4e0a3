// attnscope verify: a notebook's dump beside the trace: where it leaves the right numbers, and why.
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "app.h"
#include "app_words.def"
#include "chain.h"
#include "digest.h"
#include "input_file.h"
#include "number_text.h"
#include "seed_search.h"
#include "state_file.h"
#include "verify.h"

// How it is known which tensor of the scenario one of the dump is.
static const char *way(DumpMatch match)
{
    return match == DUMP_BY_MAP       ? TELL(VERIFY_BY_MAP)
           : match == DUMP_BY_NAME    ? TELL(VERIFY_BY_NAME)
           : match == DUMP_BY_VALUE   ? TELL(VERIFY_BY_VALUE)
           : match == DUMP_BY_SHAPE   ? TELL(VERIFY_BY_SHAPE)
           : match == DUMP_BY_MISTAKE ? TELL(VERIFY_BY_MISTAKE)
           : match == DUMP_AGAIN      ? TELL(VERIFY_AGAIN)
                                      : TELL(VERIFY_NOTHING);
}

// Which tensor was taken for which, and the --map that says the same, for a person to change.
static void print_map(const Dump *dump, const Trace *trace)
{
    bool any = false;
    for (int i = 0; i < dump->count; i++) {
        const DumpTensor *one = &dump->tensors[i];
        bool known = one->match != DUMP_NOT;
        printf("  %-28s %-22s %s\n", one->name, known ? trace->tensors[one->number].name : "-",
               way(one->match));
    }
    for (int i = 0; i < dump->count; i++) {
        const DumpTensor *one = &dump->tensors[i];
        if (one->match == DUMP_NOT || one->match == DUMP_BY_NAME || one->match == DUMP_AGAIN)
            continue;
        printf("%s%s=%s", any ? "," : "--map '", one->name, trace->tensors[one->number].name);
        any = true;
    }
    if (any)
        puts("'");
}

static void print_numbers(const Dump *dump, const Trace *trace, const VerifyFinding *finding)
{
    const DumpTensor *one = &dump->tensors[finding->dumped];
    const TraceTensor *right = &trace->tensors[one->number];
    char cell[TRACE_CELL_MAX], have[TENSOR_TEXT_MAX], want[TENSOR_TEXT_MAX];
    if (finding->difference.kind == DIFFERENCE_SHAPE) {
        printf(TELL(VERIFY_SHAPES), one->name,
               tensor_shape_text(one->tensor.rank, one->tensor.shape, have), right->name,
               tensor_shape_text(right->tensor.rank, right->tensor.shape, want));
        return;
    }
    TraceCell at = {.tensor = one->number};
    memcpy(at.at, finding->difference.first_at, sizeof at.at);
    words_print(stdout, TELL(VERIFY_SHOULD), trace_cell_name(trace, at, cell),
                number_unsigned_nan(tensor_number(&right->tensor, at.at)),
                number_unsigned_nan(tensor_number(&one->tensor, at.at)), finding->difference.count,
                finding->difference.all);
}

static void print_cause(const VerifyFinding *finding, Language language)
{
    char text[RELATION_TEXT_MAX];
    for (int i = 0; i < finding->mistake_count; i++) {
        const MistakeWords *words = &finding->mistakes[i]->words[language_beside(language)];
        printf("%s\n  %s\n  %s\n", i ? TELL(VERIFY_OR) : TELL(VERIFY_KNOWN), words->title,
               words->mend);
    }
    if (finding->mistake_count > 0)
        return;
    if (finding->relations.count > 0)
        puts(relation_say(&finding->relations, language, text));
    else
        puts(TELL(VERIFY_UNKNOWN));
}

// Numbers that stand for nothing of the scenario may hide what is wrong.
static void print_left(const Dump *dump)
{
    int left = 0;
    for (int i = 0; i < dump->count; i++)
        left += dump->tensors[i].match == DUMP_NOT;
    if (left > 0)
        printf(TELL(VERIFY_LEFT), left);
}

static int report(const Dump *dump, const Trace *trace)
{
    static VerifyFinding finding; // too large for a small stack
    char name[64], torch[TRACE_FORMULA_MAX], settings_text[STAGE_SETTINGS_MAX];
    verify_find(dump, trace, &finding);
    if (finding.dumped < 0 && finding.same == 0)
        return app_fail(APP_FAILED, TELL(VERIFY_NOT));
    if (finding.dumped < 0) {
        printf(TELL(VERIFY_SAME), finding.same);
        print_left(dump);
        return APP_DONE;
    }
    int step = trace->tensors[dump->tensors[finding.dumped].number].step;
    if (step >= 0)
        printf(TELL(VERIFY_AT), finding.same, trace_step_name(trace, step, name));
    else
        printf(TELL(VERIFY_INPUT), finding.same);
    print_numbers(dump, trace, &finding);
    if (step < 0)
        return APP_FAILED;
    if (finding.failure.of_machine)
        return app_fail(APP_FAILED, TELL(VERIFY_UNTOLD), finding.failure.text);
    print_cause(&finding, language_written());
    const char *settings = trace_settings(trace, step, settings_text);
    printf(TELL(VERIFY_TORCH), trace_torch(trace, step, torch), settings ? "    # " : "",
           settings ? settings : "");
    return APP_FAILED;
}

static int verify_beside(const AppOptions *options, Dump *dump, Arena *arena)
{
    static AppTrace app; // too large for a small stack
    Error err = {.text = ""};
    ScenarioRequest request = options->request;
    app = (AppTrace){.scenario = {.name = NULL}};
    request.what = options->arguments[1];
    if (!dump_read(options->arguments[0], dump, arena, &err) ||
        !scenario_open(&app.scenario, &request, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int code = APP_FAILED;
    app.scenario.threads = options->threads;
    int put = dump_put_inputs(dump, options->map, &app.scenario);
    bool is_open = trace_open(&app.trace, &app.scenario, &err);
    if (is_open && trace_run(&app.trace, &err) &&
        verify_match(dump, options->map, &app.trace, &err)) {
        printf(TELL(VERIFY_OF), dump->count, options->arguments[0], app.scenario.name, put);
        print_map(dump, &app.trace);
        code = report(dump, &app.trace);
    } else {
        app_fail(code, "%s", err.text);
    }
    if (is_open)
        trace_close(&app.trace);
    scenario_finish(&app.scenario);
    return code;
}

// --- a dump alone

// What --set tells of a dump: the number of heads, the mask, and that the input is (L, B, D).
static bool ask_for(const AppOptions *options, ChainAsk *ask)
{
    *ask = (ChainAsk){.heads = 0};
    for (int i = 0; i < options->request.set_count; i++) {
        const char *set = options->request.sets[i];
        bool is_causal = strcmp(set, "attention.mask=causal") == 0;
        char *end = NULL;
        if (strncmp(set, "model.heads=", 12) == 0) {
            ask->heads = strtol(set + 12, &end, 10);
            if (*end || ask->heads < 1) {
                app_fail(APP_MISUSED, TELL(VERIFY_HEADS), set + 12);
                return false;
            }
        } else if (strcmp(set, "model.batch_first=false") == 0) {
            ask->is_length_first = true;
        } else if (is_causal || strcmp(set, "attention.mask=none") == 0) {
            ask->is_causal = is_causal;
        } else {
            app_fail(APP_MISUSED, TELL(VERIFY_SET_ALONE), set);
            return false;
        }
    }
    if (options->map)
        app_fail(APP_MISUSED, "%s", TELL(VERIFY_MAP_ALONE));
    return !options->map;
}

static void print_chain(const Chain *chain, const Dump *dump)
{
    for (int i = 0; i < chain->line_count; i++) {
        const ChainLine *line = &chain->lines[i];
        const char *name = line->dumped >= 0 ? dump->tensors[line->dumped].name : "";
        printf("  %-14s %s%s\n", line->role, line->formula ? line->formula : name,
               line->dumped < 0 ? TELL(VERIFY_NOT_IN_DUMP) : "");
    }
}

static void print_slip(const Chain *chain, const Dump *dump, Language language)
{
    const Mistake *mistake = chain_mistake(chain->slip);
    const MistakeWords *words = mistake ? &mistake->words[language_beside(language)] : NULL;
    if (chain->same > 0)
        printf(TELL(VERIFY_RIGHT_BEFORE), chain->same);
    if (chain->wrong >= 0)
        printf(TELL(VERIFY_WRONG), dump->tensors[chain->wrong].name);
    printf("  %s\n", words ? words->title : chain_title(chain->slip));
    if (chain->is && chain->right)
        printf(TELL(VERIFY_IS), chain->is, chain->right);
    printf("  %s\n", words ? words->mend : chain_mend(chain->slip));
    if (chain->unused_weight >= 0)
        words_print(stdout, TELL(VERIFY_UNUSED), dump->tensors[chain->unused_weight].name);
    if (mistake)
        words_print(stdout, TELL(VERIFY_SEE), mistake->name);
}

static void print_unexplained(const Chain *chain, const Dump *dump)
{
    char shape[TENSOR_TEXT_MAX];
    if (chain->left_count == 0)
        return;
    printf("%s", TELL(VERIFY_UNEXPLAINED));
    for (int i = 0; i < chain->left_count; i++) {
        const DumpTensor *one = &dump->tensors[chain->left[i]];
        printf("%s%s %s", i ? ", " : " ", one->name,
               tensor_shape_text(one->tensor.rank, one->tensor.shape, shape));
    }
    puts("");
}

static void report_gap(const Chain *chain, const Dump *dump)
{
    const char *open = chain->open < 0 ? "" : dump->tensors[chain->open].name,
               *unused = chain->unused_weight < 0 ? "" : dump->tensors[chain->unused_weight].name;
    if (chain->gap == CHAIN_GAP_ROWS)
        app_fail(APP_FAILED, TELL(VERIFY_GAP_ROWS), open);
    else if (chain->gap == CHAIN_GAP_OUTPUT)
        app_fail(APP_FAILED, TELL(VERIFY_GAP_OUTPUT), open, unused);
    else if (chain->gap == CHAIN_GAP_CONTEXT)
        app_fail(APP_FAILED, TELL(VERIFY_GAP_CONTEXT), open, unused);
    else if (chain->gap == CHAIN_GAP_SOURCES)
        app_fail(APP_FAILED, TELL(VERIFY_GAP_SOURCES), open, unused);
    else if (chain->gap == CHAIN_GAP_LEFT)
        app_fail(APP_FAILED, TELL(VERIFY_GAP_LEFT), open);
    else
        app_fail(APP_FAILED, "%s", TELL(VERIFY_GAP_HALF));
}

static int report_chain(const Chain *chain, const Dump *dump)
{
    bool has_results = chain->has_weights || chain->has_output;
    print_chain(chain, dump);
    if (chain->slip != CHAIN_RIGHT) {
        print_slip(chain, dump, language_written());
        return APP_FAILED;
    }
    if (chain->gap == CHAIN_NO_GAP && has_results &&
        (chain->has_output || chain->left_count == 0)) {
        printf(TELL(VERIFY_CHAIN_SAME), chain->same,
               !chain->has_weights ? TELL(VERIFY_THE_OUTPUT)
               : chain->has_output ? TELL(VERIFY_BOTH)
                                   : TELL(VERIFY_THE_WEIGHTS));
        if (chain->is_turned)
            puts(TELL(VERIFY_TURNED));
        print_unexplained(chain, dump);
        return APP_DONE;
    }
    fflush(stdout);
    if (chain->gap != CHAIN_NO_GAP)
        report_gap(chain, dump);
    else
        app_fail(APP_FAILED, "%s",
                 chain->is_large     ? TELL(VERIFY_LARGE)
                 : chain->heads == 0 ? TELL(VERIFY_NO_CHAIN)
                                     : TELL(VERIFY_NO_RESULT));
    print_unexplained(chain, dump);
    return APP_FAILED;
}

static int verify_alone(const AppOptions *options, Dump *dump, Arena *arena)
{
    static Chain chain; // too large for a small stack
    Error err = {.text = ""};
    ChainAsk ask;
    if (!ask_for(options, &ask))
        return APP_MISUSED;
    if (!dump_read(options->arguments[0], dump, arena, &err) ||
        !chain_find(dump, &ask, &chain, arena, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    printf(TELL(VERIFY_READ), dump->count, options->arguments[0]);
    if (chain.heads > 0)
        printf(TELL(VERIFY_HEADS_OF), chain.heads, chain.width);
    puts("");
    return report_chain(&chain, dump);
}

static int run(AppOptions *options)
{
    if (options->argument_count < 1 || options->argument_count > 2)
        return app_fail(APP_MISUSED, TELL(VERIFY_WANTS));
    static Dump dump; // too large for a small stack
    Arena arena = {0};
    int code = options->argument_count > 1 ? verify_beside(options, &dump, &arena)
                                           : verify_alone(options, &dump, &arena);
    arena_finish(&arena);
    return code;
}

// The same in every language.
#define DUMP_IN_PYTHON \
    "  import numpy, torch\n" \
    "  dump = dict(model.state_dict())\n" \
    "  def keep(name):\n" \
    "      def hook(module, inputs, output):\n" \
    "          parts = output if isinstance(output, tuple) else (output,)\n" \
    "          for i, part in enumerate(parts):\n" \
    "              dump[name + (f\".{i}\" if i else \"\")] = part\n" \
    "      return hook\n" \
    "  for name, module in model.named_modules():\n" \
    "      module.register_forward_hook(keep(name or \"output\"))\n" \
    "  dump[\"x\"] = x; model(x)\n" \
    "  numpy.savez(\"mine.npz\", **{k: v.detach().numpy() for k, v in dump.items()\n" \
    "                             if torch.is_tensor(v)})\n"

const AppCommand command_verify = {
    .name = "verify",
    .arguments = "MINE.npz|MINE.safetensors [SCENARIO|FILE.yaml] [--map THEIRS=OURS,...]",
    .is_first = true,
    .summary = WORDS("Find the first wrong number of a notebook and the mistake behind it",
                     "노트북의 숫자가 어디에서 어긋나는지, 어떤 실수 때문인지"),
    .details = WORDS(
        "  MINE.npz        tensors of a run, under any names. Without SCENARIO, attnscope finds\n"
        "                  how each tensor follows from the others, prints that formula, and\n"
        "                  shows the first wrong tensor\n"
        "  --set KEY=VALUE options that the dump does not show: model.heads=8,\n"
        "                  attention.mask=causal, model.batch_first=false for an input (L, B, D)\n"
        "  SCENARIO        compare with this scenario instead. Inputs and weights from the dump\n"
        "                  replace its own; --set changes any field\n"
        "  --map THEIRS=OURS,...  match tensors of the dump with tensors of the scenario; the\n"
        "                  rest match by name, numbers and shape. attnscope prints the map used\n"
        "  --lang en|ko    the language of the explanation\n"
        "\n"
        "To dump a module in Python (add other tensors yourself: dump[\"scores\"] = scores):\n"
        "\n" DUMP_IN_PYTHON,
        "  MINE.npz        실행에서 나온 텐서, 이름은 자유\n"
        "                  파일만 쓰면 숫자로 읽습니다: 텐서마다 다른 텐서로 계산하는\n"
        "                  수식을 보이고, 처음으로 틀린 텐서를 알려 줍니다\n"
        "  --set KEY=VALUE 파일이 말해 주지 않을 수 있는 것: model.heads=8, "
        "attention.mask=causal,\n"
        "                  입력이 (L, B, D)라면 model.batch_first=false\n"
        "  SCENARIO        이 시나리오와 비교합니다. 파일에 든 입력과 가중치가 시나리오의 것을\n"
        "                  대신합니다. --set은 시나리오의 아무 항목이나 바꿉니다\n"
        "  --map THEIRS=OURS,...  파일의 어느 텐서가 시나리오의 어느 텐서인지. 쓰지 않으면 이름,\n"
        "                  숫자, 모양으로 알아냅니다. 쓴 대응은 출력합니다\n"
        "  --lang en|ko    언어\n"
        "\n"
        "파이썬에서 모듈의 텐서를 파일로. 모듈이 아닌 것은 더하세요: dump[\"scores\"] = scores\n"
        "\n" DUMP_IN_PYTHON),
    .options = "set map lang",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .run = run,
};

// --- attnscope seed: which manual_seed makes the numbers that a notebook printed.

// --- a search in front of a person: progress, interruption, going on

enum { PIECES = 64, SAVE_SECONDS = 10 };

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

// --- the scenario with a seed

// Opens the scenario of the options with its weights drawn from a seed, and runs it. False with a
// sentence. The caller closes the trace and finishes the scenario.
static bool app_seed_open(const AppOptions *options, uint32_t seed, AppTrace *app, Error *err)
{
    char set[64];
    const char *sets[APP_SETS_MAX + 1];
    ScenarioRequest request = options->request;
    *app = (AppTrace){.scenario = {.name = NULL}};
    memcpy(sets, options->sets, (size_t)request.set_count * sizeof *sets);
    snprintf(set, sizeof set, "weights.manual_seed=%" PRIu32, seed);
    sets[request.set_count++] = set;
    request.sets = sets;
    if (!scenario_open(&app->scenario, &request, err))
        return false;
    app->scenario.threads = options->threads;
    bool is_open = trace_open(&app->trace, &app->scenario, err);
    if (is_open && trace_run(&app->trace, err))
        return true;
    if (is_open)
        trace_close(&app->trace);
    scenario_finish(&app->scenario);
    return false;
}

// --- where a search is kept

// A test as numbers, without the gaps that a struct may have.
static size_t test_numbers(const SeedTest *test, double numbers[3 + 6 * DRAW_TERMS_MAX])
{
    size_t count = 0;
    numbers[count++] = test->low;
    numbers[count++] = test->high;
    numbers[count++] = test->form.constant;
    for (int i = 0; i < test->form.count; i++) {
        const DrawTerm *term = &test->form.terms[i];
        const double all[] = {
            (double)term->kind,       term->factor,         term->bound, (double)term->word,
            (double)term->angle_word, (double)term->is_sine};
        memcpy(&numbers[count], all, sizeof all);
        count += sizeof all / sizeof *all;
    }
    return count;
}

// The state's name tells the question: another one never goes on with this one's search.
static bool state_path(const SeedQuestion *question, char path[STATE_PATH_MAX], Error *err)
{
    static double numbers[SEED_TESTS_MAX * (3 + 6 * DRAW_TERMS_MAX)]; // too large for a small stack
    char digest[DIGEST_TEXT_MAX], name[DIGEST_TEXT_MAX];
    size_t count = 0;
    for (int i = 0; i < question->count; i++)
        count += test_numbers(&question->tests[i], &numbers[count]);
    bytes_digest(numbers, count * sizeof *numbers, digest);
    snprintf(name, sizeof name, "seed-%.16s", digest);
    return state_file_path(name, path, err);
}

static void write_search(const void *what, FILE *out)
{
    const SeedSearch *search = what;
    fprintf(out, "next %" PRIu64 "\n", search->next);
    for (int i = 0; i < search->found_count && i < SEED_FOUND_MAX; i++)
        fprintf(out, "found %" PRIu32 "\n", search->found[i]);
}

static bool keep(const SeedSearch *search, const char *path, Error *err)
{
    return state_file_make_folders(path, err) && state_file_write(path, write_search, search, err);
}

// Goes on where the last search for the same stopped. What does not read as one is none. False with a
// sentence: the machine cannot read now what it kept, and a search from the beginning would end it.
static bool go_on(SeedSearch *search, const char *path, Error *err)
{
    Arena arena = {0};
    StateText text;
    SeedSearch kept = *search;
    bool good = state_file_read(path, &arena, &text, err), lost = !good && err->of_machine;
    for (int i = 0; good && i < text.count; i++) {
        unsigned long long number;
        char *line = text.lines[i].text, *end;
        const char *space = strchr(line, ' ');
        number = space ? strtoull(space + 1, &end, 10) : 0;
        good = text.lines[i].is_text && space && end > space + 1 && *end == '\0';
        if (good && strncmp(line, "next ", 5) == 0 && number <= SEED_ALL &&
            number % SEED_PIECE == 0)
            kept.next = number;
        else if (good && strncmp(line, "found ", 6) == 0 && number < SEED_ALL &&
                 kept.found_count < SEED_FOUND_MAX)
            kept.found[kept.found_count++] = (uint32_t)number;
        else
            good = false;
    }
    if (good)
        *search = kept;
    arena_finish(&arena);
    return !lost;
}

// --- the search

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void show(const SeedSearch *search, double seconds, uint64_t first)
{
    double rate = (double)(search->next - first) / seconds;
    double left = (double)(SEED_ALL - search->next) / rate;
    fprintf(stderr, TELL(SEED_PROGRESS), 100.0 * (double)search->next / (double)SEED_ALL,
            1e-6 * rate, left, search->found_count);
}

static bool search_all(SeedSearch *search, Team *team, const char *path, Error *err)
{
    double start = now(), saved = start;
    uint64_t first = search->next;
    bool is_seen = isatty(STDERR_FILENO), good = true;
    while (good && !interrupted && search->next < SEED_ALL &&
           search->found_count <= SEED_FOUND_MAX) {
        good = seed_search_run(search, team, PIECES, err);
        if (is_seen)
            show(search, now() - start, first);
        if (good && now() - saved > SAVE_SECONDS) {
            good = keep(search, path, err);
            saved = now();
        }
    }
    if (is_seen)
        fputs("\r\033[K", stderr);
    if (!good)
        return false;
    if (interrupted)
        return keep(search, path, err) &&
               error_set(err, TELL(SEED_STOPPED), 100.0 * (double)search->next / (double)SEED_ALL);
    unlink(path); // it may never have been kept
    return true;
}

// Tries all seeds that are left, showing how far it is on a terminal. A search that is interrupted is
// kept, and the next one with the same question goes on there. False with a sentence.
static bool app_seed_search(SeedSearch *search, Team *team, Error *err)
{
    char path[STATE_PATH_MAX];
    if (!state_path(search->question, path, err) || !go_on(search, path, err))
        return false;
    struct sigaction stop = {.sa_handler = interrupt}, old_int, old_term;
    sigaction(SIGINT, &stop, &old_int);
    sigaction(SIGTERM, &stop, &old_term);
    fprintf(stderr, TELL(SEED_BEGINS), 100.0 * (double)search->next / (double)SEED_ALL);
    bool good = search_all(search, team, path, err);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    return good;
}

// --- what a seed makes

static ptrdiff_t agreeing(const PrintedTensor *printed, const Tensor *tensor)
{
    ptrdiff_t count = 0, at[TENSOR_RANK_MAX];
    for (ptrdiff_t i = 0; i < printed->count; i++)
        count += printed_place(printed, &printed->numbers[i], tensor, at) &&
                 printed_agrees(&printed->numbers[i], tensor_number(tensor, at));
    return count;
}

// Says which of the printed tensors a seed makes.
static bool app_seed_tell(const AppOptions *options, uint32_t seed, const Printed *printed,
                          Error *err)
{
    static AppTrace app; // too large for a small stack
    if (!app_seed_open(options, seed, &app, err))
        return false;
    printf("manual_seed %" PRIu32 "\n", seed);
    for (int i = 0; i < printed->count; i++) {
        const PrintedTensor *one = &printed->tensors[i];
        int best = -1;
        ptrdiff_t most = 0;
        for (int tensor = 0; tensor < app.trace.tensor_count; tensor++) {
            const Tensor *numbers = &app.trace.tensors[tensor].tensor;
            ptrdiff_t count = printed_fits(one, numbers) ? agreeing(one, numbers) : 0;
            if (count > most) {
                best = tensor;
                most = count;
            }
        }
        bool is_it = most > 0 && 10 * most >= 9 * one->count;
        printf(TELL(SEED_LINE), one->line, is_it ? app.trace.tensors[best].name : "-",
               is_it ? "" : TELL(SEED_NO_TENSOR));
        if (is_it)
            printf(TELL(SEED_OF), most, one->count);
    }
    trace_close(&app.trace);
    scenario_finish(&app.scenario);
    return true;
}

// --- the command

enum { TEXT_MAX = 16 << 20 };

// --- the text

static const char *read_standard_input(Arena *arena, Error *err)
{
    char *text = arena_take(arena, TEXT_MAX + 1, 1, err);
    size_t used = text ? fread(text, 1, TEXT_MAX, stdin) : 0;
    if (text && used == TEXT_MAX)
        error_set(err, TELL(SEED_LONG), TEXT_MAX);
    return used < TEXT_MAX ? text : NULL;
}

static const char *read_file(const char *path, Arena *arena, Error *err)
{
    unsigned char *bytes;
    size_t length;
    if (!input_file_all(path, TEXT_MAX, arena, &bytes, &length, err))
        return NULL;
    char *text = arena_take(arena, length + 1, 1, err);
    return text ? memcpy(text, bytes, length) : NULL;
}

// A file, numbers on the command line ("[-0.1392, 0.5523]"), or standard input.
static const char *read_text(const AppOptions *options, Arena *arena, Error *err)
{
    if (options->argument_count < 2)
        return read_standard_input(arena, err);
    const char *word = options->arguments[1];
    if (!strpbrk(word, "[") && strspn(word, "0123456789.-+,eE ") != strlen(word))
        return read_file(word, arena, err);
    const char *text = "";
    for (int i = 1; text && i < options->argument_count; i++)
        text = arena_format(arena, err, "%s%s ", text, options->arguments[i]);
    return text;
}

// --- which tensor was printed

static bool is_named(const char *name, const PrintedTensor *printed)
{
    return strcasecmp(name, printed->label) == 0;
}

// Whether the numbers are there already, whatever the seed: an input was printed.
static bool is_known(const Trace *trace, int tensor, const PrintedTensor *printed)
{
    ptrdiff_t at[TENSOR_RANK_MAX];
    const Tensor *numbers = &trace->tensors[tensor].tensor;
    if (!printed_fits(printed, numbers))
        return false;
    for (ptrdiff_t i = 0; i < printed->count; i++)
        if (printed_place(printed, &printed->numbers[i], numbers, at) &&
            !printed_agrees(&printed->numbers[i], tensor_number(numbers, at)))
            return false;
    return true;
}

// What is asked of each seed: whether it makes the numbers that were printed of this tensor.
typedef struct Asked {
    const PrintedTensor *printed;
    int tensor;
    SeedQuestion question;
} Asked;

static bool ask(const Trace *trace, Asked *asked, Arena *arena, Error *err)
{
    return printed_fits(asked->printed, &trace->tensors[asked->tensor].tensor) &&
           seed_question_make(trace, asked->tensor, asked->printed, &asked->question, arena, err);
}

// The first printed tensor that draws alone decide, as the tensor of its name, or else the first one
// of its shape. Where the machine fails, it chooses none: the next tensor would be another question.
static bool choose(const Trace *trace, const char *wanted, const Printed *printed, Asked *asked,
                   Arena *arena, Error *err)
{
    error_set(err, TELL(SEED_NO_SHAPE));
    for (int i = 0; i < printed->count; i++) {
        const PrintedTensor *one = &printed->tensors[i];
        bool known = false;
        for (int tensor = 0; tensor < trace->tensor_count; tensor++)
            known = known || is_known(trace, tensor, one);
        for (int pass = 0; pass < 2 && !known; pass++)
            for (int tensor = 0; tensor < trace->tensor_count; tensor++) {
                const char *name = trace->tensors[tensor].name;
                bool fits = wanted ? strcmp(name, wanted) == 0 : pass == 1 || is_named(name, one);
                asked->printed = one;
                asked->tensor = tensor;
                if (fits && ask(trace, asked, arena, err))
                    return true;
                if (err->of_machine)
                    return false;
            }
    }
    return false;
}

// --- the answer

static int answer(const AppOptions *options, const SeedSearch *search, const Printed *printed)
{
    Error err = {.text = ""};
    if (search->found_count == 0) {
        puts(TELL(SEED_NONE));
        return APP_FAILED;
    }
    if (search->found_count > SEED_FOUND_MAX)
        return app_fail(APP_FAILED, TELL(SEED_MANY), SEED_FOUND_MAX, search->question->count);
    for (int i = 0; i < search->found_count; i++)
        if (!app_seed_tell(options, search->found[i], printed, &err))
            return app_fail(APP_FAILED, "%s", err.text);
    if (search->found_count > 1)
        printf(TELL(SEED_SEVERAL), search->found_count);
    return APP_DONE;
}

static int search_for(const AppOptions *options, const Printed *printed, Arena *arena)
{
    static AppTrace app; // too large for a small stack
    static Asked asked;  // likewise
    Error err = {.text = ""};
    if (!app_seed_open(options, 0, &app, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    bool good = choose(&app.trace, options->tensor, printed, &asked, arena, &err);
    if (good)
        fprintf(stderr, TELL(SEED_LOOKS), asked.question.count, asked.printed->line,
                app.trace.tensors[asked.tensor].name);
    trace_close(&app.trace);
    scenario_finish(&app.scenario);
    if (!good)
        return app_fail(APP_FAILED, "%s", err.text);

    SeedSearch search = {.question = &asked.question, .kernel = kernel_choose()};
    Team team;
    team_init(&team, options->threads);
    good = app_seed_search(&search, &team, &err);
    team_finish(&team);
    return good ? answer(options, &search, printed) : app_fail(APP_FAILED, "%s", err.text);
}

static int seed_run(AppOptions *options)
{
    if (options->argument_count == 0)
        return app_fail(APP_MISUSED, TELL(SEED_WANTS));
    static Printed printed; // too large for a small stack
    Arena arena = {0};
    Error err = {.text = ""};
    const char *text = read_text(options, &arena, &err);
    int code = text && printed_read(text, &printed, &arena, &err)
                   ? search_for(options, &printed, &arena)
                   : app_fail(APP_FAILED, "%s", err.text);
    arena_finish(&arena);
    return code;
}

const AppCommand command_seed = {
    .name = "seed",
    .arguments = "SCENARIO|FILE.yaml [TEXT | [NUMBER, ...]] [--tensor T] [--threads N]",
    .summary = WORDS("Find the manual_seed behind the numbers of a notebook",
                     "노트북이 출력한 숫자를 만드는 manual_seed를 찾습니다"),
    .details = WORDS(
        "  TEXT            a file with printed tensors, in the format of print(tensor); other\n"
        "                  text in it is ignored. The default is standard input\n"
        "  [NUMBER, ...]   or the first numbers of a tensor, in brackets and quotes\n"
        "  --tensor T      the scenario's tensor that was printed first [by name, or the first\n"
        "                  of the same shape]\n"
        "  --set KEY=VALUE change any field of the scenario, as in print\n"
        "\n"
        "The scenario gives the order of the random draws (weights.draw); its own seed is\n"
        "ignored. attnscope tries all 2^32 seeds, so a failed search means that no seed fits. A\n"
        "printed number matches to half of its last digit. To resume an interrupted search, run\n"
        "the same command again. The printed tensors can be weights, embeddings, or q, k and v\n"
        "of known vectors.\n",
        "  TEXT            출력된 것이 든 파일: print(tensor)가 쓴 텐서. 둘레에 무엇이 있어도\n"
        "                  됩니다. 쓰지 않으면 표준 입력을 읽습니다\n"
        "  [NUMBER, ...]   또는 텐서의 첫 숫자들을 대괄호와 따옴표 안에\n"
        "  --tensor T      처음 출력된 것이 시나리오의 어느 텐서인지 [같은 이름의 것, 없으면 같은\n"
        "                  모양의 첫째]\n"
        "  --set KEY=VALUE print처럼 시나리오의 아무 항목이나 바꿉니다\n"
        "\n"
        "무엇을 어떤 순서로 뽑는지는 시나리오가 말합니다(weights.draw). 시나리오 자신의 시드는\n"
        "상관없습니다. 시드 2^32개를 모두 시도하므로, 찾지 못하면 없는 것입니다. 출력된 숫자는\n"
        "마지막 자리의 절반까지 맞으면 됩니다. 멈춘 검색은 같은 명령으로 이어집니다. 찾을 수 있는\n"
        "것은 가중치, 임베딩, 그리고 알고 있는 벡터의 q, k, v입니다.\n"),
    .options = "set tensor",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .run = seed_run,
};
