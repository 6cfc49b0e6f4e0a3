// Speaker's notes, and whether screens show what a lecture names; see export.h.
#include "export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "input_file.h"
#include "lines.h"
#include "html_text.h"
#include "keymap.h"
#include "lecture.h"
#include "open_lecture.h"
#include "screen.h"
#include "tui.h"
#include "utf8.h"
#include "panel.h"

// --- notes

enum { COLUMNS_DEFAULT = 80, ROWS_DEFAULT = 24, CLOCK_MILLISECONDS = 1000 };

// --- drawing

static void draw_line(Flow *flow, LectureSpanKind kind, const char *before, const char *text)
{
    LectureSpan second = {.kind = SPAN_TEXT, .text = text};
    LectureSpan first = {.kind = kind, .text = before, .next = &second};
    flow_spans(flow, 0, 0, &first);
}

void lecture_notes_draw(const OpenLecture *open, const char *clock, Cells *cells)
{
    const Lecture *lecture = open->lecture;
    Area all = cells_area(cells);
    cells_clear(cells);
    int title = cells_format(all, 0, 1, ROLE_HEADING, "%d/%d  %s", open->page + 1,
                             lecture->page_count, open_lecture_page(open)->title);
    int top = clock && title + utf8_width(clock) + 3 > all.columns
                  ? 2
                  : 1; // else it is right of the title
    if (clock)
        cells_text_right(all, top - 1, all.columns - 1, ROLE_TEXT, clock);
    Area area = area_part(all, top, 1, all.rows - top, all.columns - 2);
    Flow flow = {.area = area};
    for (const LectureBlock *block = open->notes; block; block = block->next)
        flow_block(&flow, block, true);
    if (open->ask) {
        LectureSpan mark = {.kind = SPAN_STRONG, .text = "? ", .next = open->ask->spans};
        flow.line++;
        flow_spans(&flow, 0, 2, &mark);
    }
    if (open->said)
        flow_spans(&flow, 2, 2, open->said->spans);
    flow.line++;
    if (open->page + 1 == lecture->page_count)
        return;
    const LecturePage *next = &lecture->pages[open->page + 1];
    draw_line(&flow, SPAN_STRONG, open_lecture_word(lecture->language, WORD_NEXT_PAGE),
              next->title);
    if (next->question.kind != QUESTION_NONE) { // its numbers are unknown until it is shown
        LectureSpan mark = {.kind = SPAN_STRONG, .text = "? ", .next = next->question.ask};
        flow_spans(&flow, 2, 4, &mark);
    }
}

// --- following a presentation

typedef struct Follower {
    Presenting shown;
    Lecture lecture;
    OpenLecture open;
    Session session;
    bool is_open;
    int minutes; // planned length; 0: two per page
    time_t began;
} Follower;

static void close_lecture(Follower *follower)
{
    if (follower->is_open) {
        session_close(&follower->session);
        open_lecture_close(&follower->open);
        lecture_finish(&follower->lecture);
    }
    follower->is_open = false;
}

static bool follow_lecture(Follower *follower, const Presenting *wanted, Error *err)
{
    LectureList list;
    bool is_same = follower->is_open && follower->shown.language == wanted->language &&
                   strcmp(follower->shown.lecture, wanted->lecture) == 0;
    if (is_same)
        return true;
    close_lecture(follower);
    if (!lecture_list_open(&list, err))
        return false;
    const LectureEntry *entry = lecture_list_choose(&list, wanted->lecture, err);
    bool good = entry &&
                lecture_open(&follower->lecture, entry->name, entry->folder, wanted->language, err);
    lecture_list_close(&list);
    if (good)
        follower->is_open = open_lecture_start(&follower->open, &follower->session,
                                               &follower->lecture, 0, NULL, err);
    if (good && !follower->is_open)
        lecture_finish(&follower->lecture);
    return follower->is_open;
}

// Shows the page with its answer: the speaker sees it before the audience.
static bool show_page(Follower *follower, const Presenting *wanted, Error *err)
{
    int page = lecture_find(&follower->lecture, wanted->page);
    if (page < 0)
        return error_set(err, TELL(NO_PAGE), wanted->lecture, wanted->page);
    follower->shown = *wanted;
    follower->open.presents = true;
    return open_lecture_show(&follower->session, page, err) &&
           (!follower->open.ask || session_do(&follower->session, COMMAND_REVEAL, "", err));
}

