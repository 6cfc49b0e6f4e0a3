// lecture_notes: see lecture_notes.h.
#include "lecture_notes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "file_watch.h"
#include "flow.h"
#include "keymap.h"
#include "open_lecture_words.h"
#include "lecture_list.h"
#include "loop.h"
#include "presenting.h"
#include "export_words.h"

enum { COLUMNS_DEFAULT = 80, ROWS_DEFAULT = 24, CLOCK_MILLISECONDS = 5000 };

// --- what is seen

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
    Area area = area_part(all, 1, 1, all.rows - 1, all.columns - 2);
    Flow flow = {.area = area};
    cells_clear(cells);
    cells_format(all, 0, 1, ROLE_HEADING, "%d/%d  %s", open->page + 1, lecture->page_count,
                 open_lecture_page(open)->title);
    if (clock)
        cells_text_right(all, 0, all.columns - 1, ROLE_TEXT, clock);
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
    if (open->page + 1 < lecture->page_count)
        draw_line(&flow, SPAN_STRONG, open_lecture_word(lecture->language, WORD_NEXT_PAGE),
                  lecture->pages[open->page + 1].title);
}

// --- whom it follows

typedef struct Follower {
    Presenting shown;
    Lecture lecture;
    OpenLecture open;
    Session session;
    bool is_open;
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
    int number = lecture_list_find(&list, wanted->lecture, err);
    bool good = number >= 0 && lecture_open(&follower->lecture, list.entries[number].name,
                                            list.entries[number].folder, wanted->language, err);
    lecture_list_close(&list);
    if (good)
        follower->is_open = open_lecture_start(&follower->open, &follower->session,
                                               &follower->lecture, 0, NULL, err);
    if (good && !follower->is_open)
        lecture_finish(&follower->lecture);
    return follower->is_open;
}

// The page with its answer, which the speaker knows before the audience.
static bool show_page(Follower *follower, const Presenting *wanted, Error *err)
{
    Command reveal = {.kind = COMMAND_REVEAL};
    int page = lecture_find(&follower->lecture, wanted->page);
    if (page < 0)
        return error_set(err, TELL(NO_PAGE), wanted->lecture, wanted->page);
    follower->shown = *wanted;
    follower->open.presents = true;
    return open_lecture_show(&follower->session, page, err) &&
           (!follower->open.ask || session_apply(&follower->session, &reveal, err));
}

static bool follow(Follower *follower, const char *path, Error *err)
{
    Presenting wanted;
    return presenting_read(path, &wanted, err) && follow_lecture(follower, &wanted, err) &&
           show_page(follower, &wanted, err);
}

// --- where there is a terminal

// The notes while a speaker has them on a terminal.
typedef struct Notes {
    Follower *follower;
    const char *path;
    FileWatch watch;
    bool left;
} Notes;

static void draw(void *context, Cells *cells)
{
    const Notes *notes = context;
    char clock[16] = "";
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local))
        strftime(clock, sizeof clock, "%H:%M", &local);
    lecture_notes_draw(&notes->follower->open, clock, cells);
}

static void notes_leave(Notes *notes)
{
    notes->left = true;
}

static const KeyRow keys[] = {
#define NOTES_KEY(does, ...) KEY_ROW(NOTES, 0, __VA_ARGS__),
#include "keymaps.def"
};

static void (*const deeds[])(Notes *) = {
#define NOTES_KEY(does, ...) notes_##does,
#include "keymaps.def"
};

static const Keymap key_map = {keys, sizeof keys / sizeof *keys};

static bool hear(void *context, const TerminalEvent *event, const Cells *cells, Error *err)
{
    Notes *notes = context;
    (void)cells;
    int row = event->kind == TERMINAL_KEY ? keymap_find(key_map, PLACE_NOTES, 0, event->key) : -1;
    if (row >= 0)
        deeds[row](notes);
    return !file_watch_changed(&notes->watch) || follow(notes->follower, notes->path, err);
}

static bool is_over(const void *context)
{
    const Notes *notes = context;
    return notes->left;
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
    static const LoopView view = {.draw = draw, .hear = hear, .is_over = is_over, .wants = wants};
    Arena arena = {0};
    Notes notes = {.follower = follower, .path = path};
    bool good = file_watch_open(&notes.watch, path, true, &arena, err) &&
                loop_run(&view, &notes, err) == LOOP_OVER;
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

bool lecture_notes_follow(const char *path, FILE *out, Error *err)
{
    Follower *follower = calloc(1, sizeof *follower); // too large for a small stack
    bool is_terminal = isatty(fileno(out)) && isatty(STDIN_FILENO);
    if (!follower)
        return error_set(err, TELL(NOTES_MEMORY));
    bool good = follow(follower, path, err) &&
                (is_terminal ? follow_on(follower, path, err) : print(follower, out, err));
    close_lecture(follower);
    free(follower);
    return good;
}
