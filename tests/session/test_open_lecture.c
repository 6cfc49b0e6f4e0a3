// Lectures as they are walked: every page of every lecture holds in every language, straying and
// returning, predicting and revealing; the numbers of document 002 are those that it printed.
#include "open_lecture.h"
#include "lecture.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static LectureList list;
static Lecture lecture;
static OpenLecture open;
static Session session;
static Error err;

static void open_list(void)
{
    err = (Error){.text = ""};
    ck_assert_msg(lecture_list_open(&list, &err), "%s", err.text);
}

static void close_list(void)
{
    lecture_list_close(&list);
}

static void say_problem(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "# %s\n", text);
}

FIXTURE(open_list, close_list)

TEST(every_page_of_every_lecture_holds_in_every_language)
{
    for (int i = 0; i < list.count; i++) {
        if (!suite_takes(i, 1))
            continue;
        Lecture both[2];
        for (int language = 0; language < 2; language++) {
            ck_assert_msg(lecture_open(&both[language], list.entries[i].name,
                                       list.entries[i].folder, (Language)language, &err),
                          "%s", err.text);
            ck_assert_int_eq(open_lecture_check(&both[language], say_problem, NULL), 0);
            ck_assert_int_ge(both[language].page_count, 10);
            ck_assert_int_le(both[language].page_count, 22);
        }
        ck_assert_int_eq(open_lecture_compare(&both[0], &both[1], say_problem, NULL), 0);
        lecture_finish(&both[0]);
        lecture_finish(&both[1]);
    }
}

static void start_lecture(const char *name, Language language)
{
    int number = lecture_list_find(&list, name, &err);
    ck_assert_msg(number >= 0, "%s", err.text);
    ck_assert_msg(lecture_open(&lecture, list.entries[number].name, list.entries[number].folder,
                               language, &err),
                  "%s", err.text);
    ck_assert_msg(open_lecture_start(&open, &session, &lecture, 0, NULL, &err), "%s", err.text);
}

static void close_lecture(void)
{
    session_close(&session);
    open_lecture_close(&open);
    lecture_finish(&lecture);
}

static void open_02(void)
{
    open_list();
    start_lecture("02", LANGUAGE_ENGLISH);
}

static void close_02(void)
{
    close_lecture();
    close_list();
}

static bool says(const char *words)
{
    Command command;
    err = (Error){.text = ""};
    ck_assert_msg(command_parse(words, &command, &err), "%s", err.text);
    return session_apply(&session, &command, &err);
}

// --- document 002

// The text of all pages without spaces, numbers filled in.
static const char *whole_text(void)
{
    static char text[1 << 16];
    size_t used = 0;
    for (int page = 0; page < lecture.page_count; page++) {
        ck_assert_msg(open_lecture_show(&session, page, &err), "%s", err.text);
        for (const LectureBlock *block = open.text; block; block = block->next)
            for (const LectureSpan *span = block->spans; span; span = span->next)
                for (const char *at = span->text; *at && used + 1 < sizeof text; at++)
                    if (*at != ' ')
                        text[used++] = *at;
    }
    text[used] = '\0';
    return text;
}

static void every_row_is_in(const char *file, const char *text)
{
    char printed[4096], path[128];
    snprintf(path, sizeof path, "documents/002_%s.txt", file);
    FILE *stream = fopen(test_file(path), "r");
    ck_assert_ptr_nonnull(stream);
    size_t length = fread(printed, 1, sizeof printed - 1, stream), kept = 0;
    fclose(stream);
    for (size_t i = 0; i < length; i++)
        if (printed[i] != ' ' && printed[i] != '\n')
            printed[kept++] = printed[i];
    printed[kept] = '\0';
    int rows = 0;
    for (char *row = strstr(printed, "[[["); row && *row; rows++) {
        row += strspn(row, "[,]");
        char *end = strchr(row, ']');
        if (!end || *row == ')')
            break;
        char wanted[512];
        snprintf(wanted, sizeof wanted, "[%.*s]", (int)(end - row), row);
        ck_assert_msg(strstr(text, wanted) != NULL, "%s: %s is not in the lecture", file, wanted);
        row = end;
    }
    ck_assert_int_eq(rows, 3);
}

FIXTURE(open_02, close_02)

TEST(the_numbers_that_document_002_printed_are_in_its_lecture)
{
    static const char *const files[] = {"q", "k", "v", "attn_weights", "context_heads"};
    for (size_t language = 0; language < 2; language++) {
        close_lecture();
        start_lecture("02", (Language)language);
        const char *text = whole_text();
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            every_row_is_in(files[i], text);
    }
}

