// Unicode properties, and regular expressions for tokenizers; see pattern.h.
//
// An expression is compiled to steps, which run with a backtracking stack. Sub-programs (lookahead, atomic groups) end in
// STEP_END and run recursively.
#include "pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>
#include "utf8.h"

// --- characters

CharacterKind character_kind(uint32_t character)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)character);
    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO)
        return CHARACTER_LETTER;
    if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO)
        return CHARACTER_NUMBER;
    if (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO)
        return CHARACTER_PUNCTUATION;
    if (category == UTF8PROC_CATEGORY_CN || category >= UTF8PROC_CATEGORY_CC)
        return CHARACTER_CONTROL;
    return category == UTF8PROC_CATEGORY_MN   ? CHARACTER_MARK
           : category == UTF8PROC_CATEGORY_ZS ? CHARACTER_SEPARATOR
                                              : CHARACTER_OTHER;
}

const char *character_category(uint32_t character)
{
    return utf8proc_category_string((utf8proc_int32_t)character);
}

bool character_is_space(uint32_t character)
{
    static const uint32_t others[] = {0x20,   0x85,   0xa0,   0x1680, 0x2028,
                                      0x2029, 0x202f, 0x205f, 0x3000};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (character == others[i])
            return true;
    return (character >= 0x09 && character <= 0x0d) || (character >= 0x2000 && character <= 0x200a);
}

uint32_t character_lower(uint32_t character)
{
    return (uint32_t)utf8proc_tolower((utf8proc_int32_t)character);
}

static uint32_t character_upper(uint32_t character)
{
    return (uint32_t)utf8proc_toupper((utf8proc_int32_t)character);
}

size_t character_parts(uint32_t character, uint32_t parts[CHARACTER_PARTS_MAX])
{
    int boundary = 0;
    utf8proc_int32_t made[CHARACTER_PARTS_MAX];
    utf8proc_ssize_t count = utf8proc_decompose_char(
        (utf8proc_int32_t)character, made, CHARACTER_PARTS_MAX, UTF8PROC_DECOMPOSE, &boundary);
    if (count < 1 || count > CHARACTER_PARTS_MAX) {
        parts[0] = character;
        return 1;
    }
    for (utf8proc_ssize_t i = 0; i < count; i++)
        parts[i] = (uint32_t)made[i];
    return (size_t)count;
}

size_t character_normalize(const char *text, size_t length, CharacterForm form, uint32_t out[],
                           size_t room)
{
    bool composes = form == CHARACTER_NFC || form == CHARACTER_NFKC;
    bool is_compatible = form == CHARACTER_NFKD || form == CHARACTER_NFKC;
    utf8proc_option_t options = (composes ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) |
                                (is_compatible ? UTF8PROC_COMPAT : 0) | UTF8PROC_STABLE;
    utf8proc_int32_t *made = (utf8proc_int32_t *)(void *)out;
    utf8proc_ssize_t count =
        utf8proc_decompose((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, made,
                           (utf8proc_ssize_t)room, options);
    if (count > (utf8proc_ssize_t)room || count < 0)
        return count < 0 ? room + 1 : (size_t)count;
    return composes ? (size_t)utf8proc_normalize_utf32(made, count, options) : (size_t)count;
}

bool character_parts_from(uint32_t before, uint32_t character, int *state)
{
    return utf8proc_grapheme_break_stateful((utf8proc_int32_t)before, (utf8proc_int32_t)character,
                                            state);
}

size_t character_put(uint32_t character, char bytes[4])
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)character, (utf8proc_uint8_t *)bytes);
}

// --- patterns

enum {
    STEPS_MAX = 4000, // of a program
    DEPTH_MAX = 12,   // of nested groups
    TIMES_MAX = 100,  // in {m,n}
    FOREVER = TIMES_MAX + 1,
    TEXT_MAX = 2000, // bytes of a pattern
};

// --- sets of characters

// A range, a property, or a nested class.
typedef struct SetItem {
    uint32_t low, high;
    char property[3];         // "L", "Lu"; "s", "w": \s, \w; "": none
    const struct Set *within; // NULL: none
    bool negated;
} SetItem;

typedef struct Set {
    SetItem *items;
    size_t count, room;
    bool negated, folds; // folds: (?i:, ignores case
} Set;

