// lecture_notes: see lecture_notes.h.
#include "lecture_notes.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "file_watch.h"
#include "hangul.h"
#include "flow.h"
#include "guide_words.h"
#include "lecture_list.h"
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

void lecture_notes_draw(const Guide *guide, const char *clock, Cells *cells)
{
    const Lecture *lecture = guide->lecture;
    Area all = cells_area(cells);
    Area area = area_part(all, 1, 1, all.rows - 1, all.columns - 2);
    Flow flow = {.area = area};
    cells_clear(cells);
    cells_format(all, 0, 1, ROLE_HEADING, "%d/%d  %s", guide->page + 1, lecture->page_count,
                 guide_page(guide)->title);
    if (clock)
        cells_text_right(all, 0, all.columns - 1, ROLE_TEXT, clock);
    for (const LectureBlock *block = guide->notes; block; block = block->next)
        flow_block(&flow, block, true);
    if (guide->ask) {
        LectureSpan mark = {.kind = SPAN_STRONG, .text = "? ", .next = guide->ask->spans};
        flow.line++;
        flow_spans(&flow, 0, 2, &mark);
    }
    if (guide->said)
        flow_spans(&flow, 2, 2, guide->said->spans);
    flow.line++;
    if (guide->page + 1 < lecture->page_count)
        draw_line(&flow, SPAN_STRONG, guide_word(lecture->language, WORD_NEXT_PAGE),
                  lecture->pages[guide->page + 1].title);
}

// --- whom it follows

typedef struct Follower {
    Presenting shown;
    Lecture lecture;
    Guide guide;
    Session session;
    bool is_open;
} Follower;

static void close_lecture(Follower *follower)
{
    if (follower->is_open) {
        session_close(&follower->session);
        guide_close(&follower->guide);
        lecture_finish(&follower->lecture);
    }
    follower->is_open = false;
}

static bool open_lecture(Follower *follower, const Presenting *wanted, Error *err)
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
        follower->is_open =
            guide_open(&follower->guide, &follower->session, &follower->lecture, 0, NULL, err);
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
    follower->guide.presents = true;
    return guide_show(&follower->session, page, err) &&
           (!follower->guide.ask || session_apply(&follower->session, &reveal, err));
}

static bool follow(Follower *follower, const char *path, Error *err)
{
    Presenting wanted;
    return presenting_read(path, &wanted, err) && open_lecture(follower, &wanted, err) &&
           show_page(follower, &wanted, err);
}

// --- the terminal

static void size_of(FILE *out, int *columns, int *rows)
{
    struct winsize size;
    bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 1;
    *columns = known ? size.ws_col : COLUMNS_DEFAULT;
    *rows = known ? size.ws_row - 1 : ROWS_DEFAULT;
}

static bool print(const Follower *follower, bool is_terminal, FILE *out, Error *err)
{
    Cells cells = {.colours = 0};
    char clock[16] = "";
    int columns, rows;
    time_t now = time(NULL);
    struct tm local;
    size_of(out, &columns, &rows);
    if (!cells_resize(&cells, columns, rows, err))
        return false;
    if (is_terminal && localtime_r(&now, &local))
        strftime(clock, sizeof clock, "%H:%M", &local);
    lecture_notes_draw(&follower->guide, is_terminal ? clock : NULL, &cells);
    fputs(is_terminal ? "\033[H\033[2J" : "", out); // home, and an empty screen
    cells_print(&cells, out);
    fflush(out);
    cells_finish(&cells);
    return true;
}

// True when the person wants to leave: q and Enter, or the end of the input.
static bool wait_for(FileWatch *watch)
{
    char line[64] = "";
    struct pollfd waiting[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                               {.fd = watch->descriptor, .events = POLLIN}};
    int most = file_watch_milliseconds(watch);
    poll(waiting, 2, most >= 0 && most < CLOCK_MILLISECONDS ? most : CLOCK_MILLISECONDS);
    if (!(waiting[0].revents & (POLLIN | POLLHUP)))
        return false;
    ssize_t length = read(STDIN_FILENO, line, sizeof line - 1);
    HangulLetters pressed = hangul_letters(line);
    return length <= 0 || *(pressed.count ? hangul_key(pressed.letters[0]) : line) == 'q';
}

static bool follow_on(Follower *follower, const char *path, FILE *out, Error *err)
{
    Arena arena = {0};
    FileWatch watch;
    bool good = file_watch_open(&watch, path, true, &arena, err);
    while (good && !wait_for(&watch)) {
        if (file_watch_changed(&watch))
            good = follow(follower, path, err);
        good = good && print(follower, true, out, err);
    }
    file_watch_close(&watch);
    arena_finish(&arena);
    return good;
}

bool lecture_notes_follow(const char *path, FILE *out, Error *err)
{
    Follower *follower = calloc(1, sizeof *follower); // too large for a small stack
    bool is_terminal = isatty(fileno(out)) && isatty(STDIN_FILENO);
    if (!follower)
        return error_set(err, TELL(NOTES_MEMORY));
    bool good = follow(follower, path, err) && print(follower, is_terminal, out, err);
    if (good && is_terminal)
        good = follow_on(follower, path, out, err);
    close_lecture(follower);
    free(follower);
    return good;
}