// They come from the trace: nobody typed a printed number with four decimals into the text.
static void has_no_typed_number(const char *file, const LectureSpan *spans)
{
    for (const LectureSpan *span = spans; span; span = span->next)
        for (const char *dot = strchr(span->text, '.'); dot; dot = strchr(dot + 1, '.'))
            ck_assert_msg(strspn(dot + 1, "0123456789") < 4, "%s:%d: %s", file, span->line,
                          span->text);
}

FIXTURE(open_list, close_list)

TEST(no_number_with_four_decimals_is_typed_into_any_text)
{
    for (int i = 0; i < 2 * list.count; i++) {
        Lecture read;
        ck_assert_msg(lecture_open(&read, list.entries[i / 2].name, list.entries[i / 2].folder,
                                   (Language)(i % 2), &err),
                      "%s", err.text);
        for (const LecturePage *page = read.pages; page < read.pages + read.page_count; page++) {
            for (const LectureBlock *block = page->blocks; block; block = block->next)
                has_no_typed_number(read.file, block->spans);
            has_no_typed_number(read.file, page->question.ask);
            has_no_typed_number(read.file, page->question.right);
            has_no_typed_number(read.file, page->question.wrong);
            has_no_typed_number(read.file, page->question.hint);
        }
        lecture_finish(&read);
    }
}

// --- walking

FIXTURE(open_02, close_02)

TEST(one_command_returns_from_wherever_somebody_strayed)
{
    ck_assert(says("page softmax"));
    int step = session.cursor.step;
    TraceCell cell = session_cell(&session);
    ck_assert(!open.strayed);
    ck_assert(says("first") && says("tensor x") && says("@[0,2,3]") && says("origin"));
    ck_assert(open.strayed);
    ck_assert(says("return"));
    ck_assert(!open.strayed);
    ck_assert_int_eq(session.cursor.step, step);
    ck_assert(session_same_cell(session_cell(&session), cell));
    ck_assert_int_eq(session.look.detail, DETAIL_ORIGIN);
}

TEST(pages_change_the_scenario_and_change_it_back)
{
    ck_assert(says("page split"));
    ck_assert_str_eq(session.run.trace.scenario->name, "four-heads");
    ck_assert(says("page tokens"));
    ck_assert_str_eq(session.run.trace.scenario->name, "scaled-dot-product");
    ck_assert(!says("page-previous"));
    ck_assert(says("page 20"));
    ck_assert(!says("page-next"));
    ck_assert(!says("page 21"));
    ck_assert(!says("page nowhere"));
}

static void read_other(const char *text)
{
    close_lecture();
    ck_assert_msg(lecture_read_text(&lecture, "o", "o.md", text, strlen(text), &err), "%s",
                  err.text);
    ck_assert_msg(open_lecture_start(&open, &session, &lecture, 0, NULL, &err), "%s", err.text);
}

// What opens a file is refused, by whatever key, and not what is only called so.
TEST(a_lecture_opens_no_file_of_numbers)
{
    static const char *const refused[] = {
        "set input.vectors={file: numbers.npy}",
        "set attention.mask_file={file: mask.npy}",
        "compare input.vectors={file: numbers.npy}",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ck_assert(!says(refused[i]));
        ck_assert_str_eq(err.text, "a lecture cannot read files");
    }
    read_other("# T\n\n## P {#p}\n\n```attnscope\nscenario sentence-trained\n```\n");
    ck_assert(!says("set weights.file=numbers.npz")); // but its own file, of course, is read
    ck_assert_str_eq(err.text, "a lecture cannot read files");
    ck_assert(says("set about=one line of a file"));
    ck_assert_str_eq(session.run.trace.scenario->about, "one line of a file");
}

// Page 2 asks "Which?" and has an answer with "rows"; the Korean one is read from a file whose
// syllables are whole, while a person's system may send them in parts (U+1112 U+1161 U+11AB: 한).
TEST(words_are_found_in_either_case_and_composition)
{
    close_lecture();
    ck_assert(lecture_read(&lecture, "s", test_file("lectures/01-small/lecture.md"), &err));
    ck_assert(open_lecture_start(&open, &session, &lecture, 0, NULL, &err));
    ck_assert(says("find WHICH?") && open.page == 1);
    ck_assert(says("find each column of the weights, whatever") == false && open.page == 1);
    ck_assert_ptr_nonnull(strstr(err.text, "only this page"));
    ck_assert(says("find token") && open.page == 0); // from the end to the start
    ck_assert(!says("find attention"));
    ck_assert_ptr_nonnull(strstr(err.text, "no page contains these words: \"attention\""));
    close_lecture();
    ck_assert(lecture_read(&lecture, "s", test_file("lectures/01-small/lecture.ko.md"), &err));
    ck_assert(open_lecture_start(&open, &session, &lecture, 3, NULL, &err));
    ck_assert(says("find \u1112\u1161\u11ab \u110c\u116e\u11af") && open.page == 0); // 한 줄
}

