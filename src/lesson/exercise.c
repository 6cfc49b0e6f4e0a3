// Reads exercises: their folders, their list, and which exercise a file name means; see exercise.h.
#define _GNU_SOURCE // strcasestr
#include "exercise.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "input_file.h"
#include "lesson_words.def"
#include "place.h"
#include "shown_name.h"
#include "utf8.h"
#include "words.h"
#include "yaml_tree.h"

// --- a folder

enum { TEXT_BYTES_MAX = 1 << 20, POINTS_MAX = 1000, OUTPUTS_MAX = 8 };

// Reads a text file of the folder.
static char *read_text(Exercise *exercise, const char *path, Error *err)
{
    unsigned char *bytes;
    size_t length;
    if (!input_file_all(path, TEXT_BYTES_MAX, &exercise->arena, &bytes, &length, err))
        return NULL;
    if (!utf8_valid((const char *)bytes, length)) {
        error_set(err, TELL(NOT_UTF8), path);
        return NULL;
    }
    return arena_format(&exercise->arena, err, "%.*s", (int)length, (const char *)bytes);
}

// The path of "task", or of task.ko.md if wanted and present.
static const char *path_in_language(Exercise *exercise, const char *name, Error *err)
{
    const char *korean = arena_format(&exercise->arena, err, "%s/%s.ko.md", exercise->folder, name);
    bool wanted = exercise->language == LANGUAGE_KOREAN;
    if (!korean || (wanted && access(korean, R_OK) == 0))
        return korean;
    return arena_format(&exercise->arena, err, "%s/%s.md", exercise->folder, name);
}

// Reads exercise.c; arguments.ko.txt has the Korean version of the comments above its code.
static bool read_stub(Exercise *exercise, Error *err)
{
    const char *path = arena_format(&exercise->arena, err, "%s/exercise.c", exercise->folder);
    const char *korean =
        arena_format(&exercise->arena, err, "%s/arguments.ko.txt", exercise->folder);
    const char *text = path && korean ? read_text(exercise, path, err) : NULL;
    exercise->stub = text;
    while (text && strncmp(exercise->stub, "//", 2) == 0) {
        exercise->stub += strcspn(exercise->stub, "\n");
        exercise->stub += *exercise->stub == '\n';
    }
    if (text && exercise->language == LANGUAGE_KOREAN && access(korean, R_OK) == 0)
        exercise->arguments = read_text(exercise, korean, err);
    else if (text)
        exercise->arguments =
            arena_format(&exercise->arena, err, "%.*s", (int)(exercise->stub - text), text);
    return exercise->arguments != NULL;
}

// --- Markdown: headings and the text below them

// Cuts off a line and advances *text.
static char *take_line(char **text)
{
    char *line = *text;
    size_t length = strcspn(line, "\n");
    *text = line + length + (line[length] == '\n');
    line[length] = '\0';
    return line;
}

// Strips blank lines at both ends.
static const char *trimmed(char *text)
{
    while (*text == '\n')
        text++;
    for (size_t length = strlen(text); length > 0 && strchr(" \n", text[length - 1]); length--)
        text[length - 1] = '\0';
    return text;
}

static bool read_task(Exercise *exercise, Error *err)
{
    const char *path = path_in_language(exercise, "task", err);
    char *text = path ? read_text(exercise, path, err) : NULL;
    if (!text)
        return false;
    const char *heading = take_line(&text);
    if (strncmp(heading, "# ", 2) != 0 || !heading[2])
        return error_set(err, TELL(TASK_TITLE), path);
    exercise->title = heading + 2;
    exercise->task = trimmed(text);
    return *exercise->task ? true : error_set(err, TELL(TASK_EMPTY), path);
}

// "02-scaled-dot-product#scale", then text.
static bool take_lecture(Exercise *exercise, char *text, const char *path, int line, Error *err)
{
    char *place = take_line(&text), *hash = strchr(place, '#');
    if (!hash || hash == place || strchr(place, ' '))
        return error_set(err, TELL(HINTS_LECTURE), path, line, place);
    *hash = '\0';
    exercise->lecture = place;
    exercise->page = hash + 1;
    exercise->lecture_text = trimmed(text);
    return true;
}

// A heading, with the lines below it in `body`.
static bool take_section(Exercise *exercise, const char *heading, char *body, const char *path,
                         int line, Error *err)
{
    const char *text = trimmed(body);
    int level = heading[0] - '1';
    if (!*text)
        return error_set(err, TELL(HINTS_EMPTY), path, line, heading);
    if (strcmp(heading, "Lecture") == 0 && !exercise->lecture)
        return take_lecture(exercise, body + (text - body), path, line + 1, err);
    if (level < 0 || level >= EXERCISE_HINTS || heading[1] || exercise->hints[level])
        return error_set(err, TELL(HINTS_HEADING), path, line, heading);
    exercise->hints[level] = text;
    return true;
}

