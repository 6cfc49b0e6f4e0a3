// dump: see dump.h.
#include "dump.h"

#include <ctype.h>
#include <string.h>
#include "tensor.h"
#include "notebook_words.def"

enum { NAME_MAX_KEPT = 64 };

bool dump_read(const char *path, Dump *dump, Arena *arena, Error *err)
{
    dump->count = 0;
    TensorFile *file = tensor_file_open(path, arena, err);
    if (!file)
        return false;
    int count = tensor_file_count(file);
    bool good =
        count <= DUMP_TENSORS_MAX || error_set(err, TELL(DUMP_MANY), path, count, DUMP_TENSORS_MAX);
    for (int i = 0; i < count && good; i++) {
        DumpTensor *one = &dump->tensors[dump->count++];
        *one = (DumpTensor){.number = -1};
        one->name = arena_text(arena, tensor_file_name(file, i), err);
        good = one->name && tensor_file_read(file, one->name, arena, &one->tensor, err);
    }
    tensor_file_close(file);
    return good;
}

// --- names

// Puts our word in place of theirs. False where it is none of theirs.
static bool put_ours(char name[NAME_MAX_KEPT])
{
    static const char *const names[][2] = {
#define DUMP_NAME(theirs, ours) {theirs, ours},
#define DUMP_AROUND(word)
#define DUMP_OF_HEADS(word)
#define DUMP_PART(PART, letter, word)
#include "dump_names.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i][0]) == 0) {
            memcpy(name, names[i][1], strlen(names[i][1]) + 1);
            return true;
        }
    return false;
}

static bool is_role(const char *name)
{
    return name[0] && strchr("qkv", name[0]) && !name[1];
}

// Cuts a word that may stand around a name of q, k or v; with `of_heads` also one of rows that are split, and digits.
static bool cut_word(char name[NAME_MAX_KEPT], bool of_heads)
{
    static const struct {
        const char *word;
        bool of_heads;
    } words[] = {
#define DUMP_NAME(theirs, ours)
#define DUMP_AROUND(word) {word, false},
#define DUMP_OF_HEADS(word) {word, true},
#define DUMP_PART(PART, letter, word)
#include "dump_names.def"
    };
    size_t length = strlen(name), before = of_heads ? strspn(name, "0123456789") : 0;
    if (of_heads && length > 1 && isdigit((unsigned char)name[length - 1]))
        return name[length - 1] = '\0', true;
    for (size_t i = 0; i < sizeof words / sizeof *words && before == 0; i++) {
        size_t size = strlen(words[i].word);
        if (size >= length || (words[i].of_heads && !of_heads))
            continue;
        if (text_ends(name, words[i].word))
            return name[length - size] = '\0', true;
        before = strncmp(name, words[i].word, size) == 0 ? size : 0;
    }
    if (before > 0)
        memmove(name, name + before, length - before + 1);
    return before > 0;
}

// Makes "wquery" and "linq" "q"; leaves what is not a name of q, k or v.
static void find_role(char name[NAME_MAX_KEPT], bool of_heads)
{
    char cut[NAME_MAX_KEPT];
    memcpy(cut, name, sizeof cut);
    bool more = true;
    while (!put_ours(cut) && !is_role(cut) && more)
        more = cut_word(cut, of_heads);
    if (is_role(cut))
        memcpy(name, cut, sizeof cut);
}

// "self.W_query.weight" becomes "q" and ".weight", "attn_dists" becomes "attnweights" and "".
static const char *plain_name(const char *name, char plain[NAME_MAX_KEPT])
{
    static const char *const parts[] = {".weight", ".bias",     ".per_head", ".kernel",
                                        "/kernel", "/kernel:0", "/bias",     "/bias:0"};
    const char *part = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (text_ends(name, parts[i]))
            part = parts[i];
    const char *end = name + strlen(name) - strlen(part), *start = end;
    while (start > name && start[-1] != '.' && start[-1] != '/')
        start--;
    size_t length = 0;
    for (; start < end && length + 1 < NAME_MAX_KEPT; start++)
        if (*start != '_')
            plain[length++] = (char)tolower((unsigned char)*start);
    plain[length] = '\0';
    if (!put_ours(plain))
        find_role(plain, false);
    return part;
}

