// shaped_text: see shaped_text.h. The letters of a text are parted where font, script or direction change;
// these stretches are brought into the order in which they are seen, and each is shaped.
#include "shaped_text.h"

#ifdef CANVAS_FRIBIDI
#include <fribidi.h>
#endif
#include <string.h>
#include "utf8.h"

typedef struct Letters {
    uint32_t letters[SHAPED_LETTERS_MAX]; // "?" for one that is missing
    int bytes[SHAPED_LETTERS_MAX + 1];    // where each begins; then the end of all
    int faces[SHAPED_LETTERS_MAX];
    signed char levels[SHAPED_LETTERS_MAX]; // odd: from right to left
    hb_script_t scripts[SHAPED_LETTERS_MAX];
    int count;
} Letters;

// --- what each letter wants

static bool inherits(uint32_t letter)
{
    hb_unicode_funcs_t *known = hb_unicode_funcs_get_default();
    hb_unicode_general_category_t kind = hb_unicode_general_category(known, letter);
    return kind == HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK ||
           kind == HB_UNICODE_GENERAL_CATEGORY_SPACING_MARK ||
           kind == HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK ||
           kind == HB_UNICODE_GENERAL_CATEGORY_FORMAT;
}

// An accent or a joiner is drawn in the font of the letter before it where that has it; a joiner is not
// seen, so that it needs no font.
static void find_face(FontFaces *fonts, const DisplayItem *style, Letters *all, int i)
{
    uint32_t letter = all->letters[i];
    bool follows = i > 0 && inherits(letter);
    bool is_joiner = letter == 0x200c || letter == 0x200d || (letter & 0xfffffff0) == 0xfe00;
    if (follows && (is_joiner || font_face_has(fonts, all->faces[i - 1], letter))) {
        all->faces[i] = all->faces[i - 1];
        return;
    }
    all->faces[i] = font_face_for(fonts, letter, style->bold, style->fixed);
    if (all->faces[i] >= 0)
        return;
    int usual = font_face_for(fonts, '?', style->bold, style->fixed);
    all->letters[i] = '?';
    all->faces[i] = usual < 0 ? 0 : usual;
}

// What several scripts share is of the script before it, or of the first one.
static void find_scripts(Letters *all)
{
    hb_unicode_funcs_t *known = hb_unicode_funcs_get_default();
    hb_script_t last = HB_SCRIPT_COMMON;
    for (int i = 0; i < all->count; i++) {
        hb_script_t script = hb_unicode_script(known, all->letters[i]);
        bool is_shared = script == HB_SCRIPT_COMMON || script == HB_SCRIPT_INHERITED ||
                         script == HB_SCRIPT_UNKNOWN;
        for (int k = 0; !is_shared && last == HB_SCRIPT_COMMON && k < i; k++)
            all->scripts[k] = script;
        last = is_shared ? last : script;
        all->scripts[i] = last;
    }
}

// Without FriBidi each letter has the direction of its script, in the order in which it is written.
static bool find_levels(Letters *all)
{
#ifdef CANVAS_FRIBIDI
    FriBidiCharType types[SHAPED_LETTERS_MAX];
    FriBidiBracketType brackets[SHAPED_LETTERS_MAX];
    FriBidiParType base = FRIBIDI_PAR_WLTR;
    fribidi_get_bidi_types(all->letters, all->count, types);
    fribidi_get_bracket_types(all->letters, all->count, types, brackets);
    return fribidi_get_par_embedding_levels_ex(types, brackets, all->count, &base, all->levels) > 0;
#else
    for (int i = 0; i < all->count; i++)
        all->levels[i] =
            hb_script_get_horizontal_direction(all->scripts[i]) == HB_DIRECTION_RTL ? 1 : 0;
    return true;
#endif
}

static bool read_letters(FontFaces *fonts, const DisplayItem *style, const char *text, Letters *all)
{
    int at = 0;
    all->count = 0;
    for (size_t bytes; all->count < SHAPED_LETTERS_MAX; at += (int)bytes) {
        uint32_t letter;
        if ((bytes = utf8_next(text + at, &letter)) == 0)
            break;
        all->bytes[all->count] = at;
        all->letters[all->count] = letter;
        find_face(fonts, style, all, all->count);
        all->levels[all->count++] = 0;
    }
    all->bytes[all->count] = at;
    find_scripts(all);
    bool turns = false;
    for (int i = 0; i < all->count; i++)
        turns = turns || hb_script_get_horizontal_direction(all->scripts[i]) == HB_DIRECTION_RTL;
    return !turns || find_levels(all);
}

// --- stretches in the order in which they are seen

typedef struct Stretch {
    int first, count;
} Stretch;

static int part(const Letters *all, Stretch stretches[SHAPED_RUNS_MAX])
{
    int count = 0;
    for (int i = 0; i < all->count; i++) {
        bool goes_on = i > 0 && all->faces[i] == all->faces[i - 1] &&
                       all->levels[i] == all->levels[i - 1] &&
                       all->scripts[i] == all->scripts[i - 1];
        if (!goes_on && count == SHAPED_RUNS_MAX)
            break;
        if (!goes_on)
            stretches[count++] = (Stretch){i, 0};
        stretches[count - 1].count++;
    }
    return count;
}