// The next heading outside of fenced blocks, or NULL.
static char *next_section(char *text)
{
    bool fenced = false;
    for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        fenced = fenced != (strncmp(line, "```", 3) == 0);
        if (!fenced && strncmp(line, "## ", 3) == 0)
            return line;
    }
    return NULL;
}

static bool read_hints(Exercise *exercise, Error *err)
{
    const char *path = path_in_language(exercise, "hints", err);
    char *text = path ? read_text(exercise, path, err) : NULL;
    const char *whole = text ? arena_text(&exercise->arena, text, err) : NULL;
    if (!whole)
        return false;
    for (char *at = next_section(text); at;) {
        int line = 1;
        for (const char *before = whole; before < whole + (at - text); before++)
            line += *before == '\n';
        const char *heading = take_line(&at) + 3;
        char *body = at, *next = next_section(body);
        if (next)
            next[-1] = '\0';
        if (!take_section(exercise, heading, body, path, line, err))
            return false;
        at = next;
    }
    for (int level = 0; level < EXERCISE_HINTS; level++)
        if (!exercise->hints[level])
            return error_set(err, TELL(HINTS_LACK), path, level + 1);
    return exercise->lecture ? true : error_set(err, TELL(HINTS_LACK_LECTURE), path);
}

// --- exercise.yaml

static bool take_when(Exercise *exercise, const YamlNode *when, Error *err)
{
    if (strcmp(when->text ? when->text : "", "causal") == 0)
        exercise->when = EXERCISE_CAUSAL;
    else if (strcmp(when->text ? when->text : "", "padding") == 0)
        exercise->when = EXERCISE_PADDING;
    else
        return yaml_error(when, err, TELL(EXERCISE_WHEN));
    return true;
}

static bool read_facts(Exercise *exercise, Error *err)
{
    static const char *const allowed[] = {"points", "stage", "when", "output", NULL};
    const char *path = arena_format(&exercise->arena, err, "%s/exercise.yaml", exercise->folder);
    const YamlNode *root = path ? yaml_read_file(path, &exercise->arena, err) : NULL;
    if (!root || !yaml_only(root, allowed, err))
        return false;
    const YamlNode *points = yaml_get(root, "points"), *stage = yaml_get(root, "stage"),
                   *when = yaml_get(root, "when"), *output = yaml_get(root, "output");
    int64_t number = 0, place = -1;
    if (!points)
        return yaml_error(root, err, TELL(EXERCISE_POINTS));
    if (!yaml_integer(points, 1, POINTS_MAX, &number, err) ||
        (output && !yaml_integer(output, 0, OUTPUTS_MAX, &place, err)))
        return false;
    if (stage && stage->kind != YAML_SCALAR)
        return yaml_error(stage, err, TELL(EXERCISE_STAGE));
    exercise->points = (int)number;
    exercise->output = (int)place;
    exercise->stage = stage ? stage->text : NULL;
    return !when || take_when(exercise, when, err);
}

// "09-scale"
static bool take_name(Exercise *exercise, const char *folder, Error *err)
{
    exercise->folder = arena_text(&exercise->arena, folder, err);
    if (!exercise->folder)
        return false;
    const char *name = path_name(exercise->folder);
    char *rest;
    exercise->order = (int)strtol(name, &rest, 10);
    if (rest == name || *rest != '-' || !rest[1])
        return error_set(err, TELL(EXERCISE_FOLDER), folder);
    exercise->name = rest + 1;
    return true;
}

bool exercise_open(Exercise *exercise, const char *folder, Language language, Error *err)
{
    *exercise = (Exercise){.language = language, .output = -1};
    bool good = take_name(exercise, folder, err) && read_facts(exercise, err) &&
                read_task(exercise, err) && read_hints(exercise, err) && read_stub(exercise, err);
    if (!good)
        exercise_close(exercise);
    return good;
}

void exercise_close(Exercise *exercise)
{
    Arena arena = exercise->arena;
    *exercise = (Exercise){.name = NULL};
    arena_finish(&arena);
}

// --- the list

static bool add(ExerciseList *list, const char *name, Language language, Error *err)
{
    const char *folder = arena_format(&list->arena, err, "%s/%s", list->folder, name);
    const char *facts = folder ? arena_format(&list->arena, err, "%s/exercise.yaml", folder) : NULL;
    if (!facts)
        return false;
    if (name[0] == '.' || access(facts, R_OK) != 0)
        return true;
    if (list->count == EXERCISES_MAX)
        return error_set(err, TELL(EXERCISES_MANY), list->folder, EXERCISES_MAX);
    bool good = exercise_open(&list->exercises[list->count], folder, language, err);
    list->count += good;
    return good;
}

