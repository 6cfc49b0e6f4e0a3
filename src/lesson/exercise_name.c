// exercise_name: see exercise_name.h.
#include "exercise_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

// Bytes of a file's name before the ending of C; 0: it has none. Browsers and editors put .txt behind it,
// and Visual Studio makes a .cpp of anything.
static size_t stem_of(const char *file)
{
    static const char *const endings[] = {".c", ".c.txt", ".cpp", ".cc"};
    size_t length = strlen(file);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t less = strlen(endings[i]);
        if (length > less && strcasecmp(file + length - less, endings[i]) == 0)
            return length - less;
    }
    return 0;
}

static bool is_letter(char byte)
{
    return isalpha((unsigned char)byte);
}

// Bytes of the name as it stands at `text`: "causal-mask" is "causal mask" and "CausalMask" too. 0: it does
// not stand there as words of their own.
static size_t words_at(const char *text, const char *end, const char *name)
{
    const char *at = text;
    for (; *name; name++) {
        if (*name == '-') {
            at += at < end && strchr("-_ ", *at);
        } else if (at < end && plain(*at) == plain(*name)) {
            at++;
        } else {
            return 0;
        }
    }
    return at < end && is_letter(*at) ? 0 : (size_t)(at - text);
}

// Whether a word says that a file is no work to be judged.
static bool is_other_work(const char *text, size_t length)
{
    static const char *const words[] = {
        "test",     "tests",  "testing", "old",      "backup",  "bak",    "orig",
        "original", "helper", "helpers", "util",     "utils",   "main",   "stub",
        "common",   "note",   "temp",    "template", "example", "sample", "tmp",
        "notes",    "debug",  "lib",     "driver",   "bench"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp(text, words[i], length) == 0)
            return true;
    return false;
}

static bool has_other_work(const char *text, const char *end)
{
    for (const char *word = text; word < end; word++) {
        size_t length = 0;
        while (word + length < end && is_letter(word[length]))
            length++;
        if (is_other_work(word, length))
            return true;
        word += length;
    }
    return false;
}

// The longest name of an exercise in a stem, as words of their own; a second one elsewhere in it leaves open
// which is meant. -1: none. `where` is its beginning.
static int name_in(const ExerciseList *list, const char *stem, const char *end, const char **where)
{
    int found = -1;
    size_t most = 0;
    bool is_clear = true;
    for (const char *at = stem; at < end; at++) {
        size_t longest = 0;
        int best = -1;
        for (int i = 0; i < list->count && (at == stem || !isalnum((unsigned char)at[-1])); i++) {
            size_t bytes = words_at(at, end, list->exercises[i].name);
            best = bytes > longest ? i : best;
            longest = bytes > longest ? bytes : longest;
        }
        if (best < 0)
            continue;
        is_clear = found < 0 || found == best;
        *where = found < 0 ? at : *where;
        found = best;
        most = longest;
        at += most - 1;
        if (!is_clear)
            return -1;
    }
    return found;
}

int exercise_name_within(const ExerciseList *list, const char *file, size_t *before)
{
    const char *end = file + stem_of(file), *where = file;
    int found = name_in(list, file, end, &where);
    *before = (size_t)(where - file);
    return found >= 0 && !has_other_work(file, end) ? found : -1;
}

int exercise_name_find(const ExerciseList *list, const char *file)
{
    size_t before;
    return exercise_name_within(list, file, &before);
}

// Behind the brackets that begin here; NULL: they do not end.
static const char *behind_brackets(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (depth == 0)
            return text + 1;
    }
    return NULL;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

bool exercise_name_defines(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strchr(at, name[0])) != NULL; at++) {
        bool is_word = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        for (size_t i = 0; is_word && i < length; i++)
            is_word = at[i] == (name[i] == '-' ? '_' : name[i]);
        const char *after = is_word ? skip_blanks(at + length) : "";
        const char *behind = *after == '(' ? behind_brackets(after) : NULL;
        if (behind && *skip_blanks(behind) == '{')
            return true;
    }
    return false;
}

long exercise_name_version(const char *file)
{
    enum { LAST = 1000000, LATER = 100000, DIGITS_MAX = 4 };
    static const struct {
        const char *word;
        long version;
    } words[] = {{"final", LAST}, {"최종", LAST}, {"new", LATER}, {"fix", LATER}};
    long version = 0;
    size_t length = stem_of(file);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t at = 0; at < length; at++)
            if (strncasecmp(file + at, words[i].word, strlen(words[i].word)) == 0)
                version = words[i].version > version ? words[i].version : version;
    while (length > 0 && strchr(") ", file[length - 1]))
        length--;
    size_t digits = 0;
    while (digits < length && isdigit((unsigned char)file[length - digits - 1]))
        digits++;
    bool is_number = digits > 0 && digits <= DIGITS_MAX;
    return version + (is_number ? strtol(file + length - digits, NULL, 10) : 0);
}

int exercise_name_near(const ExerciseList *list, const char *file)
{
    const char *known[EXERCISES_MAX + 1] = {NULL}, *dot = strcasestr(file, ".c");
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
