// A YAML file as a tree whose nodes know their line and column. Uses libyaml.
//
// Refused, with file:line:column: aliases and anchors, tags, duplicate keys, several documents,
// keys that are not plain text, more than 32 levels, files over 16 MiB, text that is not UTF-8.
#ifndef YAML_TREE_H
#define YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arena.h"
#include "error.h"

typedef enum YamlKind { YAML_SCALAR, YAML_LIST, YAML_MAP } YamlKind;

typedef struct YamlNode {
    YamlKind kind;
    int line, column; // from 1
    const char *file; // for messages: the path, "--set" for an override; "": it has no place
    const char *key;  // in a map: the key of this node
    int key_line, key_column;      // in a map: the position of the key
    const char *text;              // scalars: the text, NUL-terminated UTF-8
    bool quoted;                   // scalars: 'single', "double" or a | block: never a number
    struct YamlNode *first, *next; // children of lists and maps; next sibling
    size_t count;                  // children
    bool is_set;                   // a value of a `set` list; its place is that of the list
} YamlNode;

// Parses a file, or text in memory (`file` is for messages). Nodes live in the arena. NULL and err on failure.
YamlNode *yaml_read_file(const char *path, Arena *arena, Error *err);
YamlNode *yaml_read_text(const char *text, size_t length, const char *file, Arena *arena,
                         Error *err);

// The child with this key; NULL if there is none or `map` is not a map.
YamlNode *yaml_get(const YamlNode *map, const char *key);

// Puts `value` at a dotted path ("attention.scale"), replacing what is there and creating maps on the way.
// `value` joins the tree. Returns false and sets err if the path crosses something that is not a map.
bool yaml_set(YamlNode *root, const char *path, YamlNode *value, Arena *arena, Error *err);

// True if the node comes from an option, the prompt or a `set` list, not from a scenario's own lines.
bool yaml_is_given(const YamlNode *node);

// Puts "file:line:column: " before the message, or nothing if node->file is "". Returns false.
bool yaml_place(const YamlNode *node, Error *err);

// Sets err to "file:line:column: message". Returns false. yaml_key_error uses the position of the key.
bool yaml_error(const YamlNode *node, Error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool yaml_key_error(const YamlNode *node, Error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Read a scalar. Return false and set err, with the position and what was expected. Numbers have YAML 1.2's
// plain forms (12, -3, 0x1F, 0o17, 1.5, 2e-3, .inf, -.inf, .nan), whatever the locale.
bool yaml_integer(const YamlNode *node, int64_t low, int64_t high, int64_t *value, Error *err);
bool yaml_number(const YamlNode *node, double *value, Error *err);
bool yaml_boolean(const YamlNode *node, bool *value, Error *err);

// Rejects keys that are not in `allowed` (NULL-terminated), suggesting the nearest one.
bool yaml_only(const YamlNode *map, const char *const allowed[], Error *err);

#endif
