// Shows a lecture in the terminal, or exports it as a page, pictures or paper; see app.h.
#include "app.h"

#include <dirent.h>
#include <poll.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "app_words.def"
#include "export.h"
#include "input_file.h"
#include "lecture.h"
#include "new_file.h"
#include "open_lecture.h"
#include "place.h"
#include "screen.h"
#include "tui.h"

// Without a terminal, prints every page in turn.
static int print_pages(Session *session)
{
    FILE *script = tmpfile();
    Error err = {.text = ""};
    if (!script)
        return app_fail(APP_FAILED, TELL(NO_TEMPORARY));
    for (int page = 1; page <= session->lecture->lecture->page_count; page++)
        fprintf(script, "page %d\nscreen\n", page);
    rewind(script);
    bool good = tui_script(session, script, 100, 32, stdout, &err);
    fclose(script);
    return app_result(good, &err);
}

// The page that was named, else the last one read, else the first. Returns -1 and sets err for an unknown name.
static int page_to_open(const Lecture *lecture, const char *name, const char *kept, Error *err)
{
    if (name && *name) {
        int named = lecture_find(lecture, name);
        if (named < 0)
            error_set(err, TELL(NO_PAGE), lecture->name, name, lecture->page_count);
        return named;
    }
    Progress progress = {.lines = NULL};
    Error unread;
    int page = -1;
    if (kept && progress_read(&progress, kept, &unread)) {
        const ProgressLine *last = progress_last(&progress, PROGRESS_PAGE, lecture->name);
        page = last ? lecture_find(lecture, last->key) : -1;
    }
    progress_finish(&progress);
    return page < 0 ? 0 : page;
}

// Publishes the page for attnscope walk --notes in another terminal.
static bool announce(OpenLecture *open, Arena *arena, Error *err)
{
    open->announces = presenting_path(arena, err);
    return open->announces &&
           presenting_note(open->announces, open->lecture, open_lecture_page(open)->name, err);
}

// One lecture is open at a time; too large for the stack.
static OpenLecture *open_place(void)
{
    static OpenLecture open;
    return &open;
}

static int walk(const Lecture *lecture, const AppOptions *options)
{
    Error err = {.text = ""};
    Arena arena = {0};
    OpenLecture *open = open_place();
    bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    // Scripts, pipes and speakers do not change the progress.
    bool learns = has_terminal && !options->script && !options->png && !options->presents;
    const char *kept = learns ? progress_path(&arena, &err) : NULL;
    int code, page = page_to_open(lecture, options->page, kept, &err);
    Session *session = page < 0 ? NULL : app_session(&err);
    if (!session) {
        arena_finish(&arena);
        return app_fail(page < 0 ? APP_MISUSED : APP_FAILED, "%s", err.text);
    }
    bool opened = open_lecture_start(open, session, lecture, page, kept, &err);
    open->presents = options->presents;
    if (opened && options->presents) // the page may have another picture when presented
        opened = open_lecture_set_scene(session, &err);
    if (opened && options->presents && has_terminal && !announce(open, &arena, &err))
        error_set(&session->message, "%s", err.text);
    bool came_back = kept && page > 0 && !(options->page && *options->page);
    if (opened && came_back && page == lecture->page_count - 1)
        open->contents = true; // it was read to the end
    else if (opened && came_back && !session->message.text[0])
        open_lecture_report_came_back(session);
    if (!opened)
        code = app_fail(APP_FAILED, "%s", err.text);
    else if (options->script || options->png || has_terminal)
        code = app_step(session, options);
    else
        code = print_pages(session);
    session_close(session);
    open_lecture_close(open);
    arena_finish(&arena);
    return code;
}

static int save_html(const Lecture *lecture, const AppOptions *options)
{
    Error err = {.text = ""};
    return app_result(lecture_html_save(lecture, options->notes, options->html, &err), &err);
}

static int save_worksheet(const Lecture *lecture, const AppOptions *options)
{
    Error err = {.text = ""};
    uint64_t seed = 0;
    char *end = NULL;
    if (options->seed)
        seed = strtoull(options->seed, &end, 10);
    if (options->seed && (!*options->seed || *end || *options->seed == '-'))
        return app_fail(APP_MISUSED, TELL(WALK_SEED), options->seed);
    return lecture_sheet_save(lecture, options->seed ? &seed : NULL, options->worksheet, &err)
               ? APP_DONE
               : app_fail(APP_FAILED, "%s", err.text);
}

// --- a picture for each page

// 96 columns and 24 rows of usual letters are 16:9, 72 columns 4:3.
enum { SLIDE_COLUMNS = 96, SLIDE_ROWS = 24, SLIDE_LETTER = 32 };

