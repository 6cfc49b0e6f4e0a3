// Draws strings, and caches them as coverage; see canvas.h. A string is shaped (canvas_shared.h) and each
// glyph drawn once per size.
#include <SDL.h>
#include <stdlib.h>
#include <string.h>
#include "canvas.h"
#include "display_list.h"
#include "canvas_shared.h"
#include "utf8.h"

// --- coverage of a drawn string

typedef struct Letters {
    unsigned char *coverage; // rows of `width`; NULL: invisible
    int width, height;
    int above; // pixels from the top to the baseline, before rotation
} Letters;

// Copies the coverage, in rows of `width`, rotated to the left if `upright`. Returns false without memory.
static bool letters_keep(Letters *letters, const unsigned char *covered, int width, int height,
                         bool upright)
{
    size_t wide = (size_t)width, high = (size_t)height;
    letters->coverage = malloc(wide * high + 1);
    if (!letters->coverage)
        return false;
    for (size_t y = 0; y < high; y++)
        for (size_t x = 0; x < wide; x++)
            letters->coverage[upright ? (wide - 1 - x) * high + y : y * wide + x] =
                covered[y * wide + x];
    letters->width = upright ? height : width;
    letters->height = upright ? width : height;
    return true;
}

// Draws into the clip rectangle of an XRGB surface.
static void letters_draw(const Letters *letters, SDL_Surface *surface, const SDL_Rect *place,
                         Colour colour)
{
    SDL_Rect part;
    if (!SDL_IntersectRect(place, &surface->clip_rect, &part))
        return;
    for (int y = part.y; y < part.y + part.h; y++) {
        char *line = (char *)surface->pixels + (ptrdiff_t)y * surface->pitch;
        uint32_t *row = (uint32_t *)(void *)line;
        const unsigned char *covered =
            letters->coverage + (ptrdiff_t)(y - place->y) * letters->width - place->x;
        for (int x = part.x; x < part.x + part.w; x++)
            if (covered[x] != 0)
                row[x] = colour_blend(row[x], colour, covered[x]);
    }
}

// --- strings

enum {
    STRINGS_MAX = 4096,   // cached; beyond that, or beyond this many
    PIXELS_MAX = 3 << 20, // pixels, the cache is emptied
    GLYPHS_MAX = 4096,    // likewise
    STRING_BYTES = 512,
    SIDE_MAX = 1 << 14, // of a string, in pixels
};

typedef struct KeptString {
    char *text; // NULL: free
    int size;
    bool bold, upright, fixed;
    Letters letters;
} KeptString;

// A glyph's coverage, in rows of `width`.
typedef struct KeptGlyph {
    unsigned char *coverage; // NULL: invisible
    bool is_kept;            // false: free
    int face, size;
    uint32_t glyph;
    int left, top, width, height; // from its origin on the baseline; `top` upward
} KeptGlyph;

struct TextFonts {
    FontFaces *faces;
    ShapedText shaped;
    KeptString *kept; // by hash, with linear probing
    int kept_count, kept_pixels;
    KeptGlyph *glyphs; // likewise
    int glyph_count;
    bool failed; // a string could not be drawn
};

// --- caches

static void forget_strings(TextFonts *fonts)
{
    for (int i = 0; fonts->kept && i < STRINGS_MAX * 2; i++) {
        free(fonts->kept[i].letters.coverage);
        free(fonts->kept[i].text);
        fonts->kept[i] = (KeptString){.text = NULL};
    }
    fonts->kept_count = fonts->kept_pixels = 0;
}

static void forget_glyphs(TextFonts *fonts)
{
    for (int i = 0; fonts->glyphs && i < GLYPHS_MAX * 2; i++) {
        free(fonts->glyphs[i].coverage);
        fonts->glyphs[i] = (KeptGlyph){.is_kept = false};
    }
    fonts->glyph_count = 0;
}

TextFonts *text_open(Error *err)
{
    TextFonts *fonts = calloc(1, sizeof *fonts);
    if (fonts) {
        fonts->kept = calloc(STRINGS_MAX * 2, sizeof *fonts->kept);
        fonts->glyphs = calloc(GLYPHS_MAX * 2, sizeof *fonts->glyphs);
    }
    if (!fonts || !fonts->kept || !fonts->glyphs)
        error_set(err, TELL(FONTS_FAILED), TELL(FONTS_MEMORY));
    else if ((fonts->faces = font_faces_open(FT_LOAD_TARGET_LIGHT, err)) != NULL)
        return fonts;
    text_close(fonts);
    return NULL;
}

void text_close(TextFonts *fonts)
{
    if (!fonts)
        return;
    forget_strings(fonts);
    forget_glyphs(fonts);
    font_faces_close(fonts->faces);
    free(fonts->glyphs);
    free(fonts->kept);
    free(fonts);
}