typedef enum StepKind {
    STEP_SET,    // one character of a set
    STEP_SPLIT,  // continue at `to`; on failure at `other`
    STEP_JUMP,   // continue at `to`
    STEP_AHEAD,  // the following program matches here (negated: does not); continue at `to`
    STEP_ATOMIC, // the first match of the following program; continue at `to`
    STEP_END,
} StepKind;

typedef struct Step {
    StepKind kind;
    const Set *set;
    size_t to, other;
    bool negated;
} Step;

struct Pattern {
    Step *steps;
    size_t count;
};

typedef struct Parser {
    const char *at;
    Pattern *pattern;
    int depth;
    bool folds;
    Arena *arena;
    Error *err;
} Parser;

bool pattern_is_word(uint32_t c)
{
    const char *category = character_category(c);
    bool is_circled = (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) ||
                      (c >= 0x1f150 && c <= 0x1f169) || (c >= 0x1f170 && c <= 0x1f189);
    return *category == 'L' || *category == 'M' || strcmp(category, "Nd") == 0 ||
           strcmp(category, "Nl") == 0 || strcmp(category, "Pc") == 0 || is_circled;
}

static uint32_t fold(uint32_t c)
{
    return character_lower(character_upper(c));
}

static bool set_has(const Set *set, uint32_t c);

static bool item_has(const SetItem *item, uint32_t c)
{
    bool has = false;
    if (item->within)
        has = set_has(item->within, c);
    else if (item->property[0] == 's')
        has = character_is_space(c);
    else if (item->property[0] == 'w')
        has = pattern_is_word(c) || character_category(c)[0] == 'N';
    else if (item->property[0])
        has = strncmp(character_category(c), item->property, strlen(item->property)) == 0;
    else
        has = c >= item->low && c <= item->high;
    return has != item->negated;
}

static bool any_has(const Set *set, uint32_t c)
{
    for (size_t i = 0; i < set->count; i++)
        if (item_has(&set->items[i], c))
            return true;
    return false;
}

static bool set_has(const Set *set, uint32_t c)
{
    bool has = any_has(set, c);
    if (set->folds && !has)
        has = any_has(set, fold(c)) || any_has(set, character_upper(c));
    return has != set->negated;
}

// --- parsing; returns false for unsupported syntax

static bool add_step(Parser *parser, Step step)
{
    Pattern *pattern = parser->pattern;
    if (pattern->count == STEPS_MAX)
        return false;
    pattern->steps[pattern->count++] = step;
    return true;
}

static Set *new_set(Parser *parser)
{
    Set *set = arena_take(parser->arena, 1, sizeof *set, parser->err);
    if (set)
        set->folds = parser->folds;
    return set;
}

static bool add_item(Parser *parser, Set *set, SetItem item)
{
    if (set->count == set->room) {
        size_t room = set->room ? 2 * set->room : 4;
        SetItem *items = arena_take(parser->arena, room, sizeof *items, parser->err);
        if (!items)
            return false;
        if (set->count > 0)
            memcpy(items, set->items, set->count * sizeof *items);
        set->items = items;
        set->room = room;
    }
    set->items[set->count++] = item;
    return true;
}

// "{Lu}", "{^L}" after \p or \P.
static bool read_property(Parser *parser, SetItem *item)
{
    static const char majors[] = "LMNPSZC";
    if (*parser->at++ != '{')
        return false;
    if (*parser->at == '^') {
        item->negated = !item->negated;
        parser->at++;
    }
    size_t length = strcspn(parser->at, "}");
    if (length < 1 || length > 2 || !parser->at[length] || !strchr(majors, *parser->at) ||
        (length == 2 && !strchr("ultmoncedlskpfi", parser->at[1])))
        return false;
    memcpy(item->property, parser->at, length);
    parser->at += length + 1;
    return true;
}

static bool read_hexadecimal(Parser *parser, size_t count, uint32_t *c)
{
    char digits[5] = "";
    if (strspn(parser->at, "0123456789abcdefABCDEF") < count)
        return false;
    memcpy(digits, parser->at, count);
    *c = (uint32_t)strtoul(digits, NULL, 16);
    parser->at += count;
    return true;
}

