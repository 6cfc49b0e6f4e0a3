// exercise_name: see exercise_name.h.
#include "exercise_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "nearest.h"

enum { NAME_MAX_BYTES = 64 };

static char plain(char letter)
{
    return (char)(letter == '_' ? '-' : tolower((unsigned char)letter));
}

bool exercise_name_begins(const char *text, const char *name)
{
    while (*name && plain(*text) == plain(*name))
        text++, name++;
    return !*name;
}

// Whether this is what makes a copy's name of "scale", and ".c": "", " (1)", "-1", "_12".
static bool is_copy(const char *rest)
{
    size_t between = strspn(rest, " _-(");
    size_t digits = strspn(rest + between, "0123456789");
    if (between > 0 && digits == 0)
        return false;
    rest += between + (between > 0 ? digits : 0);
    return strcmp(rest + strspn(rest, ")"), ".c") == 0;
}

int exercise_name_find(const ExerciseList *list, const char *file)
{
    for (int i = 0; i < list->count; i++)
        if (exercise_name_begins(file, list->exercises[i].name) &&
            is_copy(file + strlen(list->exercises[i].name)))
            return i;
    return -1;
}

int exercise_name_near(const ExerciseList *list, const char *file)
{
    const char *known[EXERCISES_MAX + 1] = {NULL}, *dot = strstr(file, ".c");
    char word[NAME_MAX_BYTES];
    size_t length = dot ? (size_t)(dot - file) : 0;
    while (length > 0 && strchr("0123456789-_() ", file[length - 1]))
        length--;
    if (length == 0 || length >= sizeof word)
        return -1;
    for (size_t i = 0; i < length; i++)
        word[i] = plain(file[i]);
    word[length] = '\0';
    for (int i = 0; i < list->count; i++)
        known[i] = list->exercises[i].name;
    const char *near = nearest_word(word, known);
    for (int i = 0; near && i < list->count; i++)
        if (strcmp(near, known[i]) == 0)
            return i;
    return -1;
}
