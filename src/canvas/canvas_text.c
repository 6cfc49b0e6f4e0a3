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
#include "font_file.h"
#include "library_text.h"
#include "utf8.h"
#include "canvas_words.h"

enum {
    FACES_MAX = 16,
    SIZES_MAX = 12,
    STRINGS_MAX = 4096, // kept; beyond that all are forgotten at once
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
    char text[STRING_BYTES];
    int size;
    bool bold, upright, fixed;
    Colour colour;
    SDL_Surface *picture;
    int above; // pixels from the top to the base line
} KeptString;

struct TextFonts {
    Face faces[FACES_MAX];
    int face_count;
    KeptString *kept; // by hash, with steps of one
    int kept_count;
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
    if (!has_memory || TTF_Init() != 0 || !FcInit()) {
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
    for (int i = 0; fonts->kept && i < STRINGS_MAX * 2; i++)
        SDL_FreeSurface(fonts->kept[i].picture);
    if (fonts->kept)
        memset(fonts->kept, 0, STRINGS_MAX * 2 * sizeof *fonts->kept);
    fonts->kept_count = 0;
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

static SDL_Surface *draw_run(TTF_Font *font, const char *run, Colour colour)
{
    SDL_Color ink = {(Uint8)(colour >> 16), (Uint8)(colour >> 8), (Uint8)colour, 255};
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

// A quarter turn to the left.
static SDL_Surface *turn(SDL_Surface *picture)
{
    SDL_Surface *turned =
        SDL_CreateRGBSurfaceWithFormat(0, picture->h, picture->w, 32, SDL_PIXELFORMAT_ARGB8888);
    for (int y = 0; turned && y < picture->h; y++)
        for (int x = 0; x < picture->w; x++) {
            const uint32_t *from =
                (const uint32_t *)(const void *)((char *)picture->pixels + y * picture->pitch);
            char *row = (char *)turned->pixels + (picture->w - 1 - x) * turned->pitch;
            ((uint32_t *)(void *)row)[y] = from[x];
        }
    SDL_FreeSurface(picture);
    return turned;
}

static void draw_string(TextFonts *fonts, KeptString *string)
{
    char run[STRING_BYTES];
    int face;
    for (const char *text = string->text; *text != '\0';) {
        size_t bytes = next_run(fonts, text, string->fixed, run, &face);
        if (bytes == 0)
            break;
        TTF_Font *font = font_of(&fonts->faces[face], string->size, string->bold);
        SDL_Surface *picture = draw_run(font, run, string->colour);
        int width = -1;
        if (!picture) // nothing to be drawn, or no memory
            fonts->failed |= !font || TTF_SizeUTF8(font, run, &width, NULL) != 0 || width != 0;
        bool is_whole = !string->picture || !picture;
        string->picture =
            join(string->picture, picture, &string->above, font ? TTF_FontAscent(font) : 0);
        fonts->failed |= !is_whole && !string->picture;
        text += bytes;
    }
    if (string->picture && string->upright) {
        string->picture = turn(string->picture);
        fonts->failed |= !string->picture;
    }
    if (string->picture)
        SDL_SetSurfaceBlendMode(string->picture, SDL_BLENDMODE_BLEND);
}

static bool is_string(const KeptString *kept, const DisplayItem *item, const char *text)
{
    return kept->size == item->size && kept->bold == item->bold && kept->upright == item->upright &&
           kept->fixed == item->fixed && kept->colour == item->colour &&
           strcmp(kept->text, text) == 0;
}

static KeptString *find_string(TextFonts *fonts, const DisplayItem *item, const char *text)
{
    uint32_t hash = 2166136261u ^ item->colour ^ (uint32_t)item->size << 24 ^
                    (uint32_t)item->bold << 20 ^ (uint32_t)item->upright << 21 ^
                    (uint32_t)item->fixed << 22;
    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    if (fonts->kept_count >= STRINGS_MAX)
        forget_strings(fonts);
    for (;; hash++) {
        KeptString *kept = &fonts->kept[hash % (STRINGS_MAX * 2)];
        if (kept->size == 0) {
            *kept = (KeptString){.size = item->size,
                                 .bold = item->bold,
                                 .upright = item->upright,
                                 .fixed = item->fixed,
                                 .colour = item->colour};
            memcpy(kept->text, text, strlen(text) + 1);
            fonts->kept_count++;
            draw_string(fonts, kept);
            return kept;
        }
        if (is_string(kept, item, text))
            return kept;
    }
}

// The picture of an item's text, NULL when there is nothing to draw, and where it goes.
static SDL_Surface *place_text(TextFonts *fonts, const DisplayItem *item, const char *text,
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
    KeptString *string = find_string(fonts, item, text);
    SDL_Surface *picture = string->picture;
    if (!picture)
        return NULL;
    // The middle of the digits comes to lie on the anchor.
    int above = string->above - (item->size * 36 + 50) / 100;
    int length = item->upright ? picture->h : picture->w;
    int before = item->anchor == DISPLAY_LEFT     ? 0
                 : item->anchor == DISPLAY_CENTRE ? length / 2
                                                  : length;
    *place = (SDL_Rect){item->x - before, item->y - above, picture->w, picture->h};
    if (item->upright)
        *place = (SDL_Rect){item->x - above, item->y - length + before, picture->w, picture->h};
    return picture;
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
    SDL_Surface *picture = place_text(fonts, item, text, &place);
    if (picture && SDL_HasIntersection(&place, &surface->clip_rect))
        SDL_BlitSurface(picture, NULL, surface, &place);
}
