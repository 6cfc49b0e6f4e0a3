// app_lecture: one lecture in the terminal, as a page or on paper; see course_part.h.
#include "course_part.h"

#include <unistd.h>
#include "open_lecture.h"
#include "lecture_html.h"
#include "lecture_sheet.h"
#include "presenting.h"
#include "tui.h"
#include "app_words.h"

// Every page as a screen, where there is no terminal.
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
    return good ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}

// The page that was named; else where somebody stopped; the first page where they never were. -1 with
// a sentence where no page has that name.
static int page_to_open(const Lecture *lecture, const char *name, const char *kept, Error *err)
{
    if (name && *name) {
        int named = lecture_find(lecture, name);
        if (named < 0)
            error_set(err, TELL(NO_PAGE), lecture->name, name);
        return named;
    }
    Progress progress = {.lines = NULL};
    Error unread;
    int page = -1;
    if (kept && progress_read(&progress, kept, &unread)) {
        const ProgressLine *last = progress_last(&progress, lecture->name);
        page = last ? lecture_find(lecture, last->page) : -1;
    }
    progress_finish(&progress);
    return page < 0 ? 0 : page;
}

// A second terminal may follow: attnscope walk --notes.
static bool announce(OpenLecture *open, Arena *arena, Error *err)
{
    open->announces = presenting_path(arena, err);
    return open->announces &&
           presenting_note(open->announces, open->lecture, open_lecture_page(open)->name, err);
}

static int walk(const Lecture *lecture, const AppOptions *options)
{
    Error err = {.text = ""};
    Arena arena = {0};
    static OpenLecture open; // too large for a small stack
    bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    // Scripts, pipes and speakers leave no trace of having been there.
    bool learns = has_terminal && !options->script && !options->png && !options->presents;
    const char *kept = learns ? progress_path(&arena, &err) : NULL;
    int code, page = page_to_open(lecture, options->page, kept, &err);
    Session *session = page < 0 ? NULL : app_session(&err);
    if (!session) {
        arena_finish(&arena);
        return app_fail(page < 0 ? APP_MISUSED : APP_FAILED, "%s", err.text);
    }
    bool opened = open_lecture_start(&open, session, lecture, page, kept, &err);
    open.presents = options->presents;
    if (opened && options->presents && has_terminal && !announce(&open, &arena, &err))
        error_set(&session->message, "%s", err.text);
    bool came_back = kept && page > 0 && !(options->page && *options->page);
    if (opened && came_back && page == lecture->page_count - 1)
        open.contents = true; // it was read to its end
    else if (opened && came_back && !session->message.text[0])
        open_lecture_tell_came_back(session);
    if (!opened)
        code = app_fail(APP_FAILED, "%s", err.text);
    else if (options->script || options->png || has_terminal)
        code = app_step(session, options);
    else
        code = print_pages(session);
    session_close(session);
    open_lecture_close(&open);
    arena_finish(&arena);
    return code;
}

static int save_html(const Lecture *lecture, const AppOptions *options)
{
    Error err = {.text = ""};
    return lecture_html_save(lecture, options->notes, options->html, &err)
               ? APP_DONE
               : app_fail(APP_FAILED, "%s", err.text);
}

static int save_worksheet(const Lecture *lecture, const AppOptions *options)
{
    Error err = {.text = ""};
    return lecture_sheet_save(lecture, options->worksheet, &err)
               ? APP_DONE
               : app_fail(APP_FAILED, "%s", err.text);
}

int app_walk_lecture(const LectureEntry *entry, const AppOptions *options)
{
    Error err = {.text = ""};
    Lecture lecture;
    if (!lecture_open(&lecture, entry->name, entry->folder, language_written(), &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int code = options->html        ? save_html(&lecture, options)
               : options->worksheet ? save_worksheet(&lecture, options)
                                    : walk(&lecture, options);
    lecture_finish(&lecture);
    return code;
}
