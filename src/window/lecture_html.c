// A lecture as one HTML page, and its worksheet; see export.h.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "export.h"
#include "figure_data.h"
#include "generator.h"
#include "html_text.h"
#include "new_file.h"
#include "open_lecture.h"
#include "picture_view.h"
#include "scenario_file.h"
#include "screen.h"
#include "error.h"

// --- the lecture

enum {
    COLUMNS = 92, // of a screen
    NARROW_COLUMNS = 46,
    ROWS = 34,
    BOTTOM_ROWS = 2, // message and keys, which pages lack
};

// One figure for wide pages, one for the width of a phone.
static const struct {
    const char *name;
    int width, height;
} figure_sizes[] = {{"wide", 960, 600}, {"narrow", 390, 900}};

enum { FIGURE_SIZES = sizeof figure_sizes / sizeof *figure_sizes };

typedef struct Page {
    OpenLecture open;
    Session session;
    FILE *out;
    bool with_notes;
    int pictures;   // so far
    PoolRange ends; // range of its maps' scale
    HtmlNumbers numbers;
} Page;

static const char *html_word(const Page *page, OpenLectureWord which)
{
    return open_lecture_word(page->open.lecture->language, which);
}

// --- text

static void put_blocks(FILE *out, const LectureBlock *blocks, HtmlTerms *terms)
{
    bool listing = false;
    for (; blocks; blocks = blocks->next) {
        if (blocks->kind == BLOCK_KEYS) // pages have none
            continue;
        bool item = blocks->kind == BLOCK_ITEM, code = blocks->kind == BLOCK_CODE;
        if (item != listing)
            fputs(item ? "<ul>\n" : "</ul>\n", out);
        listing = item;
        fputs(item ? "<li>" : code ? "<pre class=\"code\">" : "<p>", out);
        if (code)
            html_text(out, blocks->spans->text);
        else
            html_spans(out, blocks->spans, terms);
        fputs(item ? "</li>\n" : code ? "</pre>\n" : "</p>\n", out);
    }
    fputs(listing ? "</ul>\n" : "", out);
}

static void put_notes(Page *page)
{
    if (!page->with_notes || !page->open.notes)
        return;
    html_element(page->out, "<aside><h3>", html_word(page, WORD_NOTES), "</h3>\n");
    put_blocks(page->out, page->open.notes, NULL);
    fputs("</aside>\n", page->out);
}

// --- screens and figures

// Puts the wide screen, or for phones the picture of the slide.
static bool put_screen(Page *page, bool is_narrow, Error *err)
{
    Cells cells = {.colours = 1 << 24};
    OpenLecture *open = &page->open;
    if (!cells_resize(&cells, is_narrow ? NARROW_COLUMNS : COLUMNS, ROWS, err))
        return false;
    open->presents = open->is_still = open->on_paper = is_narrow;
    screen_show(&page->session, &cells);
    fprintf(page->out, "<pre class=\"screen %s\">", is_narrow ? "on-narrow" : "on-wide");
    html_cells(page->out, &cells, is_narrow ? 1 : 0, ROWS - BOTTOM_ROWS);
    fputs("</pre>\n", page->out);
    open->presents = open->is_still = open->on_paper = false;
    cells_finish(&cells);
    return true;
}

// Begins a part; the style says where it is visible.
static void begin_part(FILE *out, const char *name)
{
    fprintf(out, "<div class=\"%s\">", name);
}

// Puts the picture for a light or dark page.
static bool put_picture(Page *page, PictureView *view, bool dark, const char *about, Error *err)
{
    char name[32];
    const char *theme = dark ? "dark" : "light";
    bool *is_dark = &page->session.picture.request.dark, was_dark = *is_dark;
    snprintf(name, sizeof name, "f%d%s", page->pictures++, theme);
    *is_dark = dark;
    bool drawn = picture_view_draw(view, &page->session, err);
    *is_dark = was_dark;
    if (!drawn)
        return false;
    begin_part(page->out, theme);
    figure_svg(&view->list, name, about, page->out);
    fputs("</div>\n", page->out);
    return true;
}

