// attnscope trace, and app_step: a session in the terminal, played from a script, or as a picture.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "app.h"
#include "app_exercise.h"
#include "app_words.def"
#include "new_file.h"
#include "picture_view.h"
#include "screen.h"
#include "session.h"
#include "state_file.h"
#include "tensor_file.h"
#include "tui.h"

// --- pictures as files

// Waits for the child to say that the picture is in its file.
static bool wait_for_picture(Window *window, Error *err)
{
    WindowEvent event;
    while (window_wait(window, -1))
        while (window_next(window, &event)) {
            if (event.kind == WINDOW_SAVED)
                return true;
            if (event.kind == WINDOW_NOTE)
                fprintf(stderr, "attnscope: %s\n", event.word);
            if (event.kind == WINDOW_FAILED || event.kind == WINDOW_LOST)
                return error_set(err, "%s", event.word);
        }
    return error_set(err, TELL(PICTURE_WAIT), error_reason(errno));
}

// What the window's process is asked to write: a picture of its own, or of a film.
typedef struct Wanted {
    Window *window;
    const DisplayList *list;
    const WindowFilm *film; // NULL: none
} Wanted;

static bool save(const Wanted *wanted, const char *path, Error *err)
{
    bool sent = wanted->film ? window_film(wanted->window, wanted->list, *wanted->film, path)
                             : window_save(wanted->window, wanted->list, path);
    return sent ? wait_for_picture(wanted->window, err) : error_set(err, TELL(PICTURE_ENDED));
}

// The child's /dev/stdout is not ours.
static bool save_in_stream(const Wanted *wanted, const char *path, Error *err)
{
    Arena arena = {.chunks = NULL};
    NewFile file;
    bool saved = false;
    if (new_file_begin(&file, path, &arena, err)) {
        if (save(wanted, file.temporary, err))
            saved = new_file_keep(&file, err);
        else
            new_file_drop(&file);
    }
    arena_finish(&arena);
    return saved;
}

const char *app_picture_ending(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strrchr(slash ? slash : path, '.');
}

bool app_picture_save(Window *window, const DisplayList *list, const char *path, Error *err)
{
    Wanted wanted = {window, list, NULL};
    return new_file_is_stream(path) ? save_in_stream(&wanted, path, err) : save(&wanted, path, err);
}

bool app_picture_film(Window *window, const DisplayList *list, WindowFilm film, const char *path,
                      Error *err)
{
    Wanted wanted = {window, list, &film};
    return new_file_is_stream(path) ? error_set(err, TELL(FILM_STREAM), path)
                                    : save(&wanted, path, err);
}

// --- sessions

Session *app_session(Error *err)
{
    static Arena arena;
    static Session *session;
    if (!session)
        session = arena_take(&arena, 1, sizeof *session, err);
    return session;
}

enum { COLUMNS_DEFAULT = 80, ROWS_DEFAULT = 24, LETTER_PIXELS = 20 };

bool app_size(const char *text, int *columns, int *rows)
{
    *columns = COLUMNS_DEFAULT;
    *rows = ROWS_DEFAULT;
    if (!text)
        return true;
    char *rest;
    long wide = strtol(text, &rest, 10);
    long high = *rest == 'x' ? strtol(rest + 1, &rest, 10) : 0;
    bool fits = *rest == '\0' && wide >= 1 && wide <= CELLS_COLUMNS_MAX && high >= 1 &&
                high <= CELLS_ROWS_MAX;
    *columns = (int)wide;
    *rows = (int)high;
    if (!fits)
        app_fail(APP_MISUSED, TELL(SIZE_COLUMNS), CELLS_COLUMNS_MAX, CELLS_ROWS_MAX, text);
    return fits;
}

static int run_script(Session *session, const AppOptions *options, int columns, int rows)
{
    bool is_input = strcmp(options->script, "-") == 0;
    FILE *script = is_input ? stdin : fopen(options->script, "r");
    if (!script)
        return app_fail(APP_FAILED, "%s: %s", options->script, error_reason(errno));
    Error err = {.text = ""};
    bool done = tui_script(session, script, columns, rows, stdout, &err);
    if (!is_input)
        fclose(script);
    return done ? APP_DONE : app_fail(APP_FAILED, "%s: %s", options->script, err.text);
}

// A screen has pixels only.
static bool check_ending(const char *png)
{
    const char *ending = png ? app_picture_ending(png) : NULL;
    return !ending || strcasecmp(ending, ".png") == 0 ||
           app_fail(APP_MISUSED, TELL(SCREEN_ENDING), png, ending) == APP_DONE;
}