TEST(the_list_of_pages_goes_to_the_one_that_is_chosen)
{
    ck_assert(says("contents") && says("down") && says("down") && says("up") && says("enter"));
    ck_assert_int_eq(open.page, 1);
    ck_assert(!open.contents);
    ck_assert(says("contents") && says("back"));
    ck_assert(!open.contents);
    // The page of help hides the list: what moves goes with what is seen.
    ck_assert(says("contents") && says("help") && says("down"));
    ck_assert_int_eq(open.chosen, open.page);
    ck_assert(says("back") && !session.help.open && open.contents);
    ck_assert(says("down") && open.chosen == open.page + 1 && says("back"));
}

// --- a window

TEST(a_page_that_asks_for_a_window_has_a_map_where_there_is_none)
{
    close_lecture();
    ck_assert(lecture_read(&lecture, "o", test_file("lectures/02-other/lecture.md"), &err));
    ck_assert(open_lecture_start(&open, &session, &lecture, 0, NULL, &err));
    ck_assert(!session.window);
    ck_assert(says("page window"));
    ck_assert(session.window && session.look.detail == DETAIL_HEATMAP && !open.strayed);
    unsigned long runs = session.run.number;
    ck_assert(says("page after"));
    ck_assert(session.window); // it stays until the person closes it
    ck_assert_uint_ne(session.run.number, runs);
    ck_assert(says("window-gone no display: do something else"));
    ck_assert_str_eq(session.message.text,
                     "no window available; the map is below: no display: do something else");
    ck_assert(says("page window"));
    ck_assert(!session.window && session.look.detail == DETAIL_HEATMAP);
}

// --- lectures that mean harm

static void is_told(const char *command, const char *word)
{
    char text[512];
    Lecture hostile;
    snprintf(text, sizeof text,
             "# T\n\n## P\n\n```attnscope\nscenario scaled-dot-product\n%s\n```\n", command);
    ck_assert(lecture_read_text(&hostile, "h", "h.md", text, strlen(text), &err));
    OpenLecture other;
    Session walk;
    ck_assert(open_lecture_start(&other, &walk, &hostile, 0, NULL, &err));
    ck_assert_msg(strstr(walk.message.text, word) != NULL, "%s: %s", command, walk.message.text);
    ck_assert_msg(strncmp(walk.message.text, "h.md:7:1: ", 10) == 0, "%s", walk.message.text);
    ck_assert(!walk.quit);
    session_close(&walk);
    open_lecture_close(&other);
    lecture_finish(&hostile);
}

TEST(a_lecture_neither_leaves_nor_types_nor_turns_pages_nor_writes_files)
{
    is_told("save stolen.csv", "not available in lectures");
    is_told("save-over stolen.csv", "not available in lectures");
    is_told("remember x", "not available in lectures");
    is_told("window-gone -", "not available in lectures");
    is_told("go-on", "not available in lectures");
    is_told("blank", "not available in lectures");
    is_told("run", "not available in lectures");
    is_told("play 9", "not available in lectures");
    ck_assert_int_ne(access("stolen.csv", F_OK), 0);
    is_told("quit", "not available in lectures");
    is_told("page-next", "not available in lectures");
    is_told("prompt", "not available in lectures");
    is_told("type q", "not available in lectures");
    is_told("answer 1", "not available in lectures");
    is_told("goto sofmax", "softmax");
    is_told("gotoo softmax", "goto");
}

TEST(a_lecture_names_scenarios_and_never_files)
{
    static const char *const names[] = {"/etc/passwd", "../x.yaml", "x.yaml", "no-such-scenario"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[256];
        Lecture hostile;
        OpenLecture other;
        Session walk;
        snprintf(text, sizeof text, "# T\n\n## P\n\n```attnscope\nscenario %s\n```\n", names[i]);
        ck_assert(lecture_read_text(&hostile, "h", "h.md", text, strlen(text), &err));
        ck_assert(!open_lecture_start(&other, &walk, &hostile, 0, NULL, &err));
        ck_assert_msg(strncmp(err.text, "h.md:6:10: ", 11) == 0, "%s", err.text);
        session_close(&walk);
        open_lecture_close(&other);
        lecture_finish(&hostile);
    }
}

SUITE("open lecture")
