// attnscope open: identifies a weights file and shows one of its attention layers.
#include "app.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "new_file.h"
#include "scenario_file.h"
#include "shown_name.h"
#include "training.h"
#include "weight_layout.h"
#include "app_words.def"
#include "generator.h"

// --- identification

static void print_layers(const char *path, const TensorFile *file, const FileLayers *found)
{
    const WeightLayers *all = &found->all;
    printf(all->count == 1 ? TELL(OPEN_LAYER) : TELL(OPEN_LAYERS), path,
           words_tell(all->layers[0].layout->about), all->count, tensor_file_count(file));
    for (int i = 0; i < all->count; i++) {
        const WeightLayout *layout = all->layers[i].layout;
        bool is_other = layout != all->layers[0].layout;
        printf("  --layer %-3d %s%s%s%s\n", i, all->layers[i].prefix,
               found->layers[i].is_cross    ? TELL(OPEN_CROSS)
               : found->layers[i].is_causal ? TELL(OPEN_CAUSAL)
                                            : "",
               is_other ? "  " : "", is_other ? words_tell(layout->about) : "");
    }
}

static bool print_notes(const TensorFile *file, Arena *arena, Error *err)
{
    const char *notes[4];
    if (!tensor_file_notes(file, arena, notes, err))
        return false;
    for (int i = 0; notes[i]; i++)
        words_print(stdout, "  %s\n", notes[i]);
    return true;
}

static bool has_name(const TensorFile *file, const char *name)
{
    for (int i = 0; i < tensor_file_count(file); i++)
        if (strcmp(tensor_file_name(file, i), name) == 0)
            return true;
    return false;
}

// How many layers attnscope train wrote to the file; 0 if it did not: it has exactly their names.
static int trained_layers(const TensorFile *file)
{
    int layers = (tensor_file_count(file) - WEIGHT_COUNT) / WEIGHT_OUT + 1;
    int weights = WEIGHT_COUNT + (layers - 1) * WEIGHT_OUT;
    if (layers < 1 || layers > TRAINING_LAYERS_MAX || tensor_file_count(file) != weights)
        return 0;
    for (int weight = 0; weight < weights; weight++) {
        char name[32];
        const char *own = training_file_name(weight, layers, name);
        if (!has_name(file, own))
            return 0;
    }
    return layers;
}

static int describe(const AppOptions *options, const char *path)
{
    Arena arena = {0};
    Error err = {.text = ""};
    FileLayers found = {.why = NULL};
    TensorFile *file = tensor_file_open(path, &arena, &err);
    bool good = file && scenario_file_layers(file, path, options->as, &arena, &found, &err);
    int trained = good ? trained_layers(file) : 0;
    if (trained > 0)
        app_print_trained(options, path, trained);
    else if (good && found.all.count > 0)
        print_layers(path, file, &found);
    else if (good)
        good = error_set(&err, TELL(OPEN_NONE), path, tensor_file_count(file));
    good = good && print_notes(file, &arena, &err);
    if (good && found.why && trained == 0)
        good = error_set(&err, "%s", found.why);
    tensor_file_close(file);
    arena_finish(&arena);
    return app_result(good, &err);
}

// --- one layer

