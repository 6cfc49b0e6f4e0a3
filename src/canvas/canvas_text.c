// canvas_text: strings as small pictures; see canvas_text.h.
//
// The first font has the Latin letters. A letter that it lacks is looked for in the other fonts
// already open, then asked of fontconfig; where no font has it, "?" stands for it and the person is
// told once.
#include "canvas_text.h"

#include <errno.h>
#include <fontconfig/fontconfig.h>
#include <stdlib.h>
#include <string.h>
#include "canvas_letters.h"
#include "font_file.h"
#include "library_text.h"
#include "utf8.h"
#include "canvas_words.h"

enum {
    FACES_MAX = 16,
    SIZES_MAX = 12,
    STRINGS_MAX = 4096,   // kept; beyond that, or beyond so many pixels of them,
    PIXELS_MAX = 3 << 20, // all are forgotten at once
    STRING_BYTES = 512,
};

// A font at the sizes that were needed.
typedef struct Face {
    FontFile regular, bold;
    bool has_bold;
    bool fixed; // chosen for texts in letters of one width
    TTF_Font *fonts[SIZES_MAX];
    int sizes[SIZES_MAX];
    bool bolds[SIZES_MAX];
    int font_count;
} Face;

typedef struct KeptString {
    char *text; // NULL: the place is free
    int size;
    bool bold, upright, fixed;
    Letters letters;
} KeptString;

struct TextFonts {
    Face faces[FACES_MAX];
    int face_count;
    KeptString *kept; // by hash, with steps of one
    int kept_count, kept_pixels;
    uint32_t missing; // a letter that no font has; 0: none
    uint32_t told;
    bool failed; // a string could not be drawn
};

// --- finding fonts

static bool add_face(TextFonts *fonts, uint32_t letter, bool fixed)
{
    const char *families = font_families(fixed);
    Face *face = &fonts->faces[fonts->face_count];
    if (fonts->face_count == FACES_MAX || !font_find(families, false, letter, &face->regular.found))
        return false;
    face->has_bold = font_find(families, true, letter, &face->bold.found);
    if (!face->has_bold && errno == ENOMEM)
        return false;
    face->fixed = fixed;
    fonts->face_count++;
    return true;
}

static TTF_Font *font_of(Face *face, int size, bool bold)
{
    for (int i = 0; i < face->font_count; i++)
        if (face->sizes[i] == size && face->bolds[i] == bold)
            return face->fonts[i];
    if (face->font_count == SIZES_MAX)
        TTF_CloseFont(face->fonts[--face->font_count]);
    TTF_Font *font = font_file_open(bold && face->has_bold ? &face->bold : &face->regular, size);
    if (!font)
        return NULL;
    // Letters begin at whole pixels: at parts of them each would be drawn anew for every part, which
    // takes longer than all the rest when only a few numbers change.
    TTF_SetFontHinting(font, TTF_HINTING_LIGHT);
    face->fonts[face->font_count] = font;
    face->sizes[face->font_count] = size;
    face->bolds[face->font_count++] = bold;
    return font;
}

// The face that has a letter; -1: none has.
static int face_for(TextFonts *fonts, uint32_t letter, bool fixed)
{
    for (int i = 0; i < fonts->face_count; i++) {
        TTF_Font *font = font_of(&fonts->faces[i], 16, false);
        fonts->failed |= !font;
        if (font && fonts->faces[i].fixed == fixed && TTF_GlyphIsProvided32(font, letter))
            return i;
    }
    if (letter == fonts->told || letter == fonts->missing || !add_face(fonts, letter, fixed)) {
        fonts->missing = letter;
        return -1;
    }
    TTF_Font *font = font_of(&fonts->faces[fonts->face_count - 1], 16, false);
    return font && TTF_GlyphIsProvided32(font, letter) ? fonts->face_count - 1 : -1;
}

TextFonts *text_open(Error *err)
{
    TextFonts *fonts = calloc(1, sizeof *fonts);
    if (fonts)
        fonts->kept = calloc(STRINGS_MAX * 2, sizeof *fonts->kept);
    bool has_memory = fonts && fonts->kept && font_has_memory();
    errno = 0;
    if (!has_memory || TTF_Init() != 0 || !font_find_open()) {
        const char *why = has_memory ? SDL_GetError() : "";
        error_set(err, TELL(FONTS_FAILED), *why ? library_text("SDL", why) : TELL(FONTS_MEMORY));
    } else if (!add_face(fonts, 'a', false) || !font_of(&fonts->faces[0], 16, false)) {
        error_set(err, TELL(NO_FONT), errno == ENOMEM ? TELL(NO_FONT_MEMORY) : "");
    } else {
        return fonts;
    }
    text_close(fonts);
    return NULL;
}

static void forget_strings(TextFonts *fonts)
{
    for (int i = 0; fonts->kept && i < STRINGS_MAX * 2; i++) {
        letters_forget(&fonts->kept[i].letters);
        free(fonts->kept[i].text);
        fonts->kept[i].text = NULL;
    }
    fonts->kept_count = fonts->kept_pixels = 0;
}

void text_close(TextFonts *fonts)
{
    if (!fonts)
        return;
    forget_strings(fonts);
    for (Face *face = fonts->faces; face < fonts->faces + fonts->face_count; face++) {
        for (int k = 0; k < face->font_count; k++)
            TTF_CloseFont(face->fonts[k]);
        font_file_close(&face->regular);
        font_file_close(&face->bold);
    }
    if (TTF_WasInit())
        TTF_Quit();
    FcFini();
    free(fonts->kept);
    free(fonts);
}