char dump_numbered(const char *name)
{
    char plain[NAME_MAX_KEPT];
    plain_name(name, plain);
    size_t digits = strspn(plain + (plain[0] != '\0'), "0123456789");
    bool is_numbered = plain[0] && strchr("qkv", plain[0]) && digits > 0;
    return is_numbered ? plain[0] : '\0';
}

bool dump_is_part(const char *name, DumpPart part)
{
    static const struct {
        DumpPart part;
        char letter;
        const char *word;
    } words[] = {
#define DUMP_NAME(theirs, ours)
#define DUMP_AROUND(word)
#define DUMP_OF_HEADS(word)
#define DUMP_PART(PART, letter, word) {DUMP_PART_##PART, letter, word},
#include "dump_names.def"
    };
    const char *last = name;
    for (const char *at = name; *at; at++)
        if ((*at == '.' || *at == '/') && at[1])
            last = at + 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].part == part &&
            (tolower((unsigned char)*last) == words[i].letter || strstr(name, words[i].word)))
            return true;
    return false;
}

// Whether a person's name is one of those that are known for one of ours.
static bool dump_is_named(const char *theirs, const char *ours)
{
    char plain[NAME_MAX_KEPT], own[NAME_MAX_KEPT];
    const char *part = plain_name(theirs, plain), *own_part = plain_name(ours, own);
    return strcmp(plain, own) == 0 && strcmp(part, own_part) == 0;
}

char dump_role(const char *name)
{
    char plain[NAME_MAX_KEPT];
    plain_name(name, plain);
    find_role(plain, true);
    return is_role(plain) ? plain[0] : strcmp(plain, "out") == 0 ? 'o' : '\0';
}

// The last part of a name, without "weight" or "bias".
static const char *last_part(const char *name, size_t *length)
{
    char plain[NAME_MAX_KEPT];
    const char *end = name + strlen(name) - strlen(plain_name(name, plain)), *start = end;
    while (start > name && start[-1] != '.' && start[-1] != '/')
        start--;
    *length = (size_t)(end - start);
    return start;
}

char dump_role_in_list(const char *name)
{
    size_t length;
    const char *last = last_part(name, &length);
    bool is_place = length == 1 && last > name && *last >= '0' && *last < '3';
    return is_place ? "qkv"[*last - '0'] : '\0';
}

bool dump_are_together(const char *one, const char *other)
{
    size_t mine, its;
    const char *last = last_part(one, &mine), *last_of_other = last_part(other, &its);
    bool same_path =
        last - one == last_of_other - other && strncmp(one, other, (size_t)(last - one)) == 0;
    const char *end = last + mine, *end_of_other = last_of_other + its;
    bool is_digit = true, is_same = true;
    if (same_path && dump_role_in_list(one) && dump_role_in_list(other))
        return true;
    while (is_digit && end > last && end_of_other > last_of_other) {
        end--, end_of_other--;
        is_digit = isdigit((unsigned char)*end) || isdigit((unsigned char)*end_of_other);
        is_same = is_same && (!is_digit || *end == *end_of_other);
    }
    return same_path && is_same;
}

// Whether the map says that `theirs` is `ours`.
static bool is_mapped(const char *map, const char *theirs, const char *ours)
{
    size_t length = strlen(theirs), own = strlen(ours);
    for (const char *at = map; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, theirs, length) == 0 && at[length] == '=' &&
            strncmp(at + length + 1, ours, own) == 0 && strchr(",", at[length + 1 + own]))
            return true;
    return false;
}

static bool is_like(const Tensor *a, const Tensor *b)
{
    return a->dtype == b->dtype && tensor_same_shape(a, b);
}