static bool follow(Follower *follower, const char *path, Error *err)
{
    Presenting wanted;
    return presenting_read(path, &wanted, err) && follow_lecture(follower, &wanted, err) &&
           show_page(follower, &wanted, err);
}

// --- on a terminal

// The notes shown on a terminal.
typedef struct Notes {
    Follower *follower;
    const char *path;
    FileWatch watch;
    bool left;
} Notes;

// "12:05, planned 14:00 of 40 min": the elapsed time, and when this page should be over.
static void lecture_notes_clock(const OpenLecture *open, int seconds, int minutes, char text[64])
{
    int pages = open->lecture->page_count, all = minutes > 0 ? minutes : 2 * pages;
    int planned = all * 60 * (open->page + 1) / pages; // when this page should be over
    snprintf(text, 64, TELL_IN(language_beside(open->lecture->language), NOTES_CLOCK), seconds / 60,
             seconds % 60, planned / 60, planned % 60, all);
}

// The time of day, the elapsed time, and the plan.
static void draw(void *context, Cells *cells)
{
    const Notes *notes = context;
    const Follower *follower = notes->follower;
    char clock[96] = "", plan[64];
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local))
        strftime(clock, 16, "%H:%M  ", &local);
    lecture_notes_clock(&follower->open, (int)(now - follower->began), follower->minutes, plan);
    lecture_notes_draw(&follower->open, text_add(clock, sizeof clock, "%s", plan), cells);
}

// Asks the presentation to turn the page.
static void turn(const Notes *notes, int by)
{
    const Follower *follower = notes->follower;
    const Lecture *lecture = &follower->lecture;
    int page = follower->open.page + by;
    Error unwritten;
    if (page >= 0 && page < lecture->page_count)
        presenting_note(notes->path, lecture, lecture->pages[page].name, &unwritten);
}

static const KeyRow keys[] = {
#define NOTES_KEY(does, ...) KEY_ROW(NOTES, 0, __VA_ARGS__),
#include "keymaps.def"
};

static const Keymap key_map = {keys, sizeof keys / sizeof *keys};

static bool handle_event(void *context, const TerminalEvent *event, const Cells *cells, Error *err)
{
    enum {
#define NOTES_KEY(does, ...) PRESSED_##does,
#include "keymaps.def"
    };
    Notes *notes = context;
    (void)cells;
    int row = event->kind == TERMINAL_KEY ? keymap_find(key_map, PLACE_NOTES, 0, event->key) : -1;
    if (row == PRESSED_next || row == PRESSED_previous)
        turn(notes, row == PRESSED_next ? 1 : -1);
    notes->left = row == PRESSED_leave;
    return !file_watch_changed(&notes->watch) || follow(notes->follower, notes->path, err);
}

static LoopWants wants(void *context)
{
    Notes *notes = context;
    int most = file_watch_milliseconds(&notes->watch);
    return (LoopWants){.beside = notes->watch.descriptor,
                       .milliseconds =
                           most >= 0 && most < CLOCK_MILLISECONDS ? most : CLOCK_MILLISECONDS};
}

static bool follow_on(Follower *follower, const char *path, Error *err)
{
    Arena arena = {0};
    Notes notes = {.follower = follower, .path = path};
    const LoopView view = {.context = &notes,
                           .over = &notes.left,
                           .draw = draw,
                           .handle = handle_event,
                           .wants = wants};
    bool good =
        file_watch_open(&notes.watch, path, true, &arena, err) && loop_run(&view, err) == LOOP_OVER;
    file_watch_close(&notes.watch);
    arena_finish(&arena);
    return good;
}

static void size_of(FILE *out, int *columns, int *rows)
{
    struct winsize size;
    bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 1;
    *columns = known ? size.ws_col : COLUMNS_DEFAULT;
    *rows = known ? size.ws_row - 1 : ROWS_DEFAULT;
}

static bool print(const Follower *follower, FILE *out, Error *err)
{
    Cells cells = {.colours = 0};
    int columns, rows;
    size_of(out, &columns, &rows);
    if (!cells_resize(&cells, columns, rows, err))
        return false;
    lecture_notes_draw(&follower->open, NULL, &cells);
    cells_print(&cells, out);
    cells_finish(&cells);
    return true;
}

