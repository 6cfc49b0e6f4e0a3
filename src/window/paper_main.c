// attnscope-paper: writes PDF, in a separate process with the protocol of attnscope-window (window.h). Only
// this program links cairo, which takes longer to load than many commands take.
//
//   attnscope-paper TITLE ABOUT   descriptor 3 is a socket, 4 the shared memory
//
// Ends when the socket closes.
#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "canvas_shared.h"
#include "display_list.h"
#include "error.h"
#include "new_file.h"

// --- fonts

// Texts are shaped at this size without hinting, and scaled.
enum { UNITS = 1000 };

typedef struct PaperFonts {
    FontFaces *faces;
    cairo_font_face_t *fonts[FONT_FACES_MAX];
    ShapedText shaped;
    cairo_glyph_t glyphs[SHAPED_GLYPHS_MAX];
    cairo_text_cluster_t clusters[SHAPED_GLYPHS_MAX];
} PaperFonts;

static void close_fonts(PaperFonts *fonts)
{
    for (int i = 0; i < FONT_FACES_MAX; i++)
        if (fonts->fonts[i])
            cairo_font_face_destroy(fonts->fonts[i]);
    font_faces_close(fonts->faces);
}

// --- texts

static cairo_font_face_t *font_of(PaperFonts *fonts, int face)
{
    FT_Face file = fonts->fonts[face] ? NULL : font_face_again(fonts->faces, face);
    if (file)
        fonts->fonts[face] = cairo_ft_font_face_create_for_ft_face(file, FT_LOAD_NO_HINTING);
    return fonts->fonts[face];
}

// Finds which letters belong to each glyph, in logical order, so that copied text is right.
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

// Draws the text of an item. Returns false without memory.
static bool paper_text(PaperFonts *fonts, cairo_t *cairo, const DisplayItem *item, const char *text)
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

// --- cells: rectangles, or if there are many, an image

enum { RECTANGLES_MAX = 64 * 64, COLOUR = 0xffffff, HATCH_ALPHA = 190 };

// Sets the colour for drawing; alpha 255 is opaque.
static void paper_colour(cairo_t *cairo, Colour colour, int alpha)
{
    cairo_set_source_rgba(cairo, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                          (colour & 255) / 255.0, alpha / 255.0);
}

// How many cells from `column` on are equal in the bits of `mask`.
static int run_length(const DisplayCell *row, int column, int columns, DisplayCell mask)
{
    int end = column + 1;
    while (end < columns && ((row[end] ^ row[column]) & mask) == 0)
        end++;
    return end - column;
}

// Without gaps, a cell extends below its right and lower neighbours, so that no paper shows between them.
static void fill_cells(cairo_t *cairo, const DisplayItem *item, const DisplayCell *cells)
{
    double wide = (double)item->width / item->columns, high = (double)item->height / item->rows;
    for (int row = 0; row < item->rows; row++, cells += item->columns)
        for (int column = 0, count; column < item->columns; column += count) {
            count = item->gap ? 1 : run_length(cells, column, item->columns, COLOUR);
            bool last_column = column + count == item->columns, last_row = row + 1 == item->rows;
            double more_across = item->gap ? -item->gap : last_column ? 0.0 : wide / 2.0;
            double more_down = item->gap ? -item->gap : last_row ? 0.0 : high / 2.0;
            paper_colour(cairo, cells[column] & COLOUR, 255);
            cairo_rectangle(cairo, item->x + column * wide, item->y + row * high,
                            count * wide + more_across, high + more_down);
            cairo_fill(cairo);
        }
}

static void fill_image(cairo_t *cairo, const DisplayItem *item, const DisplayCell *cells)
{
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, item->columns, item->rows);
    cairo_surface_flush(image);
    unsigned char *pixels = cairo_image_surface_get_data(image);
    size_t stride = (size_t)cairo_image_surface_get_stride(image);
    for (size_t row = 0; pixels && row < (size_t)item->rows; row++)
        memcpy(pixels + row * stride, cells + row * (size_t)item->columns,
               (size_t)item->columns * sizeof *cells);
    cairo_surface_mark_dirty(image);
    cairo_save(cairo);
    cairo_translate(cairo, item->x, item->y);
    cairo_scale(cairo, (double)item->width / item->columns, (double)item->height / item->rows);
    cairo_set_source_surface(cairo, image, 0.0, 0.0);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_paint(cairo);
    cairo_restore(cairo);
    cairo_surface_destroy(image);
}

// --- patterns