int dump_put_inputs(const Dump *dump, const char *map, Scenario *scenario)
{
    int count = 0;
    for (int i = 0; i < scenario->tensor_count; i++)
        for (int other = 0; other < dump->count; other++) {
            const char *theirs = dump->tensors[other].name, *ours = scenario->tensors[i].name;
            if (is_like(&dump->tensors[other].tensor, &scenario->tensors[i].tensor) &&
                (is_mapped(map, theirs, ours) || dump_is_named(theirs, ours))) {
                tensor_copy(&dump->tensors[other].tensor, &scenario->tensors[i].tensor);
                count++;
                break;
            }
        }
    return count;
}

// --- matching

bool dump_is_taken(const Dump *dump, int number)
{
    for (int i = 0; i < dump->count; i++)
        if (dump->tensors[i].match != DUMP_NOT && dump->tensors[i].number == number)
            return true;
    return false;
}

static bool fits(DumpMatch way, const DumpTensor *one, const TraceTensor *other, const char *map)
{
    if (way == DUMP_BY_MAP)
        return is_mapped(map, one->name, other->name);
    if (!is_like(&one->tensor, &other->tensor))
        return false;
    return way == DUMP_BY_NAME ? dump_is_named(one->name, other->name)
           : way == DUMP_BY_VALUE
               ? tensor_difference(&one->tensor, &other->tensor).kind == DIFFERENCE_NONE
               : true;
}

// By shape alone only where no other is left; a later step of the same numbers is one like an earlier.
static void match_in(DumpMatch way, Dump *dump, const char *map, const Trace *trace)
{
    for (int i = 0; i < dump->count; i++) {
        DumpTensor *one = &dump->tensors[i];
        int found = -1, count = 0;
        for (int number = 0; one->match == DUMP_NOT && number < trace->tensor_count; number++)
            if (!dump_is_taken(dump, number) && fits(way, one, &trace->tensors[number], map)) {
                found = found < 0 ? number : found;
                count++;
            }
        if (count == 0 || (way == DUMP_BY_SHAPE && count > 1))
            continue;
        one->match = way;
        one->number = found;
    }
}

static bool check_map(const Dump *dump, const char *map, const Trace *trace, Error *err)
{
    for (const char *at = map; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        int found = 0, length = (int)strcspn(at, ",");
        for (int i = 0; i < dump->count; i++)
            for (int number = 0; number < trace->tensor_count; number++) {
                const char *theirs = dump->tensors[i].name, *ours = trace->tensors[number].name;
                found += (int)(strlen(theirs) + strlen(ours)) + 1 == length &&
                         is_mapped(at, theirs, ours);
            }
        if (found == 0)
            return error_set(err, TELL(DUMP_MAP), length, at);
    }
    return true;
}

bool dump_match(Dump *dump, const char *map, const Trace *trace, Error *err)
{
    if (!check_map(dump, map, trace, err))
        return false;
    for (DumpMatch way = DUMP_BY_MAP; way <= DUMP_BY_VALUE; way++)
        match_in(way, dump, map, trace);
    return true;
}

// The numbers of one that was matched, under another name: what a hook keeps of the last module is the
// output.
static void match_again(Dump *dump, DumpTensor *one)
{
    for (int i = 0; one->match == DUMP_NOT && i < dump->count; i++) {
        const DumpTensor *other = &dump->tensors[i];
        if (other->match == DUMP_NOT || !is_like(&one->tensor, &other->tensor) ||
            tensor_difference(&one->tensor, &other->tensor).kind != DIFFERENCE_NONE)
            continue;
        one->match = DUMP_AGAIN;
        one->number = other->number;
    }
}

void dump_match_shapes(Dump *dump, const Trace *trace)
{
    for (int i = 0; i < dump->count; i++)
        match_again(dump, &dump->tensors[i]);
    match_in(DUMP_BY_SHAPE, dump, NULL, trace);
}
