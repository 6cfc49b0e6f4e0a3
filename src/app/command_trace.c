// attnscope trace: the stepper, or without a terminal its text. attnscope export: a trace's tensors as a file.
#include <unistd.h>
#include "app.h"
#include "app_exercise.h"
#include "app_words.def"
#include "session.h"
#include "tensor_file.h"

// --- trace

static int run_trace(AppOptions *options)
{
    if (!app_needs_one(options))
        return APP_MISUSED;
    static AppTrace app; // too large for the stack
    if (!app_open(&app, options))
        return APP_FAILED;
    bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    bool steps = options->script || options->png || has_terminal;
    int code = steps ? app_show(&app, options, app_step)
                     : app_print_walk(&app, &(AppWalk){.stage = NULL}, stdout);
    app_close(&app);
    return code;
}

const AppCommand command_trace = {
    .name = "trace",
    .arguments = "SCENARIO|FILE.yaml [--script FILE] [--png OUT.png] [--size 100x30]",
    .is_first = true,
    .summary = WORDS("Step through attention in the terminal", "터미널에서 한 단계씩 봅니다"),
    .details = WORDS(
        "  SCENARIO        a name from attnscope list, or a document number: 000\n"
        "  --script FILE   run the commands in FILE and print the screens; needs no terminal\n"
        "  --png OUT.png   save the screen as a picture, after the script if there is one\n"
        "  --mine DIR      use your functions from workspace DIR as stages\n"
        "  --dark          make that picture light on dark\n"
        "  --size WxH      the size of the screens, in columns and rows\n"
        "  --backward      add the backward pass, step by step, from a loss to every weight\n"
        "  --text \"...\"    your own sentence instead of the scenario's input\n"
        "  --pair \"...\"    a second sentence, if the scenario uses a model's tokenizer\n"
        "  --set KEY=VALUE change any field: --set attention.mask=causal\n"
        "  --formula F     compute one step by another formula, as in print; f edits one\n"
        "  --spill FOLDER  keep large tensors in files there, for runs larger than memory\n"
        "\n"
        "In the stepper, ? shows every key. Without a terminal, trace prints every step.\n",
        "  SCENARIO        attnscope list에 있는 이름이나 문서의 번호: 000\n"
        "  --script FILE   파일에 쓴 대로 하고 화면을 출력합니다. 터미널이 없어도 됩니다\n"
        "  --png OUT.png   화면을 그림으로 저장합니다. 스크립트가 있으면 그 뒤에\n"
        "  --mine DIR      그 작업 폴더의 내 함수를 단계로 실행합니다\n"
        "  --dark          그 그림을 어두운 바탕으로\n"
        "  --size WxH      그 화면의 크기, 칸과 줄\n"
        "  --backward      역전파도 한 단계씩, 손실에서 모든 가중치까지\n"
        "  --text \"...\"    시나리오의 입력 대신 내 문장\n"
        "  --pair \"...\"    모델의 토크나이저로 나눌 때 그 뒤에 올 두 번째 문장\n"
        "  --set KEY=VALUE 아무 항목이나 바꿉니다: --set attention.mask=causal\n"
        "  --formula F     print처럼 단계 하나를 다른 수식으로 계산합니다. f로도 씁니다\n"
        "  --spill FOLDER  메모리보다 큰 실행에서 큰 텐서를 그 폴더의 파일에 둡니다\n"
        "\n"
        "스테퍼에서 ?를 누르면 무엇을 누를 수 있는지 모두 나옵니다. 터미널이 없으면 과정을 "
        "출력합니다.\n"),
    .options = "set formula backward text pair script size png dark mine",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .run = run_trace,
};

// --- export

static int export_trace(AppTrace *app, const char *path)
{
    Error err = {.text = ""};
    Arena arena = {0};
    int count = app->trace.tensor_count;
    if (!trace_run(&app->trace, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    NamedTensor *tensors = arena_take(&arena, (size_t)count, sizeof *tensors, &err);
    for (int i = 0; tensors && i < count; i++)
        tensors[i] = (NamedTensor){app->trace.tensors[i].name, app->trace.tensors[i].tensor};
    const FileNote *notes = tensors ? app_notes(app, NULL, &arena, &err) : NULL;
    bool written = notes && tensor_file_write_noted(path, tensors, count, notes, &err);
    arena_finish(&arena);
    if (!written)
        return app_fail(APP_FAILED, "%s", err.text);
    app_print_edits(&app->trace);
    printf(TELL(EXPORTED), count, app->scenario.name, path);
    return APP_DONE;
}

static int run_export(AppOptions *options)
{
    int wanted = options->request.text && options->argument_count == 1 ? 1 : 2;
    if (options->argument_count != wanted)
        return app_fail(APP_MISUSED, TELL(EXPORT_WANTS));
    const char *path = options->arguments[wanted - 1];
    if (wanted == 1)
        options->request.what = NULL;

    static AppTrace app; // too large for the stack
    if (!app_open(&app, options))
        return APP_FAILED;
    int code = options->compare ? app_export_comparison(&app, options->compare, path)
                                : export_trace(&app, path);
    app_close(&app);
    return code;
}

const AppCommand command_export = {
    .name = "export",
    .arguments = "SCENARIO|FILE.yaml OUT.npz|OUT.safetensors",
    .summary = WORDS("Write every tensor, weights included, to a file",
                     "실행의 모든 텐서를 가중치까지 파일로 씁니다"),
    .details = WORDS(
        "  OUT.npz          for numpy.load\n"
        "  OUT.safetensors  for safetensors.torch.load_file\n"
        "  --compare WHAT   add the tensors of a second run, as in print, named beside.NAME\n"
        "  --backward       add gradients; grad.NAME is the gradient of NAME\n"
        "  --formula F      compute one step by another formula, as in print\n"
        "  --text \"...\", --pair \"...\", --set KEY=VALUE, --spill FOLDER as in print\n"
        "\n"
        "The file records the version, scenario, manual_seed, set and formula: a .safetensors\n"
        "in __metadata__, an .npz in its comment. If the write fails, no file appears.\n",
        "  OUT.npz          numpy.load용\n"
        "  OUT.safetensors  safetensors.torch.load_file용\n"
        "  --compare WHAT   print처럼 다른 방법의 텐서도. 이름은 beside.NAME입니다\n"
        "  --backward       기울기도: grad.NAME은 NAME의 기울기입니다\n"
        "  --formula F      print처럼 단계 하나를 다른 수식으로 계산합니다\n"
        "  --text \"...\", --pair \"...\", --set KEY=VALUE, --spill FOLDER는 print와 같습니다\n"
        "\n"
        "파일은 자기가 무엇인지 말합니다(버전, 시나리오, manual_seed, 바꾼 것, 수식).\n"
        ".safetensors에서는 __metadata__에, .npz에서는 주석에 있습니다. 온전히 나타나거나\n"
        "아예 나타나지 않습니다.\n"),
    .options = "set backward text pair compare formula",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .run = run_export,
};
