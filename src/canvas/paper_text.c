// paper_text: see paper_text.h. A letter is looked for in the fonts that are open, then asked of
// fontconfig; where no font has it, "?" stands for it.
#include "paper_text.h"

#include <cairo-ft.h>
#include <errno.h>
#include <ft2build.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include FT_FREETYPE_H
#include "utf8.h"
#include "canvas_words.h"

enum { FACES_MAX = 32, RUN_BYTES = 512 };

typedef struct Face {
    FT_Face file;
    cairo_font_face_t *font;
    bool bold, fixed;
} Face;

struct PaperFonts {
    FT_Library library;
    Face faces[FACES_MAX];
    int face_count;
    uint32_t missing;
    bool lacks_memory; // for a face that there is: another one stood in its place
};

// --- fonts

// Fontconfig may use up the room that is ready, so FreeType gets its own: it takes a file for a broken one
// where it had no memory to look into it.
static bool open_file(PaperFonts *fonts, uint32_t letter, bool bold, bool fixed, FT_Face *file)
{
    FoundFont found;
    const char *families = font_families(fixed);
    errno = font_has_memory() ? 0 : ENOMEM;
    bool is_found = errno == 0 && font_find(families, bold, letter, &found);
    if (!is_found && errno != ENOMEM)
        is_found = font_find(families, false, letter, &found);
    bool has_memory = errno != ENOMEM && (!is_found || font_has_memory());
    fonts->lacks_memory = fonts->lacks_memory || !has_memory;
    return is_found && has_memory &&
           FT_New_Face(fonts->library, found.path, found.number, file) == 0;
}

static bool add_face(PaperFonts *fonts, uint32_t letter, bool bold, bool fixed)
{
    Face *face = &fonts->faces[fonts->face_count];
    if (fonts->face_count == FACES_MAX || !open_file(fonts, letter, bold, fixed, &face->file))
        return false;
    face->font = cairo_ft_font_face_create_for_ft_face(face->file, 0);
    face->bold = bold;
    face->fixed = fixed;
    fonts->face_count++;
    return true;
}

static Face *face_for(PaperFonts *fonts, uint32_t letter, bool bold, bool fixed)
{
    for (int i = 0; i < fonts->face_count; i++) {
        Face *face = &fonts->faces[i];
        if (face->bold == bold && face->fixed == fixed && FT_Get_Char_Index(face->file, letter))
            return face;
    }
    bool added = letter != fonts->missing && add_face(fonts, letter, bold, fixed);
    Face *newest = added ? &fonts->faces[fonts->face_count - 1] : NULL;
    return newest && FT_Get_Char_Index(newest->file, letter) ? newest : NULL;
}

PaperFonts *paper_text_open(Error *err)
{
    PaperFonts *fonts = calloc(1, sizeof *fonts);
    if (!fonts || !font_has_memory() || FT_Init_FreeType(&fonts->library) != 0) {
        error_set(err, TELL(FONTS_FAILED), TELL(FONTS_MEMORY));
    } else if (!face_for(fonts, 'a', false, false)) {
        error_set(err, TELL(NO_FONT), fonts->lacks_memory ? TELL(NO_FONT_MEMORY) : "");
    } else {
        return fonts;
    }
    paper_text_close(fonts);
    return NULL;
}

void paper_text_close(PaperFonts *fonts)
{
    if (!fonts)
        return;
    for (int i = 0; i < fonts->face_count; i++) {
        cairo_font_face_destroy(fonts->faces[i].font);
        FT_Done_Face(fonts->faces[i].file);
    }
    if (fonts->library)
        FT_Done_FreeType(fonts->library);
    free(fonts);
}

bool paper_text_metrics(PaperFonts *fonts, int metrics[FONT_METRICS], Error *err)
{
    enum { ASCII = 95, USUAL = 600, KOREAN = 1000, OTHER = 700 };
    const Face *bold = face_for(fonts, 'a', true, false); // the wider of the two weights
    FT_Face file = bold ? bold->file : fonts->faces[0].file;
    for (int i = 0; i < FONT_METRICS; i++) {
        metrics[i] = i < ASCII ? USUAL : i == ASCII ? KOREAN : OTHER;
        if (i < ASCII && FT_Load_Char(file, (FT_ULong)(' ' + i), FT_LOAD_NO_SCALE) == 0)
            metrics[i] = (int)(file->glyph->metrics.horiAdvance * 1000 / file->units_per_EM);
    }
    return !fonts->lacks_memory || error_set(err, TELL(FONTS_FAILED), TELL(FONTS_MEMORY));
}

uint32_t paper_text_missing(const PaperFonts *fonts)
{
    return fonts->missing;
}

// --- texts

// A stretch of `text` whose letters one face has; returns its bytes. Letters that are missing
// become "?" in `run`.
static size_t next_run(PaperFonts *fonts, const char *text, const DisplayItem *item,
                       char run[RUN_BYTES], Face **face)
{
    size_t from = 0, used = 0;
    uint32_t letter;
    *face = NULL;
    for (size_t bytes; (bytes = utf8_next(text + from, &letter)) > 0; from += bytes) {
        Face *wanted = face_for(fonts, letter, item->bold, item->fixed);
        bool is_missing = !wanted;
        if (is_missing) {
            fonts->missing = fonts->missing ? fonts->missing : letter;
            wanted = face_for(fonts, '?', item->bold, item->fixed);
            wanted = wanted ? wanted : &fonts->faces[0];
        }
        if ((*face && wanted != *face) || used + bytes + 1 >= RUN_BYTES)
            break;
        *face = wanted;
        memcpy(run + used, is_missing ? "?" : text + from, is_missing ? 1 : bytes);
        used += is_missing ? 1 : bytes;
    }
    run[used] = '\0';
    return from;
}

// Goes through the runs of a text, `draws` them or not; returns how wide they are.
static double go_through(PaperFonts *fonts, cairo_t *cairo, const DisplayItem *item,
                         const char *text, bool draws)
{
    char run[RUN_BYTES];
    Face *face;
    double width = 0.0;
    cairo_set_font_size(cairo, item->size);
    for (size_t bytes; (bytes = next_run(fonts, text, item, run, &face)) > 0; text += bytes) {
        cairo_text_extents_t extents;
        cairo_set_font_face(cairo, face->font);
        cairo_text_extents(cairo, run, &extents);
        width += extents.x_advance;
        if (draws)
            cairo_show_text(cairo, run);
    }
    return width;
}

bool paper_text(PaperFonts *fonts, cairo_t *cairo, const DisplayItem *item, const char *text)
{
    const double quarter = acos(0.0), middle = 0.36; // of an em, from the base line: of digits
    if (item->size <= 0 || *text == '\0')
        return true;
    if (!font_has_memory())
        return false;
    cairo_save(cairo);
    cairo_translate(cairo, item->x, item->y);
    if (item->upright)
        cairo_rotate(cairo, -quarter);
    double width = go_through(fonts, cairo, item, text, false);
    double before = item->anchor == DISPLAY_LEFT     ? 0.0
                    : item->anchor == DISPLAY_CENTRE ? width / 2.0
                                                     : width;
    cairo_move_to(cairo, -before, item->size * middle);
    go_through(fonts, cairo, item, text, true);
    cairo_restore(cairo);
    return !fonts->lacks_memory;
}