bool text_metrics(TextFonts *fonts, int metrics[FONT_METRICS])
{
    enum { BIG = 200 };
    TTF_Font *font = font_of(&fonts->faces[0], BIG, true); // the wider of the two weights
    bool good = font && font_has_memory();
    for (int i = 0; i < FONT_METRICS; i++) {
        int advance = i < 95 ? 600 * BIG / 1000 : i == 95 ? BIG : 700 * BIG / 1000;
        bool asks = i < 95 && font && TTF_GlyphIsProvided32(font, (Uint32)(' ' + i));
        if (asks)
            good &=
                TTF_GlyphMetrics32(font, (Uint32)(' ' + i), NULL, NULL, NULL, NULL, &advance) == 0;
        metrics[i] = advance * 1000 / BIG;
    }
    return good;
}

bool text_missing(TextFonts *fonts, Error *sentence)
{
    if (fonts->missing == 0 || fonts->missing == fonts->told)
        return false;
    fonts->told = fonts->missing;
    error_set(sentence, TELL(NO_LETTER), (unsigned)fonts->missing,
              is_hangul(fonts->missing) ? TELL(KOREAN_FONT) : TELL(FONT_WITH_IT));
    return true;
}

bool text_failed(TextFonts *fonts)
{
    bool failed = fonts->failed;
    fonts->failed = false;
    if (failed)
        forget_strings(fonts);
    return failed;
}

// --- drawing strings

// A stretch of `text` whose letters one face has; returns its bytes. Letters that are missing
// become "?" in `run`.
static size_t next_run(TextFonts *fonts, const char *text, bool fixed, char run[STRING_BYTES],
                       int *face)
{
    size_t from = 0, used = 0;
    uint32_t letter;
    *face = -1;
    for (size_t bytes; (bytes = utf8_next(text + from, &letter)) > 0; from += bytes) {
        int wanted = face_for(fonts, letter, fixed);
        bool is_missing = wanted < 0;
        wanted = is_missing ? 0 : wanted;
        if ((*face >= 0 && wanted != *face) || used + bytes + 1 >= STRING_BYTES)
            break;
        *face = wanted;
        if (is_missing)
            run[used++] = '?';
        else
            memcpy(run + used, text + from, bytes);
        used += is_missing ? 0 : bytes;
    }
    run[used] = '\0';
    return from;
}

static SDL_Surface *draw_run(TTF_Font *font, const char *run)
{
    SDL_Color ink = {0, 0, 0, 255}; // what is kept is how much it covers
    bool can_draw = font && font_has_memory();
    SDL_Surface *picture = can_draw ? TTF_RenderUTF8_Blended(font, run, ink) : NULL;
    if (picture)
        SDL_SetSurfaceBlendMode(picture, SDL_BLENDMODE_NONE);
    return picture;
}

// Puts `right` beside `left` on one base line; both are used up.
static SDL_Surface *join(SDL_Surface *left, SDL_Surface *right, int *above, int right_above)
{
    if (!left || !right) {
        *above = left ? *above : right_above;
        return left ? left : right;
    }
    int top = *above > right_above ? *above : right_above;
    int left_below = left->h - *above, right_below = right->h - right_above;
    int height = top + (left_below > right_below ? left_below : right_below);
    SDL_Surface *both =
        SDL_CreateRGBSurfaceWithFormat(0, left->w + right->w, height, 32, SDL_PIXELFORMAT_ARGB8888);
    if (both) {
        SDL_BlitSurface(left, NULL, both, &(SDL_Rect){0, top - *above, 0, 0});
        SDL_BlitSurface(right, NULL, both, &(SDL_Rect){left->w, top - right_above, 0, 0});
        SDL_SetSurfaceBlendMode(both, SDL_BLENDMODE_NONE);
    }
    SDL_FreeSurface(left);
    SDL_FreeSurface(right);
    *above = top;
    return both;
}

static void draw_string(TextFonts *fonts, KeptString *string)
{
    char run[STRING_BYTES];
    int face;
    SDL_Surface *whole = NULL;
    for (const char *text = string->text; *text != '\0';) {
        size_t bytes = next_run(fonts, text, string->fixed, run, &face);
        if (bytes == 0)
            break;
        TTF_Font *font = font_of(&fonts->faces[face], string->size, string->bold);
        SDL_Surface *picture = draw_run(font, run);
        int width = -1;
        if (!picture) // nothing to be drawn, or no memory
            fonts->failed |= !font || TTF_SizeUTF8(font, run, &width, NULL) != 0 || width != 0;
        bool is_whole = !whole || !picture;
        whole = join(whole, picture, &string->letters.above, font ? TTF_FontAscent(font) : 0);
        fonts->failed |= !is_whole && !whole;
        text += bytes;
    }
    if (whole) {
        fonts->failed |= !letters_keep(&string->letters, whole, string->upright);
        fonts->kept_pixels += whole->w * whole->h;
    }
    SDL_FreeSurface(whole);
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
        draw_string(fonts, kept);
        return kept;
    }
}

// The letters of an item's text, NULL when there is nothing to draw, and where they go.
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
    // The middle of the digits comes to lie on the anchor.
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