// After a backslash: a class or a character.
static bool read_escape(Parser *parser, SetItem *item)
{
    static const char names[] = "rntfvae", values[] = "\r\n\t\f\v\a\x1b";
    uint32_t c;
    parser->at += utf8_next(parser->at, &c);
    bool is_plain = c >= 0x80 || (c > ' ' && !isalnum((int)c));
    item->negated = c == 'S' || c == 'W' || c == 'D' || c == 'P';
    if (c == 'p' || c == 'P')
        return read_property(parser, item);
    if (c == 's' || c == 'S' || c == 'w' || c == 'W')
        item->property[0] = c == 's' || c == 'S' ? 's' : 'w';
    else if (c == 'd' || c == 'D')
        memcpy(item->property, "Nd", 3);
    else if (c == 'u' || c == 'x') {
        size_t digits = c == 'u' ? 4 : 2;
        return read_hexadecimal(parser, digits, &item->low) && (digits == 4 || item->low < 0x80) &&
               (item->high = item->low) != 0;
    } else if (c && c < 0x80 && strchr(names, (int)c))
        c = (unsigned char)values[strchr(names, (int)c) - names];
    else if (!is_plain)
        return false;
    item->low = item->high = c;
    return true;
}

// A class or character after a backslash, or a character.
static bool read_character(Parser *parser, SetItem *item)
{
    if (*parser->at == '\\') {
        parser->at++;
        return read_escape(parser, item);
    }
    parser->at += utf8_next(parser->at, &item->low);
    item->high = item->low;
    bool is_plain = !parser->folds || item->low < 0x80; // other characters may have several cases
    return item->low != 0 && is_plain;
}

static bool read_class(Parser *parser, Set *set);

static bool read_class_item(Parser *parser, Set *set)
{
    SetItem item = {.low = 0}, end = {.low = 0};
    if (*parser->at == '[') {
        if (parser->at[1] == ':')
            return false;
        parser->at++;
        Set *within = new_set(parser);
        item.within = within;
        return within && read_class(parser, within) && add_item(parser, set, item);
    }
    if (strncmp(parser->at, "&&", 2) == 0)
        return false;
    if (!read_character(parser, &item))
        return false;
    if (*parser->at != '-' || parser->at[1] == ']' || item.property[0])
        return add_item(parser, set, item);
    parser->at++;
    if (!read_character(parser, &end))
        return false;
    item.high = end.low;
    return !end.property[0] && item.high >= item.low && add_item(parser, set, item);
}

// After the '[', up to its ']'.
static bool read_class(Parser *parser, Set *set)
{
    if (++parser->depth > DEPTH_MAX)
        return false;
    if (*parser->at == '^') {
        set->negated = true;
        parser->at++;
    }
    bool is_first = true;
    while (*parser->at && (is_first || *parser->at != ']')) {
        if (!read_class_item(parser, set))
            return false;
        is_first = false;
    }
    parser->depth--;
    return *parser->at++ == ']';
}

static bool read_group(Parser *parser);

// One character, class or group.
static bool read_atom(Parser *parser)
{
    SetItem item = {.low = 0};
    if (*parser->at == '(')
        return read_group(parser);
    Set *set = new_set(parser);
    if (!set || strchr("^$*+?{|)", *parser->at))
        return false;
    if (*parser->at == '[') {
        parser->at++;
        if (!read_class(parser, set))
            return false;
    } else if (*parser->at == '.') {
        parser->at++;
        set->negated = true;
        item.low = item.high = '\n';
    } else if (!read_character(parser, &item)) {
        return false;
    }
    return ((set->count > 0) || add_item(parser, set, item)) &&
           add_step(parser, (Step){.kind = STEP_SET, .set = set});
}

// "*", "+", "?", "{2}", "{2,}", "{,3}", "{1,3}"; false if there is none.
static bool read_times(Parser *parser, int *least, int *most)
{
    char *end;
    *least = *most = 1;
    if (strchr("*+?", *parser->at) && *parser->at) {
        *least = *parser->at == '+';
        *most = *parser->at == '?' ? 1 : FOREVER;
        parser->at++;
        return true;
    }
    const char *at = parser->at + 1;
    long first = strtol(at, &end, 10), last = first;
    bool has_first = end > at;
    if (*end == ',') {
        at = end + 1;
        last = strtol(at, &end, 10);
        last = end > at ? last : FOREVER;
    }
    if (!has_first || *end != '}' || first < 0 || first > TIMES_MAX || last < first ||
        (last > TIMES_MAX && last != FOREVER))
        return false;
    *least = (int)first;
    *most = (int)last;
    parser->at = end + 1;
    return true;
}

