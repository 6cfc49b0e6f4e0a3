// attnscope seed: which manual_seed makes the numbers that a notebook printed.
#include "app_seed.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "input_file.h"
#include "app_words.h"

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

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, command_seed.options, &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(&command_seed, stdout);
        return app_finish_output();
    }
    if (options.argument_count == 0)
        return app_fail(APP_MISUSED, TELL(SEED_WANTS));
    static Printed printed; // too large for a small stack
    Arena arena = {0};
    Error err = {.text = ""};
    const char *text = read_text(&options, &arena, &err);
    int code = text && printed_read(text, &printed, &arena, &err)
                   ? search_for(&options, &printed, &arena)
                   : app_fail(APP_FAILED, "%s", err.text);
    arena_finish(&arena);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
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