static bool put_pictures(Page *page, PictureView *view, const char *about, Error *err)
{
    bool good = true;
    for (int i = 0; good && i < FIGURE_SIZES; i++) {
        picture_view_size(view, figure_sizes[i].width, figure_sizes[i].height, 1.0);
        begin_part(page->out, figure_sizes[i].name);
        for (int dark = 0; good && dark < 2; dark++)
            good = put_picture(page, view, dark, about, err);
        fputs("</div>\n", page->out);
    }
    return good;
}

// Uses the scale of the terminal's map, so that a number has one colour on the page.
static bool take_scale(Page *page, Error *err)
{
    FigureRequest *request = &page->session.picture.request;
    FigureData data;
    if (!figure_data(picture_trace(&page->session), request, &data, err))
        return false;
    bool given = data.is_weights && !page->session.look.scale_to_largest;
    bool even = given && figure_shares_differ(&data, request->batch);
    page->ends = (PoolRange){0.0f, given && !even ? 1.0f : 0.0f};
    request->scale = even ? FIGURE_SCALE_EVEN : FIGURE_SCALE_ALL;
    request->ends = &page->ends;
    return true;
}

static bool draw_figure(Page *page, PictureView *view, Error *err)
{
    const char *tensor = picture_tensor_name(&page->session);
    Written about;
    if (!take_scale(page, err) || !picture_view_open(view, err) || !written_begin(&about, err))
        return false;
    picture_about(&page->session, about.out);
    fputs("<figure>\n", page->out);
    bool good = written_end(&about, err);
    if (good) {
        about.text[strcspn(about.text, "\n")] = '\0'; // one line, for an attribute
        good = put_pictures(page, view, about.text, err);
    }
    written_drop(&about);
    html_element(page->out, "<figcaption>", html_word(page, WORD_PICTURE), ": ");
    html_element(page->out, "<code>", tensor, "</code></figcaption>\n</figure>\n");
    return good;
}

// Puts the screen, and a picture if the screen shows a map.
static bool put_scene(Page *page, Error *err)
{
    PictureView view = {.cache = NULL};
    const Session *session = &page->session;
    bool maps = session->look.detail == DETAIL_HEATMAP && picture_possible(session);
    bool good = put_screen(page, false, err) && put_screen(page, true, err) &&
                (!maps || draw_figure(page, &view, err));
    picture_view_close(&view);
    return good;
}

// --- the question

// Puts the answer, which unfolds, with the scene after it.
static bool html_put_answer(Page *page, Error *err)
{
    if (!session_do(&page->session, COMMAND_REVEAL, "", err))
        return false;
    html_element(page->out, "<details><summary>", html_word(page, WORD_SHOW_ANSWER),
                 "</summary>\n<p>");
    html_spans(page->out, page->open.said->spans, NULL);
    fputs("</p>\n", page->out);
    bool good = !open_lecture_page(&page->open)->answered || put_scene(page, err);
    fputs("</details>\n", page->out);
    return good;
}

static bool html_put_question(Page *page, Error *err)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    if (!page->open.ask)
        return true;
    fputs("<div class=\"question\">\n<p>", page->out);
    html_spans(page->out, page->open.ask->spans, NULL);
    fputs("</p>\n", page->out);
    int choices = open_lecture_choice_count(&page->open);
    fputs(choices > 0 ? "<ol>\n" : "", page->out);
    for (int i = 0; i < choices; i++)
        html_element(page->out, "<li><code>", open_lecture_choice(&page->open, i, text),
                     "</code></li>\n");
    fputs(choices > 0 ? "</ol>\n" : "", page->out);
    bool good = html_put_answer(page, err);
    fputs("</div>\n", page->out);
    return good;
}

// --- the page

