// yaml_tree: libyaml's events, put together as a tree of places; see yaml_tree.h. Scalars as values
// are in yaml_value.c.
#include "yaml_tree.h"
#include "input_file.h"
#include "library_text.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include "store_words.h"

enum { DEPTH_MAX = 32, FILE_BYTES_MAX = 16 * 1024 * 1024, POOL_BYTES = 64 * 1024 - 64 };

// A list or map whose end has not been seen yet.
typedef struct OpenNode {
    YamlNode *node, *last_child;
    const char *key; // of a map: the key whose value comes next; NULL: a key comes next
    yaml_mark_t key_mark;
} OpenNode;

typedef struct Builder {
    yaml_parser_t parser;
    const unsigned char *bytes;
    yaml_mark_t end; // of the text
    const char *file;
    Arena *arena;
    Error *err;
    unsigned char *pool; // nodes and texts are cut from here, because a literal matrix has many
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

// A copy of the scalar's text, which must hold no NUL: "\0" would hide what follows it.
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

// The bytes of a line's end, as libyaml has it, where one begins; 0: none does.
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

// Where a byte stands, for the errors to which libyaml gives only an offset.
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

// To libyaml what ends without the end of a line has one line more.
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
