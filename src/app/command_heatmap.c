// attnscope heatmap: what each head looks at, in a window; or saved without one.
#include "app.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "app_picture.h"
#include "figure_data.h"
#include "picture_svg.h"
#include "picture_window.h"
#include "app_words.h"

enum { WIDTH = 1600, HEIGHT = 1000, SIDE_MAX = 16384 };

static int refuse(int code, const Error *err)
{
    return app_fail(code, "%s", err->text);
}

// --- what the options say, as commands

static bool apply(Session *session, Command command, Error *err)
{
    return session_apply(session, &command, err);
}

static bool apply_name(Session *session, CommandKind kind, const char *name, Error *err)
{
    Command command = {.kind = kind};
    if (!name)
        return true;
    snprintf(command.name, sizeof command.name, "%s", name);
    return session_apply(session, &command, err);
}

static bool apply_batch(Session *session, const char *batch, Error *err)
{
    char *end;
    if (!batch)
        return true;
    long number = strtol(batch, &end, 10);
    if (end == batch || strspn(end, " ") != strlen(end))
        return error_set(err, TELL(BATCH_NUMBER), batch);
    return apply(session, (Command){.kind = COMMAND_SEQUENCE, .number = number}, err);
}

static bool is_inside(const Session *session, const ptrdiff_t cell[3], Error *err)
{
    FigureData data;
    if (!figure_data(picture_trace(session), &session->picture.request, &data, err))
        return false;
    const ptrdiff_t *shape = data.values.shape;
    bool inside = true;
    for (int axis = 0; axis < 3; axis++)
        inside = inside && cell[axis] >= 0 && cell[axis] < shape[axis + 1];
    return inside ||
           error_set(err, TELL(AT_BEYOND), cell[0], cell[1], cell[2], picture_tensor_name(session),
                     shape[1], data.maps, shape[2], shape[3]);
}

// --at HEAD,QUERY,KEY
static bool apply_cursor(Session *session, const char *at, Error *err)
{
    Command cell = {.kind = COMMAND_CELL, .rank = 3};
    ptrdiff_t *index = cell.index;
    int used = 0;
    if (!at)
        return true;
    if (sscanf(at, "%td,%td,%td%n", &index[0], &index[1], &index[2], &used) != 3 ||
        at[used] != '\0')
        return error_set(err, TELL(AT_FORM), at);
    return is_inside(session, index, err) && apply(session, cell, err);
}

// "1.5"
static bool apply_letters(Session *session, const char *letters, Error *err)
{
    char *end;
    if (!letters)
        return true;
    double times = strtod(letters, &end);
    if (end == letters || *end != '\0' || !(times >= 0.5 && times <= 4.0))
        return error_set(err, TELL(LETTERS_NUMBER), letters);
    ptrdiff_t thousandths = (ptrdiff_t)(times * 1000.0 + 0.5);
    return apply(session, (Command){.kind = COMMAND_LETTERS, .number = thousandths}, err);
}

// --origin HEAD,QUERY,KEY
static bool apply_origin(Session *session, const char *origin, Error *err)
{
    return !origin || (apply_cursor(session, origin, err) &&
                       apply(session, (Command){.kind = COMMAND_PICTURE_ORIGIN}, err));
}

static bool apply_options(Session *session, const AppOptions *options, Error *err)
{
    if (options->mean && options->head)
        return error_set(err, TELL(MEAN_ALONE));
    session->picture.request.title = options->title;
    return apply_batch(session, options->batch, err) &&
           apply_name(session, COMMAND_PICTURE_AS, options->mode, err) &&
           apply_name(session, COMMAND_HEADS, options->head, err) &&
           apply_name(session, COMMAND_COLOURS, options->map, err) &&
           apply_name(session, COMMAND_SCALE, options->scale, err) &&
           apply_letters(session, options->letters, err) &&
           apply_cursor(session, options->at, err) &&
           (!options->mean || apply(session, (Command){.kind = COMMAND_MEAN}, err)) &&
           (!options->dark || apply(session, (Command){.kind = COMMAND_DARK}, err)) &&
           apply_origin(session, options->origin, err);
}

// The tensor that was asked for, else the attention weights, else the last that was computed; with
// nothing marked in it.
static bool show_tensor(Session *session, const char *name, Error *err)
{
    const Trace *trace = &session->run.trace;
    if (!name && trace_find(trace, "attn_weights") >= 0)
        name = "attn_weights";
    for (int i = trace->tensor_count - 1; !name && i >= 0; i--)
        if (trace->tensors[i].tensor.storage.bytes)
            name = trace->tensors[i].name;
    return apply_name(session, COMMAND_SHOW, name ? name : "", err) &&
           apply(session, (Command){.kind = COMMAND_PICTURE_BACK}, err);
}