static bool put_page(Page *page, int number, Error *err)
{
    const Lecture *lecture = page->open.lecture;
    if (!open_lecture_show(&page->session, number, err))
        return false;
    fprintf(page->out, "<section id=\"p%d\">\n<h2><span>%d/%d</span> ", number + 1, number + 1,
            lecture->page_count);
    html_text(page->out, lecture->pages[number].title);
    fputs("</h2>\n<div class=\"text\">\n", page->out);
    HtmlTerms terms = {.language = lecture->language};
    put_blocks(page->out, page->open.text, &terms);
    if (!html_glossary_links(page->out, lecture, number, err))
        return false;
    put_notes(page);
    fputs("</div>\n", page->out);
    bool good = put_scene(page, err) &&
                html_numbers(page->out, &page->session, &page->numbers, err) &&
                html_put_question(page, err);
    fputs("</section>\n", page->out);
    return good;
}

// A touched number shows its origin at the bottom of the window. Phones get narrow screens.
static const char touch_style[] =
    "<style>pre.on-narrow{display:none}"
    ".touch{overflow-x:auto;font:.8rem/1.4 \"DejaVu Sans Mono\",Menlo,Consolas,monospace}"
    ".touch table{border-collapse:collapse}.touch th{text-align:right;padding:.2rem .4rem}"
    ".touch td{border:1px solid var(--line);padding:.3rem .45rem;text-align:right;cursor:pointer}"
    ".touch td:focus{background:var(--mark);outline:2px solid var(--key)}"
    ".touch span{display:none}.touch td:focus span{display:block;position:fixed;left:0;right:0;"
    "bottom:0;z-index:1;max-height:60vh;overflow:auto;white-space:pre-wrap;text-align:left;"
    "background:var(--paper);border-top:2px solid var(--key);padding:.7rem 1rem}"
    "@media screen and (max-width:46rem){figure .wide,pre.on-wide{display:none}figure .narrow,"
    "pre.on-narrow{display:block}pre.on-narrow{width:auto;padding:.5rem;font-size:clamp(.5rem,2."
    "9vw,"
    ".82rem)}.touch td:focus span{font-size:clamp(.5rem,2.9vw,.8rem)}h1{font-size:1.5rem}}"
    "@media print{.touch,pre.on-narrow{display:none}}</style>\n";

static void put_head(const Page *page)
{
    const Lecture *lecture = page->open.lecture;
    html_head(page->out, lecture);
    fputs(touch_style, page->out);
    html_element(page->out, "<header>\n<h1>", lecture->title, "</h1>\n");
    html_element(page->out, "<p>", lecture->about, "</p>\n");
    html_element(page->out, "<nav>\n<h2>", html_word(page, WORD_CONTENTS), "</h2>\n<ol>\n");
    for (int i = 0; i < lecture->page_count; i++) {
        fprintf(page->out, "<li><a href=\"#p%d\">", i + 1);
        html_element(page->out, "", lecture->pages[i].title, "</a></li>\n");
    }
    fputs("<li><a href=\"#glossary\">", page->out);
    html_element(page->out, "", TELL_IN(language_beside(lecture->language), HTML_GLOSSARY),
                 "</a></li>\n");
    fputs("</ol>\n</nav>\n</header>\n<main>\n", page->out);
}

static bool put_all(Page *page, const Lecture *lecture, Error *err)
{
    bool good = open_lecture_start(&page->open, &page->session, lecture, 0, NULL, err);
    page->open.text_elsewhere = true;
    if (good)
        put_head(page);
    for (int number = 0; good && number < lecture->page_count; number++)
        good = put_page(page, number, err);
    good = good && html_glossary(page->out, lecture, err);
    if (good)
        html_element(page->out, "</main>\n<footer>", html_word(page, WORD_MADE),
                     "</footer>\n</body>\n</html>\n");
    session_close(&page->session);
    open_lecture_close(&page->open);
    return good;
}

bool lecture_html(const Lecture *lecture, bool with_notes, FILE *out, Error *err)
{
    Arena arena = {0};
    Page *page = arena_take(&arena, 1, sizeof *page, err);
    if (page) {
        page->out = out;
        page->with_notes = with_notes;
    }
    bool good = page && put_all(page, lecture, err);
    arena_finish(&arena);
    return good;
}

typedef struct Whole {
    const Lecture *lecture;
    bool with_notes;
} Whole;