// Lines across the item, `apart` pixels from each other, continuous from cell to cell. Slope 1 is downwards.
static void slanted(cairo_t *cairo, const DisplayItem *item, int slope, int apart, double width)
{
    int reach = item->height, left = item->x, top = item->y;
    int at = slope > 0 ? left - top : left + top;
    int first = (slope > 0 ? at - reach : at) / apart * apart - apart;
    cairo_set_line_width(cairo, width / sqrt(2.0));
    for (int line = first; line <= at + item->width + reach; line += apart) {
        double x = slope > 0 ? line + top : line - top;
        cairo_move_to(cairo, x + width / 2.0, top);
        cairo_line_to(cairo, x + width / 2.0 + slope * reach, top + reach);
    }
    cairo_stroke(cairo);
}

static void straight(cairo_t *cairo, const DisplayItem *item, bool upright, int apart, double width)
{
    int first = (upright ? item->x : item->y) / apart * apart;
    int end = upright ? item->x + item->width : item->y + item->height;
    cairo_set_line_width(cairo, width);
    for (int line = first; line <= end; line += apart) {
        double middle = line + width / 2.0;
        cairo_move_to(cairo, upright ? middle : item->x / apart * apart,
                      upright ? item->y : middle);
        cairo_line_to(cairo, upright ? middle : item->x + item->width,
                      upright ? item->y + item->height : middle);
    }
    cairo_stroke(cairo);
}

static void draw_pattern(cairo_t *cairo, const DisplayItem *item, DisplayMark mark)
{
    int apart = item->size > 2 ? item->size : 3;
    double width = apart > 6 ? apart / 6 : 1;
    if (mark == DISPLAY_MASKED || mark == DISPLAY_NAN)
        slanted(cairo, item, 1, apart, width);
    if (mark == DISPLAY_NAN)
        slanted(cairo, item, -1, apart, width);
    if (mark == DISPLAY_PADDED)
        slanted(cairo, item, -1, 2 * apart, 2.0 * width);
    if (mark == DISPLAY_INFINITY)
        straight(cairo, item, true, apart, width);
    if (mark == DISPLAY_NOT_YET) {
        double dots[] = {width, apart - width};
        cairo_set_dash(cairo, dots, 2, 0.0);
    }
    if (mark == DISPLAY_MINUS_INFINITY || mark == DISPLAY_NOT_YET)
        straight(cairo, item, false, apart, width);
}

// Makes the cells with this mark and pattern colour the path. Returns false if there are none.
static bool outline(cairo_t *cairo, const DisplayItem *item, const DisplayCell *cells,
                    DisplayMark mark, Colour colour)
{
    double wide = (double)item->width / item->columns, high = (double)item->height / item->rows;
    bool found = false;
    for (int row = 0; row < item->rows; row++, cells += item->columns)
        for (int column = 0, count; column < item->columns; column += count) {
            count = item->gap ? 1 : run_length(cells, column, item->columns, ~(DisplayCell)0);
            DisplayCell cell = cells[column];
            if (cell >> 24 != mark || display_hatch(item->colour, cell & COLOUR) != colour)
                continue;
            cairo_rectangle(cairo, item->x + column * wide, item->y + row * high,
                            count * wide - item->gap, high - item->gap);
            found = true;
        }
    return found;
}

static void hatch(cairo_t *cairo, const DisplayItem *item, const DisplayCell *cells,
                  DisplayMark mark)
{
    const Colour tones[] = {item->colour, 0x1b2430, 0xffffff}; // as display_hatch has them
    for (int tone = 0; tone < 3; tone++) {
        if (tone > 0 && tones[tone] == tones[0])
            continue;
        cairo_save(cairo);
        if (outline(cairo, item, cells, mark, tones[tone])) {
            cairo_clip(cairo);
            paper_colour(cairo, tones[tone], HATCH_ALPHA);
            draw_pattern(cairo, item, mark);
        }
        cairo_restore(cairo);
    }
}

// Fills the cells, then draws the patterns of marks.
static void paper_cells(cairo_t *cairo, const DisplayItem *item, const DisplayCell *cells)
{
    bool marked[DISPLAY_MARK_COUNT] = {false};
    if (item->rows == 0 || item->columns == 0)
        return;
    if (item->gap > 0 || item->rows * item->columns <= RECTANGLES_MAX)
        fill_cells(cairo, item, cells);
    else
        fill_image(cairo, item, cells);
    for (int i = 0; i < item->rows * item->columns; i++)
        if (cells[i] >> 24 < DISPLAY_MARK_COUNT)
            marked[cells[i] >> 24] = true;
    for (int mark = DISPLAY_PLAIN + 1; mark < DISPLAY_MARK_COUNT; mark++)
        if (marked[mark])
            hatch(cairo, item, cells, (DisplayMark)mark);
}