// "1600x1200". Letters grow with the picture, so that a large one fits a slide.
static bool read_size(PictureView *view, const char *size, Error *err)
{
    int width = WIDTH, height = HEIGHT, used = 0;
    if (size && (sscanf(size, "%dx%d%n", &width, &height, &used) != 2 || size[used] != '\0' ||
                 width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX))
        return error_set(err, TELL(SIZE_PIXELS), SIDE_MAX, SIDE_MAX, size);
    int across = width * 1000 / 1024, down = height * 1000 / 768;
    int scale = across < down ? across : down;
    picture_view_size(view, width, height, (scale > 1000 ? scale : 1000) / 1000.0);
    return true;
}

// --- pictures

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), of = strlen(ending);
    return length >= of && strcasecmp(path + length - of, ending) == 0;
}

// What is written is what the file's name says; one that says nothing, a stream for example, is given
// what the option says.
static bool check_ending(const char *path, Error *err)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return !dot || ends_in(path, ".png") || ends_in(path, ".svg") ||
           error_set(err, TELL(PICTURE_ENDING), path, dot);
}

static bool save_picture(const Session *session, PictureView *view, const char *path, Error *err)
{
    Window window;
    if (!check_ending(path, err))
        return false;
    if (ends_in(path, ".svg"))
        return picture_svg_save(session, view, path, err);
    if (!window_open_unseen(&window, err))
        return false;
    view->metrics = window.metrics;
    bool saved = picture_view_draw_whole(view, session, err) &&
                 app_picture_save(&window, &view->list, path, err);
    window_close(&window);
    return saved;
}

// --- the window

// What the window says. That it is gone is a mistake unless the person closed it.
static void listen(Session *session, PictureWindow *window, Error *err)
{
    Command command;
    Error refused;
    while (picture_window_next(window, session, &command)) {
        if (command.kind == COMMAND_WINDOW_GONE && strcmp(command.name, "-") != 0)
            error_set(err, "%s", command.name);
        session_apply(session, &command, &refused);
    }
}

// Until the window is closed or the display is gone: the latter is worth a sentence.
static bool show(Session *session, Error *err)
{
    PictureWindow window = {.open = false};
    Error refused;
    session->window = true;
    while (session->window) {
        listen(session, &window, err);
        picture_window_follow(&window, session);
        int tick = session_next_tick(session), wait = picture_window_wait(&window);
        bool waits = window.open && wait < 0;
        if (waits && !window_wait(&window.window, tick) && tick >= 0) {
            Command next = session_tick(session);
            session_apply(session, &next, &refused);
        }
    }
    picture_window_close(&window);
    return err->text[0] == '\0';
}

// --- all of it

static int draw(Session *session, const AppOptions *options)
{
    Error err = {.text = ""};
    PictureView view = {.cache = NULL};
    int code = APP_FAILED;
    session_apply(session, &(Command){.kind = COMMAND_LAST}, &err);
    if (session->run.failed) {
        refuse(code, &session->run.failure);
    } else if (!show_tensor(session, options->tensor, &err) ||
               !apply_options(session, options, &err) || !picture_view_open(&view, &err) ||
               !read_size(&view, options->size, &err)) {
        code = refuse(APP_MISUSED, &err);
    } else if (options->csv && !picture_save_csv(session, options->csv, &err)) {
        refuse(code, &err);
    } else if (options->png && !save_picture(session, &view, options->png, &err)) {
        refuse(code, &err);
    } else if (options->svg && !picture_svg_save(session, &view, options->svg, &err)) {
        refuse(code, &err);
    } else if (!options->png && !options->csv && !options->svg && !show(session, &err)) {
        refuse(code, &err);
    } else {
        code = APP_DONE;
    }
    picture_view_close(&view);
    return code;
}

static int look(const AppTrace *app, const AppOptions *options)
{
    Error err = {.text = ""};
    static Session session; // too large for a small stack
    if (!session_open(&session, &app->scenario, &err))
        return refuse(APP_FAILED, &err);
    int code = draw(&session, options);
    session_close(&session);
    return code;
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, command_heatmap.options, &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(app_find("heatmap"), stdout);
        return app_finish_output();
    }
    if (!app_takes_one(&options))
        return APP_MISUSED;
    static AppTrace app; // too large for a small stack
    if (!app_open(&app, &options))
        return APP_FAILED;
    int code = look(&app, &options);
    app_close(&app);
    return code;
}