static bool write_lecture(const void *what, FILE *out, Error *err)
{
    const Whole *whole = what;
    return lecture_html(whole->lecture, whole->with_notes, out, err);
}

bool lecture_html_save(const Lecture *lecture, bool with_notes, const char *path, Error *err)
{
    Whole whole = {lecture, with_notes};
    return new_file_write(path, write_lecture, &whole, err);
}

// --- questions from a seed
//
// Ten questions about attention with small integers drawn from a seed, so that neighbours in a room have
// different ones. The answers are computed, on a sheet of their own.

enum { TOKENS = 3, WIDTH = 4, SET_MAX = 4096, TRIES_MAX = 64, SETS_MAX = 4 };

// What was drawn, and the runs that answer: one to compute by hand, the same with a causal mask, and one for
// shapes and places.
typedef struct Drawn {
    Generator generator;
    Scenario by_hand, causal, shapes;
    Trace by_hand_run, causal_run, shapes_run;
    int row[3], column, key; // what the questions ask for; the order of rows depends on the seed
    int batch, tokens, heads, d_k, at[4];
    Language language;
    FILE *out;
    bool answers; // are put, too
} Drawn;

// --- drawing

static int draw(Drawn *drawn, int low, int end)
{
    int64_t number;
    generator_randint(&drawn->generator, low, end, &number, 1);
    return (int)number;
}

// Adds "[[1, 0], [2, 1]]".
static void add_matrix(Drawn *drawn, char set[SET_MAX], int rows, int columns)
{
    for (int row = 0; row < rows; row++) {
        text_add(set, SET_MAX, row > 0 ? ", [" : "[[");
        for (int column = 0; column < columns; column++)
            text_add(set, SET_MAX, column > 0 ? ", %d" : "%d", draw(drawn, -1, 2));
        text_add(set, SET_MAX, "]");
    }
    text_add(set, SET_MAX, "]");
}

static bool run(const char *what, const char *const sets[], int count, Scenario *scenario,
                Trace *trace, Error *err)
{
    ScenarioRequest request = {.what = what, .sets = sets, .set_count = count};
    return scenario_open(scenario, &request, err) && trace_open(trace, scenario, err) &&
           trace_run(trace, err);
}

static bool run_by_hand(Drawn *drawn, Error *err)
{
    static const char *const layers[] = {"q_proj", "k_proj", "v_proj"};
    char x[SET_MAX] = "input.vectors=[", weights[SET_MAX] = "weights={values: {";
    add_matrix(drawn, x, TOKENS, WIDTH);
    text_add(x, SET_MAX, "]");
    for (int layer = 0; layer < 3; layer++) {
        text_add(weights, SET_MAX, "%s%s.weight: ", layer > 0 ? ", " : "", layers[layer]);
        add_matrix(drawn, weights, WIDTH, WIDTH);
    }
    text_add(weights, SET_MAX, "}}");
    const char *const sets[] = {x, weights, "attention.mask=causal"};
    return run("scaled-dot-product", sets, 2, &drawn->by_hand, &drawn->by_hand_run, err) &&
           run("scaled-dot-product", sets, 3, &drawn->causal, &drawn->causal_run, err);
}

static bool run_shapes(Drawn *drawn, Error *err)
{
    char x[SET_MAX] = "input.vectors=[", heads[64], width[64];
    drawn->batch = draw(drawn, 2, 4);
    drawn->tokens = draw(drawn, 3, 7);
    drawn->heads = draw(drawn, 2, 5);
    drawn->d_k = draw(drawn, 2, 6);
    for (int batch = 0; batch < drawn->batch; batch++) {
        text_add(x, SET_MAX, batch > 0 ? ", " : "");
        add_matrix(drawn, x, drawn->tokens, drawn->heads * drawn->d_k);
    }
    text_add(x, SET_MAX, "]");
    snprintf(heads, sizeof heads, "model.heads=%d", drawn->heads);
    snprintf(width, sizeof width, "model.d_model=%d", drawn->heads * drawn->d_k);
    const char *const sets[] = {x, heads, width, "weights.draw=[q_proj, k_proj, v_proj]"};
    const int ends[] = {drawn->batch, drawn->heads, drawn->tokens, drawn->d_k};
    for (int axis = 0; axis < 4; axis++)
        drawn->at[axis] = draw(drawn, 1, ends[axis]);
    return run("four-heads", sets, 4, &drawn->shapes, &drawn->shapes_run, err);
}

