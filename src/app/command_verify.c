// attnscope verify: a notebook's dump beside the trace: where it leaves the right numbers, and why.
#include "app.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "number_text.h"
#include "verify.h"
#include "app_words.h"

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
    printf(TELL(VERIFY_SHOULD), trace_cell_name(trace, at, cell),
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

// The scenario that was named, or the one that the dump tells of itself.
static bool request_for(const AppOptions *options, const Dump *dump, ScenarioRequest *request,
                        const char *sets[VERIFY_SETS + APP_SETS_MAX], Arena *arena, Error *err)
{
    char path[PATH_MAX];
    *request = options->request;
    request->what = options->argument_count > 1 ? options->arguments[1] : "scaled-dot-product";
    if (options->argument_count > 1)
        return true;
    if (!realpath(options->arguments[0], path))
        return error_set(err, TELL(VERIFY_GONE), options->arguments[0]);
    if (!verify_tells_heads(dump) && request->set_count == 0)
        fprintf(stderr, "%s", TELL(VERIFY_ONE_HEAD));
    int count = verify_scenario(dump, path, sets, arena, err);
    for (int i = 0; i < request->set_count && count >= 0; i++)
        sets[count++] = request->sets[i];
    request->sets = sets;
    request->set_count = count;
    return count >= 0;
}

static int verify(const AppOptions *options, Arena *arena)
{
    static Dump dump;    // too large for a small stack
    static AppTrace app; // likewise
    const char *sets[VERIFY_SETS + APP_SETS_MAX];
    Error err = {.text = ""};
    ScenarioRequest request;
    app = (AppTrace){.scenario = {.name = NULL}};
    if (!dump_read(options->arguments[0], &dump, arena, &err) ||
        !request_for(options, &dump, &request, sets, arena, &err) ||
        !scenario_open(&app.scenario, &request, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int code = APP_FAILED;
    app.scenario.threads = options->threads;
    int put = dump_put_inputs(&dump, options->map, &app.scenario);
    bool is_open = trace_open(&app.trace, &app.scenario, &err);
    if (is_open && trace_run(&app.trace, &err) &&
        verify_match(&dump, options->map, &app.trace, &err)) {
        printf(TELL(VERIFY_OF), dump.count, options->arguments[0],
               options->argument_count > 1 ? app.scenario.name : TELL(VERIFY_OWN), put);
        print_map(&dump, &app.trace);
        code = report(&dump, &app.trace);
    } else {
        app_fail(code, "%s", err.text);
    }
    if (is_open)
        trace_close(&app.trace);
    scenario_finish(&app.scenario);
    return code;
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, command_verify.options, &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(&command_verify, stdout);
        return app_finish_output();
    }
    if (options.argument_count < 1 || options.argument_count > 2)
        return app_fail(APP_MISUSED, TELL(VERIFY_WANTS));
    Arena arena = {0};
    int code = verify(&options, &arena);
    arena_finish(&arena);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
}

const AppCommand command_verify = {
    .name = "verify",
    .arguments = "MINE.npz|MINE.safetensors [SCENARIO|FILE.yaml] [--map THEIRS=OURS,...]",
    .is_first = true,
    .summary = WORDS("Find where the numbers of a notebook go wrong, and the mistake that does it",
                     "노트북의 숫자가 어디에서 어긋나는지, 어떤 실수 때문인지"),
    .details = WORDS(
        "  MINE.npz        tensors of a run, under any names\n"
        "  SCENARIO        what should have been computed. Inputs and weights in the dump take\n"
        "                  the place of the scenario's. Without one, the dump's own x and\n"
        "                  weights are the scenario\n"
        "  --map THEIRS=OURS,...  which tensor of the dump is which of the scenario; else names,\n"
        "                  numbers and shapes tell. The map that was used is printed\n"
        "  --set KEY=VALUE change any field of the scenario, as in print\n"
        "  --lang en|ko    the language of the mistake\n"
        "\n"
        "A dump of a module, in Python; add what is no module: dump[\"scores\"] = scores\n"
        "\n"
        "  import numpy, torch\n"
        "  dump = dict(model.state_dict())\n"
        "  def keep(name):\n"
        "      def hook(module, inputs, output):\n"
        "          dump[name] = output\n"
        "      return hook\n"
        "  for name, module in model.named_modules():\n"
        "      module.register_forward_hook(keep(name or \"output\"))\n"
        "  dump[\"x\"] = x; model(x)\n"
        "  numpy.savez(\"mine.npz\", **{k: v.detach().numpy() for k, v in dump.items()\n"
        "                             if torch.is_tensor(v)})\n",
        "  MINE.npz        실행에서 나온 텐서, 이름은 자유\n"
        "  SCENARIO        계산했어야 하는 것. 파일에 든 입력과 가중치가 시나리오의 것을\n"
        "                  대신합니다. 쓰지 않으면 파일의 x와 가중치가 시나리오가 됩니다\n"
        "  --map THEIRS=OURS,...  파일의 어느 텐서가 시나리오의 어느 텐서인지. 쓰지 않으면 이름,\n"
        "                  숫자, 모양으로 알아냅니다. 쓴 대응은 출력합니다\n"
        "  --set KEY=VALUE print처럼 시나리오의 아무 항목이나 바꿉니다\n"
        "  --lang en|ko    언어\n"
        "\n"
        "파이썬에서 모듈의 텐서를 파일로. 모듈이 아닌 것은 더하세요: dump[\"scores\"] = scores\n"
        "\n"
        "  import numpy, torch\n"
        "  dump = dict(model.state_dict())\n"
        "  def keep(name):\n"
        "      def hook(module, inputs, output):\n"
        "          dump[name] = output\n"
        "      return hook\n"
        "  for name, module in model.named_modules():\n"
        "      module.register_forward_hook(keep(name or \"output\"))\n"
        "  dump[\"x\"] = x; model(x)\n"
        "  numpy.savez(\"mine.npz\", **{k: v.detach().numpy() for k, v in dump.items()\n"
        "                             if torch.is_tensor(v)})\n"),
    .options = "set map lang",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .run = run,
};
