// attnscope export: every tensor of a trace, weights included, as .npz or .safetensors.
#include "app.h"

#include "tensor_file.h"
#include "app_words.h"

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

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, command_export.options, &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(&command_export, stdout);
        return app_finish_output();
    }
    int wanted = options.request.text && options.argument_count == 1 ? 1 : 2;
    if (options.argument_count != wanted)
        return app_fail(APP_MISUSED, TELL(EXPORT_WANTS));
    const char *path = options.arguments[wanted - 1];
    if (wanted == 1)
        options.request.what = NULL;

    static AppTrace app; // too large for a small stack
    if (!app_open(&app, &options))
        return APP_FAILED;
    int code = options.compare ? app_export_comparison(&app, options.compare, path)
                               : export_trace(&app, path);
    app_close(&app);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
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
    .run = run,
};