// The file's path for a scenario in that folder.
static const char *name_from(const char *path, const char *yaml, Arena *arena, Error *err)
{
    const char *slash = strrchr(path, '/'), *yaml_slash = strrchr(yaml, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    size_t yaml_length = yaml_slash ? (size_t)(yaml_slash - yaml) : 0;
    if (length == yaml_length && strncmp(path, yaml, length) == 0)
        return slash ? slash + 1 : path;
    char whole[PATH_MAX];
    if (realpath(path, whole))
        return arena_text(arena, whole, err);
    error_number(err, errno, TELL(OPEN_UNOPENED), path, error_reason(errno));
    return NULL;
}

static const char next_question[] = "[next]";

enum { SETS = 6, TEXT_BYTES_MAX = 65536 };

// The layers, heads and tokens as --set lines.
typedef struct Wanted {
    char what[PATH_MAX + 32], texts[SETS][APP_IDS_MAX + 32];
    const char *sets[SETS];
    ScenarioRequest request;
} Wanted;

static void add_set(Wanted *wanted, const char *key, const char *value, const char *end)
{
    int number = wanted->request.set_count;
    if (!value)
        return;
    snprintf(wanted->texts[number], sizeof wanted->texts[number], "%s%s%s", key, value, end);
    wanted->sets[number] = wanted->texts[number];
    wanted->request.set_count++;
}

static void add_wanted(const AppOptions *options, const char *path, Wanted *wanted)
{
    wanted->request = (ScenarioRequest){
        .what = wanted->what, .text = options->request.text, .sets = wanted->sets};
    snprintf(wanted->what, sizeof wanted->what, "%s#%s", path,
             options->layer ? options->layer : "0");
    add_set(wanted, "model.heads=", options->heads, "");
    add_set(wanted, "weights.as=", options->as, "");
    add_set(wanted, "weights.layers=", options->layers, "");
    add_set(wanted, "input.ids=[[", options->ids, "]]");
    if (options->pair)
        wanted->sets[wanted->request.set_count++] = options->sets[0]; // the only set there is
}

// Opens the scenario of what is wanted with one layer, which is enough to look at it.
static bool open_shape(const AppOptions *options, const char *path, const char *question,
                       Scenario *shape, Error *err)
{
    static Wanted wanted; // too large for the stack
    AppOptions one = *options;
    one.layers = "1";
    add_wanted(&one, path, &wanted);
    add_set(&wanted, "model.questions=", question, "");
    return scenario_open(shape, &wanted.request, err);
}

static int save(const AppOptions *options, const char *path)
{
    Arena arena = {0};
    Error err = {.text = ""};
    static Wanted wanted; // too large for the stack
    add_wanted(options, path, &wanted);
    const char *name = name_from(path, options->save, &arena, &err);
    const char *text = name ? scenario_of_file(&wanted.request, name, &arena, &err) : NULL;
    bool good = text && new_file_write_bytes(options->save, true, text, strlen(text), &err);
    arena_finish(&arena);
    if (!good)
        return app_fail(APP_FAILED, "%s", err.text);
    char word[SHELL_PATH_ROOM];
    words_print(stdout, TELL(OPEN_SAVED), options->save, wanted.what,
                shell_path(options->save, word));
    return APP_DONE;
}

// Random tokens of torch.manual_seed(0), repeated: there a head that looks at what came next after an earlier occurrence
// is visible even without a vocabulary. Returns false and sets err on failure.
static bool repeat_tokens(const AppOptions *options, const char *path, char text[APP_IDS_MAX],
                          Error *err)
{
    enum { PIECE = 20 };
    static Scenario shape; // too large for the stack
    Generator generator;
    int64_t drawn[PIECE];
    if (!open_shape(options, path, NULL, &shape, err))
        return false;
    ptrdiff_t words = shape.size[SYMBOL_V], places = shape.size[SYMBOL_P];
    int piece = places > 0 && places / 2 < PIECE ? (int)places / 2 : PIECE;
    scenario_finish(&shape);
    generator_seed(&generator, 0);
    generator_randint(&generator, 0, words, drawn, PIECE);
    text[0] = '\0';
    for (int i = 0; i < 2 * piece; i++)
        text_add(text, APP_IDS_MAX, "%s%lld", i ? ", " : "", (long long)drawn[i % piece]);
    return true;
}

// True for all layers of a model that predicts the next token: --answer can explain that.
static bool reads_out(const AppOptions *options, const char *path)
{
    static Scenario shape; // too large for the stack
    Arena arena = {0};
    Error ignored;
    WeightLayers all = {.count = 0};
    TensorFile *file = tensor_file_open(path, &arena, &ignored);
    bool whole = file && weight_layout_layers(file, NULL, &arena, &all, &ignored) &&
                 !options->layer && atoi(options->layers) >= all.count;
    tensor_file_close(file);
    arena_finish(&arena);
    if (!whole || !open_shape(options, path, next_question, &shape, &ignored))
        return false;
    bool is_causal = shape.options.causal;
    scenario_finish(&shape);
    return is_causal;
}

// Runs `attnscope trace FILE#LAYER --set model.heads=HEADS` and so on, or with --answer `attnscope print ...
// --answer`.
static int step_through(const AppOptions *options, const char *path)
{
    static Wanted wanted; // too large for the stack
    char *arguments[] = {wanted.what};
    add_wanted(options, path, &wanted);
    if (options->answer && reads_out(options, path))
        add_set(&wanted, "model.questions=", next_question, "");
    AppOptions other = {.lang = options->lang,
                        .threads = options->threads,
                        .spill = options->spill,
                        .answer = options->answer,
                        .format = options->format,
                        .request = wanted.request,
                        .arguments = arguments,
                        .argument_count = 1};
    memcpy(other.sets, wanted.sets, sizeof wanted.sets);
    other.request.sets = other.sets;
    return options->answer ? command_print.run(&other) : command_trace.run(&other);
}

bool app_ids(const char *given, char text[APP_IDS_MAX])
{
    text[0] = '\0';
    bool good = strlen(given) < APP_IDS_MAX / 2 && strspn(given, "0123456789, ") == strlen(given);
    for (const char *at = given + strspn(given, ", "); good && *at;) {
        size_t length = strcspn(at, ", ");
        text_add(text, APP_IDS_MAX, "%s%.*s", *text ? ", " : "", (int)length, at);
        at += length + strspn(at + length, ", ");
    }
    return *text != '\0';
}

static bool take_ids(AppOptions *options, char text[APP_IDS_MAX])
{
    if (!options->ids)
        return true;
    if (!options->layers || !app_ids(options->ids, text))
        return app_refuse(TELL(OPEN_IDS), options->ids);
    options->ids = text;
    return true;
}

// True for an integer of at most 6 digits, or for no option.
static bool is_number(const char *option, const char *text, int least)
{
    bool good = !text || (strlen(text) >= 1 && strlen(text) <= 6 &&
                          strspn(text, "0123456789") == strlen(text) && atoi(text) >= least);
    if (!good)
        app_fail(APP_MISUSED, TELL(OPEN_NUMBER), option, least, text);
    return good;
}

// Replaces a folder by its weights file. Reports an error and returns false.
static bool find_file(const char *given, char path[PATH_MAX])
{
    Arena arena = {0};
    Error err = {.text = ""};
    const char *found = tensor_file_in(given, &arena, &err);
    bool fits = found && snprintf(path, PATH_MAX, "%s", found) < PATH_MAX;
    if (!found)
        app_fail(APP_FAILED, "%s", err.text);
    else if (!fits)
        app_fail(APP_FAILED, TELL(PATH_LONG), found);
    arena_finish(&arena);
    return fits;
}

// The user's sentence needs whole layers. Without one, shows one layer.
static bool take_text(AppOptions *options)
{
    if (!options->request.text && options->pair)
        return app_refuse(TELL(OPEN_PAIR));
    if (!options->request.text)
        return true;
    if (options->ids || options->layer || strlen(options->request.text) >= TEXT_BYTES_MAX)
        return app_refuse(TELL(OPEN_TEXT));
    options->layers = options->layers ? options->layers : "1";
    return true;
}

static int run(AppOptions *options)
{
    if (options->argument_count != 1)
        return app_fail(APP_MISUSED, TELL(OPEN_WANTS));
    if (strlen(options->arguments[0]) >= PATH_MAX)
        return app_fail(APP_FAILED, TELL(PATH_LONG), options->arguments[0]);
    static char ids[APP_IDS_MAX]; // the options point to it
    if (!is_number("--layer", options->layer, 0) || !is_number("--heads", options->heads, 1) ||
        !is_number("--layers", options->layers, 1) || !take_ids(options, ids) ||
        !take_text(options))
        return APP_MISUSED;
    char path[PATH_MAX];
    if (!find_file(options->arguments[0], path))
        return APP_FAILED;
    if (options->answer && !options->layers)
        return app_fail(APP_MISUSED, TELL(OPEN_ANSWER));
    if (options->format && !options->answer)
        return app_fail(APP_MISUSED, TELL(OPEN_FORMAT));
    Error err = {.text = ""};
    bool draws = options->answer && !options->ids && !options->request.text;
    if (draws && !repeat_tokens(options, path, ids, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    options->ids = draws ? ids : options->ids;
    if ((options->layer || options->layers) && !options->save)
        return step_through(options, path);
    return options->save ? save(options, path) : describe(options, path);
}

const AppCommand command_open = {
    .name = "open",
    .arguments = "FILE.safetensors|FILE.npz|FILE.pt|FOLDER [--layer N] [--layers N] [--text "
                 "\"...\"] [--answer [--format json]] [--save MY.yaml]",
    .is_first = true,
    .summary = WORDS("Identify a weights file and show one of its attention layers",
                     "가중치 파일이 무엇인지, 그 어텐션 층 하나"),
    .details = WORDS(
        "Takes a weights file or its folder. For a model in several files (shards), name any\n"
        "one of them, or their .index.json.\n"
        "Identifies the naming scheme (GPT-2, BERT, ViT, Whisper, nn.MultiheadAttention ...) and\n"
        "lists the attention layers. Reads .safetensors, .npz, .pt, .pth, .bin and .ckpt. Pickles\n"
        "are never executed; contents other than weights are listed.\n"
        "  --layer N      open this layer in the stepper, on random vectors\n"
        "  --layers N     run N whole layers in sequence: embedding, attention, feed-forward\n"
        "                 (GPT-2, BERT, LLaMA, GPT-J, CLIP ...), from --layer on [0]\n"
        "  --ids \"...\"    the input tokens for --layers: --ids \"464, 3290, 318\" [0 to 5]\n"
        "  --text \"...\"   your own sentence as input, split by the model's tokenizer next to "
        "the\n"
        "                 file: tokenizer.json, vocab.txt (BERT), or vocab.json and merges.txt\n"
        "                 (GPT-2) [--layers 1]\n"
        "  --pair \"...\"   a second sentence, joined the way the model's tokenizer does it:\n"
        "                 [CLS] text [SEP] pair [SEP], with token types\n"
        "  --answer       with --layers: what each head looks at; without --ids and --text, on 20\n"
        "                 random tokens, repeated once, where induction heads show up. With\n"
        "                 all layers of a language model also who made its answer (print "
        "--answer)\n"
        "  --format json  with --answer: the same as JSON\n"
        "  --heads N      the number of heads [from config.json next to the file]\n"
        "  --as MODEL     treat the model as MODEL, whatever config.json says: --as gpt2.\n"
        "                 Features that MODEL does not have are reported and left out\n"
        "  --save MY.yaml  write the scenario to a new file for you to edit\n"
        "\n"
        "print, trace, export and heatmap also take such a file, with #N for the layer:\n"
        "attnscope print model.safetensors#3 --set model.heads=12\n",
        "가중치 파일이나 그 파일이 든 폴더를 받습니다. 여러 파일로 나뉜 모델(shard)은 그 가운데\n"
        "하나나 .index.json이면 됩니다.\n"
        "가중치의 이름이 어디 것인지(GPT-2, BERT, ViT, Whisper, nn.MultiheadAttention ...)\n"
        "알려 주고 어텐션 층을 늘어놓습니다. .safetensors, .npz, .pt, .pth, .bin, .ckpt를\n"
        "읽습니다. 피클에 든 것은 아무것도 실행하지 않고, 가중치 옆에 있는 것은 이름을 댑니다.\n"
        "  --layer N      그 층을 스테퍼에서 엽니다. 입력은 뽑은 벡터입니다\n"
        "  --layers N     온전한 층을 차례로: 임베딩, 어텐션, 피드포워드(GPT-2, BERT,\n"
        "                 LLaMA, GPT-J, CLIP ...).\n"
        "                 --layer부터 [0]\n"
        "  --ids \"...\"    이때 들어가는 토큰: --ids \"464, 3290, 318\" [0부터 5까지]\n"
        "  --text \"...\"   대신 내 문장. 파일 옆의 모델 토크나이저로 나눕니다: tokenizer.json,\n"
        "                 vocab.txt(BERT), 또는 vocab.json과 merges.txt(GPT-2) [--layers 1]\n"
        "  --pair \"...\"   그 뒤에 올 두 번째 문장. 모델의 토크나이저가 둘을 잇는 대로:\n"
        "                 [CLS] text [SEP] pair [SEP], 토큰 유형도 붙습니다\n"
        "  --answer       --layers와 함께: 헤드마다 무엇을 보는지. --ids도 --text도 없으면 무작위\n"
        "                 토큰 20개를 두 번 넣습니다. 귀납 헤드는 여기서 드러납니다. 언어 모델의\n"
        "                 층 모두이면 print --answer처럼 답을 누가 만들었는지도 나옵니다\n"
        "  --format json  --answer와 함께: 같은 것을 JSON으로\n"
        "  --heads N      헤드가 몇 개인지 [파일 옆의 config.json대로]\n"
        "  --as MODEL     config.json이 무엇이라 하든 이 모델로 봅니다: --as gpt2. 그 모델이 하지\n"
        "                 않는 것은 알려 주고 뺍니다\n"
        "  --save MY.yaml 열지 않고 시나리오를 써서 고칠 수 있게 합니다. 덮어쓰지 않습니다\n"
        "\n"
        "print, trace, export, heatmap도 이런 파일을 받습니다. #N은 층입니다:\n"
        "attnscope print model.safetensors#3 --set model.heads=12\n"),
    .options = "layer layers ids text pair answer format heads as save",
    .formats = "text json",
    .names = APP_NAMES_FILE,
    .run = run,
};
