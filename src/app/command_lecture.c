// attnscope lecture check: a self-written lecture is gone through before anybody sits in it.
#include "app.h"

#include <string.h>
#include <unistd.h>
#include "app_words.def"
#include "export.h"
#include "lecture.h"
#include "open_lecture.h"

static void tell(void *context, const char *text)
{
    int *problems = context;
    (*problems)++;
    printf("%s\n", text);
}

// What is looked for, and what was found so far.
typedef struct Checking {
    const char *folder;
    int columns, rows; // of the screen that every page is drawn on; 0: none
    int problems;
} Checking;

static void check_file(Lecture *lecture, const char *path, Checking *checking)
{
    Error err = {.text = ""};
    if (lecture_read(lecture, "lecture", path, &err)) {
        open_lecture_check(lecture, tell, &checking->problems);
        if (checking->columns > 0 && checking->problems == 0) {
            lecture_screen_check(lecture, checking->columns, checking->rows, tell,
                                 &checking->problems);
            lecture_slide_check(lecture, checking->columns, checking->rows, tell,
                                &checking->problems);
        }
    } else {
        app_fail(APP_FAILED, "%s", err.text);
        checking->problems++;
    }
}

static int check(Checking *checking)
{
    Lecture english = {.page_count = 0}, korean = {.page_count = 0};
    Arena arena = {0};
    Error err = {.text = ""};
    size_t length = strlen(checking->folder);
    bool is_file = length > 3 && strcmp(checking->folder + length - 3, ".md") == 0;
    const char *path =
        is_file ? checking->folder : arena_format(&arena, &err, "%s/lecture.md", checking->folder);
    const char *other =
        is_file ? NULL : arena_format(&arena, &err, "%s/lecture.ko.md", checking->folder);
    bool has_other = other && access(other, F_OK) == 0;
    bool has_one = path && (is_file || access(path, F_OK) == 0); // Korean alone is a lecture, too
    if (has_one)
        check_file(&english, path, checking);
    if (has_other)
        check_file(&korean, other, checking);
    if (!has_one && !has_other) {
        app_fail(APP_FAILED, TELL(LECTURE_NONE), checking->folder, checking->folder);
        checking->problems++;
    }
    if (english.page_count > 0 && korean.page_count > 0)
        open_lecture_compare(&english, &korean, tell, &checking->problems);
    if (checking->problems == 0)
        printf(TELL(LECTURE_HOLDS), checking->folder,
               english.page_count > 0 ? english.page_count : korean.page_count,
               checking->columns > 0 ? TELL(LECTURE_SEEN) : "");
    lecture_finish(&english);
    lecture_finish(&korean);
    arena_finish(&arena);
    return checking->problems == 0 ? APP_DONE : APP_FAILED;
}

static int run(AppOptions *options)
{
    if (options->argument_count != 2 || strcmp(options->arguments[0], "check") != 0)
        return app_fail(APP_MISUSED, TELL(LECTURE_WANTS));
    Checking checking = {.folder = options->arguments[1]};
    if (options->size && !app_size(options->size, &checking.columns, &checking.rows))
        return APP_MISUSED;
    return check(&checking);
}

static const Words kinds[] = {
#define QUESTION_KIND(NAME, name, word, fields, english, korean) \
    WORDS(word "\n" english, word "\n" korean),
#include "lecture_kinds.def"
};

static const AppList lists[] = {APP_LIST("kinds", kinds), {.name = NULL}};

