// attnscope-paper: the process that writes PDF. It is told as attnscope-window is (window.h has the other
// side) and shows nothing; cairo, which it alone links, takes longer to load than many a command takes.
//
//   attnscope-paper TITLE ABOUT   descriptor 3 a socket, 4 the shared memory
//
// It ends when its socket does.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "canvas_messages.h"
#include "paper.h"
#include "place.h"

// "picture BYTES PATH", a file of one page; "film BYTES NUMBER COUNT RATE PATH", one page of several.
static bool read_message(const char *message, size_t *bytes, PaperPage *page)
{
    bool is_film = strncmp(message, "film ", 5) == 0;
    char *rest;
    if (!is_film && strncmp(message, "picture ", 8) != 0)
        return false;
    *bytes = strtoull(message + (is_film ? 5 : 8), &rest, 10);
    page->count = 1;
    if (is_film) {
        page->number = (unsigned)strtoul(rest, &rest, 10);
        page->count = (unsigned)strtoul(rest, &rest, 10);
        strtoul(rest, &rest, 10); // paper has no rate
    }
    page->path = rest + (*rest == ' ');
    return true;
}

static void obey(const char *message, Paper *paper, PaperFonts *fonts, const PaperWords *words)
{
    Error err;
    DisplayList list;
    PaperPage page = {.words = words};
    size_t bytes;
    if (!read_message(message, &bytes, &page))
        return;
    if (!canvas_list(bytes, &list)) {
        tell("failed %s", TELL(NO_MEMORY_PICTURE));
        return;
    }
    bool written = paper_add(paper, &list, fonts, page, &err);
    uint32_t missing = paper_text_missing(fonts);
    Error note;
    if (missing) {
        error_set(&note, TELL(NO_LETTER), (unsigned)missing,
                  is_hangul(missing) ? TELL(KOREAN_FONT) : TELL(FONT_WITH_IT));
        tell("note %s", note.text);
    }
    if (written)
        tell("saved %s", page.path);
    else
        tell("failed %s", err.text);
}

int main(int argc, char **argv)
{
    Error err = {.text = ""};
    char message[WINDOW_MESSAGE_MAX];
    int metrics[FONT_METRICS];
    language_choose(language_of_environment());
    signal(SIGINT, SIG_IGN); // Ctrl-C in the terminal is the terminal's
    signal(SIGPIPE, SIG_IGN);
    temporary_watch_signals();
    int stranger = canvas_greet("attnscope-paper is started by attnscope: try attnscope heatmap "
                                "padded-batch --pdf map.pdf\n");
    if (stranger)
        return stranger;
    PaperWords words = {argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : ""};
    PaperFonts *fonts = room_on_stack(&err) ? paper_text_open(&err) : NULL;
    if (!fonts || !paper_text_metrics(fonts, metrics, &err)) {
        tell("failed %s", err.text);
        paper_text_close(fonts);
        return 1;
    }
    tell_metrics(metrics);
    tell("shown");
    Paper paper = {.pages = NULL};
    while (hear(message))
        obey(message, &paper, fonts, &words);
    paper_drop(&paper);
    paper_text_close(fonts);
    return 0;
}
