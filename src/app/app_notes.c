// app_notes: what a file of tensors tells of where they are from; see app.h.
#include "app.h"

#include "scenario_file.h"
#include "tensor_file.h"
static const char *add(const char *all, const char *text, Arena *arena, Error *err)
{
    return all ? arena_format(arena, err, "%s%s%s", all, *all ? "; " : "", text) : NULL;
}

// Formulas stand apart.
static const char *sets_of(const ScenarioRequest *request, Arena *arena, Error *err)
{
    const char *all = "";
    for (int i = 0; i < request->set_count; i++)
        if (!scenario_set_is_formula(request->sets[i]))
            all = add(all, request->sets[i], arena, err);
    return all;
}

static const char *formulas_of(const Scenario *scenario, Arena *arena, Error *err)
{
    const char *all = "";
    for (int i = 0; i < scenario->formula_count; i++)
        all = add(all, scenario->formulas[i].text, arena, err);
    return all;
}

const FileNote *app_notes(const AppTrace *app, const char *beside, Arena *arena, Error *err)
{
    enum { NOTES_MAX = 8 };
    const Scenario *scenario = &app->scenario;
    const ScenarioRequest *request = &scenario->request;
    FileNote *notes = arena_take(arena, NOTES_MAX, sizeof *notes, err), *next = notes;
    const char *sets = sets_of(request, arena, err);
    const char *formulas = formulas_of(scenario, arena, err);
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