// Appends a copy of the steps [from, to), with jumps adjusted.
static bool copy_steps(Parser *parser, const Step steps[], size_t count, size_t from)
{
    size_t moved = parser->pattern->count - from;
    for (size_t i = 0; i < count; i++) {
        Step step = steps[i];
        step.to += moved;
        step.other += moved;
        if (!add_step(parser, step))
            return false;
    }
    return true;
}

// Repeats the steps [from, count) `least` to `most` times.
static bool repeat(Parser *parser, size_t from, int least, int most, bool is_lazy)
{
    Pattern *pattern = parser->pattern;
    size_t count = pattern->count - from;
    Step *steps = arena_take(parser->arena, count, sizeof *steps, parser->err);
    if (!steps)
        return false;
    memcpy(steps, pattern->steps + from, count * sizeof *steps);
    pattern->count = from;
    for (int i = 0; i < least; i++)
        if (!copy_steps(parser, steps, count, from))
            return false;
    for (int i = least; i < (most == FOREVER ? least + 1 : most); i++) {
        size_t split = pattern->count, inside = split + 1;
        size_t behind = inside + count + (most == FOREVER);
        if (!add_step(parser, (Step){.kind = STEP_SPLIT,
                                     .to = is_lazy ? behind : inside,
                                     .other = is_lazy ? inside : behind}) ||
            !copy_steps(parser, steps, count, from) ||
            (most == FOREVER && !add_step(parser, (Step){.kind = STEP_JUMP, .to = split})))
            return false;
    }
    return true;
}

// Inserts a step at `from`.
static bool put_before(Parser *parser, size_t from, Step step)
{
    Pattern *pattern = parser->pattern;
    if (pattern->count == STEPS_MAX)
        return false;
    for (size_t i = pattern->count++; i > from; i--) {
        pattern->steps[i] = pattern->steps[i - 1];
        pattern->steps[i].to++;
        pattern->steps[i].other++;
    }
    pattern->steps[from] = step;
    return true;
}

// Turns the steps from `from` on into a sub-program.
static bool close_program(Parser *parser, size_t from, StepKind kind, bool negated)
{
    return put_before(parser, from, (Step){.kind = kind, .negated = negated}) &&
           add_step(parser, (Step){.kind = STEP_END}) &&
           (parser->pattern->steps[from].to = parser->pattern->count, true);
}

static bool read_piece(Parser *parser)
{
    size_t from = parser->pattern->count;
    int least, most;
    if (!read_atom(parser))
        return false;
    if (!*parser->at || !strchr("*+?{", *parser->at))
        return true;
    bool in_braces = *parser->at == '{';
    if (!read_times(parser, &least, &most))
        return false;
    bool is_lazy = *parser->at == '?', is_possessive = *parser->at == '+' && !in_braces;
    parser->at += is_lazy || is_possessive;
    bool is_unclear = in_braces && is_lazy && least == most;
    if (is_unclear || (*parser->at && strchr("*+?{", *parser->at)))
        return false;
    return repeat(parser, from, least, most, is_lazy) &&
           (!is_possessive || close_program(parser, from, STEP_ATOMIC, false));
}

// Alternatives, up to ')' or the end.
static bool read_alternatives(Parser *parser)
{
    Pattern *pattern = parser->pattern;
    size_t from = pattern->count, jumps[STEPS_MAX / 8], count = 0;
    for (;;) {
        while (*parser->at && *parser->at != '|' && *parser->at != ')')
            if (!read_piece(parser))
                return false;
        if (*parser->at != '|')
            break;
        parser->at++;
        if (count == sizeof jumps / sizeof *jumps ||
            !put_before(parser, from, (Step){.kind = STEP_SPLIT, .to = from + 1}) ||
            !add_step(parser, (Step){.kind = STEP_JUMP}))
            return false;
        jumps[count++] = pattern->count - 1;
        pattern->steps[from].other = pattern->count;
        from = pattern->count;
    }
    for (size_t i = 0; i < count; i++)
        pattern->steps[jumps[i]].to = pattern->count;
    return true;
}

