// app_mistake: the bank of mistakes, as the command line shows it; see app.h.
#include "app.h"

#include "nearest.h"
#include "utf8.h"
#include "app_words.h"

int app_list_mistakes(const AppOptions *options)
{
    (void)options;
    Language language = language_now();
    int width = 0;
    for (int i = 0; mistake_get(i); i++)
        width = utf8_width(mistake_get(i)->name) > width ? utf8_width(mistake_get(i)->name) : width;
    for (int i = 0; mistake_get(i); i++)
        printf("%-*s  %s\n", width, mistake_get(i)->name, mistake_get(i)->words[language].title);
    return app_finish_output();
}

bool app_takes_mistake(const AppOptions *options)
{
    const char *names[APP_MISTAKES_MAX + 1] = {NULL}, *name = options->mistake;
    if (name && (options->compare || options->mine)) {
        app_fail(APP_MISUSED, TELL(MISTAKE_ALONE));
        return false;
    }
    if (!name || mistake_find(name))
        return true;
    for (int i = 0; i < APP_MISTAKES_MAX && mistake_get(i); i++)
        names[i] = mistake_get(i)->name;
    const char *meant = nearest_word(name, names);
    if (meant)
        app_fail(APP_MISUSED, TELL(NO_MISTAKE_MEANT), name, meant);
    else
        app_fail(APP_MISUSED, TELL(NO_MISTAKE), name);
    return false;
}

void app_print_mistake(const AppOptions *options, const Scenario *scenario, FILE *out)
{
    const Mistake *mistake = mistake_find(options->mistake);
    const MistakeWords *words = &mistake->words[language_now()];
    const Words *why = mistake_cannot_show(mistake, scenario);
    fprintf(out, "%s: %s\n  %s\n  %s\n  %s: %s\n", TELL(MISTAKE_IS), mistake->name, words->title,
            words->shows, TELL(MISTAKE_TO_MEND), words->mend);
    if (why)
        fprintf(out, "  %s: %s\n", TELL(MISTAKE_NOT_HERE), words_tell(*why));
    fputc('\n', out);
}
