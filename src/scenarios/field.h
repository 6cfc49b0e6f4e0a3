// The fields of a scenario file. Every reader leaves the value as it is when the key is not there,
// and says file:line:column, what is wrong and what is allowed when it cannot be read.
#ifndef FIELD_H
#define FIELD_H

#include "tensor.h"
#include "yaml_tree.h"

// Lengths of axes, 1 or more; two of them can be multiplied without overflow.
enum { FIELD_SIZE_MAX = 0x7fffffff };

bool field_size(const YamlNode *map, const char *key, ptrdiff_t *size, Error *err);
bool field_flag(const YamlNode *map, const char *key, bool *flag, Error *err);

// What torch.manual_seed takes: from -2^63 to 2^64 - 1; a negative one stands for itself + 2^64.
bool field_seed(const YamlNode *node, uint64_t *seed, Error *err);

// A list of lengths, [2, 3, 4]; rank 0 on entry: any number of them.
bool field_shape(const YamlNode *node, int *rank, ptrdiff_t shape[], Error *err);

// One of the words in `allowed` (NULL-terminated); which one. `also` is what else the message may
// offer ("a number"), or NULL.
bool field_word(const YamlNode *node, const char *const allowed[], const char *also, int *which,
                Error *err);

// "a list", "a map", or the text in quotes, cut to a sensible length; returns text.
enum { FIELD_TEXT_MAX = 64 };
const char *field_text(const YamlNode *node, char text[FIELD_TEXT_MAX]);

#endif
