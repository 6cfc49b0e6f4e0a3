// Lectures that nobody in their right mind writes: pieces of the format in no sensible order, every
// command there is with any argument, bytes changed anywhere. Each is refused with file and line, or
// walked through page by page, drawn, answered, presented and saved as a page; none writes a file,
// leaves, or brings the program down. Bounded in lectures, not in time; ATTNSCOPE_RANDOM_LECTURES and
// ATTNSCOPE_RANDOM_SEED ask for more or for others.
#include "export.h"
#include "open_lecture.h"
#include "screen.h"

#include "scratch.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LECTURES_DEFAULT = 250, TEXT_MAX = 1 << 14 };

static uint64_t state;
static char text[TEXT_MAX];
static size_t used;
static int walked, refused;

static int below(int count)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (uint64_t)count);
}

static long number_from(const char *variable, long otherwise)
{
    const char *value = getenv(variable);
    return value ? atol(value) : otherwise;
}

static void add(const char *format, const char *what)
{
    if (used < sizeof text)
        used += (size_t)snprintf(text + used, sizeof text - used, format, what);
}

#define ONE_OF(list) list[below((int)(sizeof list / sizeof *list))]

// What the format does not allow at all is rare, so that most lectures are walked through.
static bool rarely(void)
{
    return below(60) == 0;
}

static const char *reference(void)
{
    static const char *const known[] = {
        "attn_weights[0,0]",
        "shape scores",
        "stride q",
        "offset v",
        "place q[0,1,2]",
        "sum x",
        "argmax attn_weights[0,0]",
        "zeros attn_weights[0,0]",
        "scale",
        "max scores",
        "q[:,:,0]",
        "four-heads: scale",
        "causal: attn_weights[0,0,0,0]",
        "1",
        "(1, 3, 4)",
        "q[9,9,9]",
        "no_such[0]",
        "x[0,0,0,0,0,0]",
        "scores[0,0,1]",
    };
    static const char *const broken[] = {
        "/etc/passwd: scale",
        "../x: shape q",
        "sum",
        "x[",
        "q[-1]",
        "scores[99999999999]",
        "",
        "a b c",
    };
    return rarely() ? ONE_OF(broken) : ONE_OF(known);
}

static const char *words(void)
{
    static const char *const known[] = {
        "plain",
        "*emphasis*",
        "**strong**",
        "`code`",
        "한국어 문장입니다",
        "&amp;",
        "\033[2J",
        "\xe2\x80\xae",
        "e\xcc\x81\xcc\x81\xcc\x81",
        "a < b",
        "0.1234",
        "$x$",
        "{#name}",
        "- x",
        "very-long-word-without-any-space-that-goes-on-and-on-and-on-until-it-fits-nowhere",
    };
    static const char *const broken[] = {
        "**wrong(x)**이다", "<script>",         "</pre>",      "\\*",
        "![x](y)",          "[link](http://x)", "***",         "`",
        "\n\n---\n\n",      "\n\n> x\n\n",      "\n\n# T\n\n",
    };
    return rarely() ? ONE_OF(broken) : ONE_OF(known);
}

static void add_text(void)
{
    for (int i = below(12); i >= 0; i--) {
        add("%s ", words());
        if (below(4) == 0)
            add("`=%s` ", reference());
    }
    add("%s", "\n\n");
}

static void add_commands(const char *info)
{
    static const char *const arguments[] = {
        "",       " 1",      " 9999999999", "[0,0,0]", "[0,1,2,3]", " softmax", " q",
        " score", " > 0.1",  " stolen.csv", " ../x",   " term",     " element", " decimals",
        " H",     " /tmp/x", " nan",        " size",   " full",     " token",   " \033[2J",
    };
    static const char *const harmful[] = {"save stolen.csv", "save-over stolen.npy", "quit",
                                          "type q",          "remember x",           "page-next"};
    static const char *const scenarios[] = {"scaled-dot-product", "four-heads", "causal",
                                            "/etc/passwd",        "../x",       "no-such"};
    add("```%s\n", info);
    if (below(3) == 0)
        add("scenario %s\n", scenarios[below(below(8) ? 3 : 6)]);
    for (int i = below(5); i > 0; i--) {
        if (below(3) == 0) {
            add("%s\n", ONE_OF(harmful));
            continue;
        }
        add("%s", command_info((CommandKind)below(COMMAND_COUNT))->word);
        add("%s\n", ONE_OF(arguments));
    }
    add("%s", "```\n\n");
}

static void add_question(void)
{
    static const char *const kinds[] = {"shape",      "value", "zeros", "head",
                                        "true-false", "line",  "x"};
    const char *kind = rarely() ? "x" : ONE_OF(kinds);
    add("```question\nkind: %s\nask: \"", kind);
    add("%s\"\n", rarely() ? words() : "what `=shape x`");
    if (strcmp(kind, "line") == 0) {
        add("lines: [\"%s\", b, c]\nclaims:\n", "one");
        for (int i = rarely() ? below(7) : 3; i > 0; i--) {
            add("  - \"%s ", reference());
            add("= %s\"\n", reference());
        }
    } else {
        add("answer: \"%s", reference());
        if (strcmp(kind, "true-false") == 0)
            add(" > %s", reference());
        add("%s", "\"\n");
    }
    add("wrong: \"`=%s`\"\n", below(3) ? "shape x" : reference());
    add("%s", below(2) ? "hint: h\n```\n\n" : "```\n\n");
}

