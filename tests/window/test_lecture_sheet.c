// What is made of a lecture besides its pages: the questions on paper, the speaker's second terminal,
// and whether a screen shows what its text speaks of. The numbers are those that document 002 printed.
#include "export.h"
#include "html_text.h"
#include "lecture.h"
#include "lines.h"

#include "scratch.h"
#include "screen.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "# T\n\nabout\n\n"
    "## A & B {#a}\n\n```attnscope\nscenario scaled-dot-product\ngoto score\n@[0,1,0]\n```\n\n"
    "Seen: `=scores[0,1,0]` and `=scores[0,0,2]`.\n\n"
    "```keys\nPress the key of Q.\n```\n\n```notes\nSaid aloud.\n```\n\n"
    "```question\nkind: value\nask: How much?\nanswer: scores_scaled[0,1,0]\nwrong: Because.\n"
    "```\n\n"
    "## C {#c}\n\n```attnscope\ngoto project q\n```\n\nNo question.\n\n"
    "## D {#d}\n\n```attnscope\nscenario sentence\ngoto embed\ntensor embedding.weight\n@[0,0]\n"
    "```\n\nToo far: `=embedding.weight[0,0]` and\n`=embedding.weight[8,11]`.\n\n"
    "```question\nkind: true-false\nask: Is it?\nanswer: shape q = shape k\nwrong: So it is.\n"
    "```\n";

static Lecture lecture;
static Error err;
static char page[1 << 18];

static void setup(void)
{
    scratch_open();
    ck_assert_msg(lecture_read_text(&lecture, "t", "t.md", text, sizeof text - 1, &err), "%s",
                  err.text);
}

static void teardown(void)
{
    lecture_finish(&lecture);
    scratch_close();
}

static void read_back(FILE *out)
{
    fflush(out);
    rewind(out);
    size_t length = fread(page, 1, sizeof page - 1, out);
    page[length] = '\0';
    fclose(out);
}

