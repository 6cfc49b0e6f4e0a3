// Which key does what, and how keys are shown; see keymap.h.
#include "keymap.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include "utf8.h"

// --- how a key is written

const char *key_glyph(const char *key)
{
    static const char *const glyphs[][2] = {
        {"Left", "\u2190"},   {"Up", "\u2191"},  {"Right", "\u2192"}, {"Down", "\u2193"},
        {"BackTab", "S-Tab"}, {"Escape", "Esc"}, {"PageUp", "PgUp"},  {"PageDown", "PgDn"},
    };
    for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++)
        if (strcmp(glyphs[i][0], key) == 0)
            return glyphs[i][1];
    return key;
}

// --- lookup

bool keymap_has(const char *keys, const char *key)
{
    size_t length = strlen(key);
    while (*keys) {
        size_t one = strcspn(keys, " ");
        if (one == length && strncmp(keys, key, length) == 0)
            return true;
        keys += one + strspn(keys + one, " ");
    }
    return false;
}

const char *keymap_first(const char *keys, char text[KEY_NAME_MAX])
{
    snprintf(text, KEY_NAME_MAX, "%.*s", (int)strcspn(keys, " "), keys);
    return text;
}

static bool holds(const KeyRow *row, unsigned now)
{
    return (row->when & ~(unsigned)KEY_TOLD & ~now) == 0;
}

int keymap_find(Keymap map, KeyPlace place, unsigned now, const char *key)
{
    const char *pressed = hangul_or_key(key);
    for (int i = 0; i < map.count; i++)
        if (map.rows[i].place == place && holds(&map.rows[i], now) &&
            keymap_has(map.rows[i].keys, pressed))
            return i;
    return -1;
}

// --- lists of keys

static bool is_arrow(const char *glyph)
{
    return strncmp(glyph, "\u2190", 2) == 0;
}

// The first key as shown; of all ten digits "0-9".
static void describe_key(const char *keys, char text[KEY_NAME_MAX])
{
    char first[KEY_NAME_MAX];
    bool are_digits = keymap_has(keys, "0") && keymap_has(keys, "9");
    snprintf(text, KEY_NAME_MAX, "%s", are_digits ? "0-9" : key_glyph(keymap_first(keys, first)));
}

// Appends a key; arrows stand close together, and none appears twice.
static void add_key(KeyLabel *label, char before[KEY_NAME_MAX], const char *keys)
{
    char key[KEY_NAME_MAX];
    describe_key(keys, key);
    if (strcmp(before, key) == 0)
        return;
    bool is_close = !*label->keys || (is_arrow(before) && is_arrow(key));
    text_add(label->keys, KEY_LABEL_MAX, "%s%s", is_close ? "" : " ", key);
    memcpy(before, key, KEY_NAME_MAX);
}

bool keymap_describe(Keymap map, KeyColumn column, unsigned now, int *at, KeyLabel *label)
{
    char before[KEY_NAME_MAX] = "";
    *label = (KeyLabel){.words = ""};
    while (*at < map.count) {
        const KeyRow *row = &map.rows[(*at)++];
        const Words *words = column == KEY_LABEL ? &row->label : &row->help;
        if (!holds(row, now))
            continue;
        add_key(label, before, row->keys);
        bool joins = column == KEY_LABEL && row->when & (unsigned)KEY_JOINS && *at < map.count;
        if (joins || !*words->in[LANGUAGE_ENGLISH])
            continue;
        label->words = words_tell(*words);
        label->stays = row->when & (unsigned)KEY_STAYS;
        return true;
    }
    return false;
}

enum { GAP = 2, LABELS_MAX = 32 };

typedef struct Bar {
    KeyLabel label[LABELS_MAX];
    int count, whole, stay; // columns of all, and of the keys that must stay
} Bar;

static int columns_of(const KeyLabel *label)
{
    return utf8_width(label->keys) + 1 + utf8_width(label->words) + GAP;
}

static void fill_bar(Keymap map, unsigned now, Bar *bar)
{
    *bar = (Bar){.count = 0};
    for (int at = 0; keymap_describe(map, KEY_LABEL, now, &at, &bar->label[bar->count]);) {
        const KeyLabel *label = &bar->label[bar->count++];
        bar->whole += columns_of(label);
        bar->stay += label->stays ? 1 + utf8_width(label->keys) : 0;
        assert(bar->count < LABELS_MAX);
    }
}

static void add_label(char text[KEY_BAR_MAX], const char *between, const KeyLabel *label,
                      bool with_words)
{
    text_add(text, KEY_BAR_MAX, "%s%s%s%s", *text ? between : "", label->keys,
             with_words ? " " : "", with_words ? label->words : "");
}

// As many keys as fit, in order, then those that must stay.
static void describe_briefly(const Bar *bar, int columns, char text[KEY_BAR_MAX])
{
    const char *between = "  ";
    int left = columns - bar->stay - (bar->stay > 0); // a gap is wider than a blank
    for (int i = 0; i < bar->count && left >= columns_of(&bar->label[i]) - GAP;
         left -= columns_of(&bar->label[i++]))
        if (!bar->label[i].stays)
            add_label(text, "  ", &bar->label[i], true);
    for (int i = 0; i < bar->count; i++)
        if (bar->label[i].stays) {
            add_label(text, between, &bar->label[i], false);
            between = " ";
        }
}

const char *keymap_bar(Keymap map, unsigned now, int columns, char text[KEY_BAR_MAX])
{
    Bar bar;
    fill_bar(map, now, &bar);
    text[0] = '\0';
    if (bar.whole - GAP > columns)
        describe_briefly(&bar, columns, text);
    else
        for (int i = 0; i < bar.count; i++)
            add_label(text, "  ", &bar.label[i], true);
    return text;
}