static int save_picture(Session *session, const AppOptions *options, int columns, int rows)
{
    Error err = {.text = ""};
    Window window;
    DisplayList list = {.items = NULL};
    PictureLook look = {columns, rows, LETTER_PIXELS, options->dark};
    if (!session_could_compute(session, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    bool saved = cells_picture_of(session, look, &list, &err);
    if (saved && (saved = window_open_unseen(&window, &err))) {
        saved = app_picture_save(&window, &list, options->png, &err);
        window_close(&window);
    }
    display_list_finish(&list);
    return saved ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}

// A stage that could not be run where the script has led is on the screens; who reads none of them is told
// by the exit code. A mistake beside the run may refuse: that is what it shows. A learner's function may not.
static int tell_failure(const Session *session)
{
    const Comparison *beside = &session->comparison;
    const Error *failure = session->run.failed              ? &session->run.failure
                           : beside->mine && beside->failed ? &beside->failure
                                                            : NULL;
    return failure ? app_fail(APP_FAILED, "%s", failure->text) : APP_DONE;
}

// Without a terminal: the script, then a picture of where it has led.
static int step_unseen(Session *session, const AppOptions *options)
{
    int columns, rows, code = APP_DONE;
    if (!app_size(options->size, &columns, &rows))
        return APP_MISUSED;
    if (!check_ending(options->png))
        return APP_MISUSED;
    if (options->script)
        code = run_script(session, options, columns, rows);
    if (options->png && code == APP_DONE)
        code = save_picture(session, options, columns, rows);
    return code == APP_DONE ? tell_failure(session) : code;
}

// --- the window beside the terminal

static void follow(void *window, const Session *session)
{
    picture_window_follow(window, session);
}

static int descriptor(const void *window)
{
    return picture_window_descriptor(window);
}

static int wait_at_most(const void *window)
{
    return picture_window_wait(window);
}

static bool next(void *window, const Session *session, Command *command)
{
    return picture_window_next(window, session, command);
}

int app_step(Session *session, const AppOptions *options)
{
    Error err = {.text = ""};
    char history[STATE_PATH_MAX];
    bool has_history = state_file_path("history", history, &err);
    PictureWindow window = {.open = false};
    TuiCompanion companion = {&window, follow, descriptor, wait_at_most, next};
    if (options->script || options->png)
        return step_unseen(session, options);
    bool good = tui_run(session, has_history ? history : NULL, &companion, &err);
    picture_window_close(&window);
    return good ? APP_DONE : app_fail(APP_FAILED, TELL(WITHOUT_TERMINAL), err.text);
}

// --- attnscope trace and attnscope export: the stepper (without a terminal, the same walk as text), and every
// tensor of a trace as a file.

// --- trace

static int step(const AppTrace *app, const AppOptions *options)
{
    Error err = {.text = ""};
    Session *session = app_session(&err);
    AppMine *beside = calloc(1, sizeof *beside); // for `compare mine`
    if (!beside)
        return app_fail(APP_FAILED, TELL(STEPPER_NO_MEMORY));
    beside->scenario = &app->scenario;
    int code = APP_FAILED;
    if (session &&
        session_open_mine(session, &app->scenario, app->mine ? &app->mine->mine : NULL, &err)) {
        session->mine.open = app_mine_for_comparison;
        session->mine.context = beside;
        code = app_step(session, options);
        session_close(session);
    } else {
        app_fail(APP_FAILED, "%s", err.text);
    }
    app_mine_close(beside);
    free(beside);
    return code;
}

static int run_trace(AppOptions *options)
{
    if (!app_takes_one(options))
        return APP_MISUSED;
    static AppTrace app; // too large for a small stack
    if (!app_open(&app, options))
        return APP_FAILED;
    bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    bool steps = options->script || options->png || has_terminal;
    int code =
        steps ? step(&app, options) : app_print_walk(&app, &(AppWalk){.stage = NULL}, stdout);
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
        "  --formula F     compute one step by another formula, as in print; D edits one\n"
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
        "  --formula F     print처럼 단계 하나를 다른 수식으로 계산합니다. D로도 씁니다\n"
        "  --spill FOLDER  메모리보다 큰 실행에서 큰 텐서를 그 폴더의 파일에 둡니다\n"
        "\n"
        "스테퍼에서 ?를 누르면 무엇을 누를 수 있는지 모두 나옵니다. 터미널이 없으면 과정을 "
        "출력합니다.\n"),
    .options = "set formula backward text pair script size png dark mine",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .run = run_trace,
};

// --- export
//
// Every tensor of a trace, weights included, as .npz or .safetensors.

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

    static AppTrace app; // too large for a small stack
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
