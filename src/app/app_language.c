// app_language: the language of the person, chosen once, before anything is said; see app.h.
#include "app.h"

#include <stdlib.h>
#include <string.h>
#include "app_words.h"

static const char *asked; // by --lang or ATTNSCOPE_LANG

// Takes the words from `at` on out of the command line.
static int take_words(int argc, char **argv, int at, int count)
{
    memmove(argv + at, argv + at + count, (size_t)(argc - at - count + 1) * sizeof *argv);
    return argc - count;
}

static bool choose(const char *name, const char *where)
{
    int named = language_named(name);
    if (named < 0) {
        app_fail(APP_MISUSED, TELL(NO_LANGUAGE), where, name);
        return false;
    }
    language_choose((Language)named);
    asked = language_name((Language)named);
    setenv("ATTNSCOPE_LANG", asked, 1); // the programs that this one starts speak it, too
    return true;
}

bool app_choose_language(int *argc, char **argv)
{
    const char *variable = getenv("ATTNSCOPE_LANG");
    language_choose(language_of_environment());
    bool good = !variable || !*variable || choose(variable, "ATTNSCOPE_LANG");
    for (int i = 1; good && i < *argc && strcmp(argv[i], "--") != 0;) {
        bool joined = strncmp(argv[i], "--lang=", strlen("--lang=")) == 0;
        if (!joined && strcmp(argv[i], "--lang") != 0) {
            i++;
            continue;
        }
        const char *name = joined ? argv[i] + strlen("--lang=") : argv[i + 1];
        good = name ? choose(name, "--lang") : false;
        if (!name)
            app_fail(APP_MISUSED, TELL(LANGUAGE_MISSING));
        if (good)
            *argc = take_words(*argc, argv, i, joined ? 1 : 2);
    }
    return good;
}

const char *app_language_asked(void)
{
    return asked;
}

void app_language_own(Language language)
{
    if (!asked)
        language_choose(language);
}