bool lecture_notes_follow(const char *path, int minutes, FILE *out, Error *err)
{
    Follower *follower = calloc(1, sizeof *follower); // too large for a small stack
    bool is_terminal = isatty(fileno(out)) && isatty(STDIN_FILENO);
    if (!follower)
        return error_set(err, TELL(NOTES_MEMORY));
    follower->minutes = minutes;
    follower->began = time(NULL);
    bool good = follow(follower, path, err) &&
                (is_terminal ? follow_on(follower, path, err) : print(follower, out, err));
    close_lecture(follower);
    free(follower);
    return good;
}

// --- checking screens

enum { ROW_BYTES_MAX = CELLS_COLUMNS_MAX * CELL_TEXT_MAX };

typedef struct Shown {
    OpenLecture open;
    Session session;
    Screen screen;
    Cells cells;
    Language report_language; // the screens speak the lecture's language
    OpenLectureProblem *report;
    void *context;
    int problems;
} Shown;

static void add_problem(Shown *shown, int line, const char *text)
{
    char problem[512];
    words_format(problem, sizeof problem, TELL_IN(shown->report_language, LECTURE_UNSEEN),
                 shown->open.lecture->file, line, text, shown->cells.columns, shown->cells.rows);
    shown->report(shown->context, problem);
    shown->problems++;
}

// A row of the screen, without the lecture's own text.
static void read_row(const Shown *shown, int row, char *text, size_t room)
{
    Area lecture = shown->screen.areas[PANEL_LECTURE];
    bool in_rows = row >= lecture.row && row < lecture.row + lecture.rows;
    size_t used = 0;
    text[0] = '\0';
    for (int column = 0; column < shown->cells.columns && used < room; column++) {
        bool in_columns = column >= lecture.column && column < lecture.column + lecture.columns;
        if (!in_rows || !in_columns)
            used += (size_t)snprintf(text + used, room - used, "%s",
                                     cells_at(&shown->cells, row, column)->text);
    }
}

// Panels may show more decimals than the text.
static bool has_number(const char *text, const char *written, double number)
{
    const char *point = strchr(written, '.');
    double allowed = point ? 0.51 * pow(10, -(double)strspn(point + 1, "0123456789")) : 0;
    if (strstr(text, written))
        return true;
    for (const char *at = text; *at;) {
        char *end;
        double seen = strtod(at, &end);
        if (end != at && fabs(seen - number) <= allowed)
            return true;
        at = end != at ? end : at + 1;
    }
    return false;
}

// True if the pattern is at this place of the screen, with nothing in the columns `apart` beside it.
static bool is_at(const Shown *shown, const Cells *pattern, int row, int column, int apart)
{
    bool same = true;
    for (int down = 0; same && down < pattern->rows; down++)
        for (int across = -apart; same && across < pattern->columns + apart; across++) {
            bool inside = across >= 0 && across < pattern->columns;
            const char *wanted = inside ? cells_at(pattern, down, across)->text : " ";
            int at = column + across;
            same = at < 0 || at >= shown->cells.columns ||
                   strcmp(cells_at(&shown->cells, row + down, at)->text, wanted) == 0;
        }
    return same;
}

static bool block_is_seen(const Shown *shown, const char *written, BigSize size)
{
    enum { APART = 2 };
    Cells number = {.colours = 0};
    Error err;
    bool seen = false;
    int columns = big_number_columns(written, size), rows = big_number_rows(size);
    if (columns < 1 || !cells_resize(&number, columns, rows, &err))
        return false;
    cells_clear(&number);
    big_number_draw(&(BigPen){cells_area(&number), ROLE_TEXT, size}, 0, 0, written);
    for (int row = 0; row + rows <= shown->cells.rows && !seen; row++)
        for (int column = 0; column + columns <= shown->cells.columns && !seen; column++)
            seen = is_at(shown, &number, row, column, APART);
    cells_finish(&number);
    return seen;
}

static bool number_is_seen(const Shown *shown, const char *written, double number)
{
    if (shown->open.presents) {
        const char *digits = number == 0 ? "0" : written;
        if (block_is_seen(shown, digits, BIG_HALF) || block_is_seen(shown, digits, BIG_WHOLE))
            return true;
    }
    char text[ROW_BYTES_MAX];
    for (int row = 0; row < shown->cells.rows; row++) {
        read_row(shown, row, text, sizeof text);
        if (has_number(text, written, number))
            return true;
    }
    return false;
}