// --- references

static bool value_of(const Trace *trace, const char *text, ReferenceValue *value, Error *err)
{
    Reference reference;
    return reference_parse(text, &reference, err) &&
           open_lecture_trace_value(trace, &reference, value, err);
}

// Chooses three rows and a column. *chosen is false if two keys fit the second row equally well.
static bool choose(Drawn *drawn, bool *chosen, Error *err)
{
    ReferenceValue best;
    char reference[64];
    int first = draw(drawn, 0, TOKENS), step = draw(drawn, 1, TOKENS);
    for (int i = 0; i < 3; i++)
        drawn->row[i] = (first + i * step) % TOKENS;
    drawn->column = draw(drawn, 0, WIDTH);
    drawn->key = draw(drawn, 0, TOKENS);
    snprintf(reference, sizeof reference, "argmax scores[0,%d]", drawn->row[1]);
    if (!value_of(&drawn->by_hand_run, reference, &best, err))
        return false;
    *chosen = best.tied == 0;
    return true;
}

static void close_by_hand(Drawn *drawn)
{
    trace_close(&drawn->by_hand_run);
    trace_close(&drawn->causal_run);
    scenario_finish(&drawn->by_hand);
    scenario_finish(&drawn->causal);
}

static bool draw_all(Drawn *drawn, Error *err)
{
    bool chosen = false;
    for (int tries = 0; tries < TRIES_MAX && !chosen; tries++) {
        if (tries > 0)
            close_by_hand(drawn);
        if (!run_by_hand(drawn, err) || !choose(drawn, &chosen, err))
            return false;
    }
    return run_shapes(drawn, err);
}

// --- tables

// Puts a matrix of the run by hand, with a question mark for the wanted number.
static void put_table(Drawn *drawn, const char *name, int asked_row, int asked_column)
{
    const Trace *trace = &drawn->by_hand_run;
    const Tensor *tensor = &trace->tensors[trace_find(trace, name)].tensor;
    int rank = tensor->rank, rows = (int)tensor->shape[rank - 2];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    fprintf(drawn->out, "<table class=\"given\"><caption><code>%s</code></caption>\n", name);
    for (int row = 0; row < rows; row++) {
        fprintf(drawn->out, "<tr><th>%d</th>", row);
        for (int column = 0; column < (int)tensor->shape[rank - 1]; column++) {
            at[rank - 2] = row;
            at[rank - 1] = column;
            double number = (double)tensor->storage.f32[tensor_place(tensor, at)];
            if (row == asked_row && column == asked_column)
                fputs("<td>?</td>", drawn->out);
            else
                fprintf(drawn->out, "<td>%g</td>", number);
        }
        fputs("</tr>\n", drawn->out);
    }
    fputs("</table>\n", drawn->out);
}

static void put_tables(Drawn *drawn)
{
    put_table(drawn, "x", -1, -1);
    put_table(drawn, "q_proj.weight", -1, -1);
    fputs("<br>\n", drawn->out);
    put_table(drawn, "q", drawn->row[0], drawn->column);
    put_table(drawn, "k", -1, -1);
    put_table(drawn, "v", -1, -1);
}

// --- questions

enum { QUESTION_BYTES = 1024 };

__attribute__((format(printf, 2, 3))) static const char *formatted(char text[QUESTION_BYTES],
                                                                   const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, QUESTION_BYTES, format, arguments);
    va_end(arguments);
    return text;
}

