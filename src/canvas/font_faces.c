// font_faces: see font_faces.h. A letter is looked for in the fonts that are open, then asked of
// fontconfig.
#include "font_faces.h"

#include <errno.h>
#include <fontconfig/fontconfig.h>
#include <hb-ft.h>
#include <stdlib.h>
#include FT_SIZES_H
#include "canvas_words.h"

enum { SIZES_MAX = 12, MISSING_MAX = 64 };

typedef struct Sized {
    int size;
    FT_Size metrics;
    hb_font_t *shaper;
} Sized;

typedef struct Face {
    FoundFont found;
    FT_Face file;
    FT_Face other; // the same for whoever sets sizes of his own; NULL: nobody has asked
    bool bold, fixed;
    Sized sizes[SIZES_MAX];
    int size_count;
} Face;

struct FontFaces {
    FT_Library library;
    int load_flags;
    Face faces[FONT_FACES_MAX];
    int face_count;
    uint32_t missing[MISSING_MAX]; // letters that no font has
    int missing_count;
    uint32_t told; // the first of them that is new; 0: none is
    bool lacks_memory;
};

// --- finding

// Fontconfig may use up the room that is ready, so FreeType gets its own: it takes a file for a broken one
// where it had no memory to look into it.
static bool open_file(FontFaces *fonts, uint32_t letter, bool bold, bool fixed, Face *face)
{
    const char *families = font_families(fixed);
    errno = font_has_memory() ? 0 : ENOMEM;
    bool is_found = errno == 0 && font_find(families, bold, letter, &face->found);
    if (!is_found && errno != ENOMEM)
        is_found = font_find(families, false, letter, &face->found);
    bool has_memory = errno != ENOMEM && (!is_found || font_has_memory());
    fonts->lacks_memory = fonts->lacks_memory || !has_memory;
    return is_found && has_memory &&
           FT_New_Face(fonts->library, face->found.path, face->found.number, &face->file) == 0;
}

static bool add_face(FontFaces *fonts, uint32_t letter, bool bold, bool fixed)
{
    Face *face = &fonts->faces[fonts->face_count];
    if (fonts->face_count == FONT_FACES_MAX || !open_file(fonts, letter, bold, fixed, face))
        return false;
    face->bold = bold;
    face->fixed = fixed;
    fonts->face_count++;
    return true;
}

bool font_face_has(const FontFaces *fonts, int face, uint32_t letter)
{
    return FT_Get_Char_Index(fonts->faces[face].file, letter) != 0;
}

static bool is_missing(const FontFaces *fonts, uint32_t letter)
{
    for (int i = 0; i < fonts->missing_count; i++)
        if (fonts->missing[i] == letter)
            return true;
    return false;
}

static void note_missing(FontFaces *fonts, uint32_t letter)
{
    if (fonts->lacks_memory || is_missing(fonts, letter))
        return;
    if (fonts->missing_count < MISSING_MAX)
        fonts->missing[fonts->missing_count++] = letter;
    fonts->told = fonts->told ? fonts->told : letter;
}

int font_face_for(FontFaces *fonts, uint32_t letter, bool bold, bool fixed)
{
    for (int i = 0; i < fonts->face_count; i++)
        if (fonts->faces[i].bold == bold && fonts->faces[i].fixed == fixed &&
            font_face_has(fonts, i, letter))
            return i;
    int newest = fonts->face_count;
    if (!is_missing(fonts, letter) && add_face(fonts, letter, bold, fixed) &&
        font_face_has(fonts, newest, letter))
        return newest;
    note_missing(fonts, letter);
    return -1;
}

// --- sizes

static void close_size(Sized *sized)
{
    hb_font_destroy(sized->shaper);
    if (sized->metrics)
        FT_Done_Size(sized->metrics);
    *sized = (Sized){.size = 0};
}