// True if each number of "[0.5, 0.25]" is visible.
static bool numbers_are_seen(const Shown *shown, const ReferenceValue *value)
{
    char written[REFERENCE_TEXT_MAX];
    const char *at = value->text;
    bool seen = true;
    for (int i = 0; seen && i < value->count; i++) {
        at += strspn(at, "[, ");
        size_t length = strcspn(at, ",]");
        snprintf(written, sizeof written, "%.*s", (int)length, at);
        seen = number_is_seen(shown, written, value->numbers[i]);
        at += length;
    }
    return seen;
}

static void leave_spaces_out(char *text)
{
    char *end = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ')
            *end++ = *from;
    *end = '\0';
}

// Ignores spaces and line breaks: screens write (1,3,4) for (1, 3, 4).
static bool words_are_seen(const Shown *shown, const char *words)
{
    char text[ROW_BYTES_MAX], wanted[REFERENCE_TEXT_MAX];
    snprintf(wanted, sizeof wanted, "%s", words);
    leave_spaces_out(wanted);
    for (int row = 0; row < shown->cells.rows; row++) {
        read_row(shown, row, text, sizeof text);
        leave_spaces_out(text);
        if (strstr(text, wanted))
            return true;
    }
    return false;
}

// --- what the text names

static void check_reference(Shown *shown, const LectureSpan *span)
{
    Reference reference;
    ReferenceValue value;
    Error err;
    if (!reference_parse(span->text, &reference, &err) ||
        !open_lecture_value(&shown->open, &reference, &value, &err))
        return;
    if (open_lecture_is_looked_at(&shown->session, &reference)
            ? !numbers_are_seen(shown, &value)
            : open_lecture_is_memory(&shown->session, &reference) &&
                  !words_are_seen(shown, value.text))
        add_problem(shown, span->line, span->text);
}

static void check_spans(Shown *shown, const LectureSpan *spans)
{
    for (; spans; spans = spans->next)
        if (spans->kind == SPAN_REFERENCE)
            check_reference(shown, spans);
        else if (spans->kind == SPAN_LABEL && !words_are_seen(shown, spans->text))
            add_problem(shown, spans->line, spans->text);
}

// Checks the text and the question. Answers are skipped: they may compare things that are far apart.
static void check_page(Shown *shown)
{
    const LecturePage *page = open_lecture_page(&shown->open);
    screen_fit(&shown->screen, &shown->session, shown->cells.columns, shown->cells.rows);
    screen_draw(&shown->screen, &shown->session, &shown->cells);
    for (const LectureBlock *block = page->blocks; block; block = block->next)
        check_spans(shown, block->spans);
    check_spans(shown, page->question.ask);
    check_spans(shown, page->question.hint);
}

// --- slides

// True if the text is on the slide in large letters.
static bool letters_are_seen(const Shown *shown, const char *text)
{
    Cells letters = {.colours = 0};
    Error err;
    int columns = shown->cells.columns - 2 * SLIDE_MARGIN, rows = 0;
    if (columns > 0 && cells_resize(&letters, columns, shown->cells.rows, &err)) {
        cells_clear(&letters);
        rows = big_letters_draw(cells_area(&letters), ROLE_TEXT, text);
    }
    letters.rows = rows;
    bool seen = false;
    for (int row = 0; rows > 0 && row + rows <= shown->cells.rows && !seen; row++)
        seen = is_at(shown, &letters, row, SLIDE_MARGIN, 0);
    cells_finish(&letters);
    return seen;
}

// True if the text is on the screen, apart from spaces, or in large letters.
static bool text_is_seen(const Shown *shown, const LectureSpan *spans, const char *words)
{
    static char all[CELLS_ROWS_MAX * 64];
    char text[4096] = "";
    size_t used = 0, wanted = 0;
    for (int row = 0; row < shown->cells.rows; row++)
        for (int column = 0; column < shown->cells.columns && used + CELL_TEXT_MAX < sizeof all;
             column++)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s",
                                     cells_at(&shown->cells, row, column)->text);
    leave_spaces_out(all);
    for (; spans && wanted < sizeof text; spans = spans->next)
        wanted += (size_t)snprintf(text + wanted, sizeof text - wanted, "%s", spans->text);
    if (words)
        snprintf(text, sizeof text, "%s", words);
    if (letters_are_seen(shown, text))
        return true;
    leave_spaces_out(text);
    return strstr(all, text) != NULL;
}

