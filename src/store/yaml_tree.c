// Parses YAML with libyaml into a tree with positions; see yaml_tree.h.
#define _GNU_SOURCE // strtod_l
#include "yaml_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>
#include "input_file.h"
#include "shown_name.h"
#include "store_words.def"
#include "words.h"

// --- building the tree from libyaml's events

enum { DEPTH_MAX = 32, FILE_BYTES_MAX = 16 * 1024 * 1024, POOL_BYTES = 8 * 1024 };

// An open list or map.
typedef struct OpenNode {
    YamlNode *node, *last_child;
    const char *key; // in a map: the key that waits for its value; NULL: a key is next
    yaml_mark_t key_mark;
} OpenNode;

typedef struct Builder {
    yaml_parser_t parser;
    const unsigned char *bytes;
    yaml_mark_t end; // the end of the text
    const char *file;
    Arena *arena;
    Error *err;
    unsigned char *pool; // memory for nodes and texts, of which a matrix has many
    size_t pool_left;
    OpenNode open[DEPTH_MAX];
    int depth;
    YamlNode *root;
} Builder;

static void *pool_take(Builder *builder, size_t bytes)
{
    bytes = (bytes + _Alignof(YamlNode) - 1) / _Alignof(YamlNode) * _Alignof(YamlNode);
    if (bytes > POOL_BYTES / 4)
        return arena_take(builder->arena, bytes, 1, builder->err);
    if (bytes > builder->pool_left) {
        builder->pool = arena_take(builder->arena, POOL_BYTES, 1, builder->err);
        builder->pool_left = builder->pool ? POOL_BYTES : 0;
        if (!builder->pool)
            return NULL;
    }
    void *piece = builder->pool;
    builder->pool += bytes;
    builder->pool_left -= bytes;
    return piece;
}

static bool place(const Builder *builder, yaml_mark_t mark)
{
    const YamlNode here = {
        .file = builder->file, .line = (int)mark.line + 1, .column = (int)mark.column + 1};
    return yaml_place(&here, builder->err);
}

static bool refuse(Builder *builder, yaml_mark_t mark, const char *sentence)
{
    error_set(builder->err, "%s", sentence);
    return place(builder, mark);
}

static int compare_keys(const void *left, const void *right)
{
    const YamlNode *a = *(YamlNode *const *)left, *b = *(YamlNode *const *)right;
    int order = strcmp(a->key, b->key);
    if (order == 0)
        order = a->key_line - b->key_line;
    return order != 0 ? order : a->key_column - b->key_column;
}

// Sorting keeps a hostile map of a million keys from taking hours.
static bool check_duplicates(Builder *builder, const YamlNode *map)
{
    const YamlNode **sorted =
        arena_take(builder->arena, map->count, sizeof(const YamlNode *), builder->err);
    if (!sorted)
        return false;
    size_t filled = 0;
    for (const YamlNode *child = map->first; child; child = child->next)
        sorted[filled++] = child;
    qsort(sorted, filled, sizeof *sorted, compare_keys);
    for (size_t i = 1; i < filled; i++)
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0)
            return yaml_key_error(sorted[i], builder->err, TELL(YAML_TWICE), sorted[i]->key,
                                  sorted[i - 1]->key_line);
    return true;
}

// Copies a scalar's text; a NUL is an error, because it would hide the rest.
static const char *copy_text(Builder *builder, const yaml_event_t *event)
{
    const yaml_char_t *value = event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(value, '\0', length)) {
        refuse(builder, event->start_mark, TELL(YAML_ZERO));
        return NULL;
    }
    char *text = pool_take(builder, length + 1);
    if (text)
        memcpy(text, value, length);
    return text;
}

static bool take_key(Builder *builder, const yaml_event_t *event)
{
    if (event->type != YAML_SCALAR_EVENT)
        return refuse(builder, event->start_mark, TELL(YAML_KEY_TEXT));
    OpenNode *map = &builder->open[builder->depth - 1];
    map->key_mark = event->start_mark;
    map->key = copy_text(builder, event);
    if (map->key && *map->key == '\0')
        return refuse(builder, event->start_mark, TELL(YAML_KEY_MISSING));
    return map->key != NULL;
}

