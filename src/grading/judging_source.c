// Examines a learner's source before it runs; see judging.h.
#include "judging.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "grading_internal.h"
#include "input_file.h"
#include "worker.h"

// --- parameters

enum { PARAMETERS_MAX = 16, NAME_MAX_BYTES = 64, LIST_MAX = 400 };

// Parameters of one kind are passed alike, whatever their type is called.
typedef enum Kind { UNKNOWN, TENSOR, WHOLE, SINGLE, DOUBLE, OTHER } Kind;

typedef struct Parameter {
    Kind kind;
    char name[NAME_MAX_BYTES];
} Parameter;

typedef struct Definition {
    int line, count;
    Parameter all[PARAMETERS_MAX];
    char list[LIST_MAX]; // as written, on one line
} Definition;

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Blanks out comments and preprocessor lines. Returns false if such lines select or replace code.
static bool judging_keep_code(char *text)
{
    for (char *at = text; *at; at++) {
        char *end = at;
        bool begins_line = at == text || at[-1] == '\n';
        if (at[0] == '/' && at[1] == '/')
            end += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*')
            end = strstr(at + 2, "*/") ? strstr(at + 2, "*/") + 2 : at + strlen(at);
        else if (begins_line && at[strspn(at, " \t")] == '#')
            end += strcspn(at, "\n");
        bool is_directive = end > at && begins_line && at[strspn(at, " \t")] == '#';
        if (is_directive && strncmp(at + strspn(at, "# \t"), "include", 7) != 0)
            return false;
        for (; at < end; at++)
            if (*at != '\n')
                *at = ' ';
        if (!*at)
            break;
    }
    return true;
}

static Kind kind_of_type(const char *word)
{
    static const struct {
        const char *word;
        Kind kind;
    } types[] = {
        {"Tensor", TENSOR},  {"ptrdiff_t", WHOLE}, {"int64_t", WHOLE}, {"int", WHOLE},
        {"long", WHOLE},     {"size_t", WHOLE},    {"ssize_t", WHOLE}, {"unsigned", WHOLE},
        {"signed", WHOLE},   {"short", WHOLE},     {"int32_t", WHOLE}, {"uint64_t", WHOLE},
        {"uint32_t", WHOLE}, {"bool", WHOLE},      {"_Bool", WHOLE},   {"char", WHOLE},
        {"float", SINGLE},   {"double", DOUBLE},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].word, word) == 0)
            return types[i].kind;
    return UNKNOWN;
}

// Parses "const Tensor *q" up to `end`. Returns false for an unknown type.
static bool read_parameter(const char *at, const char *end, Parameter *parameter)
{
    int stars = 0;
    *parameter = (Parameter){.kind = UNKNOWN};
    while (at < end) {
        char word[NAME_MAX_BYTES];
        size_t length = 0;
        while (at + length < end && is_letter(at[length]))
            length++;
        stars += *at == '*' || *at == '[';
        if (length == 0) {
            at++;
            continue;
        }
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        at += length;
        Kind kind = kind_of_type(word);
        if (kind != UNKNOWN && parameter->kind != DOUBLE)
            parameter->kind = kind;
        else if (strcmp(word, "const") != 0 && strcmp(word, "restrict") != 0 &&
                 strcmp(word, "volatile") != 0 && strcmp(word, "struct") != 0 &&
                 !isdigit((unsigned char)*word))
            memcpy(parameter->name, word, sizeof word);
    }
    bool is_known = parameter->kind != UNKNOWN && stars < 2;
    if ((stars == 1) != (parameter->kind == TENSOR)) // an array of floats, or a tensor by value
        parameter->kind = OTHER;
    return is_known;
}

// The text in the parentheses, with single blanks.
static void write_list(const char *at, const char *end, char list[LIST_MAX])
{
    size_t used = 0;
    for (; at < end && used + 1 < LIST_MAX; at++) {
        bool is_blank = isspace((unsigned char)*at);
        if (!is_blank || (used > 0 && list[used - 1] != ' '))
            list[used++] = is_blank ? ' ' : *at;
    }
    list[used] = '\0';
}

static bool read_parameters(const char *at, const char *end, Definition *definition)
{
    write_list(at, end, definition->list);
    while (at < end && definition->count < PARAMETERS_MAX) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        if (!read_parameter(at, stop, &definition->all[definition->count++]))
            return false;
        at = stop + 1;
    }
    return at >= end;
}

// The start of the definition's list, after its parenthesis; NULL: none.
static const char *find_list(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at++) {
        const char *open = at + length + strspn(at + length, " \t\n");
        bool is_word = (at == text || !is_letter(at[-1])) && !is_letter(at[length]);
        const char *close = is_word && *open == '(' ? strpbrk(open + 1, "()") : NULL;
        if (close && *close == ')' && close[1 + strspn(close + 1, " \t\n\r")] == '{')
            return open + 1;
    }
    return NULL;
}

static bool read_definition(const char *source, const char *name, Definition *definition)
{
    *definition = (Definition){.line = 1};
    char *text = strdup(source);
    const char *list = text && judging_keep_code(text) ? find_list(text, name) : NULL;
    bool is_read = list && read_parameters(list, strchr(list, ')'), definition);
    for (const char *at = text; is_read && at < list; at++)
        definition->line += *at == '\n';
    free(text);
    return is_read;
}