FontFaces *text_faces(TextFonts *fonts)
{
    return fonts->faces;
}

bool text_failed(TextFonts *fonts)
{
    bool failed = font_faces_lack_memory(fonts->faces) || fonts->failed;
    fonts->failed = false;
    if (failed) {
        forget_strings(fonts);
        forget_glyphs(fonts);
    }
    return failed;
}

// --- glyphs

static bool copy_bitmap(KeptGlyph *kept, const FT_GlyphSlot slot)
{
    const FT_Bitmap *bitmap = &slot->bitmap;
    size_t wide = bitmap->width, high = bitmap->rows;
    if (wide * high == 0 || bitmap->pixel_mode != FT_PIXEL_MODE_GRAY)
        return true;
    kept->coverage = malloc(wide * high);
    if (!kept->coverage)
        return false;
    for (size_t y = 0; y < high; y++)
        memcpy(kept->coverage + y * wide, bitmap->buffer + (ptrdiff_t)y * bitmap->pitch, wide);
    kept->left = slot->bitmap_left;
    kept->top = slot->bitmap_top;
    kept->width = (int)wide;
    kept->height = (int)high;
    return true;
}

static bool draw_glyph(TextFonts *fonts, KeptGlyph *kept)
{
    hb_font_t *shaper;
    FT_Face file =
        font_has_memory() ? font_face_sized(fonts->faces, kept->face, kept->size, &shaper) : NULL;
    if (!file)
        return false;
    if (FT_Load_Glyph(file, kept->glyph, font_faces_flags(fonts->faces)) != 0 ||
        FT_Render_Glyph(file->glyph, FT_RENDER_MODE_LIGHT) != 0)
        return true; // a broken glyph is invisible
    return copy_bitmap(kept, file->glyph);
}

// NULL: there is no memory.
static const KeptGlyph *find_glyph(TextFonts *fonts, int face, int size, uint32_t glyph)
{
    uint32_t hash = (glyph * 16777619u ^ (uint32_t)face << 10 ^ (uint32_t)size) * 16777619u;
    for (hash ^= hash >> 16;; hash++) {
        KeptGlyph *kept = &fonts->glyphs[hash % (GLYPHS_MAX * 2)];
        if (kept->is_kept && kept->glyph == glyph && kept->face == face && kept->size == size)
            return kept;
        if (kept->is_kept)
            continue;
        *kept = (KeptGlyph){.is_kept = true, .face = face, .size = size, .glyph = glyph};
        fonts->glyph_count++;
        return draw_glyph(fonts, kept) ? kept : NULL;
    }
}

// --- drawing strings

// The extent of a string around its origin on the baseline; down is positive.
typedef struct Extent {
    int left, right, above, below;
} Extent;