// Puts a question, on the second sheet with its answer: the value of the reference in a run.
static bool put(const Drawn *drawn, const Trace *run, const char *reference, const char *question,
                Error *err)
{
    ReferenceValue answer;
    if (!value_of(run, reference, &answer, err))
        return false;
    fputs("<li>", drawn->out);
    size_t length = strlen(answer.text);
    bool is_point = length > 1 && answer.text[length - 1] == '.'; // "6.", an integer
    if (drawn->answers)
        fprintf(drawn->out, "<strong>%.*s</strong> ", (int)(length - is_point), answer.text);
    html_text(drawn->out, question);
    fputs(drawn->answers ? "</li>\n" : "<div class=\"box\"></div></li>\n", drawn->out);
    return true;
}

#define SAY(NAME) TELL_IN(language_beside(drawn->language), NAME)

// Questions that the tables on the sheet can answer.
static bool put_by_hand(const Drawn *drawn, Error *err)
{
    const Trace *run = &drawn->by_hand_run;
    int row = drawn->row[0], other = drawn->row[1], third = drawn->row[2], key = drawn->key;
    int column = drawn->column;
    ReferenceValue scaled, weights;
    char r[QUESTION_BYTES], q[QUESTION_BYTES];
    return value_of(run, formatted(r, "scores_scaled[0,%d]", third), &scaled, err) &&
           value_of(run, formatted(r, "attn_weights[0,%d]", row), &weights, err) &&
           put(drawn, run, formatted(r, "q[0,%d,%d]", row, column),
               formatted(q, SAY(SEED_QUERY), row, column), err) &&
           put(drawn, run, formatted(r, "scores[0,%d,%d]", other, key),
               formatted(q, SAY(SEED_SCORE), other, key), err) &&
           put(drawn, run, formatted(r, "scores_scaled[0,%d,%d]", other, key), SAY(SEED_SCALED),
               err) &&
           put(drawn, run, formatted(r, "argmax scores[0,%d]", other),
               formatted(q, SAY(SEED_BEST), other), err) &&
           put(drawn, run, formatted(r, "attn_weights[0,%d,%d]", third, key),
               formatted(q, SAY(SEED_WEIGHT), third, scaled.text, key), err) &&
           put(drawn, run, formatted(r, "context_heads[0,%d,%d]", row, column),
               formatted(q, SAY(SEED_MIXED), row, weights.text, column), err) &&
           put(drawn, &drawn->causal_run, formatted(r, "zeros attn_weights[0,%d]", other),
               formatted(q, SAY(SEED_ZEROS), other), err);
}

static bool put_shapes(const Drawn *drawn, Error *err)
{
    const Trace *run = &drawn->shapes_run;
    const int *at = drawn->at;
    char r[QUESTION_BYTES], q[QUESTION_BYTES];
    return put(drawn, run, "shape q_heads",
               formatted(q, SAY(SEED_SHAPE), drawn->batch, drawn->tokens, drawn->heads * drawn->d_k,
                         drawn->heads),
               err) &&
           put(drawn, run, "stride q_heads", SAY(SEED_STRIDE), err) &&
           put(drawn, run, formatted(r, "place q_heads[%d,%d,%d,%d]", at[0], at[1], at[2], at[3]),
               formatted(q, SAY(SEED_PLACE), at[0], at[1], at[2], at[3]), err);
}

// The heading of a sheet, and a line for the name or the word for answers.
static void put_title(FILE *out, Language language, bool answers)
{
    if (answers)
        html_element(out, "<h2>", open_lecture_word(language, WORD_SHEET_ANSWERS), "</h2>\n");
    else
        html_element(out, "<p class=\"name\">", open_lecture_word(language, WORD_SHEET_NAME),
                     "<span></span></p>\n");
}

static bool put_drawn(Drawn *drawn, uint64_t seed, bool answers, Error *err)
{
    drawn->answers = answers;
    fputs("<div class=\"sheet\">\n", drawn->out);
    fprintf(drawn->out, SAY(SEED_TITLE), (unsigned long long)seed);
    put_title(drawn->out, drawn->language, answers);
    if (!answers)
        put_tables(drawn);
    fputs("<ol>\n", drawn->out);
    bool good = put_by_hand(drawn, err) && put_shapes(drawn, err);
    fputs("</ol>\n</div>\n", drawn->out);
    return good;
}