// True if both lists have the same names in another order.
static bool are_exchanged(const Definition *own, const Definition *right)
{
    bool differs = false;
    for (int i = 0; i < right->count; i++) {
        bool found = false;
        for (int j = 0; j < own->count; j++)
            found = found || strcmp(right->all[i].name, own->all[j].name) == 0;
        if (!found || !*right->all[i].name)
            return false;
        differs = differs || strcmp(right->all[i].name, own->all[i].name) != 0;
    }
    return differs;
}

static bool fits(const Definition *own, const Definition *right)
{
    if (own->count != right->count)
        return false;
    for (int i = 0; i < right->count; i++)
        if (own->all[i].kind != right->all[i].kind)
            return false;
    return !are_exchanged(own, right);
}

bool judging_arguments(const char *source, const char *stub, const char *exercise,
                       Error messages[LANGUAGES])
{
    Definition own, right;
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, "%s", exercise);
    for (char *at = name; *at; at++)
        *at = *at == '-' ? '_' : *at;
    if (!read_definition(stub, name, &right) || !read_definition(source, name, &own) ||
        fits(&own, &right))
        return false;
    for (int language = 0; language < LANGUAGES; language++)
        error_set(&messages[language],
                  TELL_IN(language_beside((Language)language), JUDGE_OTHER_ARGUMENTS), own.line,
                  name, own.list, right.list);
    return true;
}

bool judging_arguments_of(const Workspace *workspace, int number, Error messages[LANGUAGES])
{
    enum { SOURCE_MAX = 1 << 20 };
    Error err;
    Arena arena = {0};
    const Exercise *exercise = &workspace->exercises.exercises[number];
    const char *path = workspace_path(workspace, number, &arena, &err);
    const char *source = path ? input_file_text(path, SOURCE_MAX, &arena, &err) : NULL;
    bool differ = source && judging_arguments(source, exercise->stub, exercise->name, messages);
    for (int language = 0; differ && language < LANGUAGES; language++)
        worker_words_printable(messages[language].text);
    arena_finish(&arena);
    return differ;
}

// --- variables that outlive a call

// True if the words from `at` to `end` include this one.
static bool has_word(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    for (; at + length <= end; at++) {
        bool begins = !isalnum((unsigned char)at[-1]) && at[-1] != '_';
        bool ends = !isalnum((unsigned char)at[length]) && at[length] != '_';
        if (begins && ends && strncmp(at, word, length) == 0)
            return true;
    }
    return false;
}

// True if the text before a ; = or [ defines a variable that outlives a call.
static bool is_kept(const char *at, const char *end, bool is_outside)
{
    static const char *const others[] = {"const", "typedef", "extern", "return", "enum"};
    bool has_two = false;
    for (const char *blank = at; blank < end; blank++)
        has_two = has_two || (isspace((unsigned char)*blank) && isalpha((unsigned char)blank[1]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (has_word(at, end, others[i]))
            return false;
    return has_two && isalpha((unsigned char)*at) && (is_outside || has_word(at, end, "static"));
}

// "5: static float root": the line, and its words with single blanks.
static void write_kept(const char *text, const char *at, const char *end,
                       char kept[JUDGING_KEPT_MAX])
{
    int line = 1;
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    for (const char *before = text; before < at; before++)
        line += *before == '\n';
    size_t used = (size_t)snprintf(kept, JUDGING_KEPT_MAX, "%d: ", line);
    for (; at < end && used + 1 < JUDGING_KEPT_MAX; at++) {
        bool is_blank = isspace((unsigned char)*at);
        if (!is_blank || !isspace((unsigned char)at[-1]))
            kept[used++] = is_blank ? ' ' : *at;
    }
    kept[used] = '\0';
}

// `text` starts with an added blank, so that every word has a predecessor. Each piece between ; { and } is classified by
// what precedes its first = [ or (.
static bool find_kept(const char *text, char kept[JUDGING_KEPT_MAX])
{
    int depth = 0;
    for (const char *start = text; *start;) {
        start += strspn(start, " \t\r\n");
        const char *at = start + strcspn(start, ";=[({}");
        if (*at && strchr(";=[", *at) && is_kept(start, at, depth == 0)) {
            write_kept(text, start, at, kept);
            return true;
        }
        at += strcspn(at, ";{}");
        depth += (*at == '{') - (*at == '}');
        start = at + (*at != '\0');
    }
    return false;
}

bool judging_kept(const char *source, char kept[JUDGING_KEPT_MAX])
{
    size_t room = strlen(source) + 2;
    char *text = malloc(room);
    if (text)
        snprintf(text, room, " %s", source);
    bool found = text && judging_keep_code(text + 1) && find_kept(text, kept);
    free(text);
    return found;
}

bool judging_kept_of(const Workspace *workspace, int number, char kept[JUDGING_KEPT_MAX])
{
    enum { SOURCE_MAX = 1 << 20 };
    Error err;
    Arena arena = {0};
    char found[JUDGING_KEPT_MAX];
    const char *path = workspace_path(workspace, number, &arena, &err);
    const char *source = path ? input_file_text(path, SOURCE_MAX, &arena, &err) : NULL;
    bool is_found = source && judging_kept(source, found);
    if (is_found) {
        snprintf(kept, JUDGING_KEPT_MAX, "%.60s:%.90s", path_name(path), found);
        worker_words_printable(kept);
    }
    arena_finish(&arena);
    return is_found;
}
