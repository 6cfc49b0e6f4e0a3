// paper_draw: rectangles, frames, curves and cells for a page; see paper_draw.h.
#include "paper_draw.h"

#include <cairo-pdf.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include "new_file.h"
#include "room.h"
#include "paper_cells.h"
#include "canvas_words.h"

// --- items

static void draw_rectangle(cairo_t *cairo, const DisplayItem *item)
{
    paper_colour(cairo, item->colour, item->alpha);
    cairo_rectangle(cairo, item->x, item->y, item->width, item->height);
    cairo_fill(cairo);
}

static void draw_frame(cairo_t *cairo, const DisplayItem *item)
{
    double line = item->thickness;
    paper_colour(cairo, item->colour, item->alpha);
    cairo_set_line_width(cairo, line);
    cairo_rectangle(cairo, item->x + line / 2.0, item->y + line / 2.0, item->width - line,
                    item->height - line);
    cairo_stroke(cairo);
}

static void draw_curve(cairo_t *cairo, const DisplayItem *item)
{
    int end_x = item->x + item->width, end_y = item->y + item->height;
    double middle = item->x + item->width / 2.0;
    paper_colour(cairo, item->colour, item->alpha);
    cairo_set_line_width(cairo, item->thickness / 16.0);
    cairo_move_to(cairo, item->x, item->y);
    cairo_curve_to(cairo, middle, item->y, middle, end_y, end_x, end_y);
    cairo_stroke(cairo);
}

static bool draw_item(cairo_t *cairo, const DisplayList *list, const DisplayItem *item,
                      PaperFonts *fonts)
{
    switch (item->kind) {
    case DISPLAY_RECTANGLE:
        draw_rectangle(cairo, item);
        break;
    case DISPLAY_FRAME:
        draw_frame(cairo, item);
        break;
    case DISPLAY_TEXT:
        paper_colour(cairo, item->colour, 255);
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

// Cairo goes on where a page cannot be written, or lacks memory for a part of it, and says nothing of either:
// so bytes are counted here, and memory is there before it begins.
enum { PAGE_BYTES = 32 << 20, CELL_BYTES = 64 };

typedef struct Paper {
    FILE *stream;
    int cause; // why bytes could not be written; 0: they could
} Paper;

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

// One pixel of a page of the web is 3/4 of a point. The date would make other bytes each time.
static cairo_surface_t *open_page(const DisplayList *list, const PaperWords *words, Paper *paper)
{
    const double points = 0.75;
    cairo_surface_t *page = cairo_pdf_surface_create_for_stream(
        write_bytes, paper, list->width * points, list->height * points);
    cairo_surface_set_device_scale(page, points, points);
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_TITLE, words->title);
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_SUBJECT, words->about);
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_CREATOR, "attnscope");
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_CREATE_DATE, "");
    return page;
}

// The reason where it could not be written, else NULL.
static const char *draw_page(const DisplayList *list, PaperFonts *fonts, const PaperWords *words,
                             Paper *paper)
{
    bool has_room = has_memory(list);
    cairo_surface_t *page = open_page(list, words, paper);
    cairo_t *cairo = cairo_create(page);
    has_room = has_room && draw_items(cairo, list, fonts) && has_memory(list);
    cairo_status_t drawn = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_finish(page);
    drawn = drawn == CAIRO_STATUS_SUCCESS ? cairo_surface_status(page) : drawn;
    cairo_surface_destroy(page);
    if (paper->cause != 0)
        return error_reason(paper->cause);
    if (!has_room || drawn == CAIRO_STATUS_NO_MEMORY)
        return TELL(FONTS_MEMORY);
    return drawn == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(drawn);
}

static bool write_file(const DisplayList *list, PaperFonts *fonts, const PaperWords *words,
                       const NewFile *file, Error *err)
{
    Paper paper = {.stream = fopen(file->temporary, "wb")};
    const char *reason = paper.stream ? draw_page(list, fonts, words, &paper) : error_reason(errno);
    if (paper.stream && fclose(paper.stream) != 0 && !reason)
        reason = error_reason(errno);
    return !reason || error_set(err, TELL(PICTURE_UNWRITTEN), file->path, reason);
}

bool paper_write(const DisplayList *list, PaperFonts *fonts, const PaperWords *words,
                 const char *path, Error *err)
{
    Arena arena = {.chunks = NULL};
    NewFile file;
    bool written = false;
    if (new_file_begin(&file, path, &arena, err)) {
        if (write_file(list, fonts, words, &file, err))
            written = new_file_keep(&file, err);
        else
            new_file_drop(&file);
    }
    arena_finish(&arena);
    return written;
}