// --- items

static void draw_rectangle(cairo_t *cairo, const DisplayItem *item)
{
    cairo_rectangle(cairo, item->x, item->y, item->width, item->height);
    cairo_fill(cairo);
}

static void draw_frame(cairo_t *cairo, const DisplayItem *item)
{
    double line = item->thickness;
    cairo_set_line_width(cairo, line);
    cairo_rectangle(cairo, item->x + line / 2.0, item->y + line / 2.0, item->width - line,
                    item->height - line);
    cairo_stroke(cairo);
}

static void draw_curve(cairo_t *cairo, const DisplayItem *item)
{
    int end_x = item->x + item->width, end_y = item->y + item->height;
    double middle = item->x + item->width / 2.0;
    cairo_set_line_width(cairo, item->thickness / 16.0);
    cairo_move_to(cairo, item->x, item->y);
    cairo_curve_to(cairo, middle, item->y, middle, end_y, end_x, end_y);
    cairo_stroke(cairo);
}

static bool draw_item(cairo_t *cairo, const DisplayList *list, const DisplayItem *item,
                      PaperFonts *fonts)
{
    paper_colour(cairo, item->colour, item->kind == DISPLAY_TEXT ? 255 : item->alpha);
    switch (item->kind) {
    case DISPLAY_RECTANGLE:
        draw_rectangle(cairo, item);
        break;
    case DISPLAY_FRAME:
        draw_frame(cairo, item);
        break;
    case DISPLAY_TEXT:
        return paper_text(fonts, cairo, item, list->texts + item->at);
    case DISPLAY_CURVE:
        draw_curve(cairo, item);
        break;
    case DISPLAY_CELLS:
        paper_cells(cairo, item, list->cells + item->at);
        break;
    }
    return true;
}

static bool draw_items(cairo_t *cairo, const DisplayList *list, PaperFonts *fonts)
{
    bool good = true;
    paper_colour(cairo, list->background, 255);
    cairo_paint(cairo);
    for (size_t i = 0; good && i < list->item_count; i++)
        good = draw_item(cairo, list, &list->items[i], fonts);
    return good;
}

// --- the file

// The file's metadata.
typedef struct PaperWords {
    const char *title, *about;
} PaperWords;

// A file being written page by page; zeroed: none.
typedef struct Paper {
    cairo_surface_t *pages;
    FILE *stream;
    int cause; // errno of the first failed write, or 0
    NewFile file;
    Arena arena;
} Paper;

typedef struct PaperPage {
    unsigned number, count; // from 0; of all
    const PaperWords *words;
    const char *path;
} PaperPage;

// cairo does not report failed writes or missing memory while drawing, so both are checked here.
enum { PAGE_BYTES = 32 << 20, CELL_BYTES = 64 };

static cairo_status_t write_bytes(void *context, const unsigned char *bytes, unsigned count)
{
    Paper *paper = context;
    if (paper->cause == 0 && fwrite(bytes, 1, count, paper->stream) != count)
        paper->cause = errno ? errno : EIO;
    return paper->cause == 0 ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static bool has_memory(const DisplayList *list)
{
    return room_ahead(PAGE_BYTES + list->cell_count * CELL_BYTES);
}

// One CSS pixel is 3/4 of a point.
static const double page_points = 0.75;

// Without a date, so that the bytes are always the same.
static cairo_surface_t *open_page(const DisplayList *list, const PaperWords *words, Paper *paper)
{
    cairo_surface_t *page = cairo_pdf_surface_create_for_stream(
        write_bytes, paper, list->width * page_points, list->height * page_points);
    cairo_surface_set_device_scale(page, page_points, page_points);
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_TITLE, words->title);
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_SUBJECT, words->about);
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_CREATOR, "attnscope");
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_CREATE_DATE, "");
    return page;
}

static bool begin(Paper *paper, const DisplayList *list, const PaperWords *words, const char *path,
                  Error *err)
{
    *paper = (Paper){.cause = 0};
    const char *kept = arena_format(&paper->arena, err, "%s", path); // the message is overwritten
    if (!kept || !new_file_begin(&paper->file, kept, &paper->arena, err)) {
        arena_finish(&paper->arena);
        return false;
    }
    paper->stream = fopen(paper->file.temporary, "wb");
    paper->cause = paper->stream ? 0 : errno;
    paper->pages = open_page(list, words, paper);
    return true;
}