// Writes both sheets as the body of an HTML page.
static bool seed_sheet(uint64_t seed, Language language, FILE *out, Error *err)
{
    Arena arena = {0};
    Drawn *drawn = arena_take(&arena, 1, sizeof *drawn, err); // too large for a small stack
    if (!drawn)
        return false;
    drawn->language = language;
    drawn->out = out;
    generator_seed(&drawn->generator, seed);
    bool good = draw_all(drawn, err) && put_drawn(drawn, seed, false, err) &&
                put_drawn(drawn, seed, true, err);
    close_by_hand(drawn);
    trace_close(&drawn->shapes_run);
    scenario_finish(&drawn->shapes);
    arena_finish(&arena);
    return good;
}

// --- the worksheet

enum { SHEET_COLUMNS = 96, SHEET_ROWS = 34 };

// Puts the picture of the slide, in black and white characters.
static bool sheet_put_picture(Page *sheet, Error *err)
{
    Cells cells = {.colours = 0};
    if (!cells_resize(&cells, SHEET_COLUMNS, SHEET_ROWS, err))
        return false;
    screen_show(&sheet->session, &cells);
    fputs("<pre class=\"screen\">", sheet->out);
    html_cells(sheet->out, &cells, 1, SHEET_ROWS - BOTTOM_ROWS + 1);
    fputs("</pre>\n", sheet->out);
    cells_finish(&cells);
    return true;
}

// Both sheets print black on white, the second on new paper. Screens are as wide as the paper.
static const char style[] =
    "<style>.box{border:1px solid var(--ink);height:2.2rem;max-width:22rem;margin:.4rem 0 1.2rem}"
    ".boxes{list-style:none;padding-left:0}.boxes "
    "li::before{content:\"\\2610\";padding-right:.5rem}"
    ".sheet+.sheet{break-before:page;border-top:1px solid var(--line);padding-top:1rem}"
    ".sheet>ol>li{break-inside:avoid;margin-bottom:.8rem}"
    ".sheet pre.screen{--ink:#000;--quiet:#444;--paper:#fff;--key:#000;font-size:.72rem}"
    ".given{border-collapse:collapse;margin:.3rem 1.5rem .6rem 0;display:inline-table}"
    ".given td,.given th{border:1px solid var(--line);padding:.15rem .5rem;text-align:right}"
    "@media print{.sheet pre.screen{font-size:6.6pt}}"
    ".name{display:flex;gap:2rem}.name span{flex:1;border-bottom:1px solid var(--ink)}</style>\n";

// Letter if the locale's country uses it (LC_PAPER), else A4.
static const char *paper(void)
{
    static const char *const names[] = {"LC_ALL", "LC_PAPER", "LANG"};
    static const char letter[] = "US CA MX PH CL CO CR DO GT NI PA PR SV VE";
    const char *locale = NULL;
    for (int i = 0; i < 3 && !(locale && *locale); i++)
        locale = getenv(names[i]);
    const char *country = locale ? strchr(locale, '_') : NULL;
    for (const char *at = letter; country; at += 3) {
        if (strncmp(at, country + 1, 2) == 0)
            return "letter";
        if (at[2] == '\0')
            break;
    }
    return "A4";
}

static void put_style(FILE *out)
{
    fputs(style, out);
    fprintf(out, "<style>@page{size:%s;margin:15mm}</style>\n", paper());
}

// A box to tick per choice, or a box to write in.
static void sheet_put_choices(Page *sheet)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    const OpenLecture *open = &sheet->open;
    bool is_order = open_lecture_page(open)->question.kind == QUESTION_ORDER;
    bool is_listed = open_lecture_choice_count(open) > 0, has_choices = false;
    for (int i = 0; open_lecture_poll_choice(open, i, text); i++) {
        if (!has_choices)
            fputs(is_listed ? "\n<ol>\n" : "\n<ul class=\"boxes\">\n", sheet->out);
        has_choices = true;
        html_element(sheet->out, is_listed ? "<li>&#x2610; <code>" : "<li>",
                     open_lecture_poll_choice(open, i, text),
                     is_listed ? "</code></li>\n" : "</li>\n");
    }
    if (has_choices)
        fputs(is_listed ? "</ol>\n" : "</ul>\n", sheet->out);
    if (!has_choices || is_order) {
        html_element(sheet->out, "<div class=\"quiet\">", open_lecture_answer_form_on_paper(open),
                     "</div>\n");
        fputs("<div class=\"box\"></div>\n", sheet->out);
    }
}

