// language: see words.h.
#include "words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static Language chosen = LANGUAGE_ENGLISH;

static const char *const names[LANGUAGE_COLUMNS] = {
    [LANGUAGE_ENGLISH] = "en",
    [LANGUAGE_KOREAN] = "ko",
    [LANGUAGE_MARKED] = "marked",
};

void language_choose(Language language)
{
    chosen = language;
}

Language language_now(void)
{
    return chosen;
}

Language language_written(void)
{
    return language_recorded(chosen);
}

Language language_beside(Language written)
{
    return chosen == LANGUAGE_MARKED ? LANGUAGE_MARKED : written;
}

Language language_recorded(Language language)
{
    return language == LANGUAGE_MARKED ? LANGUAGE_ENGLISH : language;
}

int language_named(const char *name)
{
    for (int i = 0; name && i < LANGUAGE_COLUMNS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

const char *language_name(Language language)
{
    return names[language];
}

// The language of a locale's name, up to an end among `ends`: "ko_KR.UTF-8"; -1 where it has none here.
static int of_locale(const char *name, size_t length)
{
    for (int i = 0; i < LANGUAGES; i++) {
        size_t own = strlen(names[i]);
        if (length >= own && strncmp(name, names[i], own) == 0 &&
            (length == own || strchr("_.@", name[own])))
            return i;
    }
    return -1;
}

// The first that is known of "de:ko:en".
static int of_list(const char *list)
{
    int found = -1;
    while (list && *list && found < 0) {
        size_t length = strcspn(list, ":");
        found = of_locale(list, length);
        list += length + (list[length] == ':');
    }
    return found;
}

// The locale's name, "" where there is none. An empty variable counts as one that is not set.
static const char *locale(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *name = getenv(variables[i]);
        if (name && *name)
            return name;
    }
    return "";
}

Language language_of_environment(void)
{
    int found = language_named(getenv("ATTNSCOPE_LANG"));
    const char *name = locale();
    bool plain = strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0; // as gettext has it
    if (found < 0 && !plain)
        found = of_list(getenv("LANGUAGE"));
    if (found < 0)
        found = of_locale(name, strlen(name));
    return found < 0 ? LANGUAGE_ENGLISH : (Language)found;
}