static void check_named(Shown *shown, const OpenLectureNamed *named)
{
    ReferenceValue value;
    Error err;
    bool seen = open_lecture_value(&shown->open, &named->reference, &value, &err);
    bool is_numbers = named->reference.kind != REFERENCE_SHAPE &&
                      named->reference.kind != REFERENCE_STRIDE && value.count > 0;
    if (!seen ||
        !(is_numbers ? numbers_are_seen(shown, &value) : words_are_seen(shown, value.text)))
        add_problem(shown, named->line, named->words);
}

// True if every line of a table is on the slide.
static bool table_is_seen(const Shown *shown, const LectureSpan *spans)
{
    bool seen = true;
    for (; spans && seen; spans = spans->next)
        for (const char *line = spans->text; *line && seen; line += *line == '\n') {
            char text[1024];
            size_t length = strcspn(line, "\n");
            seen = length < sizeof text;
            snprintf(text, sizeof text, "%.*s", (int)length, line);
            seen = seen && text_is_seen(shown, NULL, text);
            line += length;
        }
    return seen;
}

// Checks title, sentence and question, every label of the text, and everything the text names.
static void check_slide(Shown *shown)
{
    const LecturePage *page = open_lecture_page(&shown->open);
    char choice[OPEN_LECTURE_CHOICE_MAX];
    screen_show(&shown->session, &shown->cells);
    for (const LectureBlock *block = page->blocks; block; block = block->next)
        for (const LectureSpan *span = block->spans; span; span = span->next)
            if (span->kind == SPAN_LABEL && !words_are_seen(shown, span->text))
                add_problem(shown, span->line, span->text);
    for (int i = 0; i < shown->open.named_count; i++)
        check_named(shown, &shown->open.named[i]);
    for (const LectureBlock *block = shown->open.text; block; block = block->next)
        if (page->picture == SLIDE_TABLE && block->kind == BLOCK_CODE &&
            !table_is_seen(shown, block->spans))
            add_problem(shown, page->line, "table");
    if (!text_is_seen(shown, NULL, page->title))
        add_problem(shown, page->line, page->title);
    for (const LectureBlock *block = shown->open.slide; block; block = block->next)
        if (!text_is_seen(shown, block->spans, NULL))
            add_problem(shown, page->line, "slide");
    if (shown->open.ask && !text_is_seen(shown, shown->open.ask->spans, NULL))
        add_problem(shown, page->question.line, "ask");
    for (int i = 0; open_lecture_choice(&shown->open, i, choice); i++)
        if (!text_is_seen(shown, NULL, open_lecture_choice(&shown->open, i, choice)))
            add_problem(shown, page->question.line, open_lecture_choice(&shown->open, i, choice));
}

static int check_all(const Lecture *lecture, bool slides, const int size[2],
                     OpenLectureProblem *report, void *context)
{
    Shown *shown = calloc(1, sizeof *shown); // too large for a small stack
    Error err = {.text = ""};
    if (!shown) {
        report(context, TELL(NOTES_MEMORY));
        return 1;
    }
    shown->report = report;
    shown->context = context;
    shown->report_language = language_now();
    language_choose(lecture->language);
    bool good = open_lecture_start(&shown->open, &shown->session, lecture, 0, NULL, &err) &&
                cells_resize(&shown->cells, size[0], size[1], &err);
    shown->open.presents = slides;
    shown->cells.colours = slides ? 1 << 24 : 0; // as projectors have
    for (int page = 0; good && page < lecture->page_count; page++) {
        good = open_lecture_show(&shown->session, page, &err);
        if (good)
            (slides ? check_slide : check_page)(shown);
    }
    if (!good) {
        report(context, err.text);
        shown->problems++;
    }
    int problems = shown->problems;
    language_choose(shown->report_language);
    session_close(&shown->session);
    open_lecture_close(&shown->open);
    cells_finish(&shown->cells);
    free(shown);
    return problems;
}

int lecture_slide_check(const Lecture *lecture, int columns, int rows, OpenLectureProblem *report,
                        void *context)
{
    return check_all(lecture, true, (int[]){columns, rows}, report, context);
}

int lecture_screen_check(const Lecture *lecture, int columns, int rows, OpenLectureProblem *report,
                         void *context)
{
    return check_all(lecture, false, (int[]){columns, rows}, report, context);
}
