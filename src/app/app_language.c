// The language of the person; see app.h.
#include <stdlib.h>
#include <string.h>
#include "app.h"
#include "app_words.def"

// --- who has said which language: the person, or the workspace

static const char *asked;     // by --lang or ATTNSCOPE_LANG
static int of_workspace = -1; // of a workspace; -1: that is not known

static void app_language_ask(Language language)
{
    language_choose(language);
    asked = language_name(language);
    setenv("ATTNSCOPE_LANG", asked, 1); // the programs that this one starts speak it, too
}

const char *app_language_asked(void)
{
    return asked;
}

void app_language_own(Language language)
{
    of_workspace = (int)language;
    if (!asked)
        language_choose(language);
}

static int app_language_of_workspace(void)
{
    return of_workspace;
}

// --- chosen before anything is said
//
// And which commands have to be told it.

static Language usual; // that commands choose where nobody says another

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
    app_language_ask((Language)named);
    return true;
}

static bool takes_folder(const AppCommand *command)
{
    const char *options = command->options ? command->options : "";
    return strncmp(options, "dir", strlen("dir")) == 0 || strstr(options, " dir") != NULL;
}

// See words_ask_commands. Commands of a workspace are those that can be told where it lies.
static const char *language_to_say(const char *word, size_t length)
{
    for (int i = 0; app_command(i); i++) {
        const AppCommand *command = app_command(i);
        if (strlen(command->name) != length || strncmp(command->name, word, length) != 0)
            continue;
        int own = takes_folder(command) ? app_language_of_workspace() : -1;
        Language chosen = own >= 0 ? (Language)own : usual;
        return chosen == language_now() ? NULL : language_name(language_now());
    }
    return NULL;
}

bool app_choose_language(int *argc, char **argv)
{
    const char *variable = getenv("ATTNSCOPE_LANG");
    usual = language_of_environment();
    language_choose(usual);
    words_ask_commands(language_to_say);
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