static bool open_size(const FontFaces *fonts, Face *face, int size, Sized *sized)
{
    *sized = (Sized){.size = size};
    if (!font_has_memory() || FT_New_Size(face->file, &sized->metrics) != 0 ||
        FT_Activate_Size(sized->metrics) != 0 ||
        FT_Set_Pixel_Sizes(face->file, 0, (FT_UInt)size) != 0)
        return false;
    sized->shaper = hb_ft_font_create(face->file, NULL);
    hb_ft_font_set_load_flags(sized->shaper, fonts->load_flags);
    return true;
}

FT_Face font_face_again(FontFaces *fonts, int number)
{
    Face *face = &fonts->faces[number];
    if (!face->other &&
        (!font_has_memory() ||
         FT_New_Face(fonts->library, face->found.path, face->found.number, &face->other) != 0)) {
        fonts->lacks_memory = true;
        face->other = NULL;
    }
    return face->other;
}

FT_Face font_face_sized(FontFaces *fonts, int number, int size, hb_font_t **shaper)
{
    Face *face = &fonts->faces[number];
    int at = 0;
    while (at < face->size_count && face->sizes[at].size != size)
        at++;
    if (at == SIZES_MAX)
        close_size(&face->sizes[at = --face->size_count]);
    if (at == face->size_count && !open_size(fonts, face, size, &face->sizes[at])) {
        close_size(&face->sizes[at]);
        fonts->lacks_memory = true;
        return NULL;
    }
    face->size_count += at == face->size_count;
    FT_Activate_Size(face->sizes[at].metrics);
    *shaper = face->sizes[at].shaper;
    return face->file;
}

int font_faces_flags(const FontFaces *fonts)
{
    return fonts->load_flags;
}

// --- all of them

FontFaces *font_faces_open(int load_flags, Error *err)
{
    FontFaces *fonts = calloc(1, sizeof *fonts);
    errno = 0;
    if (!fonts || !font_has_memory() || FT_Init_FreeType(&fonts->library) != 0 ||
        !font_find_open()) {
        error_set(err, TELL(FONTS_FAILED), TELL(FONTS_MEMORY));
    } else if (font_face_for(fonts, 'a', false, false) < 0) {
        error_set(err, TELL(NO_FONT), fonts->lacks_memory ? TELL(NO_FONT_MEMORY) : "");
    } else {
        fonts->load_flags = load_flags;
        return fonts;
    }
    font_faces_close(fonts);
    return NULL;
}

void font_faces_close(FontFaces *fonts)
{
    if (!fonts)
        return;
    for (Face *face = fonts->faces; face < fonts->faces + fonts->face_count; face++) {
        for (int i = 0; i < face->size_count; i++)
            close_size(&face->sizes[i]);
        FT_Done_Face(face->file);
        if (face->other)
            FT_Done_Face(face->other);
    }
    if (fonts->library)
        FT_Done_FreeType(fonts->library);
    FcFini();
    free(fonts);
}

void font_faces_metrics(FontFaces *fonts, int metrics[FONT_METRICS])
{
    enum { ASCII = 95, USUAL = 600, KOREAN = 1000, OTHER = 700 };
    int bold = font_face_for(fonts, 'a', true, false);
    FT_Face file = fonts->faces[bold < 0 ? 0 : bold].file;
    for (int i = 0; i < FONT_METRICS; i++) {
        metrics[i] = i < ASCII ? USUAL : i == ASCII ? KOREAN : OTHER;
        if (i < ASCII && FT_Load_Char(file, (FT_ULong)(' ' + i), FT_LOAD_NO_SCALE) == 0)
            metrics[i] = (int)(file->glyph->metrics.horiAdvance * 1000 / file->units_per_EM);
    }
}

uint32_t font_faces_missing(FontFaces *fonts)
{
    uint32_t letter = fonts->told;
    fonts->told = 0;
    return letter;
}

bool font_faces_lack_memory(FontFaces *fonts)
{
    bool lacks = fonts->lacks_memory;
    fonts->lacks_memory = false;
    return lacks;
}

void font_faces_note_memory(FontFaces *fonts)
{
    fonts->lacks_memory = true;
}