static int whole(double pixels)
{
    return (int)(pixels < 0.0 ? pixels - 0.5 : pixels + 0.5);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void widen(Extent *extent, const KeptGlyph *glyph, int x, int y)
{
    extent->left = larger(extent->left, -x);
    extent->right = larger(extent->right, x + glyph->width);
    extent->above = larger(extent->above, -y);
    extent->below = larger(extent->below, y + glyph->height);
}

// Where letters overlap, a pixel is as dark as the darker one.
static void put(const Extent *extent, const KeptGlyph *glyph, int x, int y, unsigned char *coverage)
{
    ptrdiff_t wide = extent->left + extent->right;
    coverage += (extent->above + y) * wide + extent->left + x;
    for (int row = 0; row < glyph->height; row++)
        for (int column = 0; column < glyph->width; column++) {
            unsigned char more = glyph->coverage[row * glyph->width + column];
            if (more > coverage[row * wide + column])
                coverage[row * wide + column] = more;
        }
}

// Visits the glyphs of the shaped string: measures them, or if there is `coverage` of this extent, draws
// them.
static bool go_through(TextFonts *fonts, int size, Extent *extent, unsigned char *coverage)
{
    const ShapedText *shaped = &fonts->shaped;
    for (const ShapedRun *run = shaped->runs; run < shaped->runs + shaped->run_count; run++)
        for (int i = run->first_glyph; i < run->first_glyph + run->glyph_count; i++) {
            const KeptGlyph *glyph = find_glyph(fonts, run->face, size, shaped->glyphs[i].glyph);
            if (!glyph)
                return false;
            int x = whole(shaped->glyphs[i].x) + glyph->left;
            int y = -whole(shaped->glyphs[i].y) - glyph->top;
            if (glyph->coverage && coverage)
                put(extent, glyph, x, y, coverage);
            else if (glyph->coverage)
                widen(extent, glyph, x, y);
        }
    return true;
}

// Includes the height of the fonts, so that texts of one font have one height.
static bool measure_fonts(TextFonts *fonts, int size, Extent *extent)
{
    const ShapedText *shaped = &fonts->shaped;
    for (int i = 0; i < shaped->run_count; i++) {
        hb_font_t *shaper;
        FT_Face file = font_face_sized(fonts->faces, shaped->runs[i].face, size, &shaper);
        if (!file)
            return false;
        extent->above = larger(extent->above, (int)(file->size->metrics.ascender >> 6));
        extent->below = larger(extent->below, (int)(-file->size->metrics.descender >> 6));
    }
    return true;
}

static bool draw_string(TextFonts *fonts, KeptString *string)
{
    DisplayItem style = {.size = string->size, .bold = string->bold, .fixed = string->fixed};
    if (fonts->glyph_count > GLYPHS_MAX - SHAPED_GLYPHS_MAX)
        forget_glyphs(fonts);
    if (!shape_text(fonts->faces, &style, string->text, &fonts->shaped))
        return false;
    Extent extent = {.right = (int)(fonts->shaped.width + 0.999)};
    if (!measure_fonts(fonts, string->size, &extent) ||
        !go_through(fonts, string->size, &extent, NULL))
        return false;
    int wide = extent.left + extent.right, high = extent.above + extent.below;
    if (fonts->shaped.glyph_count == 0 || wide <= 0 || wide > SIDE_MAX || high > SIDE_MAX)
        return true;
    unsigned char *coverage = calloc((size_t)wide, (size_t)high);
    bool good = coverage && go_through(fonts, string->size, &extent, coverage) &&
                letters_keep(&string->letters, coverage, wide, high, string->upright);
    string->letters.above = extent.above;
    fonts->kept_pixels += wide * high;
    free(coverage);
    return good;
}

static bool is_string(const KeptString *kept, const DisplayItem *item, const char *text)
{
    return kept->size == item->size && kept->bold == item->bold && kept->upright == item->upright &&
           kept->fixed == item->fixed && strcmp(kept->text, text) == 0;
}

// NULL: there is no memory.
static KeptString *find_string(TextFonts *fonts, const DisplayItem *item, const char *text)
{
    uint32_t hash = 2166136261u ^ (uint32_t)item->size << 24 ^ (uint32_t)item->bold << 20 ^
                    (uint32_t)item->upright << 21 ^ (uint32_t)item->fixed << 22;
    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    if (fonts->kept_count >= STRINGS_MAX || fonts->kept_pixels > PIXELS_MAX)
        forget_strings(fonts);
    for (;; hash++) {
        KeptString *kept = &fonts->kept[hash % (STRINGS_MAX * 2)];
        if (kept->text && is_string(kept, item, text))
            return kept;
        if (kept->text)
            continue;
        *kept = (KeptString){.text = strdup(text),
                             .size = item->size,
                             .bold = item->bold,
                             .upright = item->upright,
                             .fixed = item->fixed};
        fonts->failed |= !kept->text;
        if (!kept->text)
            return NULL;
        fonts->kept_count++;
        fonts->failed |= !draw_string(fonts, kept);
        return kept;
    }
}

// The letters of an item's text and their place; NULL if there is nothing to draw.
static const Letters *place_text(TextFonts *fonts, const DisplayItem *item, const char *text,
                                 SDL_Rect *place)
{
    char cut[STRING_BYTES];
    *place = (SDL_Rect){item->x, item->y, 0, 0};
    if (item->size <= 0)
        return NULL;
    if (strlen(text) >= sizeof cut) {
        utf8_cut(text, STRING_BYTES / 5, cut, sizeof cut);
        text = cut;
    }
    const KeptString *string = find_string(fonts, item, text);
    if (!string || !string->letters.coverage)
        return NULL;
    const Letters *letters = &string->letters;
    // The anchor is in the middle of the digits' height.
    int above = letters->above - (item->size * 36 + 50) / 100;
    int length = item->upright ? letters->height : letters->width;
    int before = item->anchor == DISPLAY_LEFT     ? 0
                 : item->anchor == DISPLAY_CENTRE ? length / 2
                                                  : length;
    *place = (SDL_Rect){item->x - before, item->y - above, letters->width, letters->height};
    if (item->upright)
        *place =
            (SDL_Rect){item->x - above, item->y - length + before, letters->width, letters->height};
    return letters;
}

SDL_Rect text_box(TextFonts *fonts, const DisplayItem *item, const char *text)
{
    SDL_Rect place;
    place_text(fonts, item, text, &place);
    return place;
}

void text_draw(TextFonts *fonts, SDL_Surface *surface, const DisplayItem *item, const char *text)
{
    SDL_Rect place;
    const Letters *letters = place_text(fonts, item, text, &place);
    if (letters)
        letters_draw(letters, surface, &place, item->colour);
}
