// mistake: the table made from mistakes.def; see mistake.h.
#include "mistake_bank.h"

#include <string.h>
#include "mistake_reason.h"

#define MISTAKE(name) extern const Mistake mistake_##name;
#define FAMILY(name) extern const Mistake family_##name[];
#include "mistakes.def"
#undef MISTAKE
#undef FAMILY

// The mistakes of one file.
typedef struct File {
    const Mistake *first;
    bool is_family; // it has several, and one without a name behind the last
} File;

static const File files[] = {
#define MISTAKE(name) {&mistake_##name, false},
#define FAMILY(name) {family_##name, true},
#include "mistakes.def"
#undef MISTAKE
#undef FAMILY
};

enum { FILE_COUNT = sizeof files / sizeof *files };

static int count_of(const File *file)
{
    int count = 1;
    while (file->is_family && file->first[count].name)
        count++;
    return count;
}

// The file of mistake `number`, which becomes its number in that file; FILE_COUNT: there is none.
static int file_of(int *number)
{
    int file = *number < 0 ? FILE_COUNT : 0;
    for (; file < FILE_COUNT && *number >= count_of(&files[file]); file++)
        *number -= count_of(&files[file]);
    return file;
}

int mistake_file(int number)
{
    int file = file_of(&number);
    return file < FILE_COUNT ? file : -1;
}

const Mistake *mistake_get(int number)
{
    int file = file_of(&number);
    return file < FILE_COUNT ? &files[file].first[number] : NULL;
}

const Mistake *mistake_find(const char *name)
{
    const Mistake *mistake;
    for (int i = 0; (mistake = mistake_get(i)); i++)
        if (strcmp(mistake->name, name) == 0)
            return mistake;
    return NULL;
}

bool mistake_is_backward(const Mistake *mistake)
{
    return stage_is_backward(mistake->stages[0]);
}

const Words *mistake_cannot_show(const Mistake *mistake, const Scenario *scenario)
{
    if (mistake_is_backward(mistake) && !scenario->backward)
        return &reason_no_backward;
    return mistake->cannot_show ? mistake->cannot_show(scenario) : NULL;
}