const AppCommand command_heatmap = {
    .name = "heatmap",
    .arguments = "SCENARIO|FILE.yaml [--png OUT.png [--size 1920x1080]]",
    .summary = WORDS("what each head looks at, in a window or a picture",
                     "헤드마다 무엇을 보는지 창이나 그림으로 보여 줍니다"),
    .details = WORDS(
        "  --tensor T       another tensor than attn_weights: scores, scores_masked, q_heads ...\n"
        "  --batch B        sequence of the batch (0)\n"
        "  --head H         one head, large; 1,3 and 0-2 are more; without it, all heads\n"
        "  --mean           one map, the mean over heads\n"
        "  --mode M         grid, head, lines or all-lines\n"
        "  --map NAME       viridis, cividis, magma or diverging\n"
        "  --scale S        colours from the lowest to the highest number of all heads (all),\n"
        "                   of each head (head) or of each row (row); from 0 to 1 (unit); or by\n"
        "                   weight times the keys that the query may see (even): 1 is an even\n"
        "                   share. That is where some see fewer, as under a causal mask\n"
        "  --at H,ROW,COL   the cell to read out\n"
        "  --origin H,R,C   where this cell came from: its inputs, products, running sum\n"
        "  --dark           light on dark\n"
        "  --title TEXT     what the picture is called, instead of what it is\n"
        "  --letters N      letters N times as large, 1.5 for a projector\n"
        "  --png OUT.png    saves the picture instead of opening a window; needs no display\n"
        "  --svg OUT.svg    the same to be scaled, for a slide or a page: text stays text, and a\n"
        "                   screen reader is told what is seen\n"
        "  --size WxH       of that picture, in pixels (1600x1000)\n"
        "  --csv OUT.csv    saves the numbers of the maps\n"
        "  --backward       gradients too: --backward --tensor grad.attn_weights --map diverging\n"
        "  --text \"...\", --set KEY=VALUE as in print\n"
        "\n"
        "In the window, ? shows every key. Letters are as large as the desktop wants them (under\n"
        "X by Xft.dpi, else by the screen's size); ATTNSCOPE_SCALE=2 in the environment makes\n"
        "them twice as large.\n",
        "  --tensor T       attn_weights 말고 다른 텐서: scores, scores_masked, q_heads ...\n"
        "  --batch B        배치의 몇 번째 문장인지 (0)\n"
        "  --head H         헤드 하나를 크게. 1,3이나 0-2는 여럿, 쓰지 않으면 모든 헤드\n"
        "  --mean           맵 하나, 헤드의 평균\n"
        "  --mode M         grid, head, lines, all-lines\n"
        "  --map NAME       viridis, cividis, magma, diverging\n"
        "  --scale S        색의 범위: 모든 헤드의 가장 작은 수부터 가장 큰 수까지(all), 헤드마다\n"
        "                   (head), 행마다(row), 0부터 1까지(unit), 또는 가중치 × 볼 수 있는 키의\n"
        "                   수(even): 1이 고른 몫입니다. 인과 마스크처럼 볼 수 있는 키의 수가\n"
        "                   다르면 이것으로 시작합니다\n"
        "  --at H,ROW,COL   읽어 줄 칸\n"
        "  --origin H,R,C   이 칸이 어디서 왔는지: 입력, 곱, 더해 가는 합\n"
        "  --dark           어두운 바탕\n"
        "  --title TEXT     그림의 제목\n"
        "  --letters N      글자를 N배로, 빔프로젝터에는 1.5\n"
        "  --png OUT.png    창을 여는 대신 그림을 저장합니다. 디스플레이가 없어도 됩니다\n"
        "  --svg OUT.svg    크기를 바꿀 수 있는 그림. 글자는 글자로 남고, 화면 낭독기가 읽을\n"
        "                   설명이 있습니다\n"
        "  --size WxH       그 그림의 픽셀 크기 (1600x1000)\n"
        "  --csv OUT.csv    맵의 숫자를 저장합니다\n"
        "  --backward       기울기도: --backward --tensor grad.attn_weights --map diverging\n"
        "  --text \"...\", --set KEY=VALUE는 print와 같습니다\n"
        "\n"
        "창에서는 ?를 누르면 모든 키가 나옵니다. 글자 크기는 데스크톱을 따릅니다(X에서는\n"
        "Xft.dpi, 없으면 화면 크기). 환경 변수 ATTNSCOPE_SCALE=2는 글자를 두 배로 합니다.\n"),
    .options = "set backward text tensor batch head mean map scale mode at origin dark title "
               "letters png svg "
               "csv size",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .run = run,
};