// From the highest level down to 1, everything of at least that level is turned around (UAX 9, rule L2).
static void reorder(const Letters *all, Stretch stretches[], int count)
{
    int highest = 0;
    for (int i = 0; i < count; i++)
        if (all->levels[stretches[i].first] > highest)
            highest = all->levels[stretches[i].first];
    for (int level = highest; level > 0; level--)
        for (int i = 0; i < count; i++) {
            int first = i;
            while (i < count && all->levels[stretches[i].first] >= level)
                i++;
            for (int left = first, right = i - 1; left < right; left++, right--) {
                Stretch kept = stretches[left];
                stretches[left] = stretches[right];
                stretches[right] = kept;
            }
        }
}

// --- shaping

// Scripts whose letters stand one beside the other, so that a ligature is only an ornament.
static bool is_plain(hb_script_t script)
{
    static const hb_script_t plain[] = {HB_SCRIPT_COMMON,   HB_SCRIPT_LATIN,    HB_SCRIPT_GREEK,
                                        HB_SCRIPT_CYRILLIC, HB_SCRIPT_HANGUL,   HB_SCRIPT_HAN,
                                        HB_SCRIPT_HIRAGANA, HB_SCRIPT_KATAKANA, HB_SCRIPT_HEBREW,
                                        HB_SCRIPT_ARMENIAN, HB_SCRIPT_GEORGIAN};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i] == script)
            return true;
    return false;
}

static void shape(hb_font_t *shaper, const Letters *all, const Stretch *stretch,
                  hb_buffer_t *buffer)
{
    static const char *const ornaments[] = {"-liga", "-clig", "-calt", "-dlig"};
    enum { ORNAMENTS = sizeof ornaments / sizeof *ornaments };
    hb_feature_t features[ORNAMENTS];
    hb_script_t script = all->scripts[stretch->first];
    for (int i = 0; i < ORNAMENTS; i++)
        hb_feature_from_string(ornaments[i], -1, &features[i]);
    hb_buffer_clear_contents(buffer);
    hb_buffer_add_utf32(buffer, all->letters, all->count, (unsigned)stretch->first, stretch->count);
    hb_buffer_set_direction(buffer,
                            all->levels[stretch->first] % 2 ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer, script);
    hb_buffer_set_language(buffer, hb_language_from_string("und", -1));
    hb_shape(shaper, buffer, features, is_plain(script) ? ORNAMENTS : 0);
}

static void keep(const Letters *all, const Stretch *stretch, hb_buffer_t *buffer, ShapedText *out)
{
    unsigned count;
    const double unit = 1.0 / 64.0;
    const hb_glyph_info_t *infos = hb_buffer_get_glyph_infos(buffer, &count);
    const hb_glyph_position_t *places = hb_buffer_get_glyph_positions(buffer, &count);
    int first_byte = all->bytes[stretch->first];
    ShapedRun *run = &out->runs[out->run_count++];
    *run = (ShapedRun){.face = all->faces[stretch->first],
                       .is_rtl = all->levels[stretch->first] % 2,
                       .first_glyph = out->glyph_count,
                       .first_byte = first_byte,
                       .byte_count = all->bytes[stretch->first + stretch->count] - first_byte};
    for (unsigned i = 0; i < count && out->glyph_count < SHAPED_GLYPHS_MAX; i++) {
        out->glyphs[out->glyph_count++] = (ShapedGlyph){.glyph = infos[i].codepoint,
                                                        .x = out->width + places[i].x_offset * unit,
                                                        .y = places[i].y_offset * unit,
                                                        .byte = all->bytes[infos[i].cluster]};
        out->width += places[i].x_advance * unit;
        run->glyph_count++;
    }
}

bool shape_text(FontFaces *fonts, const DisplayItem *style, const char *text, ShapedText *out)
{
    Letters all;
    Stretch stretches[SHAPED_RUNS_MAX];
    out->glyph_count = out->run_count = 0;
    out->width = 0.0;
    hb_buffer_t *buffer = font_has_memory() ? hb_buffer_create() : NULL;
    bool good =
        buffer && hb_buffer_allocation_successful(buffer) && read_letters(fonts, style, text, &all);
    int count = good ? part(&all, stretches) : 0;
    reorder(&all, stretches, count);
    for (int i = 0; good && i < count; i++) {
        hb_font_t *shaper;
        good = font_face_sized(fonts, all.faces[stretches[i].first], style->size, &shaper) &&
               font_has_memory();
        if (good)
            shape(shaper, &all, &stretches[i], buffer);
        good = good && hb_buffer_allocation_successful(buffer);
        if (good)
            keep(&all, &stretches[i], buffer, out);
    }
    hb_buffer_destroy(buffer);
    if (!good)
        font_faces_note_memory(fonts);
    return good;
}
