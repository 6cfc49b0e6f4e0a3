// heatmap_files: what `attnscope heatmap` draws, as a file; see heatmap.h.
#include "app_picture.h"
#include "heatmap_forms.h"

#include <string.h>
#include <strings.h>
#include "app_words.h"

static const PictureForm *const forms[] = {
#define PICTURE_FORM(name) &heatmap_##name,
#include "picture_forms.def"
#undef PICTURE_FORM
};

enum { FORMS = sizeof forms / sizeof *forms };

// What is written is what the file's name says; one that says nothing, a stream for example, is given
// what the option says.
static const PictureForm *form_of(const char *path, const PictureForm *usual, Error *err)
{
    const char *ending = app_picture_ending(path);
    char all[64] = "";
    if (!ending)
        return usual;
    for (int i = 0; i < FORMS; i++)
        if (strcasecmp(ending, forms[i]->ending) == 0)
            return forms[i];
    for (int i = 0; i < FORMS; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "",
                 forms[i]->ending);
    error_set(err, TELL(PICTURE_ENDING), path, all, ending);
    return NULL;
}

static const char *path_of(const AppOptions *options, const PictureForm *form)
{
    return *(const char *const *)((const char *)options + form->option);
}

bool heatmap_wants_files(const AppOptions *options)
{
    bool wants = false;
    for (int i = 0; i < FORMS; i++)
        wants = wants || path_of(options, forms[i]);
    return wants;
}

// What the name says is something else than what would be written; NULL: it does not, or says nothing.
static const char *wrong_ending(const char *path, const char *right, const char *also)
{
    const char *ending = path ? app_picture_ending(path) : NULL;
    bool good = !ending || strcasecmp(ending, right) == 0 || strcasecmp(ending, also) == 0;
    return good ? NULL : ending;
}

bool heatmap_check_files(const AppOptions *options, Error *err)
{
    for (int i = 0; i < FORMS; i++) {
        const char *path = path_of(options, forms[i]);
        if (path && !form_of(path, forms[i], err))
            return false;
    }
    const char *of_csv = wrong_ending(options->csv, ".csv", ".csv");
    const char *of_film = wrong_ending(options->apng, ".png", ".apng");
    if (of_csv)
        return error_set(err, TELL(CSV_ENDING), options->csv, of_csv);
    return !of_film || error_set(err, TELL(FILM_ENDING), options->apng, of_film);
}

bool heatmap_save(const Session *session, PictureView *view, const AppOptions *options, Error *err)
{
    for (int i = 0; i < FORMS; i++) {
        const char *path = path_of(options, forms[i]);
        const PictureForm *form = path ? form_of(path, forms[i], err) : NULL;
        if (path && (!form || !form->save(session, view, path, err)))
            return false;
    }
    return true;
}