static void attach(Builder *builder, YamlNode *node)
{
    if (builder->depth == 0) {
        builder->root = node;
        return;
    }
    OpenNode *parent = &builder->open[builder->depth - 1];
    if (parent->node->kind == YAML_MAP) {
        node->key = parent->key;
        node->key_line = (int)parent->key_mark.line + 1;
        node->key_column = (int)parent->key_mark.column + 1;
        parent->key = NULL;
    }
    if (parent->last_child)
        parent->last_child->next = node;
    else
        parent->node->first = node;
    parent->last_child = node;
    parent->node->count++;
}

// The length of a line end here, as libyaml defines it; 0: none.
static size_t line_end(const unsigned char *at, size_t left)
{
    static const char *const ends[] = {"\r\n",     "\r",           "\n",
                                       "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t length = strlen(ends[i]);
        if (length <= left && memcmp(at, ends[i], length) == 0)
            return length;
    }
    return 0;
}

// The position of an offset, for errors without a line.
static yaml_mark_t mark_of(const unsigned char *bytes, size_t offset)
{
    yaml_mark_t mark = {.index = offset};
    for (size_t i = 0, end; i < offset; i += end ? end : 1) {
        bool continues = (bytes[i] & 0xC0) == 0x80;
        end = line_end(bytes + i, offset - i);
        mark.line += end > 0;
        mark.column = end > 0 ? 0 : mark.column + !continues;
    }
    return mark;
}

// libyaml counts one more line if the text does not end with a line end.
static yaml_mark_t mark_inside(const Builder *builder, yaml_mark_t mark)
{
    return mark.line > builder->end.line ? builder->end : mark;
}

static bool take_node(Builder *builder, const yaml_event_t *event)
{
    YamlNode *node = pool_take(builder, sizeof *node);
    if (!node)
        return false;
    node->file = builder->file;
    yaml_mark_t start = mark_inside(builder, event->start_mark);
    node->line = (int)start.line + 1;
    node->column = (int)start.column + 1;
    node->kind = event->type == YAML_SCALAR_EVENT           ? YAML_SCALAR
                 : event->type == YAML_SEQUENCE_START_EVENT ? YAML_LIST
                                                            : YAML_MAP;
    if (node->kind == YAML_SCALAR) {
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        node->text = copy_text(builder, event);
        if (!node->text)
            return false;
    }
    attach(builder, node);
    if (node->kind == YAML_SCALAR)
        return true;
    if (builder->depth == DEPTH_MAX)
        return refuse(builder, event->start_mark, TELL(YAML_DEEP));
    builder->open[builder->depth++] = (OpenNode){.node = node};
    return true;
}

static bool check_plain(Builder *builder, const yaml_event_t *event)
{
    const yaml_char_t *anchor, *tag;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor)
        return refuse(builder, event->start_mark, TELL(YAML_ANCHOR));
    if (tag)
        return refuse(builder, event->start_mark, TELL(YAML_TAG));
    return true;
}

static bool take_event(Builder *builder, const yaml_event_t *event)
{
    const OpenNode *open = builder->depth > 0 ? &builder->open[builder->depth - 1] : NULL;
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return refuse(builder, event->start_mark, TELL(YAML_ALIAS));
    case YAML_DOCUMENT_START_EVENT:
        return !builder->root || refuse(builder, event->start_mark, TELL(YAML_SECOND));
    case YAML_SCALAR_EVENT:
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        if (!check_plain(builder, event))
            return false;
        return open && open->node->kind == YAML_MAP && !open->key ? take_key(builder, event)
                                                                  : take_node(builder, event);
    case YAML_SEQUENCE_END_EVENT:
        builder->depth--;
        return true;
    case YAML_MAPPING_END_EVENT:
        builder->depth--;
        return check_duplicates(builder, open->node);
    default:
        return true;
    }
}

static bool parser_error(Builder *builder)
{
    const yaml_parser_t *parser = &builder->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return error_machine(builder->err, TELL(YAML_MEMORY), builder->file);
    if (parser->error == YAML_READER_ERROR) {
        yaml_mark_t mark = mark_of(builder->bytes, parser->problem_offset);
        error_set(builder->err, TELL(YAML_UTF8), library_text("libyaml", parser->problem));
        return place(builder, mark);
    }
    error_set(builder->err, TELL(YAML_NOT), library_text("libyaml", parser->problem));
    return place(builder, mark_inside(builder, parser->problem_mark));
}