const AppCommand command_lecture = {
    .name = "lecture",
    .arguments = "check FOLDER [--size 80x24]",
    .summary = WORDS("Check a lecture you wrote: commands, references, answers",
                     "직접 쓴 강의를 검사합니다: 명령, 참조, 답"),
    .details = WORDS(
        "FOLDER holds lecture.md, lecture.ko.md (Korean), or both; it may also be one file.\n"
        "Each problem is one line that starts with file:line. Read the lecture with\n"
        "attnscope walk ./FOLDER.\n"
        "  --size WxH   also draw every page on a screen of this size. What the text names must\n"
        "               be visible: numbers, rows and columns of the current tensor, shape and\n"
        "               strides in the memory panel, and labels (`=label running sum`)\n"
        "\n"
        "A lecture is Markdown: one # title, a line about it, then ## pages. A page heading ends\n"
        "in {#name}, the same in every language. Text has paragraphs, lists, emphasis and code.\n"
        "`=attn_weights[0,0,1]` in backquotes becomes that number of the trace. So do\n"
        "`=attn_weights[0,0]` (a row), `=shape q`, `=stride q`, `=place q[0,0,1]`, `=scale`,\n"
        "sum, max, argmax and zeros of a part (`=sum attn_weights[0,:,0]`), and what head 1.0\n"
        "reads from 0.0 (`=composition k[0,0,1,0]`; `=composition k`: random). A scenario name\n"
        "selects another scenario: `=four-heads: scale`. `=label maximum` is a word on the\n"
        "screen. Blocks start with three backquotes and one of these words:\n"
        "  attnscope  set the scene: scenario NAME, then commands as after ':' in the stepper.\n"
        "             NAME is one of list scenarios, NAME.yaml next to the lecture, or a file\n"
        "             of weights or attention maps next to it, with its extension; text \"I go\n"
        "             home\" changes the input, and names the words of maps (tensor maps);\n"
        "             window opens a window, or shows the map if no window can open\n"
        "             show formula pytorch shapes memory, or nothing: the lines to show about\n"
        "             each step, from this page on\n"
        "             picture map: what a slide shows large; also numbers (the matrix), row (the\n"
        "             cursor's), sum (where its number came from), formula, table (the lines of\n"
        "             the text's code block). Without it: what is open beside the numbers, or the\n"
        "             numbers. Numbers that the text names are always on the slide\n"
        "  attnscope answered   commands to run after the answer\n"
        "  question   YAML: kind, ask, answer (a reference), right, wrong (explains), hint (after\n"
        "             a first wrong answer; each kind has a default). The kinds:\n"
        "@kinds\n"
        "  notes      for the speaker: paragraphs\n"
        "  slide      the text for a projector, at most three lines\n"
        "  keys       a paragraph about keys; slides and HTML leave it out\n"
        "  python, c  code\n",
        "FOLDER에는 lecture.md나 한국어 강의 lecture.ko.md가 있습니다. 파일 하나를 써도 됩니다.\n"
        "잘못된 곳마다 한 줄이고, file:line이 먼저 나옵니다. attnscope walk ./FOLDER로 봅니다.\n"
        "  --size WxH   모든 쪽을 이 크기의 화면에 그려 보기도 합니다. 글에서 말하는 것은\n"
        "               화면에도 보여야 합니다: 보고 있는 텐서의 숫자와 행과 열, 메모리 패널 옆의\n"
        "               모양과 스트라이드, 이름표(`=label 여기까지의 합`)\n"
        "\n"
        "강의는 Markdown입니다: # 제목 하나, 소개 한 줄, 그리고 쪽마다 ##. 쪽의 제목은\n"
        "{#name}으로 끝나고, 모든 언어에서 같습니다. 글에는 문단, 목록, 강조, 코드가 있습니다.\n"
        "역따옴표 안의 `=attn_weights[0,0,1]`은 그 숫자가 됩니다. `=attn_weights[0,0]`(행),\n"
        "`=shape q`, `=stride q`, `=place q[0,0,1]`, `=scale`, 일부의 sum, max, argmax, zeros\n"
        "(`=sum attn_weights[0,:,0]`), 다른 시나리오의 것 `=four-heads: scale`도 됩니다.\n"
        "`=composition k[0,0,1,0]`은 헤드 1.0이 0.0에서 읽는 정도, `=composition k`는 무작위.\n"
        "`=label 최댓값`은 화면에 있는 말입니다.\n"
        "역따옴표 세 개로 시작하는 블록:\n"
        "  attnscope  장면을 만듭니다: scenario NAME, 그다음 스테퍼에서 ':' 뒤에 쓰는 명령.\n"
        "             NAME은 list scenarios에 있는 이름, 강의 옆의 NAME.yaml, 또는 강의 옆에 있는\n"
        "             가중치나 어텐션 맵의 파일(확장자까지)입니다. text \"나는 집에 간다\"는 "
        "문장을\n"
        "             바꿉니다. 어텐션 맵(tensor maps)에서는 단어의 이름입니다.\n"
        "             window는 창을 열고, 열 수 없으면 터미널에 히트맵을 보여 줍니다.\n"
        "             show formula pytorch shapes memory는 이 쪽부터 단계에서 보일 것입니다\n"
        "             picture map은 슬라이드에 크게 보일 것입니다. numbers(행렬), row(커서의 행),\n"
        "             sum(커서의 숫자가 나온 계산), formula(식), table(글의 코드 블록)도 "
        "있습니다.\n"
        "             쓰지 않으면 숫자 옆에 연 것이나 숫자입니다. 글에 나온 숫자는 언제나 "
        "보입니다\n"
        "  attnscope answered   질문에 답한 다음에 할 명령\n"
        "  question   YAML: kind, ask, answer(참조), right, wrong(설명), hint. kind의 종류:\n"
        "@kinds\n"
        "  notes      발표자용 문단\n"
        "  slide      빔프로젝터에 보일 것, 세 줄까지\n"
        "  keys       누를 것에 대한 문단: 슬라이드와 HTML에는 나오지 않습니다\n"
        "  python, c  코드로 보입니다\n"),
    .lists = lists,
    .options = "size",
    .words = "check",
    .names = APP_NAMES_FOLDER,
    .run = run,
};
