// open_lecture_start: a session on a page of a lecture; see open_lecture.h.
#include "open_lecture.h"

#include "open_lecture_runs.h"
#include "session_actions.h"

static void remember(OpenLecture *open)
{
    Progress progress = {.lines = NULL};
    Error err;
    if (open->progress && progress_read(&progress, open->progress, &err))
        for (int i = 0; i < open->lecture->page_count; i++)
            open->marks[i] =
                progress_mark(&progress, open->lecture->name, open->lecture->pages[i].name);
    progress_finish(&progress);
}

bool open_lecture_start(OpenLecture *open, Session *session, const Lecture *lecture, int page,
                        const char *progress, Error *err)
{
    Error problem = {.text = ""};
    *open = (OpenLecture){.lecture = lecture, .page = page, .progress = progress};
    session_begin(session);
    session->lecture = open;
    open->other = arena_take(&open->kept, 1, sizeof *open->other, err);
    open->changed = arena_take(&open->kept, 1, sizeof *open->changed, err);
    if (!open->other || !open->changed)
        return false;
    remember(open);
    if (!open_lecture_show(session, page, &problem))
        session->message = problem;
    if (session->run.trace.step_count > 0)
        return true;
    *err = problem;
    return false;
}

void open_lecture_close(OpenLecture *open)
{
    trace_close(&open->whole);
    scenario_finish(&open->scenario);
    arena_finish(&open->arena);
    open_lecture_close_run(open->other);
    open_lecture_close_run(open->changed);
    arena_finish(&open->kept);
    *open = (OpenLecture){.page = 0};
}