static bool save_slide(Session *session, PictureLook look, Window *window, const char *folder,
                       Error *err)
{
    Arena arena = {0};
    DisplayList list = {.items = NULL};
    const OpenLecture *open = session->lecture;
    const char *path = arena_format(&arena, err, "%s/%02d.png", folder, open->page + 1);
    bool saved = path && cells_picture_of(session, look, &list, err) &&
                 app_picture_save(window, &list, path, err);
    display_list_finish(&list);
    arena_finish(&arena);
    return saved;
}

static bool save_pages(Session *session, const AppOptions *options, PictureLook look, Error *err)
{
    Window window;
    if (mkdir(options->slides, 0777) != 0 && errno != EEXIST)
        return error_number(err, errno, "%s: %s", options->slides, error_reason(errno));
    bool good = window_open_unseen(&window, err);
    if (!good)
        return false;
    for (int page = 0; good && page < session->lecture->lecture->page_count; page++)
        good = open_lecture_show(session, page, err) &&
               save_slide(session, look, &window, options->slides, err);
    window_close(&window);
    return good;
}

// --- all pages in one file, each followed by its notes

// The current page's notes, with the answer.
static bool draw_notes(Session *session, PictureLook look, DisplayList *list, Error *err)
{
    Cells cells = {.colours = 1 << 24};
    if (session->lecture->ask && !session_do(session, COMMAND_REVEAL, "", err))
        return false;
    if (!cells_resize(&cells, look.columns, look.rows, err))
        return false;
    lecture_notes_draw(session->lecture, NULL, &cells);
    cells_picture(&cells, look.letter, look.dark, list);
    cells_finish(&cells);
    return !list->failed || error_set(err, "%s", list->failure.text);
}

static bool save_deck(Session *session, const AppOptions *options, PictureLook look, Error *err)
{
    OpenLecture *open = session->lecture;
    const Lecture *lecture = open->lecture;
    unsigned pages = (unsigned)lecture->page_count;
    WindowFilm place = {.count = 2 * pages, .rate = 1};
    DisplayList list = {.items = NULL};
    Window window;
    char title[256], about[1024];
    snprintf(title, sizeof title, "%s", lecture->title);
    snprintf(about, sizeof about, "%s", lecture->about);
    if (new_file_is_stream(options->slides))
        return error_set(err, TELL(SLIDES_STREAM), options->slides);
    if (!window_open_paper(&window, title, about, err))
        return false;
    bool good = true;
    for (; good && place.number < place.count; place.number++)
        good = open_lecture_show(session, (int)(place.number % pages), err) &&
               (place.number < pages ? cells_picture_of : draw_notes)(session, look, &list, err) &&
               app_picture_film(&window, &list, place, options->slides, err);
    display_list_finish(&list);
    window_close(&window);
    return good;
}

static int save_slides(const Lecture *lecture, const AppOptions *options)
{
    Error err = {.text = ""};
    OpenLecture *open = open_place();
    PictureLook look = {SLIDE_COLUMNS, SLIDE_ROWS, SLIDE_LETTER, options->dark};
    if (options->size && !app_size(options->size, &look.columns, &look.rows))
        return APP_MISUSED;
    Session *session = app_session(&err);
    bool good = session && open_lecture_start(open, session, lecture, 0, NULL, &err);
    open->presents = open->is_still = true;
    const char *ending = app_picture_ending(options->slides);
    bool is_deck = ending && strcasecmp(ending, ".pdf") == 0;
    good = good && (is_deck ? save_deck(session, options, look, &err)
                            : save_pages(session, options, look, &err));
    if (session)
        session_close(session);
    open_lecture_close(open);
    return app_result(good, &err);
}

// --- attnscope watch: an own lecture, checked and redrawn at each save

enum { WATCHED_MAX = 9, WATCHED_BYTES_MAX = 1 << 20 };

typedef struct LectureWatch {
    const char *path;
    FileWatch files[WATCHED_MAX]; // the lecture, and scenarios next to it
    int count, problems;
    Arena arena;         // of the files
    unsigned char *text; // the previous text
    size_t length;       // its length; to find the page that changed
    Arena kept;
} LectureWatch;

static void print_problem(void *context, const char *text)
{
    LectureWatch *watch = context;
    watch->problems++;
    printf("%s\n", text);
}

// Reads the file. Returns the line of the first byte that changed.
static int changed_line(LectureWatch *watch)
{
    Arena arena = {0};
    Error unread;
    unsigned char *text;
    size_t length, same = 0;
    int line = 1;
    if (!input_file_all(watch->path, WATCHED_BYTES_MAX, &arena, &text, &length, &unread))
        return 1;
    while (same < length && same < watch->length && text[same] == watch->text[same])
        line += text[same++] == '\n';
    arena_finish(&watch->kept);
    watch->kept = arena;
    watch->text = text;
    watch->length = length;
    return same == length ? 1 : line;
}