static void write_lecture(void)
{
    used = 0;
    add("%s", rarely() ? "about\n\n" : "# T\n\nabout\n\n");
    for (int page = 0, pages = 1 + below(4); page < pages; page++) {
        char heading[64];
        snprintf(heading, sizeof heading, "## P%d %s {#p%d}\n\n", page, words(), page);
        add("%s", rarely() ? "## P0\n\n" : heading);
        if (page == 0)
            add("%s", "```attnscope\nscenario scaled-dot-product\n```\n\n");
        for (int part = below(5); part > 0; part--)
            switch (below(6)) {
            case 0:
                add_commands(below(4) ? "attnscope" : "attnscope answered");
                break;
            case 1:
                add_question();
                break;
            case 2:
                add("```notes\nx %s\n```\n\n", words());
                break;
            case 3:
                add("- x %s\n", words());
                break;
            default:
                add_text();
            }
    }
    used = used < sizeof text ? used : sizeof text - 1;
}

// Some lectures are damaged on top of it.
static void damage(void)
{
    static const char bytes[] = "`*[]{}#:\n\\\xff-\"0 \t=";
    for (int i = below(4) ? 0 : below(8); i > 0; i--)
        text[below((int)used)] = bytes[below((int)sizeof bytes - 1)];
}

// --- going through one

static void draw(Session *session, Cells *cells)
{
    static const int sizes[][2] = {{40, 12}, {80, 24}, {110, 30}, {150, 50}, {20, 5}};
    Error err = {.text = ""};
    const int *size = ONE_OF(sizes);
    ck_assert(cells_resize(cells, size[0], size[1], &err));
    screen_show(session, cells);
}

static void do_something(Session *session)
{
    static const char *const deeds[] = {
        "answer 1",     "answer (1,3,3)", "answer true", "answer x", "answer -1",
        "answer 1e999", "reveal",         "return",      "next",     "go-on",
        "go-back",      "notes",          "contents",    "help",     "back",
        "text-down 3",  "text-up 99",     "page 2",      "down",     "origin"};
    Command command;
    Error err = {.text = ""};
    ck_assert(command_parse(ONE_OF(deeds), &command, &err));
    if (!session_apply(session, &command, &err))
        ck_assert_msg(err.text[0], "refused without a word");
}

static void walk(const Lecture *lecture)
{
    OpenLecture open;
    Session session;
    Cells cells = {.rows = 0};
    Error err = {.text = ""};
    bool opened = open_lecture_start(&open, &session, lecture, 0, NULL, &err);
    ck_assert(opened || err.text[0]);
    for (int page = 0; opened && page < lecture->page_count; page++) {
        Error problem = {.text = ""};
        bool shown = open_lecture_show(&session, page, &problem);
        ck_assert_msg(shown || strncmp(problem.text, "h.md:", 5) == 0, "\"%s\"", problem.text);
        open.presents = below(4) == 0;
        for (int i = 0; i < 6; i++) {
            draw(&session, &cells);
            do_something(&session);
        }
        ck_assert(!session.quit);
    }
    cells_finish(&cells);
    session_close(&session);
    open_lecture_close(&open);
}

static void tell(void *context, const char *problem)
{
    (void)context;
    ck_assert_msg(strncmp(problem, "h.md:", 5) == 0, "\"%s\"", problem);
}

static void go_through(void)
{
    Lecture lecture;
    Error err = {.text = ""};
    write_lecture();
    damage();
    if (!lecture_read_text(&lecture, "h", "h.md", text, used, &err)) {
        ck_assert_msg(strncmp(err.text, "h.md:", 5) == 0, "\"%s\"", err.text);
        refused++;
        return;
    }
    walked++;
    walk(&lecture);
    open_lecture_check(&lecture, tell, NULL);
    FILE *out = tmpfile();
    bool whole = lecture_html(&lecture, true, out, &err);
    ck_assert(whole || err.text[0]);
    fclose(out);
    lecture_finish(&lecture);
}

TEST(no_lecture_brings_it_down_or_writes_a_file)
{
    long count = number_from("ATTNSCOPE_RANDOM_LECTURES", LECTURES_DEFAULT);
    char back[4096];
    ck_assert_ptr_nonnull(getcwd(back, sizeof back));
    ck_assert_int_eq(chdir(scratch_folder("here")), 0);
    state = (uint64_t)number_from("ATTNSCOPE_RANDOM_SEED", 20) * 0x9e3779b97f4a7c15u + 1;
    for (long i = 0; i < count; i++)
        go_through();
    ck_assert_int_ne(rmdir(scratch_path("here")), -1); // only an empty folder can be removed
    ck_assert_int_eq(chdir(back), 0);
    fprintf(stderr, "# %d walked, %d refused\n", walked, refused);
    ck_assert_int_gt(walked, count / 10);
    ck_assert_int_gt(refused, count / 10);
}

SUITE_WITH("hostile_lectures", scratch_open, scratch_close)
