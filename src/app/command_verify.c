// attnscope verify: compares a notebook's dump with the trace: where it first differs, and why.
#include "app.h"

#include <stdlib.h>
#include <string.h>
#include "chain.h"
#include "number_text.h"
#include "verify.h"
#include "app_words.def"

// How a dumped tensor was matched to one of the scenario.
static const char *match_words(DumpMatch match)
{
    return match == DUMP_BY_MAP       ? TELL(VERIFY_BY_MAP)
           : match == DUMP_BY_NAME    ? TELL(VERIFY_BY_NAME)
           : match == DUMP_BY_VALUE   ? TELL(VERIFY_BY_VALUE)
           : match == DUMP_BY_SHAPE   ? TELL(VERIFY_BY_SHAPE)
           : match == DUMP_BY_MISTAKE ? TELL(VERIFY_BY_MISTAKE)
           : match == DUMP_AGAIN      ? TELL(VERIFY_AGAIN)
                                      : TELL(VERIFY_NOTHING);
}

// Prints the matches, and the --map that repeats them, for editing.
static void print_map(const Dump *dump, const Trace *trace)
{
    bool any = false;
    for (int i = 0; i < dump->count; i++) {
        const DumpTensor *one = &dump->tensors[i];
        bool known = one->match != DUMP_NOT;
        printf("  %-28s %-22s %s\n", one->name, known ? trace->tensors[one->number].name : "-",
               match_words(one->match));
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

static void print_cause(const VerifyFinding *finding)
{
    char text[RELATION_TEXT_MAX];
    for (int i = 0; i < finding->mistake_count; i++) {
        const MistakeWords *words = &finding->mistakes[i]->words[language_now()];
        printf("%s\n  %s\n  %s\n", i ? TELL(VERIFY_OR) : TELL(VERIFY_KNOWN), words->title,
               words->mend);
    }
    if (finding->mistake_count > 0)
        return;
    if (finding->relations.count > 0)
        puts(relation_say(&finding->relations, language_written(), text));
    else
        puts(TELL(VERIFY_UNKNOWN));
}

// Unmatched tensors may hide the error.
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
    static VerifyFinding finding; // too large for the stack
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
    print_cause(&finding);
    const char *settings = trace_settings(trace, step, settings_text);
    printf(TELL(VERIFY_TORCH), trace_torch(trace, step, torch), settings ? "    # " : "",
           settings ? settings : "");
    return APP_FAILED;
}

static int verify_beside(const AppOptions *options, Dump *dump, Arena *arena)
{
    static AppTrace app; // too large for the stack
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

// --- a dump without a scenario

// Reads --set for a dump: the number of heads, the mask, and input as (L, B, D).
static bool ask_for(const AppOptions *options, ChainAsk *ask)
{
    *ask = (ChainAsk){.heads = 0};
    for (int i = 0; i < options->request.set_count; i++) {
        const char *set = options->request.sets[i];
        bool is_causal = strcmp(set, "attention.mask=causal") == 0;
        char *end = NULL;
        if (strncmp(set, "model.heads=", 12) == 0) {
            ask->heads = strtol(set + 12, &end, 10);
            if (*end || ask->heads < 1)
                return app_refuse(TELL(VERIFY_HEADS), set + 12);
        } else if (strcmp(set, "model.batch_first=false") == 0) {
            ask->is_length_first = true;
        } else if (is_causal || strcmp(set, "attention.mask=none") == 0) {
            ask->is_causal = is_causal;
        } else {
            return app_refuse(TELL(VERIFY_SET_ALONE), set);
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

// Names what gives the same numbers because the sizes are equal.
static void print_other(ChainSlip slip)
{
    const Mistake *mistake = chain_mistake(slip);
    const MistakeWords *words = mistake ? &mistake->words[language_now()] : NULL;
    if (slip != CHAIN_RIGHT)
        printf("  %s\n  %s\n", TELL(VERIFY_OR), words ? words->title : chain_title(slip));
}

static void print_slip(const Chain *chain, const Dump *dump)
{
    const Mistake *mistake = chain_mistake(chain->slip);
    const MistakeWords *words = mistake ? &mistake->words[language_now()] : NULL;
    if (chain->same > 0)
        printf(TELL(VERIFY_RIGHT_BEFORE), chain->same);
    if (chain->wrong >= 0)
        printf(TELL(VERIFY_WRONG), dump->tensors[chain->wrong].name);
    printf("  %s\n", words ? words->title : chain_title(chain->slip));
    if (chain->is && chain->right)
        printf(TELL(VERIFY_IS), chain->is, chain->right);
    printf("  %s\n", words ? words->mend : chain_mend(chain->slip));
    print_other(chain->or_else);
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
    else if (chain->gap == CHAIN_GAP_NORM)
        app_fail(APP_FAILED, TELL(VERIFY_GAP_NORM), open);
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
        print_slip(chain, dump);
        return APP_FAILED;
    }
    if (chain->gap == CHAIN_NO_GAP && has_results &&
        (chain->has_output || chain->left_count == 0)) {
        printf(TELL(VERIFY_CHAIN_SAME), chain->same,
               !chain->has_weights ? TELL(VERIFY_THE_OUTPUT)
               : chain->has_output ? TELL(VERIFY_BOTH)
                                   : TELL(VERIFY_THE_WEIGHTS));
        if (chain->hides_nothing)
            puts(TELL(VERIFY_NO_MASK));
        else if (chain->has_unused_mask)
            puts(TELL(VERIFY_MASK_UNUSED));
        if (chain->hides_first)
            puts(TELL(VERIFY_PADS_FIRST));
        if (chain->is_nameless)
            puts(TELL(VERIFY_NAMELESS));
        if (chain->is_turned)
            puts(TELL(VERIFY_TURNED));
        if (chain->alone >= 0)
            words_print(stdout, TELL(VERIFY_ALONE), dump->tensors[chain->alone].name);
        if (chain->normed >= 0)
            words_print(stdout, TELL(VERIFY_NORMED), dump->tensors[chain->normed].name);
        if (chain->dropped >= 0)
            words_print(stdout, TELL(VERIFY_DROPPED), dump->tensors[chain->dropped].name);
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
    static Chain chain; // too large for the stack
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
    static Dump dump; // too large for the stack
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
