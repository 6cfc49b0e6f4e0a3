// app_mistake: the bank of mistakes, as the command line shows it; see app.h.
#include "app.h"

#include "lecture_list.h"
#include "nearest.h"
#include "utf8.h"

static MistakeLanguage language_of(const AppOptions *options)
{
    const char *name = options->lang ? options->lang : lecture_language(app_locale());
    return mistake_language(name) == MISTAKE_KO ? MISTAKE_KO : MISTAKE_EN;
}

int app_list_mistakes(const AppOptions *options)
{
    MistakeLanguage language = language_of(options);
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
        app_fail(APP_MISUSED, "--mistake goes neither with --compare nor with --mine; --compare "
                              "\"mistake NAME\" puts one beside the right way");
        return false;
    }
    if (!name || mistake_find(name))
        return true;
    for (int i = 0; i < APP_MISTAKES_MAX && mistake_get(i); i++)
        names[i] = mistake_get(i)->name;
    const char *meant = nearest_word(name, names);
    if (meant)
        app_fail(APP_MISUSED, "there is no mistake '%s'; did you mean '%s'?", name, meant);
    else
        app_fail(APP_MISUSED, "there is no mistake '%s'; attnscope list mistakes shows them", name);
    return false;
}

void app_print_mistake(const AppOptions *options, const Scenario *scenario, FILE *out)
{
    static const char *const labels[MISTAKE_LANGUAGES][3] = {
        [MISTAKE_EN] = {"a mistake", "to mend it", "no number differs here"},
        [MISTAKE_KO] = {"실수", "고치려면", "차이가 드러나지 않습니다"},
    };
    MistakeLanguage language = language_of(options);
    const Mistake *mistake = mistake_find(options->mistake);
    const MistakeWords *words = &mistake->words[language];
    const char *why = mistake_cannot_show(mistake, scenario);
    fprintf(out, "%s: %s\n  %s\n  %s\n  %s: %s\n", labels[language][0], mistake->name, words->title,
            words->shows, labels[language][1], words->mend);
    if (why)
        fprintf(out, "  %s: %s\n", labels[language][2], mistake_reason(why, language));
    fputc('\n', out);
}
