// characters: see characters.h.
#include "characters.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include "utf8.h"

void characters_choose(void)
{
    static const char *const fallbacks[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
    setlocale(LC_CTYPE, "");
    for (size_t i = 0; i < sizeof fallbacks / sizeof *fallbacks; i++)
        if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
            setlocale(LC_CTYPE, fallbacks[i]);
}

void characters_of(const Cell *cell, wchar_t characters[CHARACTERS_MAX + 1])
{
    const char *rest = cell->text;
    uint32_t character;
    int count = 0;
    for (size_t bytes; count < CHARACTERS_MAX && (bytes = utf8_next(rest, &character)) > 0;
         rest += bytes)
        characters[count++] = (wchar_t)character;
    characters[count] = L'\0';
    if (wcwidth(characters[0]) != cell->columns)
        wcscpy(characters, L"?");
}