// Includes the page's text and picture, because the reader has nothing else.
static bool sheet_put_question(Page *sheet, Error *err)
{
    put_blocks(sheet->out, sheet->open.text, NULL);
    if (!sheet_put_picture(sheet, err))
        return false;
    fputs("<p>", sheet->out);
    html_spans(sheet->out, sheet->open.ask->spans, NULL);
    fputs("</p>\n", sheet->out);
    sheet_put_choices(sheet);
    return true;
}

static bool sheet_put_answer(Page *sheet, Error *err)
{
    if (!session_do(&sheet->session, COMMAND_REVEAL, "", err))
        return false;
    html_spans(sheet->out, sheet->open.said->spans, NULL);
    return true;
}

// All questions, or all answers, numbered like the pages.
static bool put_sheet(Page *sheet, bool answers, Error *err)
{
    const Lecture *lecture = sheet->open.lecture;
    bool good = true;
    html_element(sheet->out, "<div class=\"sheet\">\n<h1>", lecture->title, "</h1>\n");
    put_title(sheet->out, lecture->language, answers);
    fputs("<ol>\n", sheet->out);
    for (int page = 0; good && page < lecture->page_count; page++) {
        if (!open_lecture_show(&sheet->session, page, err))
            return false;
        if (!sheet->open.ask)
            continue;
        fprintf(sheet->out, "<li value=\"%d\">", page + 1);
        html_element(sheet->out, "<strong>", lecture->pages[page].title, "</strong><br>\n");
        if (answers)
            good = sheet_put_answer(sheet, err);
        else
            good = sheet_put_question(sheet, err);
        fputs("</li>\n", sheet->out);
    }
    fputs("</ol>\n</div>\n", sheet->out);
    return good;
}

bool lecture_sheet(const Lecture *lecture, FILE *out, Error *err)
{
    Arena arena = {0};
    Page *sheet = arena_take(&arena, 1, sizeof *sheet, err);
    if (!sheet)
        return false;
    sheet->out = out;
    bool good = open_lecture_start(&sheet->open, &sheet->session, lecture, 0, NULL, err);
    if (good) {
        sheet->open.presents = sheet->open.is_still = sheet->open.on_paper = true;
        html_head(out, lecture);
        put_style(out);
        good = put_sheet(sheet, false, err) && put_sheet(sheet, true, err);
        html_element(out, "<footer>", html_word(sheet, WORD_MADE), "</footer>\n</body>\n</html>\n");
    }
    session_close(&sheet->session);
    open_lecture_close(&sheet->open);
    arena_finish(&arena);
    return good;
}

// The questions of the lecture, or with a seed ten drawn ones.
typedef struct SheetOf {
    const Lecture *lecture;
    const uint64_t *seed;
} SheetOf;

static bool write_sheet(const void *what, FILE *out, Error *err)
{
    const SheetOf *sheet = what;
    if (!sheet->seed)
        return lecture_sheet(sheet->lecture, out, err);
    html_head(out, sheet->lecture);
    put_style(out);
    bool good = seed_sheet(*sheet->seed, sheet->lecture->language, out, err);
    html_element(out, "<footer>", open_lecture_word(sheet->lecture->language, WORD_MADE),
                 "</footer>\n</body>\n</html>\n");
    return good;
}

bool lecture_sheet_save(const Lecture *lecture, const uint64_t *seed, const char *path, Error *err)
{
    SheetOf sheet = {lecture, seed};
    return new_file_write(path, write_sheet, &sheet, err);
}
