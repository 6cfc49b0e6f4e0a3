// attnscope lecture check: a self-written lecture is gone through before anybody sits in it.
#include "app.h"

#include <string.h>
#include <unistd.h>
#include "guide.h"
#include "lecture_screen.h"
#include "lecture_list.h"

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

static void check_file(Lecture *lecture, const char *file, Checking *checking)
{
    Error err = {.text = ""};
    Arena arena = {0};
    const char *path = arena_format(&arena, &err, "%s/%s", checking->folder, file);
    if (path && lecture_read(lecture, "lecture", path, &err)) {
        guide_check(lecture, tell, &checking->problems);
        if (checking->columns > 0 && checking->problems == 0)
            lecture_screen_check(lecture, checking->columns, checking->rows, tell,
                                 &checking->problems);
    } else {
        app_fail(APP_FAILED, "%s", err.text);
        checking->problems++;
    }
    arena_finish(&arena);
}

static int check(Checking *checking)
{
    Lecture english = {.page_count = 0}, korean = {.page_count = 0};
    Arena arena = {0};
    Error err = {.text = ""};
    const char *path = arena_format(&arena, &err, "%s/lecture.ko.md", checking->folder);
    check_file(&english, "lecture.md", checking);
    if (path && access(path, F_OK) == 0) {
        check_file(&korean, "lecture.ko.md", checking);
        if (english.page_count > 0 && korean.page_count > 0)
            guide_compare(&english, &korean, tell, &checking->problems);
    }
    if (checking->problems == 0)
        printf("%s: %d pages, every command, reference and answer holds%s\n", checking->folder,
               english.page_count,
               checking->columns > 0 ? ", and every number that is spoken of is seen" : "");
    lecture_finish(&english);
    lecture_finish(&korean);
    arena_finish(&arena);
    return checking->problems == 0 ? APP_DONE : APP_FAILED;
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, command_lecture.options, &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(app_find("lecture"), stdout);
        return app_finish_output();
    }
    if (options.argument_count != 2 || strcmp(options.arguments[0], "check") != 0)
        return app_fail(APP_MISUSED, "lecture wants: attnscope lecture check FOLDER");
    Checking checking = {.folder = options.arguments[1]};
    if (options.size && !app_size(options.size, &checking.columns, &checking.rows))
        return APP_MISUSED;
    int code = check(&checking);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
}

const AppCommand command_lecture = {
    .name = "lecture",
    .arguments = "check FOLDER [--size 80x24]",
    .summary = "checks a lecture you wrote: commands, references, answers",
    .details =
        "FOLDER holds lecture.md and, in Korean, lecture.ko.md. Every problem is one line, its\n"
        "file:line first.\n"
        "  --size WxH   also draws every page on a screen of this size: a number of the tensor\n"
        "               looked at that the text names must be seen there\n"
        "\n"
        "A lecture is Markdown: one # title, a line about it, then ## pages. A page's heading "
        "ends\n"
        "in {#name}, the same in all languages. Text has paragraphs, lists, emphasis and code.\n"
        "`=attn_weights[0,0,1]` in backquotes becomes that number of the trace. So do\n"
        "`=attn_weights[0,0]` (a row), `=shape q`, `=stride q`, `=place q[0,0,1]`, `=scale`,\n"
        "sum, max, argmax and zeros of a part (`=sum attn_weights[0,:,0]`), and the same of\n"
        "another scenario: `=four-heads: scale`. Blocks that start with three backquotes and\n"
        "  attnscope  set the scene: scenario NAME, then commands as after ':' in the stepper;\n"
        "             window opens one, or shows the map in the terminal where there is none\n"
        "             show formula pytorch shapes memory, or nothing: what the screen tells of a\n"
        "             step, on this page and those after it\n"
        "  attnscope answered   commands for when the question has been answered\n"
        "  question   YAML: kind, ask, answer (a reference), right, wrong (explains), hint (after\n"
        "             a first wrong answer; there is one for every kind). The kinds:\n"
        "    shape, value, zeros, head   what the reference says\n"
        "    unknown    one number of a shape; unknown: which axis\n"
        "    cell       a cell, attn_weights[0,0,5,9]: the cursor answers\n"
        "    true-false answer: A = B, A < B, A > B\n"
        "    line       lines, and claims of which exactly one does not hold\n"
        "    code       steps, shown as PyTorch's lines: which one makes the tensor in answer?\n"
        "    order      steps, to be put in order\n"
        "    cause      causes: mistakes, one of which the page lets run beside without a name:\n"
        "               compare hidden mistake NAME\n"
        "    experiment change: attention.scale=none, x[0,5,0]=9 or mistake NAME; what becomes of\n"
        "               the number in answer? Texts may say `=changed: attn_weights[0,0]`\n"
        "  notes      for the speaker: paragraphs\n"
        "  slide      what a projector shows of the text, three lines at most\n"
        "  keys       a paragraph about keys: not for slides and HTML, which have none\n"
        "  python, c  are shown as code\n",
    .options = "size",
    .words = "check",
    .names = APP_NAMES_FOLDER,
    .run = run,
};
