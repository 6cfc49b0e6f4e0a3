// app_notes: what a file of tensors tells of where they are from; see app.h.
#include "app.h"

#include "tensor_file.h"
#include "trace_program.h"

static const char *joined(const char *const texts[], int count, Arena *arena, Error *err)
{
    const char *all = "";
    for (int i = 0; all && i < count; i++)
        all = arena_format(arena, err, "%s%s%s", all, i ? "; " : "", texts[i]);
    return all;
}

const FileNote *app_notes(const AppTrace *app, const char *beside, Arena *arena, Error *err)
{
    enum { NOTES_MAX = 8 };
    const Scenario *scenario = &app->scenario;
    const ScenarioRequest *request = &scenario->request;
    FileNote *notes = arena_take(arena, NOTES_MAX, sizeof *notes, err), *next = notes;
    const char *sets = joined(request->sets, request->set_count, arena, err);
    const char *formulas =
        app->edits ? joined(app->edits->texts, app->edits->count, arena, err) : "";
    if (!notes || !sets || !formulas)
        return NULL;
    *next++ = (FileNote){"attnscope", ATTNSCOPE_VERSION};
    *next++ = (FileNote){"scenario", scenario->name};
    if (scenario->document)
        *next++ = (FileNote){"document", scenario->document};
    if (scenario->seed)
        *next++ = (FileNote){"manual_seed", scenario->seed};
    if (*sets)
        *next++ = (FileNote){"set", sets};
    if (*formulas)
        *next++ = (FileNote){"formula", formulas};
    if (request->text)
        *next++ = (FileNote){"text", request->text};
    if (beside)
        *next++ = (FileNote){"compare", beside};
    return notes;
}
