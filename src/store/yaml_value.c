// yaml_value: finding and placing nodes in a tree, and scalars as numbers; see yaml_tree.h.
#include "yaml_tree.h"
#include "nearest.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "store_words.h"

enum { MESSAGE_MAX = 1024, SHOWN_MAX = 60 };

bool yaml_is_given(const YamlNode *node)
{
    return !*node->file || strncmp(node->file, "--", 2) == 0;
}

bool yaml_place(const YamlNode *node, Error *err)
{
    return *node->file && error_prefix(err, "%s:%d:%d: ", node->file, node->line, node->column);
}

bool yaml_error(const YamlNode *node, Error *err, const char *format, ...)
{
    char said[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    error_set(err, "%s", said);
    return yaml_place(node, err);
}

bool yaml_key_error(const YamlNode *node, Error *err, const char *format, ...)
{
    char said[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    const YamlNode key = {.file = node->file, .line = node->key_line, .column = node->key_column};
    error_set(err, "%s", said);
    return yaml_place(&key, err);
}

// --- maps

YamlNode *yaml_get(const YamlNode *map, const char *key)
{
    if (map->kind != YAML_MAP)
        return NULL;
    for (YamlNode *child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

static const char *kind_name(const YamlNode *node)
{
    static const Words names[] = {
        [YAML_SCALAR] = WORDS("a single value", "값 하나"),
        [YAML_LIST] = WORDS("a list", "목록"),
        [YAML_MAP] = WORDS("a map", "맵"),
    };
    return words_tell(names[node->kind]);
}

// Puts `child` under `key`, in the place of the child that has this key, or last.
static void map_put(YamlNode *map, const char *key, YamlNode *child)
{
    YamlNode **link = &map->first;
    while (*link && strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    child->key = key;
    child->key_line = child->line;
    child->key_column = child->column;
    child->next = *link ? (*link)->next : NULL;
    map->count += *link == NULL;
    *link = child;
}

// The map under `key`, made when there is none; NULL when something else is there.
static YamlNode *map_inside(YamlNode *map, const char *key, const char *path, const YamlNode *value,
                            Arena *arena, Error *err)
{
    YamlNode *inner = yaml_get(map, key);
    if (inner && inner->kind != YAML_MAP) {
        yaml_error(value, err, TELL(YAML_NO_INSIDE), path, key, kind_name(inner), inner->file,
                   inner->line);
        return NULL;
    }
    if (!inner && (inner = arena_take(arena, 1, sizeof *inner, err))) {
        *inner = (YamlNode){
            .kind = YAML_MAP, .line = value->line, .column = value->column, .file = value->file};
        map_put(map, key, inner);
    }
    return inner;
}

bool yaml_set(YamlNode *root, const char *path, YamlNode *value, Arena *arena, Error *err)
{
    if (root->kind != YAML_MAP)
        return yaml_error(value, err, TELL(YAML_NOT_MAP), path, root->file, root->line,
                          kind_name(root));
    char *key = arena_text(arena, path, err);
    YamlNode *map = root;
    while (map && key) {
        char *dot = strchr(key, '.');
        if (dot)
            *dot = '\0';
        if (*key == '\0')
            return yaml_error(value, err, TELL(YAML_EMPTY_PART), path);
        if (!dot) {
            map_put(map, key, value);
            return true;
        }
        map = map_inside(map, key, path, value, arena, err);
        key = dot + 1;
    }
    return false;
}

// Appends ", word" to a text of limited room.
static void append_word(char *text, size_t room, const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%s%s", used ? ", " : "", word);
}

bool yaml_only(const YamlNode *map, const char *const allowed[], Error *err)
{
    if (map->kind != YAML_MAP)
        return yaml_error(map, err, TELL(YAML_MAP), kind_name(map));
    for (const YamlNode *child = map->first; child; child = child->next) {
        bool known = false;
        for (size_t i = 0; allowed[i] && !known; i++)
            known = strcmp(child->key, allowed[i]) == 0;
        if (known)
            continue;
        char words[MESSAGE_MAX / 2] = "";
        for (size_t i = 0; allowed[i]; i++)
            append_word(words, sizeof words, allowed[i]);
        const char *near = nearest_word(child->key, allowed);
        return yaml_key_error(child, err, TELL(YAML_UNKNOWN), SHOWN_MAX, child->key,
                              near ? TELL(YAML_MEANT) : "", near ? near : "",
                              near ? TELL(YAML_MEANT_END) : "", words);
    }
    return true;
}

// --- scalars

// Refuses `node` as not being `expected`; returns false.
static bool unexpected(const YamlNode *node, Error *err, const char *expected)
{
    if (node->kind != YAML_SCALAR)
        return yaml_error(node, err, TELL(YAML_FOUND), expected, kind_name(node));
    if (*node->text == '\0')
        return yaml_error(node, err, TELL(YAML_FOUND_NONE), expected);
    return yaml_error(node, err, TELL(YAML_FOUND_TEXT), expected, SHOWN_MAX, node->text,
                      node->quoted ? TELL(YAML_QUOTED) : "");
}

// The letters of a plain scalar; of any other node, letters that are no value of any kind.
static const char *plain_text(const YamlNode *node)
{
    return node->kind == YAML_SCALAR && !node->quoted ? node->text : "none";
}

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

static size_t sign(const char *text)
{
    return *text == '-' || *text == '+';
}

// YAML 1.2: -12, 0x1F, 0o17; 0 when the text is none of them, else the base. `start` is where the
// digits (and the sign of a decimal) begin.
static int integer_base(const char *text, const char **start)
{
    const char *after = text + sign(text);
    *start = text;
    if (digits(after) > 0 && after[digits(after)] == '\0')
        return 10;
    *start = text + 2;
    if (strncmp(text, "0x", 2) == 0 && text[2] &&
        text[2 + strspn(text + 2, "0123456789abcdefABCDEF")] == '\0')
        return 16;
    if (strncmp(text, "0o", 2) == 0 && text[2] && text[2 + strspn(text + 2, "01234567")] == '\0')
        return 8;
    return 0;
}

bool yaml_integer(const YamlNode *node, int64_t low, int64_t high, int64_t *value, Error *err)
{
    char expected[100];
    snprintf(expected, sizeof expected, TELL(YAML_WHOLE), low, high);
    const char *start = NULL;
    int base = integer_base(plain_text(node), &start);
    if (base == 0)
        return unexpected(node, err, expected);
    errno = 0;
    long long number = strtoll(start, NULL, base);
    if (errno != 0 || number < low || number > high)
        return unexpected(node, err, expected);
    *value = number;
    return true;
}

// [-+] digits . digits e [-+] digits, with a digit before or after the point.
static bool is_decimal(const char *text)
{
    text += sign(text);
    size_t whole = digits(text);
    text += whole;
    size_t places = 0;
    if (*text == '.') {
        places = digits(text + 1);
        text += 1 + places;
    }
    if (whole + places == 0)
        return false;
    if (*text == 'e' || *text == 'E') {
        text++;
        text += sign(text);
        if (digits(text) == 0)
            return false;
        text += digits(text);
    }
    return *text == '\0';
}

// The C library's strtod would read "1,5" in a German locale.
static double decimal(const char *text)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double number = strtod_l(text, NULL, c);
    freelocale(c);
    return number;
}

static bool is_one_of(const char *text, const char *const words[])
{
    for (size_t i = 0; words[i]; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

// As C, Python and the screen write them, YAML does not: "-inf", "Infinity", "nan".
static bool names_no_digits(const char *text)
{
    static const char *const names[] = {"inf", "infinity", "nan"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(text + sign(text), names[i]) == 0)
            return true;
    return false;
}

bool yaml_number(const YamlNode *node, double *value, Error *err)
{
    static const char *const infinities[] = {".inf", ".Inf", ".INF", NULL};
    static const char *const nans[] = {".nan", ".NaN", ".NAN", NULL};
    const char *text = plain_text(node);
    const char *start;
    int64_t whole;
    int base = integer_base(text, &start);

    if (is_decimal(text)) {
        *value = decimal(text);
        if (isinf(*value))
            return yaml_error(node, err, TELL(YAML_BEYOND), SHOWN_MAX, text);
    } else if (base > 0) {
        if (!yaml_integer(node, 0, INT64_MAX, &whole, err))
            return false;
        *value = (double)whole;
    } else if (is_one_of(text + sign(text), infinities)) {
        *value = *text == '-' ? -INFINITY : INFINITY;
    } else if (is_one_of(text, nans)) {
        *value = NAN;
    } else {
        return unexpected(node, err,
                          names_no_digits(text) ? TELL(YAML_NUMBER_NAMED) : TELL(YAML_NUMBER));
    }
    return true;
}

bool yaml_boolean(const YamlNode *node, bool *value, Error *err)
{
    static const char *const yes[] = {"true", "True", "TRUE", NULL};
    static const char *const no[] = {"false", "False", "FALSE", NULL};
    const char *text = plain_text(node);
    *value = is_one_of(text, yes);
    return *value || is_one_of(text, no) || unexpected(node, err, TELL(YAML_FLAG));
}
