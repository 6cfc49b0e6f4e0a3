// paper_text: see paper_text.h.
#include "paper_text.h"

#include <cairo-ft.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "shaped_text.h"
#include "canvas_words.h"

// Texts are shaped at this size, without fitting them to pixels, and drawn smaller.
enum { UNITS = 1000 };

struct PaperFonts {
    FontFaces *faces;
    cairo_font_face_t *fonts[FONT_FACES_MAX];
    ShapedText shaped;
    cairo_glyph_t glyphs[SHAPED_GLYPHS_MAX];
    cairo_text_cluster_t clusters[SHAPED_GLYPHS_MAX];
};

PaperFonts *paper_text_open(Error *err)
{
    PaperFonts *fonts = calloc(1, sizeof *fonts);
    if (!fonts)
        error_set(err, TELL(FONTS_FAILED), TELL(FONTS_MEMORY));
    else if ((fonts->faces = font_faces_open(FT_LOAD_NO_HINTING, err)) != NULL)
        return fonts;
    paper_text_close(fonts);
    return NULL;
}

void paper_text_close(PaperFonts *fonts)
{
    if (!fonts)
        return;
    for (int i = 0; i < FONT_FACES_MAX; i++)
        if (fonts->fonts[i])
            cairo_font_face_destroy(fonts->fonts[i]);
    font_faces_close(fonts->faces);
    free(fonts);
}

bool paper_text_metrics(PaperFonts *fonts, int metrics[FONT_METRICS], Error *err)
{
    font_faces_metrics(fonts->faces, metrics);
    return !font_faces_lack_memory(fonts->faces) ||
           error_set(err, TELL(FONTS_FAILED), TELL(FONTS_MEMORY));
}

uint32_t paper_text_missing(PaperFonts *fonts)
{
    return font_faces_missing(fonts->faces);
}

// --- texts

static cairo_font_face_t *font_of(PaperFonts *fonts, int face)
{
    FT_Face file = fonts->fonts[face] ? NULL : font_face_again(fonts->faces, face);
    if (file)
        fonts->fonts[face] = cairo_ft_font_face_create_for_ft_face(file, FT_LOAD_NO_HINTING);
    return fonts->fonts[face];
}

// Which letters each glyph is for, in the order in which they are written: what is copied from the page is
// the text again.
static int find_clusters(PaperFonts *fonts, const ShapedRun *run)
{
    const ShapedGlyph *glyphs = fonts->shaped.glyphs + run->first_glyph;
    int count = 0, last = run->first_byte;
    for (int k = 0; k < run->glyph_count; k++) {
        int byte = glyphs[run->is_rtl ? run->glyph_count - 1 - k : k].byte;
        if (count == 0 || byte != last) {
            if (count > 0)
                fonts->clusters[count - 1].num_bytes = byte - last;
            fonts->clusters[count++] = (cairo_text_cluster_t){0, 0};
            last = byte;
        }
        fonts->clusters[count - 1].num_glyphs++;
    }
    if (count > 0)
        fonts->clusters[count - 1].num_bytes = run->first_byte + run->byte_count - last;
    return count;
}

static void draw_run(PaperFonts *fonts, cairo_t *cairo, const ShapedRun *run, const char *text)
{
    double x, y, scale;
    cairo_matrix_t size;
    cairo_font_face_t *font = font_of(fonts, run->face);
    if (!font)
        return;
    cairo_get_current_point(cairo, &x, &y);
    cairo_get_font_matrix(cairo, &size);
    scale = size.xx / UNITS;
    for (int i = 0; i < run->glyph_count; i++) {
        const ShapedGlyph *glyph = &fonts->shaped.glyphs[run->first_glyph + i];
        fonts->glyphs[i] =
            (cairo_glyph_t){glyph->glyph, x + glyph->x * scale, y - glyph->y * scale};
    }
    int clusters = find_clusters(fonts, run);
    cairo_set_font_face(cairo, font);
    cairo_show_text_glyphs(cairo, text + run->first_byte, run->byte_count, fonts->glyphs,
                           run->glyph_count, fonts->clusters, clusters,
                           run->is_rtl ? CAIRO_TEXT_CLUSTER_FLAG_BACKWARD : 0);
    cairo_move_to(cairo, x, y);
}

bool paper_text(PaperFonts *fonts, cairo_t *cairo, const DisplayItem *item, const char *text)
{
    const double quarter = acos(0.0), middle = 0.36; // of an em, from the base line: of digits
    DisplayItem style = {.size = UNITS, .bold = item->bold, .fixed = item->fixed};
    if (item->size <= 0 || *text == '\0')
        return true;
    if (!shape_text(fonts->faces, &style, text, &fonts->shaped) || !font_has_memory())
        return false;
    double width = fonts->shaped.width * item->size / UNITS;
    double before = item->anchor == DISPLAY_LEFT     ? 0.0
                    : item->anchor == DISPLAY_CENTRE ? width / 2.0
                                                     : width;
    cairo_save(cairo);
    cairo_translate(cairo, item->x, item->y);
    if (item->upright)
        cairo_rotate(cairo, -quarter);
    cairo_set_font_size(cairo, item->size);
    cairo_move_to(cairo, -before, item->size * middle);
    for (int i = 0; i < fonts->shaped.run_count; i++)
        draw_run(fonts, cairo, &fonts->shaped.runs[i], text);
    cairo_restore(cairo);
    return !font_faces_lack_memory(fonts->faces);
}