static bool read_group(Parser *parser)
{
    static const struct {
        const char *begin;
        StepKind kind;
        bool negated, folds;
    } groups[] = {{"(?:", STEP_JUMP, false, false},   {"(?i:", STEP_JUMP, false, true},
                  {"(?=", STEP_AHEAD, false, false},  {"(?!", STEP_AHEAD, true, false},
                  {"(?>", STEP_ATOMIC, false, false}, {"(", STEP_JUMP, false, false}};
    size_t from = parser->pattern->count, which = 0;
    bool folded = parser->folds;
    while (strncmp(parser->at, groups[which].begin, strlen(groups[which].begin)) != 0)
        which++;
    parser->at += strlen(groups[which].begin);
    if (*parser->at == '?' || ++parser->depth > DEPTH_MAX)
        return false;
    parser->folds |= groups[which].folds;
    if (!read_alternatives(parser) || *parser->at++ != ')')
        return false;
    parser->depth--;
    parser->folds = folded;
    return groups[which].kind == STEP_JUMP ||
           close_program(parser, from, groups[which].kind, groups[which].negated);
}

const Pattern *pattern_read(const char *text, Arena *arena, Error *err)
{
    Parser parser = {.at = text, .arena = arena, .err = err};
    *err = (Error){.text = ""};
    parser.pattern = arena_take(arena, 1, sizeof *parser.pattern, err);
    Step *steps = arena_take(arena, STEPS_MAX, sizeof *steps, err);
    if (!parser.pattern || !steps || !utf8_valid(text, strlen(text)) || strlen(text) > TEXT_MAX)
        return NULL;
    parser.pattern->steps = steps;
    if (strncmp(text, "(?i)", 4) == 0) {
        parser.folds = true;
        parser.at += 4;
    }
    return *parser.at && read_alternatives(&parser) && !*parser.at &&
                   add_step(&parser, (Step){.kind = STEP_END})
               ? parser.pattern
               : NULL;
}

// --- running

typedef struct Place {
    size_t step, at;
} Place;

typedef struct Run {
    const Step *steps;
    const char *text;
    size_t length;
    Place *places; // backtracking stack
    size_t count, room;
    long left; // steps left; negative: none, or no memory
} Run;

static void keep_place(Run *run, Place place)
{
    if (run->count == run->room) {
        size_t room = run->room ? 2 * run->room : 256;
        Place *places = realloc(run->places, room * sizeof *places);
        if (!places) {
            run->left = -1;
            return;
        }
        run->places = places;
        run->room = room;
    }
    run->places[run->count++] = place;
}

// Runs the program at `step` from `at`. Returns the end of the match; SIZE_MAX: none.
static size_t run_from(Run *run, size_t step, size_t at)
{
    size_t bottom = run->count;
    keep_place(run, (Place){step, at});
    while (run->count > bottom && run->left > 0) {
        Place now = run->places[--run->count];
        for (bool fits = true; fits && --run->left > 0;) {
            const Step *it = &run->steps[now.step];
            uint32_t c;
            size_t end;
            switch (it->kind) {
            case STEP_SET:
                fits = now.at < run->length;
                now.at += fits ? utf8_next(run->text + now.at, &c) : 0;
                fits = fits && set_has(it->set, c);
                now.step++;
                break;
            case STEP_SPLIT:
                keep_place(run, (Place){it->other, now.at});
                now.step = it->to;
                break;
            case STEP_JUMP:
                now.step = it->to;
                break;
            case STEP_AHEAD:
            case STEP_ATOMIC:
                end = run_from(run, now.step + 1, now.at);
                fits = (end != SIZE_MAX) != it->negated;
                now = (Place){it->to, it->kind == STEP_ATOMIC ? end : now.at};
                break;
            case STEP_END:
                run->count = bottom;
                return now.at;
            }
        }
    }
    run->count = bottom;
    return SIZE_MAX;
}

PatternFound pattern_find(const Pattern *pattern, PatternSearch *search)
{
    Run run = {.steps = pattern->steps,
               .text = search->text,
               .length = search->length,
               .left = search->left};
    uint32_t c;
    search->end = SIZE_MAX;
    for (search->begin = search->from; search->begin < run.length && run.left > 0;
         search->begin += utf8_next(run.text + search->begin, &c)) {
        search->end = run_from(&run, 0, search->begin);
        if (search->end != SIZE_MAX && search->end > search->begin)
            break;
        search->end = SIZE_MAX;
    }
    free(run.places);
    search->left = run.left;
    return run.left <= 0             ? PATTERN_TOO_LONG
           : search->end == SIZE_MAX ? PATTERN_NOT_FOUND
                                     : PATTERN_FOUND;
}