static bool build(Builder *builder)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&builder->parser, &event))
            return parser_error(builder);
        more = event.type != YAML_STREAM_END_EVENT;
        bool taken = take_event(builder, &event);
        yaml_event_delete(&event);
        if (!taken)
            return false;
    }
    if (!builder->root)
        return refuse(builder, (yaml_mark_t){0}, TELL(YAML_EMPTY));
    return true;
}

YamlNode *yaml_read_text(const char *text, size_t length, const char *file, Arena *arena,
                         Error *err)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    if (length > FILE_BYTES_MAX) {
        error_set(err, TELL(YAML_LARGE), file, length, FILE_BYTES_MAX);
        return NULL;
    }
    Builder builder = {.bytes = (const unsigned char *)text, .arena = arena, .err = err};
    builder.file = arena_text(arena, file, err);
    if (!builder.file)
        return NULL;
    if (!yaml_parser_initialize(&builder.parser)) {
        error_machine(err, TELL(YAML_MEMORY), file);
        return NULL;
    }
    yaml_parser_set_encoding(&builder.parser, YAML_UTF8_ENCODING);
    builder.end = mark_of(builder.bytes, length);
    yaml_parser_set_input_string(&builder.parser, builder.bytes, length);
    bool built = build(&builder);
    yaml_parser_delete(&builder.parser);
    return built ? builder.root : NULL;
}

YamlNode *yaml_read_file(const char *path, Arena *arena, Error *err)
{
    Arena scratch = {0};
    unsigned char *bytes;
    size_t length;
    YamlNode *root = NULL;
    if (input_file_all(path, FILE_BYTES_MAX, &scratch, &bytes, &length, err))
        root = yaml_read_text((const char *)bytes, length, path, arena, err);
    arena_finish(&scratch);
    return root;
}

// --- lookups and values

enum { MESSAGE_MAX = 1024, SHOWN_MAX = 60 };

bool yaml_is_given(const YamlNode *node)
{
    return node->is_set || !*node->file || strncmp(node->file, "--", 2) == 0;
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

// Sets `child` under `key`, replacing an existing one or at the end.
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

// The map under `key`, created if missing; NULL if something else is there.
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
            text_add(words, sizeof words, "%s%s", i ? ", " : "", allowed[i]);
        const char *near = nearest_word(child->key, allowed);
        return yaml_key_error(child, err, TELL(YAML_UNKNOWN), SHOWN_MAX, child->key,
                              near ? TELL(YAML_MEANT) : "", near ? near : "",
                              near ? TELL(YAML_MEANT_END) : "", words);
    }
    return true;
}

// --- scalars

// Sets err: `node` is not `expected`. Returns false.
static bool unexpected(const YamlNode *node, Error *err, const char *expected)
{
    if (node->kind != YAML_SCALAR)
        return yaml_error(node, err, TELL(YAML_FOUND), expected, kind_name(node));
    if (*node->text == '\0')
        return yaml_error(node, err, TELL(YAML_FOUND_NONE), expected);
    return yaml_error(node, err, TELL(YAML_FOUND_TEXT), expected, SHOWN_MAX, node->text,
                      node->quoted ? TELL(YAML_QUOTED) : "");
}

// The text of a plain scalar; of other nodes a text that is not a value.
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

// The base of a YAML 1.2 integer (-12, 0x1F, 0o17); 0: none. `start` is the offset of its digits, or the sign of a
// decimal.
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

// [-+] digits . digits e [-+] digits, with at least one digit around the point.
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

// strtod would accept "1,5" in a German locale.
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
        const char *word = text + sign(text); // as in C, Python and on screen, but not in YAML
        bool is_named = strcasecmp(word, "inf") == 0 || strcasecmp(word, "infinity") == 0 ||
                        strcasecmp(word, "nan") == 0;
        return unexpected(node, err, is_named ? TELL(YAML_NUMBER_NAMED) : TELL(YAML_NUMBER));
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