static int page_of_line(const Lecture *lecture, int line)
{
    int page = 0;
    while (page + 1 < lecture->page_count && lecture->pages[page + 1].line <= line)
        page++;
    return page;
}

// Prints the page as a screen of this terminal, without separators.
static bool draw_page(const Lecture *lecture, int page, Error *err)
{
    enum { LINES_BELOW = 2 };
    OpenLecture *open = open_place();
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    Cells cells = {.columns = 0};
    Session *session = app_session(err);
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    bool good = session && open_lecture_start(open, session, lecture, page, NULL, err) &&
                cells_resize(&cells, size.ws_col, size.ws_row - LINES_BELOW, err);
    if (good) {
        screen_show(session, &cells);
        cells_print(&cells, stdout);
        good = session_could_compute(session, err);
    }
    cells_finish(&cells);
    if (session)
        session_close(session);
    open_lecture_close(open);
    return good;
}

// Prints all errors; if there are none, the page that changed.
static void look(LectureWatch *watch, bool is_terminal)
{
    Error err = {.text = ""};
    Lecture lecture;
    int line = changed_line(watch);
    if (is_terminal)
        fputs("\033[H\033[2J", stdout);
    watch->problems = 0;
    if (!lecture_read(&lecture, "lecture", watch->path, &err))
        print_problem(watch, err.text);
    else if (open_lecture_check(&lecture, print_problem, watch) == 0 &&
             !draw_page(&lecture, page_of_line(&lecture, line), &err))
        print_problem(watch, err.text);
    lecture_finish(&lecture);
    if (watch->problems == 0)
        printf(TELL(LECTURE_WATCH_HOLDS), watch->path);
    else
        printf(TELL(LECTURE_WATCH_WAITS), watch->problems);
    fflush(stdout);
}

// Watches the lecture's file, and the scenarios next to it.
static bool watch_files(LectureWatch *watch, Error *err)
{
    const char *slash = strrchr(watch->path, '/');
    const char *folder =
        arena_format(&watch->arena, err, "%.*s", slash ? (int)(slash - watch->path) : 1,
                     slash ? watch->path : ".");
    DIR *open = folder ? opendir(*folder ? folder : "/") : NULL;
    bool good = folder && file_watch_open(&watch->files[0], watch->path, true, &watch->arena, err);
    watch->count = good;
    for (const struct dirent *entry;
         good && open && watch->count < WATCHED_MAX && (entry = readdir(open)) != NULL;) {
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".yaml") != 0)
            continue;
        const char *path = arena_format(&watch->arena, err, "%s/%s", folder, entry->d_name);
        good =
            path && file_watch_open(&watch->files[watch->count], path, false, &watch->arena, err);
        watch->count += good;
    }
    if (open)
        closedir(open);
    return good;
}

static void wait_for_save(LectureWatch *watch)
{
    struct pollfd wait = {.fd = watch->files[0].descriptor, .events = POLLIN};
    for (bool changed = false; !changed;) {
        int milliseconds = file_watch_milliseconds(&watch->files[watch->count - 1]);
        poll(&wait, 1, milliseconds > 0 ? milliseconds : -1);
        for (int i = 0; i < watch->count; i++)
            changed |= file_watch_changed(&watch->files[i]);
    }
}

static int watch_lecture(const char *path)
{
    Error err = {.text = ""};
    LectureWatch watch = {.path = path};
    bool is_terminal = isatty(STDOUT_FILENO);
    bool good = watch_files(&watch, &err);
    if (good)
        look(&watch, is_terminal);
    while (good && is_terminal) { // until Ctrl-C
        wait_for_save(&watch);
        look(&watch, is_terminal);
    }
    for (int i = 0; i < watch.count; i++)
        file_watch_close(&watch.files[i]);
    arena_finish(&watch.kept);
    arena_finish(&watch.arena);
    if (!good)
        return app_fail(APP_FAILED, "%s", err.text);
    return watch.problems == 0 ? APP_DONE : APP_FAILED;
}

int app_watch_lecture(const char *what)
{
    Error err = {.text = ""};
    LectureList list;
    char path[PLACE_PATH_MAX];
    if (!lecture_list_open(&list, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    const LectureEntry *entry = lecture_list_choose(&list, what, &err);
    bool good = entry && lecture_path(entry->folder, language_written(), path);
    lecture_list_close(&list);
    return good ? watch_lecture(path) : app_fail(APP_MISUSED, "%s", err.text);
}

int app_walk_lecture(const LectureEntry *entry, const AppOptions *options)
{
    Error err = {.text = ""};
    Lecture lecture;
    if (!lecture_open(&lecture, entry->name, entry->folder, language_written(), &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int code = options->html        ? save_html(&lecture, options)
               : options->slides    ? save_slides(&lecture, options)
               : options->worksheet ? save_worksheet(&lecture, options)
                                    : walk(&lecture, options);
    lecture_finish(&lecture);
    return code;
}
