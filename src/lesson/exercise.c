// exercise: reads an exercise's folder; see exercise.h.
#include "exercise.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input_file.h"
#include "utf8.h"
#include "yaml_tree.h"
#include "lesson_words.h"

enum { TEXT_BYTES_MAX = 1 << 20, POINTS_MAX = 1000, OUTPUTS_MAX = 8 };

// A whole text of the folder, NUL-terminated.
static char *read_text(Exercise *exercise, const char *path, Error *err)
{
    unsigned char *bytes;
    size_t length;
    if (!input_file_all(path, TEXT_BYTES_MAX, &exercise->arena, &bytes, &length, err))
        return NULL;
    if (!utf8_valid((const char *)bytes, length)) {
        error_set(err, TELL(EXERCISE_UTF8), path);
        return NULL;
    }
    return arena_format(&exercise->arena, err, "%.*s", (int)length, (const char *)bytes);
}

// "task" becomes the path of task.ko.md where that is wanted and there.
static const char *path_in_language(Exercise *exercise, const char *name, Error *err)
{
    const char *korean = arena_format(&exercise->arena, err, "%s/%s.ko.md", exercise->folder, name);
    bool wanted = exercise->language == LANGUAGE_KOREAN;
    if (!korean || (wanted && access(korean, R_OK) == 0))
        return korean;
    return arena_format(&exercise->arena, err, "%s/%s.md", exercise->folder, name);
}

// Reads exercise.c; what stands in comments above its code has Korean in arguments.ko.txt.
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

// --- Markdown, as far as it is headings and what stands below them

// Cuts a line off the text: returns it without its end, `*text` is what follows.
static char *take_line(char **text)
{
    char *line = *text;
    size_t length = strcspn(line, "\n");
    *text = line + length + (line[length] == '\n');
    line[length] = '\0';
    return line;
}

// Without blank lines around it.
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

// A heading and the lines below it, which `body` holds.
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

// How many lines there are before `at`, plus one.
static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

// The next line that begins a section, NULL when there is none; a fenced block has none.
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
        int line = line_of(whole, whole + (at - text));
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

// --- facts

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
    const char *slash = strrchr(exercise->folder, '/');
    const char *name = slash ? slash + 1 : exercise->folder;
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
