// A YAML file as a tree whose every node knows its line and column. Read with libyaml.
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
    const char *key;  // in a map: the key this node belongs to
    int key_line, key_column;      // in a map: where the key stands
    const char *text;              // scalars: the text, NUL-terminated UTF-8
    bool quoted;                   // scalars: 'single', "double" or a | block: never a number
    struct YamlNode *first, *next; // children of lists and maps; next sibling
    size_t count;                  // children
} YamlNode;

// Reads a file, or text held in memory (`file` then only names it). NULL with a sentence. Nodes
// live in the arena.
YamlNode *yaml_read_file(const char *path, Arena *arena, Error *err);
YamlNode *yaml_read_text(const char *text, size_t length, const char *file, Arena *arena,
                         Error *err);

// The child of a map with this key, NULL when there is none (or when it is not a map).
YamlNode *yaml_get(const YamlNode *map, const char *key);

// Puts `value` at a dotted path ("attention.scale"), replacing what is there and making the maps
// on the way. `value` becomes part of the tree. False when the path goes through something that is
// not a map.
bool yaml_set(YamlNode *root, const char *path, YamlNode *value, Arena *arena, Error *err);

// Whether the node stands in no file: somebody gave it by an option, or typed it.
bool yaml_is_given(const YamlNode *node);

// Puts "file:line:column: " in front of what `err` says, nothing where the node's file is "" (a line that
// somebody typed); returns false.
bool yaml_place(const YamlNode *node, Error *err);

// Says "file:line:column: " and the message; returns false. yaml_key_error says where the node's
// key stands instead.
bool yaml_error(const YamlNode *node, Error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool yaml_key_error(const YamlNode *node, Error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Scalars as values. False with the place and what was expected. Numbers: the plain forms of YAML
// 1.2 (12, -3, 0x1F, 0o17, 1.5, 2e-3, .inf, -.inf, .nan); never depending on the locale.
bool yaml_integer(const YamlNode *node, int64_t low, int64_t high, int64_t *value, Error *err);
bool yaml_number(const YamlNode *node, double *value, Error *err);
bool yaml_boolean(const YamlNode *node, bool *value, Error *err);

// Refuses keys that are not in `allowed` (NULL-terminated), naming the nearest allowed one.
bool yaml_only(const YamlNode *map, const char *const allowed[], Error *err);

#endif