// Returns the reason of a failure, or NULL.
static const char *draw_page(Paper *paper, const DisplayList *list, PaperFonts *fonts)
{
    bool has_room = paper->cause == 0 && has_memory(list);
    cairo_t *cairo = cairo_create(paper->pages);
    has_room = has_room && draw_items(cairo, list, fonts) && has_memory(list);
    cairo_status_t drawn = cairo_status(cairo);
    cairo_destroy(cairo);
    if (paper->cause != 0)
        return error_reason(paper->cause);
    if (!has_room || drawn == CAIRO_STATUS_NO_MEMORY)
        return TELL(FONTS_MEMORY);
    return drawn == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(drawn);
}

static const char *finish_pages(Paper *paper)
{
    cairo_surface_finish(paper->pages);
    cairo_status_t status = cairo_surface_status(paper->pages);
    bool closed = !paper->stream || fclose(paper->stream) == 0;
    paper->stream = NULL;
    if (paper->cause != 0 || !closed)
        return error_reason(paper->cause != 0 ? paper->cause : errno);
    return status == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(status);
}

static void paper_drop(Paper *paper)
{
    if (!paper->pages)
        return;
    if (paper->stream)
        finish_pages(paper);
    cairo_surface_destroy(paper->pages);
    new_file_drop(&paper->file);
    arena_finish(&paper->arena);
    *paper = (Paper){.pages = NULL};
}

static bool keep(Paper *paper, Error *err)
{
    cairo_surface_destroy(paper->pages);
    bool kept = new_file_keep(&paper->file, err);
    arena_finish(&paper->arena);
    *paper = (Paper){.pages = NULL};
    return kept;
}

static bool paper_add(Paper *paper, const DisplayList *list, PaperFonts *fonts, PaperPage page,
                      Error *err)
{
    if (page.number == 0)
        paper_drop(paper);
    if (page.number == 0 && !begin(paper, list, page.words, page.path, err))
        return false;
    if (!paper->pages)
        return error_unwritten(err, EINVAL, page.path);
    if (page.number > 0) {
        cairo_surface_show_page(paper->pages);
        cairo_pdf_surface_set_size(paper->pages, list->width * page_points,
                                   list->height * page_points);
    }
    const char *reason = draw_page(paper, list, fonts);
    bool is_last = page.number + 1 >= page.count;
    if (!reason && is_last)
        reason = finish_pages(paper);
    if (!reason)
        return !is_last || keep(paper, err);
    error_set(err, TELL(PICTURE_UNWRITTEN), page.path, reason);
    paper_drop(paper);
    return false;
}

// --- messages

static void handle_message(const char *message, Paper *paper, PaperFonts *fonts,
                           const PaperWords *words)
{
    Error err;
    DisplayList list;
    size_t bytes;
    FilmPlace place;
    const char *path = picture_asked(message, &bytes, &place);
    if (!path)
        return;
    PaperPage page = {place.number, place.count, words, path};
    if (!canvas_list(bytes, &list)) {
        send_message("failed %s", TELL(NO_MEMORY_PICTURE));
        return;
    }
    bool written = paper_add(paper, &list, fonts, page, &err);
    send_missing(fonts->faces);
    if (written)
        send_message("saved %s", page.path);
    else
        send_message("failed %s", err.text);
}

int main(int argc, char **argv)
{
    Error err = {.text = ""};
    char message[WINDOW_MESSAGE_MAX];
    int stranger =
        canvas_handshake("attnscope-paper is started by attnscope: try attnscope heatmap "
                         "padded-batch --pdf map.pdf\n");
    if (stranger)
        return stranger;
    PaperWords words = {argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : ""};
    static PaperFonts fonts; // too large for the stack
    fonts.faces = room_on_stack(&err) ? font_faces_open(FT_LOAD_NO_HINTING, &err) : NULL;
    bool opened = fonts.faces && send_metrics(fonts.faces);
    Paper paper = {.pages = NULL};
    if (opened)
        send_message("shown");
    else
        send_message("failed %s", fonts.faces ? TELL(NO_MEMORY_MEASURE) : err.text);
    while (opened && receive_message(message))
        handle_message(message, &paper, &fonts, &words);
    paper_drop(&paper);
    close_fonts(&fonts);
    return opened ? 0 : 1;
}