static int count_of(const char *from, const char *words)
{
    int count = 0;
    for (const char *at = from; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

// 0.6993 / 2 = 0.34965, printed as 0.3496: on the second sheet and nowhere on the first.
TEST(questions_have_empty_boxes_and_their_answers_come_behind)
{
    FILE *out = tmpfile();
    ck_assert_msg(lecture_sheet(&lecture, out, &err), "%s", err.text);
    read_back(out);
    const char *answers = strstr(page, "<h2>Answers</h2>");
    ck_assert_ptr_nonnull(answers);
    ck_assert_int_eq(count_of(page, "class=\"box\""), 1);
    ck_assert_int_eq(count_of(page, "class=\"boxes\""), 1); // true or false
    ck_assert_int_eq(count_of(answers, "class=\"box\""), 0);
    ck_assert_ptr_nonnull(strstr(page, "0.6993")); // the scores are on the sheet
    ck_assert_int_eq(count_of(answers, "class=\"screen\""), 0);
    ck_assert_int_eq(count_of(page, "How much?"), 1);
    ck_assert_int_eq(count_of(page, "0.3496"), 1);
    ck_assert_int_eq(count_of(answers, "0.3496"), 1);
    ck_assert_int_eq(count_of(page, "A &amp; B"), 2);
    ck_assert_int_eq(count_of(page, "No question"), 0);
    ck_assert_int_eq(count_of(page, "<li value=\"3\">"), 2);
}

TEST(a_page_without_keys_speaks_of_none)
{
    FILE *out = tmpfile();
    ck_assert_msg(lecture_html(&lecture, false, out, &err), "%s", err.text);
    read_back(out);
    ck_assert_ptr_nonnull(strstr(page, "Seen:"));
    ck_assert_ptr_null(strstr(page, "the key of Q"));
}

static char told[512];

static void note(void *context, const char *problem)
{
    (void)context;
    snprintf(told, sizeof told, "%s", problem);
}

// Nine rows of twelve: the last column is seen where there is room for it, and not in 80 columns.
TEST(a_number_that_no_screen_shows_is_named)
{
    ck_assert_int_eq(lecture_screen_check(&lecture, 260, 60, note, NULL), 0);
    ck_assert_int_eq(lecture_screen_check(&lecture, 80, 24, note, NULL), 1);
    ck_assert_str_eq(told, "t.md:48: embedding.weight[8,11] is not on a screen of 80x24");
}

// A lecture of one page, in place of the one that every test begins with.
static void read_page(const char *commands, const char *rest)
{
    static char other[1024];
    snprintf(other, sizeof other, "# T\n\n## A {#a}\n\n```attnscope\n%s\n```\n\n%s\n", commands,
             rest);
    lecture_finish(&lecture);
    ck_assert_msg(lecture_read_text(&lecture, "t", "t.md", other, strlen(other), &err), "%s",
                  err.text);
}

// What the page names, and what is said of it; NULL: nothing, for it is seen. The sentence's
// embedding has twelve columns, of which 80 show eight.
TEST(rows_labels_strides_and_the_run_beside_are_looked_for)
{
    static const char table[] = "scenario sentence\ngoto embed\ntensor embedding.weight\n@[0,0]";
    static const char memory[] = "scenario four-heads\ngoto transpose q\nmemory";
    static const char comparison[] =
        "scenario causal\ngoto softmax\ncompare mistake mask-zero\n@[0,0,0,1]";
    static const struct {
        const char *commands, *names, *missing;
    } cases[] = {
        {table, "`=label Jungkook`", NULL},
        {table, "`=label Seokjin`", "Seokjin"},
        {table, "`=embedding.weight[0]`", "embedding.weight[0]"},
        {memory, "`=stride q_heads`", NULL},
        {memory, "`=stride q_view`", NULL}, // of another tensor: no screen shows both
        {"scenario four-heads\ngoto view q\ntensor q_view\n@[0,0,0,0]", "`=q_view[0,0,:,1]`", NULL},
        {comparison, "`=attn_weights[0,0,0,0]`", NULL},
        {comparison, "`=attn_weights[0,0,5,5]`", "attn_weights[0,0,5,5]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char wanted[128];
        read_page(cases[i].commands, cases[i].names);
        told[0] = '\0';
        ck_assert_int_eq(lecture_screen_check(&lecture, 80, 24, note, NULL), !!cases[i].missing);
        snprintf(wanted, sizeof wanted, "%s is not on a screen of 80x24",
                 cases[i].missing ? cases[i].missing : "");
        ck_assert_msg(!cases[i].missing || strstr(told, wanted), "%s", told);
    }
}

// --- ten questions of a seed

// The whole numbers of a table, row by row; a question mark is the one that is asked for.
static void read_table(const char *name, int numbers[16])
{
    char mark[64];
    snprintf(mark, sizeof mark, "<code>%s</code>", name);
    const char *at = strstr(page, mark);
    ck_assert_ptr_nonnull(at);
    const char *end = strstr(at, "</table>");
    for (int i = 0; (at = strstr(at, "<td>")) && at < end; i++, at += 4)
        numbers[i] = at[4] == '?' ? 99 : atoi(at + 4);
}

// Answer `number` of the second sheet.
static double answer_of(int number)
{
    const char *at = strstr(page, "<h2>");
    for (int i = 0; at && i <= number; i++)
        at = strstr(at + 1, "<strong>");
    ck_assert_ptr_nonnull(at);
    return strtod(at + 8, NULL);
}

static int product(const int a[], const int b[])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void write_seed(uint64_t seed)
{
    const char *path = scratch_path("seed.html");
    ck_assert_msg(lecture_sheet_save(&lecture, &seed, path, &err), "%s", err.text);
    read_back(fopen(path, "r"));
}

static void asked(const char *format, int *a, int *b)
{
    const char *at = strstr(page, format);
    ck_assert_ptr_nonnull(at);
    at += strlen(format);
    *a = (int)strtol(at, (char **)&at, 10);
    at += strcspn(at, "0123456789");
    *b = (int)strtol(at, NULL, 10);
}

// What stands on the first sheet is enough to work the answers of the second one out.
LOOP_TEST(answers_of_a_seed_follow_from_its_tables, 6)
{
    int x[16], weight[16], q[16], k[16], row, column, key, shape[4], at[4];
    write_seed((uint64_t)_i);
    read_table("x", x);
    read_table("q_proj.weight", weight);
    read_table("q", q);
    read_table("k", k);
    asked("A number of q is missing: row ", &row, &column);
    ck_assert_int_eq(q[4 * row + column], 99);
    q[4 * row + column] = product(x + 4 * row, weight + 4 * column);
    ck_assert_double_eq(answer_of(0), q[4 * row + column]);
    asked("score of query ", &row, &key);
    int score = product(q + 4 * row, k + 4 * key), best = (int)answer_of(3);
    ck_assert_double_eq(answer_of(1), score);
    ck_assert_double_eq(answer_of(2), score / 2.0); // the root of 4
    for (int other = 0; other < 3; other++)
        ck_assert(other == best ||
                  product(q + 4 * row, k + 4 * other) < product(q + 4 * row, k + 4 * best));
    const char *answers = strstr(page, "<h2>");
    ck_assert_int_eq(sscanf(strstr(answers, "<strong>("), "<strong>(%d, %d, %d, %d)", shape,
                            shape + 1, shape + 2, shape + 3),
                     4);
    const char *element = strstr(answers, "element [");
    ck_assert_int_eq(sscanf(element, "element [%d,%d,%d,%d]", at, at + 1, at + 2, at + 3), 4);
    int width = shape[1] * shape[3]; // all heads' numbers of a token lie side by side
    ck_assert_double_eq(answer_of(9),
                        at[0] * shape[2] * width + at[2] * width + at[1] * shape[3] + at[3]);
}

TEST(neighbours_have_other_numbers_and_paper_is_the_locales)
{
    static char first[sizeof page];
    setenv("LC_ALL", "", 1);
    setenv("LC_PAPER", "en_US.UTF-8", 1);
    write_seed(1);
    ck_assert_ptr_nonnull(strstr(page, "@page{size:letter"));
    memcpy(first, page, sizeof first);
    setenv("LC_PAPER", "C", 1);
    write_seed(1);
    ck_assert_ptr_nonnull(strstr(page, "@page{size:A4"));
    ck_assert_str_eq(strstr(first, "<table"), strstr(page, "<table"));
    write_seed(2);
    ck_assert_str_ne(strstr(first, "<table"), strstr(page, "<table"));
    ck_assert_int_eq(count_of(page, "class=\"box\""), 10);
    ck_assert_int_eq(count_of(strstr(page, "<h2>"), "<strong>"), 10);
}

TEST(paper_speaks_of_no_cursor)
{
    FILE *out = tmpfile();
    read_page("scenario sentence\ngoto softmax",
              "```question\nkind: cell\nask: Where?\nanswer: attn_weights[0,0,5,9]\nwrong: There.\n"
              "```");
    ck_assert_msg(lecture_sheet(&lecture, out, &err), "%s", err.text);
    read_back(out);
    ck_assert_ptr_nonnull(strstr(page, "row and column, such as 5 9"));
    ck_assert_ptr_null(strstr(page, "the cursor's cell"));
}

static void tell(void *context, const char *problem)
{
    (void)context;
    ck_abort_msg("%s", problem);
}

LOOP_TEST(every_lecture_speaks_of_what_a_classic_terminal_shows, 2)
{
    LectureList list;
    ck_assert_msg(lecture_list_open(&list, &err), "%s", err.text);
    for (int i = 0; i < list.count; i++) {
        if (!suite_takes(i + 3 * _i, 1))
            continue;
        Lecture read;
        ck_assert_msg(
            lecture_open(&read, list.entries[i].name, list.entries[i].folder, (Language)_i, &err),
            "%s", err.text);
        lecture_screen_check(&read, 80, 24, tell, NULL);
        lecture_finish(&read);
    }
    lecture_list_close(&list);
}

static const int slide_sizes[][2] = {{80, 24}, {120, 40}, {200, 55}};

enum { SLIDE_SIZES = sizeof slide_sizes / sizeof *slide_sizes };

// In both languages and at each size.
LOOP_TEST(every_slide_has_in_full_what_its_page_names, 2 * SLIDE_SIZES)
{
    LectureList list;
    const int *size = slide_sizes[_i / 2];
    ck_assert_msg(lecture_list_open(&list, &err), "%s", err.text);
    for (int i = 0; i < list.count; i++) {
        if (!suite_takes(i + _i, 5))
            continue;
        Lecture read;
        ck_assert_msg(lecture_open(&read, list.entries[i].name, list.entries[i].folder,
                                   (Language)(_i % 2), &err),
                      "%s", err.text);
        lecture_slide_check(&read, size[0], size[1], tell, NULL);
        lecture_finish(&read);
    }
    lecture_list_close(&list);
}

// The eleven rows of twelve numbers are on a large slide. A small one has no room for all, and neither has
// it for a question of thirty lines.
TEST(a_slide_that_lacks_something_is_told)
{
    char names[1024] = "";
    size_t used = 0;
    for (int row = 0; row < 11; row++)
        used += (size_t)snprintf(names + used, sizeof names - used, "`=embeddings[0,%d]` ", row);
    read_page("scenario sentence\ngoto embed\n@[0,0,0]", names);
    ck_assert_int_eq(lecture_slide_check(&lecture, 200, 55, note, NULL), 0);
    ck_assert_int_gt(lecture_slide_check(&lecture, 80, 24, note, NULL), 0);
    ck_assert_msg(strstr(told, "is not on a screen of 80x24"), "%s", told);
    read_page("scenario sentence\ngoto embed\n@[0,0,0]", "`=label Seokjin`");
    ck_assert_int_eq(lecture_slide_check(&lecture, 200, 55, note, NULL), 1);
}

// A number of the last column, another tensor's, and the numbers under every picture.
TEST(every_picture_of_a_slide_has_what_the_text_names)
{
    static const char *const pictures[] = {"numbers", "map", "row", "sum", "formula", "table"};
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        for (int size = 0; size < SLIDE_SIZES; size++) {
            char scene[128];
            snprintf(scene, sizeof scene, "scenario sentence\npicture %s\ngoto softmax\n@[0,0,5,0]",
                     pictures[i]);
            read_page(scene, "`=attn_weights[0,0,5,10]` `=attn_weights[0,2,5,0]` `=q[0,5,0]`\n\n"
                             "```\nfour  five\n```");
            told[0] = '\0';
            lecture_slide_check(&lecture, slide_sizes[size][0], slide_sizes[size][1], note, NULL);
            ck_assert_msg(!told[0], "%s: %s", pictures[i], told);
        }
}

// Rows from the top, without the blanks at their ends.
static void check_letters(const char *words, int columns, const char *const rows[], int count)
{
    Cells cells = {.colours = 0};
    ck_assert(cells_resize(&cells, columns, 16, &err));
    cells_clear(&cells);
    ck_assert_int_eq(big_letters_draw(cells_area(&cells), ROLE_TEXT, words), count);
    for (int row = 0; row < count; row++) {
        char line[256] = "";
        for (int column = 0; column < columns; column++)
            strcat(line, cells_at(&cells, row, column)->text);
        while (line[0] && line[strlen(line) - 1] == ' ')
            line[strlen(line) - 1] = '\0';
        ck_assert_str_eq(line, rows[row]);
    }
    cells_finish(&cells);
}

// H is 4 wide with its bar in the fourth of seven pixels, i has its dot in the first. The initial of 가 is a
// stroke of 7 and one of 11 pixels, its vowel one of 13 and, from the middle on, one of 4. Where two wide ones
// (14 + 4 + 14 columns) need two lines, these pixels are half a column wide, upright strokes two of them.
TEST(letters_are_large_where_they_fit)
{
    static const char *const latin[] = {"█  █ ▀", "█▄▄█ █", "█  █ █", "▀  ▀ ▀", ""};
    static const char *const hangul[] = {"▀▀▀▀▀▀█  █", "      █  █", "      █  █", "      █  █▀▀▀",
                                         "      █  █", "      ▀  █", "         ▀"};
    static const char *const narrow[] = {
        "▀▀▀█▐▌      ▀▀▀█▐▌", "   █▐▌         █▐▌", "   █▐▌         █▐▌", "   █▐▛▀        █▐▛▀",
        "   █▐▌         █▐▌", "   ▀▐▌         ▀▐▌", "    ▝▘          ▝▘"};
    static const char *const twice[] = {"█  █ ▀", "█▄▄█ █", "█  █ █", "▀  ▀ ▀", "",
                                        "█  █ ▀", "█▄▄█ █", "█  █ █", "▀  ▀ ▀", ""};
    check_letters("Hi", 30, latin, 5);
    check_letters("가", 30, hangul, 7);
    check_letters("가 가", 24, narrow, 7);
    check_letters("Hi Hi", 12, twice, 10);
    check_letters("H\u2192", 30, NULL, 0); // an arrow is not a letter
    check_letters("Hi", 5, NULL, 0);
}

// The first row of a slide's picture: what is looked at, and its shape.
static const char *caption(Session *session)
{
    static char row[1024];
    Cells cells = {.colours = 0};
    size_t used = 0;
    ck_assert(cells_resize(&cells, 80, 24, &err));
    screen_show(session, &cells);
    for (int column = 0; column < cells.columns; column++)
        used += (size_t)snprintf(row + used, sizeof row - used, "%s",
                                 cells_at(&cells, 5, column)->text);
    cells_finish(&cells);
    return row;
}

static int blocks_on_top(Session *session, int columns, int rows)
{
    Cells cells = {.colours = 0};
    int blocks = 0;
    ck_assert(cells_resize(&cells, columns, rows, &err));
    screen_show(session, &cells);
    for (int column = 0; column < columns; column++)
        blocks += strcmp(cells_at(&cells, 3, column)->text, "\u2588") == 0;
    cells_finish(&cells);
    return blocks;
}

// "A": at 80x24 a letter, at 200x55 two strokes of blocks, which begin in the second row.
TEST(a_title_grows_with_the_screen)
{
    static OpenLecture open;
    static Session session;
    read_page("scenario scaled-dot-product\ntensor x", "Words.");
    ck_assert(open_lecture_start(&open, &session, &lecture, 0, NULL, &err));
    open.presents = true;
    ck_assert(open_lecture_show(&session, 0, &err));
    ck_assert_int_eq(blocks_on_top(&session, 80, 24), 0);
    ck_assert_int_eq(blocks_on_top(&session, 200, 55), 2);
    session_close(&session);
    open_lecture_close(&open);
}

TEST(a_slide_does_not_tell_the_shape_that_it_asks_for)
{
    static OpenLecture open;
    static Session session;
    Command reveal = {.kind = COMMAND_REVEAL};
    read_page("scenario scaled-dot-product\ntensor x",
              "```question\nkind: shape\nask: Which?\nanswer: shape x\nwrong: That.\n```");
    ck_assert(open_lecture_start(&open, &session, &lecture, 0, NULL, &err));
    open.presents = true;
    ck_assert_msg(strstr(caption(&session), "x[0,:,:] (?)"), "%s", caption(&session));
    ck_assert(session_apply(&session, &reveal, &err));
    ck_assert_msg(strstr(caption(&session), "x[0,:,:] (1, 3, 4)"), "%s", caption(&session));
    session_close(&session);
    open_lecture_close(&open);
}

TEST(who_follows_is_told_of_every_page)
{
    static OpenLecture open;
    static Session session;
    Presenting shown;
    const char *path = scratch_path("presenting");
    Command next = {.kind = COMMAND_PAGE_NEXT};
    ck_assert(!presenting_read(path, &shown, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "there is no presentation"));
    ck_assert(open_lecture_start(&open, &session, &lecture, 0, NULL, &err));
    open.announces = path;
    ck_assert(session_apply(&session, &next, &err));
    ck_assert_msg(presenting_read(path, &shown, &err), "%s", err.text);
    ck_assert_str_eq(shown.lecture, "t");
    ck_assert_str_eq(shown.page, "c");
    ck_assert_int_eq(shown.language, LANGUAGE_ENGLISH);
    open.announces = "/dev/null/nowhere/presenting"; // told once, and the lecture goes on
    ck_assert(!session_apply(&session, &next, &err));
    ck_assert_int_eq(open.page, 2);
    ck_assert_ptr_null(open.announces);
    scratch_write("presenting", "what?\n", 6);
    ck_assert(!presenting_read(path, &shown, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "does not contain the current page"));
    session_close(&session);
    open_lecture_close(&open);
}

TEST(a_speaker_sees_notes_answer_and_what_comes_next)
{
    static OpenLecture open;
    static Session session;
    Cells cells = {.colours = 0};
    Command reveal = {.kind = COMMAND_REVEAL};
    FILE *out = tmpfile();
    ck_assert(cells_resize(&cells, 60, 12, &err));
    ck_assert(open_lecture_start(&open, &session, &lecture, 0, NULL, &err));
    ck_assert(session_apply(&session, &reveal, &err));
    lecture_notes_draw(&open, "09:30", &cells);
    cells_print(&cells, out);
    read_back(out);
    ck_assert_ptr_eq(strstr(page, " 1/3  A & B"), page);
    ck_assert_ptr_nonnull(strstr(page, "09:30\n\n Said aloud.\n\n ? How much?\n"));
    ck_assert_ptr_nonnull(strstr(page, "The answer: 0.3496  Because.\n\n Next: C\n"));
    cells_finish(&cells);
    session_close(&session);
    open_lecture_close(&open);
}

SUITE_WITH("lecture_sheet", setup, teardown)
