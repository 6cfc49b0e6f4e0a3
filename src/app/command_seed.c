// attnscope seed: finds the manual_seed behind printed numbers.
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "app.h"
#include "app_words.def"
#include "clock.h"
#include "digest.h"
#include "input_file.h"
#include "new_file.h"
#include "seed_search.h"
#include "state_file.h"

// --- searching with progress, interruption and resuming

enum { PIECES = 64, SAVE_SECONDS = 10 };

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

// --- the scenario with a given seed

// Opens the scenario with weights from a seed, and runs it. Returns false and sets err on failure. The caller
// closes the trace and finishes the scenario.
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

// --- saved searches

// A test as numbers, without a struct's padding.
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

// The state's name is a digest of the question.
static bool state_path(const SeedQuestion *question, char path[STATE_PATH_MAX], Error *err)
{
    static double numbers[SEED_TESTS_MAX * (3 + 6 * DRAW_TERMS_MAX)]; // too large for the stack
    char digest[DIGEST_TEXT_MAX], name[DIGEST_TEXT_MAX];
    size_t count = 0;
    for (int i = 0; i < question->count; i++)
        count += test_numbers(&question->tests[i], &numbers[count]);
    bytes_digest(numbers, count * sizeof *numbers, digest);
    snprintf(name, sizeof name, "seed-%.16s", digest);
    return state_file_path(name, path, err);
}

static bool write_search(const void *what, FILE *out, Error *err)
{
    (void)err;
    const SeedSearch *search = what;
    fprintf(out, "next %" PRIu64 "\n", search->next);
    for (int i = 0; i < search->found_count && i < SEED_FOUND_MAX; i++)
        fprintf(out, "found %" PRIu32 "\n", search->found[i]);
    return true;
}

static bool keep(const SeedSearch *search, const char *path, Error *err)
{
    return state_file_make_folders(path, err) && new_file_write(path, write_search, search, err);
}

// Resumes a saved search for the same question; an invalid file counts as none. Returns false and sets err if the machine
// cannot read it, because starting over would overwrite it.
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

static void show(const SeedSearch *search, double seconds, uint64_t first)
{
    double rate = (double)(search->next - first) / seconds;
    double left = (double)(SEED_ALL - search->next) / rate;
    fprintf(stderr, TELL(SEED_PROGRESS), 100.0 * (double)search->next / (double)SEED_ALL,
            1e-6 * rate, left, search->found_count);
}

static bool search_all(SeedSearch *search, Team *team, const char *path, Error *err)
{
    double start = clock_seconds(), saved = start;
    uint64_t first = search->next;
    bool is_seen = isatty(STDERR_FILENO), good = true;
    while (good && !interrupted && search->next < SEED_ALL &&
           search->found_count <= SEED_FOUND_MAX) {
        good = seed_search_run(search, team, PIECES, err);
        if (is_seen)
            show(search, clock_seconds() - start, first);
        if (good && clock_seconds() - saved > SAVE_SECONDS) {
            good = keep(search, path, err);
            saved = clock_seconds();
        }
    }
    if (is_seen)
        fputs("\r\033[K", stderr);
    if (!good)
        return false;
    if (interrupted)
        return keep(search, path, err) &&
               error_set(err, TELL(SEED_STOPPED), 100.0 * (double)search->next / (double)SEED_ALL);
    unlink(path); // it may not exist
    return true;
}

// Tries all remaining seeds, with progress on a terminal. An interrupted search is saved and resumed next time. Returns
// false and sets err on failure.
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

// --- results

static ptrdiff_t agreeing(const PrintedTensor *printed, const Tensor *tensor)
{
    ptrdiff_t count = 0, at[TENSOR_RANK_MAX];
    for (ptrdiff_t i = 0; i < printed->count; i++)
        count += printed_place(printed, &printed->numbers[i], tensor, at) &&
                 printed_agrees(&printed->numbers[i], tensor_number(tensor, at));
    return count;
}

// Reports which printed tensors a seed makes.
static bool print_seed(const AppOptions *options, uint32_t seed, const Printed *printed, Error *err)
{
    static AppTrace app; // too large for the stack
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

// --- input

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

// Reads a file, numbers on the command line ("[-0.1392, 0.5523]"), or standard input.
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

// --- identifying the printed tensor

// True if the numbers do not depend on the seed: an input was printed.
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

// The tests for each seed: does it make the printed numbers?
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

// Chooses the first printed tensor that consists of draws: by name, or the first of its shape. Chooses none
// if the machine fails, because another tensor would be another question.
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
                bool fits = wanted ? strcmp(name, wanted) == 0
                                   : pass == 1 || strcasecmp(name, one->label) == 0;
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
        if (!print_seed(options, search->found[i], printed, &err))
            return app_fail(APP_FAILED, "%s", err.text);
    if (search->found_count > 1)
        printf(TELL(SEED_SEVERAL), search->found_count);
    return APP_DONE;
}

// Opens the scenario, then reads what was printed: a wrong name does not wait for standard input.
static bool read_question(const AppOptions *options, Printed *printed, Asked *asked, Arena *arena,
                          Error *err)
{
    static AppTrace app; // too large for the stack
    if (!app_seed_open(options, 0, &app, err))
        return false;
    const char *text = read_text(options, arena, err);
    bool good = text && printed_read(text, printed, arena, err) &&
                choose(&app.trace, options->tensor, printed, asked, arena, err);
    if (good)
        fprintf(stderr, TELL(SEED_LOOKS), asked->question.count, asked->printed->line,
                app.trace.tensors[asked->tensor].name);
    trace_close(&app.trace);
    scenario_finish(&app.scenario);
    return good;
}

static int run(AppOptions *options)
{
    static Printed printed; // too large for the stack
    static Asked asked;     // too large for the stack
    Arena arena = {0};
    Error err = {.text = ""};
    if (options->argument_count == 0)
        return app_fail(APP_MISUSED, TELL(SEED_WANTS));
    bool good = read_question(options, &printed, &asked, &arena, &err);
    SeedSearch search = {.question = &asked.question, .kernel = kernel_choose()};
    if (good) {
        Team team;
        team_init(&team, options->threads);
        good = app_seed_search(&search, &team, &err);
        team_finish(&team);
    }
    int code = good ? answer(options, &search, &printed) : app_fail(APP_FAILED, "%s", err.text);
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
    .run = run,
};