static bool look_into(ExerciseList *list, const char *lessons, Language language, Error *err)
{
    list->folder = arena_format(&list->arena, err, "%s/exercises", lessons);
    list->header = arena_format(&list->arena, err, "%s/exercises/header/attnscope.h", lessons);
    DIR *folder = list->folder ? opendir(list->folder) : NULL;
    bool good = list->folder && list->header;
    if (good && !folder && errno != ENOENT && errno != ENOTDIR)
        good = error_number(err, errno, TELL(LIST_CLOSED), list->folder, error_reason(errno));
    for (const struct dirent *entry; folder && good && (entry = readdir(folder)) != NULL;)
        good = add(list, entry->d_name, language, err);
    if (folder)
        closedir(folder);
    return good;
}

static int by_order(const void *left, const void *right)
{
    const Exercise *a = left, *b = right;
    return a->order != b->order ? a->order - b->order : strcmp(a->name, b->name);
}

bool exercise_list_open(ExerciseList *list, Language language, Error *err)
{
    char lessons[PLACE_PATH_MAX];
    bool good = true;
    *list = (ExerciseList){.language = language};
    for (int i = 0; good && list->count == 0 && place_folder(PLACE_LESSONS, i, lessons); i++)
        good = look_into(list, lessons, language, err);
    if (good && list->count == 0)
        good = place_missing(PLACE_LESSONS, "exercise", err);
    qsort(list->exercises, (size_t)list->count, sizeof *list->exercises, by_order);
    if (!good)
        exercise_list_close(list);
    return good;
}

ExerciseList exercise_list_borrow(const ExerciseList *list)
{
    ExerciseList borrowed = *list;
    borrowed.is_borrowed = true;
    borrowed.arena = (Arena){0};
    return borrowed;
}

void exercise_list_close(ExerciseList *list)
{
    for (int i = 0; i < list->count && !list->is_borrowed; i++)
        exercise_close(&list->exercises[i]);
    arena_finish(&list->arena);
    list->count = 0;
    list->folder = NULL;
}

// Normalises a name: without folders, number and ".c", with hyphens.
static void plain_name(const char *name, char plain[64], int *order)
{
    char *rest;
    name = path_name(name);
    long number = strtol(name, &rest, 10);
    *order = rest > name && number > 0 && number < 10000 ? (int)number : -1;
    snprintf(plain, 64, "%s", rest > name && *rest == '-' ? rest + 1 : rest);
    if (plain[0] != '.' && text_ends(plain, ".c"))
        plain[strlen(plain) - 2] = '\0';
    for (char *at = plain; *at; at++)
        *at = *at == '_' ? '-' : *at;
}

int exercise_list_find(const ExerciseList *list, const char *name, Error *err)
{
    const char *names[EXERCISES_MAX + 1] = {NULL};
    char plain[64];
    int order;
    plain_name(name, plain, &order);
    for (int i = 0; i < list->count; i++) {
        const Exercise *exercise = &list->exercises[i];
        names[i] = exercise->name;
        bool same_order = order < 0 || order == exercise->order;
        if (same_order && (strcmp(plain, exercise->name) == 0 || (!*plain && order > 0)))
            return i;
    }
    const char *near = nearest_word(plain, names);
    if (near)
        error_set(err, TELL(NO_EXERCISE_MEANT), name, near);
    else
        error_set(err, TELL(NO_EXERCISE), name);
    return -1;
}

// --- names of files

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

// The length of a file's stem before a C extension; 0: none. Browsers and editors append .txt, and Visual Studio names
// everything .cpp.
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

// The length of the name at `text`, which may be "causal-mask", "causal mask" or "CausalMask"; 0: not there as separate
// words.
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

// True for a word that marks a file as not to be judged.
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

// The longest exercise name in a stem, as separate words; -1 if there is none, or a second one elsewhere. `where` is its
// offset.
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

// After the matching parenthesis, or NULL.
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

// --- messages

static const char *const words[SAY_COUNT][LANGUAGE_COLUMNS] = {
#define EXERCISE_WORD(NAME, english, korean) \
    [SAY_##NAME] = {[LANGUAGE_ENGLISH] = english, \
                    [LANGUAGE_KOREAN] = korean, \
                    [LANGUAGE_MARKED] = "\u27e6" english "\u27e7"},
#include "exercise_words.def"
};

const char *exercise_word_in(Language language, ExerciseWord word)
{
    return words[word][language];
}

const char *exercise_word(ExerciseWord word)
{
    return words[word][language_now()];
}

void exercise_say(FILE *out, ExerciseWord word, ...)
{
    va_list arguments;
    va_start(arguments, word);
    words_vprint(out, exercise_word(word), arguments);
    va_end(arguments);
}
