// app_notes: what a file of tensors tells of where they are from; see app.h.
#include "app.h"

#include "tensor_file.h"

const FileNote *app_notes(const Scenario *scenario, const char *beside, Arena *arena, Error *err)
{
    enum { NOTES_MAX = 8 };
    FileNote *notes = arena_take(arena, NOTES_MAX, sizeof *notes, err), *next = notes;
    const char *sets = "";
    const ScenarioRequest *request = &scenario->request;
    for (int i = 0; notes && sets && i < request->set_count; i++)
        sets = arena_format(arena, err, "%s%s%s", sets, i ? "; " : "", request->sets[i]);
    if (!notes || !sets)
        return NULL;
    *next++ = (FileNote){"attnscope", ATTNSCOPE_VERSION};
    *next++ = (FileNote){"scenario", scenario->name};
    if (scenario->document)
        *next++ = (FileNote){"document", scenario->document};
    if (scenario->seed)
        *next++ = (FileNote){"manual_seed", scenario->seed};
    if (*sets)
        *next++ = (FileNote){"set", sets};
    if (request->text)
        *next++ = (FileNote){"text", request->text};
    if (beside)
        *next++ = (FileNote){"compare", beside};
    return notes;
}
