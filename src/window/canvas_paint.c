// Paints display lists, or only what changed, and writes PNG and animated PNG; see canvas.h.
#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include "canvas.h"
#include "canvas_shared.h"
#include "new_file.h"
#include "words.h"

// --- rectangles, frames, curves

enum { ROWS_AHEAD = 4 };

// A surface and its part to paint: pixels from `left` to `right` - 1.
typedef struct Canvas {
    SDL_Surface *surface;
    int left, top, right, bottom;
} Canvas;

static uint32_t *pixel_row(const Canvas *canvas, int y)
{
    return (uint32_t *)(void *)((char *)canvas->surface->pixels +
                                (ptrdiff_t)y * canvas->surface->pitch);
}

static void fill(const Canvas *canvas, SDL_Rect box, Colour colour, int alpha)
{
    int right = box.x + box.w < canvas->right ? box.x + box.w : canvas->right;
    int below = box.y + box.h < canvas->bottom ? box.y + box.h : canvas->bottom;
    int left = box.x > canvas->left ? box.x : canvas->left;
    for (int y = box.y > canvas->top ? box.y : canvas->top; y < below; y++) {
        uint32_t *row = pixel_row(canvas, y);
        if (alpha == 255)
            for (int x = left; x < right; x++)
                row[x] = colour;
        else
            for (int x = left; x < right; x++)
                row[x] = colour_blend(row[x], colour, (unsigned)alpha);
    }
}

static SDL_Rect box_of(const DisplayItem *item)
{
    return (SDL_Rect){item->x, item->y, item->width, item->height};
}

static void paint_frame(const Canvas *canvas, const DisplayItem *item)
{
    int line = item->thickness;
    SDL_Rect box = box_of(item);
    const SDL_Rect sides[] = {
        {box.x, box.y, box.w, line},
        {box.x, box.y + box.h - line, box.w, line},
        {box.x, box.y + line, line, box.h - 2 * line},
        {box.x + box.w - line, box.y + line, line, box.h - 2 * line},
    };
    for (size_t side = 0; side < sizeof sides / sizeof *sides; side++)
        fill(canvas, sides[side], item->colour, item->alpha);
}

// One column of a curve. Its ends are as faint as the part of a pixel that they cover.
static void paint_column(const Canvas *canvas, int x, double top, double bottom,
                         const DisplayItem *item)
{
    int first = (int)floor(top), last = (int)ceil(bottom) - 1;
    if (x < canvas->left || x >= canvas->right)
        return;
    int from = first > canvas->top ? first : canvas->top;
    int to = last < canvas->bottom ? last : canvas->bottom - 1;
    Colour colour = item->colour;
    uint32_t *pixel = &pixel_row(canvas, from)[x];
    ptrdiff_t next = canvas->surface->pitch / (ptrdiff_t)sizeof *pixel;
    for (int y = from; y <= to; y++, pixel += next) {
        double above = y == first ? top - y : 0.0, below = y == last ? y + 1 - bottom : 0.0;
        int alpha =
            above + below > 0.0 ? (int)((1.0 - above - below) * item->alpha + 0.5) : item->alpha;
        *pixel = colour_blend(*pixel, colour, (unsigned)alpha);
    }
}

static void paint_curve(const Canvas *canvas, const DisplayItem *item)
{
    for (int column = 0; column < item->width; column++) {
        double t = (column + 0.5) / item->width;
        double middle = item->y + item->height * t * t * (3.0 - 2.0 * t) + 0.5;
        double slope = item->height * 6.0 * t * (1.0 - t) / item->width;
        double half = item->thickness / 32.0 * sqrt(1.0 + slope * slope);
        paint_column(canvas, item->x + column, middle - half, middle + half, item);
    }
}

// --- cells

// True if the mark's pattern covers this pixel. Patterns continue from cell to cell.
static bool is_hatched(DisplayMark mark, int x, int y, int period)
{
    int thick = period > 6 ? period / 6 : 1;
    int down = (x - y + (1 << 20) * period) % period, up = (x + y) % period;
    int bold = (x + y) % (2 * period);
    switch (mark) {
    case DISPLAY_MASKED:
        return down < thick;
    case DISPLAY_PADDED:
        return bold < 2 * thick;
    case DISPLAY_NAN:
        return down < thick || up < thick;
    case DISPLAY_INFINITY:
        return x % period < thick;
    case DISPLAY_MINUS_INFINITY:
        return y % period < thick;
    case DISPLAY_NOT_YET:
        return x % period < thick && y % period < thick;
    default:
        return false;
    }
}

// The last hatch: neighbouring cells are often alike.
typedef struct Hatch {
    bool known;
    Colour cell, colour;
} Hatch;

// Hatches a filled cell.
static void hatch(const Canvas *canvas, const DisplayItem *item, DisplayCell cell, SDL_Rect box,
                  Hatch *last)
{
    DisplayMark mark = (DisplayMark)(cell >> 24);
    if (!last->known || last->cell != (cell & 0xffffff))
        *last = (Hatch){true, cell & 0xffffff, display_hatch(item->colour, cell & 0xffffff)};
    int period = item->size > 2 ? item->size : 3;
    for (int y = box.y; y < box.y + box.h && y < canvas->bottom; y++)
        for (int x = box.x; x < box.x + box.w && x < canvas->right; x++)
            if (x >= canvas->left && y >= canvas->top && is_hatched(mark, x, y, period)) {
                uint32_t *pixel = &pixel_row(canvas, y)[x];
                *pixel = colour_blend(*pixel, last->colour, 190);
            }
}

// Returns the marks of all cells, combined. Pixels and cells do not overlap, so the loop can use vectors.
static DisplayCell copy_colours(uint32_t *restrict pixels, const DisplayCell *restrict cells,
                                int count)
{
    DisplayCell marks = 0;
    for (int i = 0; i < count; i++) {
        pixels[i] = cells[i] & 0xffffff;
        marks |= cells[i];
    }
    return marks;
}

// Prefetches cells and pixels of a later row: cells come from another core, which is slow.
static void fetch_soon(const uint32_t *pixels, const DisplayCell *cells, int count)
{
    enum { CACHE_LINE = 16 };
    for (int i = 0; i < count; i += CACHE_LINE) {
        __builtin_prefetch(cells + i);
        __builtin_prefetch(pixels + i, 1);
    }
}

// Paints cells of one pixel; copies rows without marks.
static void paint_pixels(const Canvas *canvas, const DisplayItem *item, const DisplayCell *cells)
{
    Hatch last_hatch = {.known = false};
    int from = canvas->left > item->x ? canvas->left - item->x : 0;
    int to = canvas->right - item->x < item->columns ? canvas->right - item->x : item->columns;
    int first = canvas->top > item->y ? canvas->top - item->y : 0;
    int last = canvas->bottom - item->y < item->rows ? canvas->bottom - item->y : item->rows;
    for (int row = first; row < last && from < to; row++) {
        const DisplayCell *line = cells + (ptrdiff_t)row * item->columns;
        uint32_t *pixels = pixel_row(canvas, item->y + row) + item->x;
        int ahead = row + ROWS_AHEAD < last ? ROWS_AHEAD : 0;
        fetch_soon(pixel_row(canvas, item->y + row + ahead) + item->x + from,
                   line + ahead * item->columns + from, to - from);
        DisplayCell marks = copy_colours(pixels + from, line + from, to - from);
        for (int column = from; marks >> 24 && column < to; column++)
            if (line[column] >> 24)
                hatch(canvas, item, line[column], (SDL_Rect){item->x + column, item->y + row, 1, 1},
                      &last_hatch);
    }
}

static void paint_cells(const Canvas *canvas, const DisplayItem *item, const DisplayCell *cells)
{
    if (item->rows == 0 || item->columns == 0)
        return;
    if (item->width == item->columns && item->height == item->rows) {
        paint_pixels(canvas, item, cells);
        return;
    }
    int wide = item->width / item->columns, high = item->height / item->rows;
    int width = wide - item->gap, height = high - item->gap;
    Hatch last = {.known = false};
    for (int row = 0; row < item->rows; row++)
        for (int column = 0; column < item->columns; column++) {
            DisplayCell cell = *cells++;
            SDL_Rect box = {item->x + column * wide, item->y + row * high, width, height};
            fill(canvas, box, cell & 0xffffff, 255);
            if (cell >> 24)
                hatch(canvas, item, cell, box, &last);
        }
}

// The largest area that an item may cover.
static SDL_Rect paint_box(const DisplayList *list, const DisplayItem *item, TextFonts *fonts)
{
    int more = item->kind == DISPLAY_CURVE ? item->thickness / 16 + 2 : 0;
    int top = item->height < 0 ? item->y + item->height : item->y;
    if (item->kind == DISPLAY_TEXT)
        return text_box(fonts, item, list->texts + item->at);
    return (SDL_Rect){item->x, top - more, item->width, abs(item->height) + 2 * more + 1};
}

static void paint_item(const Canvas *canvas, const DisplayList *list, const DisplayItem *item,
                       TextFonts *fonts)
{
    switch (item->kind) {
    case DISPLAY_RECTANGLE:
        fill(canvas, box_of(item), item->colour, item->alpha);
        break;
    case DISPLAY_FRAME:
        paint_frame(canvas, item);
        break;
    case DISPLAY_TEXT:
        text_draw(fonts, canvas->surface, item, list->texts + item->at);
        break;
    case DISPLAY_CURVE:
        paint_curve(canvas, item);
        break;
    case DISPLAY_CELLS:
        paint_cells(canvas, item, list->cells + item->at);
        break;
    }
}

// The largest part covered by one item of cells without gaps.
static SDL_Rect covered(const DisplayList *list, const SDL_Rect *part)
{
    SDL_Rect most = {part->x, part->y, 0, 0}, box;
    for (size_t i = 0; i < list->item_count; i++) {
        const DisplayItem *item = &list->items[i];
        bool covers = item->kind == DISPLAY_CELLS && item->gap == 0;
        if (covers &&
            SDL_IntersectRect(&(SDL_Rect){item->x, item->y, item->width, item->height}, part,
                              &box) &&
            box.w * box.h > most.w * most.h)
            most = box;
    }
    return most;
}

// Paints the background around the covered part.
static void paint_background(const Canvas *canvas, const DisplayList *list, const SDL_Rect *part)
{
    SDL_Rect hole = covered(list, part);
    int right = hole.x + hole.w, below = hole.y + hole.h;
    int end = part->x + part->w, bottom = part->y + part->h;
    const SDL_Rect around[] = {
        {part->x, part->y, part->w, hole.y - part->y},
        {part->x, hole.y, hole.x - part->x, hole.h},
        {right, hole.y, end - right, hole.h},
        {part->x, below, part->w, bottom - below},
    };
    for (size_t side = 0; side < sizeof around / sizeof *around; side++)
        fill(canvas, around[side], list->background, 255);
}

void paint_list(SDL_Surface *surface, const DisplayList *list, TextFonts *fonts, SDL_Rect part,
                const SDL_Rect *boxes)
{
    SDL_SetClipRect(surface, &part); // clipped to the surface
    SDL_Rect clip = surface->clip_rect;
    Canvas canvas = {surface, clip.x, clip.y, clip.x + clip.w, clip.y + clip.h};
    paint_background(&canvas, list, &clip);
    for (size_t i = 0; i < list->item_count; i++)
        if (!boxes || SDL_HasIntersection(&boxes[i], &clip))
            paint_item(&canvas, list, &list->items[i], fonts);
    SDL_SetClipRect(surface, NULL);
}

// --- changes between two lists
//
// Items of both lists keep their order, so the lists are walked side by side. Where they differ, looks a
// little ahead for an item that only one list has.

enum { LOOK_AHEAD = 24 };

// The new list and the boxes of its items.
typedef struct Fresh {
    const DisplayList *list;
    SDL_Rect *boxes;
    bool same_cells; // equal to the old list's
} Fresh;

static bool is_same(const Change *old, size_t i, const Fresh *fresh, size_t j)
{
    if (i >= old->item_count || j >= fresh->list->item_count)
        return false;
    const DisplayItem *a = &old->items[i], *b = &fresh->list->items[j];
    bool same = a->kind == b->kind && a->x == b->x && a->y == b->y && a->width == b->width &&
                a->height == b->height && a->colour == b->colour && a->alpha == b->alpha &&
                a->thickness == b->thickness && a->size == b->size && a->anchor == b->anchor &&
                a->bold == b->bold && a->upright == b->upright && a->fixed == b->fixed &&
                a->rows == b->rows && a->columns == b->columns && a->gap == b->gap;
    if (same && a->kind == DISPLAY_TEXT)
        return strcmp(old->texts + a->at, fresh->list->texts + b->at) == 0;
    return same && (a->kind != DISPLAY_CELLS || (a->at == b->at && fresh->same_cells));
}

static bool add_part(Change *change, SDL_Rect box)
{
    if (box.w <= 0 || box.h <= 0)
        return true;
    for (int i = 0; i < change->part_count; i++)
        if (SDL_HasIntersection(&change->parts[i], &box)) {
            SDL_UnionRect(&change->parts[i], &box, &change->parts[i]);
            return true;
        }
    if (change->part_count == CHANGE_PARTS_MAX)
        return false;
    change->parts[change->part_count++] = box;
    return true;
}

// How many old and new items to skip until the lists agree again; one each if they do not.
static void find_agreement(const Change *old, size_t i, const Fresh *fresh, size_t j,
                           size_t *old_ahead, size_t *new_ahead)
{
    for (size_t ahead = 1; ahead <= LOOK_AHEAD; ahead++) {
        bool old_has_more = is_same(old, i + ahead, fresh, j);
        if (old_has_more || is_same(old, i, fresh, j + ahead)) {
            *old_ahead = old_has_more ? ahead : 0;
            *new_ahead = old_has_more ? 0 : ahead;
            return;
        }
    }
    *old_ahead = i < old->item_count;
    *new_ahead = j < fresh->list->item_count;
}

static bool compare(Change *change, const Fresh *fresh)
{
    size_t i = 0, j = 0, old_ahead, new_ahead;
    bool fits = true;
    change->part_count = 0;
    while (fits && (i < change->item_count || j < fresh->list->item_count)) {
        if (is_same(change, i, fresh, j)) {
            i++;
            j++;
            continue;
        }
        find_agreement(change, i, fresh, j, &old_ahead, &new_ahead);
        for (; old_ahead > 0; old_ahead--)
            fits = add_part(change, change->boxes[i++]) && fits;
        for (; new_ahead > 0; new_ahead--)
            fits = add_part(change, fresh->boxes[j++]) && fits;
    }
    return fits;
}

static void remember(Change *change, const DisplayList *list, SDL_Rect *boxes)
{
    DisplayItem *items = malloc((list->item_count + 1) * sizeof *items);
    char *texts = malloc(list->text_bytes + 1);
    change->known = items && texts && boxes;
    if (change->known && list->item_count > 0)
        memcpy(items, list->items, list->item_count * sizeof *items);
    if (change->known && list->text_bytes > 0)
        memcpy(texts, list->texts, list->text_bytes);
    free(change->items);
    free(change->boxes);
    free(change->texts);
    change->items = items;
    change->boxes = boxes;
    change->texts = texts;
    change->item_count = change->known ? list->item_count : 0;
    change->text_bytes = list->text_bytes;
    change->width = list->width;
    change->height = list->height;
    change->background = list->background;
    change->cells_version = list->cells_version;
    change->cell_count = list->cell_count;
}

bool change_find(Change *change, const DisplayList *list, TextFonts *fonts)
{
    SDL_Rect *boxes = malloc((list->item_count + 1) * sizeof *boxes);
    for (size_t i = 0; boxes && i < list->item_count; i++)
        boxes[i] = paint_box(list, &list->items[i], fonts);
    bool same_frame = boxes && change->known && change->width == list->width &&
                      change->height == list->height && change->background == list->background;
    bool same_cells =
        change->cells_version == list->cells_version && change->cell_count == list->cell_count;
    bool found = same_frame && compare(change, &(Fresh){list, boxes, same_cells});
    remember(change, list, boxes);
    return found;
}

void change_forget(Change *change)
{
    change->known = false;
}

void change_finish(Change *change)
{
    free(change->items);
    free(change->boxes);
    free(change->texts);
    *change = (Change){.known = false};
}

// --- a picture

// libpng's simplified interface needs three bytes per pixel.
static unsigned char *bytes_of(SDL_Surface *surface, SDL_Rect part)
{
    size_t width = (size_t)part.w, height = (size_t)part.h;
    unsigned char *bytes = malloc(width * height * 3);
    for (size_t y = 0; bytes && y < height; y++) {
        const unsigned char *row = (const unsigned char *)surface->pixels +
                                   (y + (size_t)part.y) * (size_t)surface->pitch +
                                   4 * (size_t)part.x;
        for (size_t x = 0; x < width; x++) {
            uint32_t pixel;
            memcpy(&pixel, row + 4 * x, 4);
            unsigned char *out = bytes + (y * width + x) * 3;
            out[0] = (unsigned char)(pixel >> 16);
            out[1] = (unsigned char)(pixel >> 8);
            out[2] = (unsigned char)pixel;
        }
    }
    return bytes;
}

static png_image image_of(SDL_Rect part)
{
    return (png_image){.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)part.w,
                       .height = (png_uint_32)part.h,
                       .format = PNG_FORMAT_RGB};
}

// A part of the surface as a PNG in memory, which the caller frees. NULL and err on failure.
static unsigned char *picture_pack(SDL_Surface *surface, SDL_Rect part, size_t *bytes, Error *err)
{
    png_image image = image_of(part);
    unsigned char *pixels = bytes_of(surface, part);
    png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX(image);
    unsigned char *packed = pixels ? malloc(room) : NULL;
    bool has_memory = packed != NULL;
    if (has_memory && !png_image_write_to_memory(&image, packed, &room, 0, pixels, 0, NULL)) {
        free(packed);
        packed = NULL;
    }
    free(pixels);
    *bytes = room;
    if (!packed)
        error_set(err, TELL(PICTURE_UNPACKED), part.w, part.h,
                  has_memory ? library_text("libpng", image.message) : TELL(FONTS_MEMORY));
    return packed;
}

typedef struct PngFile {
    SDL_Surface *surface;
    const char *path;
} PngFile;

static bool write_png(const void *what, FILE *out, Error *err)
{
    const PngFile *png = what;
    SDL_Rect whole = {0, 0, png->surface->w, png->surface->h};
    png_image image = image_of(whole);
    unsigned char *bytes = bytes_of(png->surface, whole);
    if (!bytes)
        return error_set(err, TELL(PICTURE_MEMORY), whole.w, whole.h);
    bool written = png_image_write_to_stdio(&image, out, 0, bytes, 0, NULL);
    int cause = errno;
    free(bytes);
    errno = cause;
    return written || ferror(out) || // new_file_write reports a full disk
           error_set(err, TELL(PICTURE_UNWRITTEN), png->path,
                     library_text("libpng", image.message));
}

bool picture_write(SDL_Surface *surface, const char *path, Error *err)
{
    return new_file_write(path, write_png, &(PngFile){surface, path}, err);
}

// --- a film; one at a time

enum { SIGNATURE_BYTES = 8, CHUNK_BYTES = 12, LAST_SECONDS = 2 };

typedef struct Film {
    bool open;
    Arena arena;
    NewFile file;
    FILE *stream;
    png_structp png;
    SDL_Surface *last;    // the picture before: equal parts are not written again
    unsigned number;      // of the next picture
    png_uint_32 sequence; // of the next numbered chunk
} Film;

static Film film;

void film_drop(void)
{
    if (!film.open)
        return;
    png_destroy_write_struct(&film.png, NULL);
    if (film.stream)
        fclose(film.stream);
    new_file_drop(&film.file);
    SDL_FreeSurface(film.last);
    arena_finish(&film.arena);
    film = (Film){.open = false};
}

static bool cannot_write(int cause, Error *err)
{
    return error_unwritten(err, cause, film.file.path);
}

static bool begin(const char *path, Error *err)
{
    film_drop();
    film = (Film){.open = false};
    const char *own = arena_format(&film.arena, err, "%s", path); // messages are overwritten
    if (!own || !new_file_begin(&film.file, own, &film.arena, err)) {
        arena_finish(&film.arena);
        return false;
    }
    film.open = true;
    film.stream = fopen(film.file.temporary, "wb");
    if (!film.stream)
        return cannot_write(errno, err);
    film.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    if (!film.png)
        return error_set(err, TELL(FILM_MEMORY), path);
    png_init_io(film.png, film.stream);
    return true;
}

// The part that differs from the picture before; at least one pixel, because no picture is empty.
static SDL_Rect changed(const SDL_Surface *surface)
{
    const SDL_Surface *last = film.last;
    int left = surface->w, right = -1, top = surface->h, bottom = -1;
    if (!last)
        return (SDL_Rect){0, 0, surface->w, surface->h};
    for (int y = 0; y < surface->h; y++) {
        const char *row = (const char *)surface->pixels + (ptrdiff_t)y * surface->pitch;
        const char *old = (const char *)last->pixels + (ptrdiff_t)y * last->pitch;
        if (memcmp(row, old, 4 * (size_t)surface->w) == 0)
            continue;
        int from = 0, to = surface->w - 1;
        while (memcmp(row + 4 * from, old + 4 * from, 4) == 0)
            from++;
        while (memcmp(row + 4 * to, old + 4 * to, 4) == 0)
            to--;
        left = from < left ? from : left;
        right = to > right ? to : right;
        top = y < top ? y : top;
        bottom = y;
    }
    return right < 0 ? (SDL_Rect){0, 0, 1, 1}
                     : (SDL_Rect){left, top, right - left + 1, bottom - top + 1};
}

// --- chunks

static void write_frame_control(SDL_Rect box, FilmPlace place)
{
    unsigned char control[26] = {0}; // zeros: a frame replaces the one before and stays
    bool is_last = place.number + 1 == place.count;
    png_save_uint_32(control, film.sequence++);
    png_save_uint_32(control + 4, (png_uint_32)box.w);
    png_save_uint_32(control + 8, (png_uint_32)box.h);
    png_save_uint_32(control + 12, (png_uint_32)box.x);
    png_save_uint_32(control + 16, (png_uint_32)box.y);
    png_save_uint_16(control + 20, is_last ? LAST_SECONDS * place.rate : 1);
    png_save_uint_16(control + 22, place.rate);
    png_write_chunk(film.png, (png_const_bytep) "fcTL", control, sizeof control);
}

static void write_animation_control(unsigned count)
{
    unsigned char control[8] = {0}; // 0: repeats for ever
    png_save_uint_32(control, count);
    png_write_chunk(film.png, (png_const_bytep) "acTL", control, sizeof control);
}

// The data of later pictures: a PNG's data after a number.
static void write_data(png_bytep data, png_uint_32 length)
{
    unsigned char number[4];
    png_save_uint_32(number, film.sequence++);
    png_write_chunk_start(film.png, (png_const_bytep) "fdAT", length + 4);
    png_write_chunk_data(film.png, number, 4);
    png_write_chunk_data(film.png, data, length);
    png_write_chunk_end(film.png);
}

// Splits the picture's PNG. Chunks before the data describe the whole film.
static void write_chunks(png_bytep packed, size_t bytes, SDL_Rect box, FilmPlace place)
{
    bool has_control = false;
    if (place.number == 0)
        png_write_sig(film.png);
    for (size_t at = SIGNATURE_BYTES; at + CHUNK_BYTES <= bytes;) {
        png_uint_32 length = png_get_uint_32(packed + at);
        png_bytep name = packed + at + 4, data = packed + at + 8;
        bool is_data = memcmp(name, "IDAT", 4) == 0, is_end = memcmp(name, "IEND", 4) == 0;
        if (is_data && !has_control)
            write_frame_control(box, place);
        has_control = has_control || is_data;
        if (place.number > 0 && is_data)
            write_data(data, length);
        else if (place.number == 0 && !is_end)
            png_write_chunk(film.png, name, data, length);
        if (place.number == 0 && memcmp(name, "IHDR", 4) == 0)
            write_animation_control(place.count);
        at += CHUNK_BYTES + length;
    }
    if (place.number + 1 == place.count)
        png_write_chunk(film.png, (png_const_bytep) "IEND", NULL, 0);
}

// libpng jumps here if writing fails.
static bool write_all(png_bytep packed, size_t bytes, SDL_Rect box, FilmPlace place)
{
    if (setjmp(png_jmpbuf(film.png)))
        return false;
    write_chunks(packed, bytes, box, place);
    return true;
}

static bool add(SDL_Surface *surface, FilmPlace place, Error *err)
{
    SDL_Rect box = changed(surface);
    size_t bytes = 0;
    unsigned char *packed = picture_pack(surface, box, &bytes, err);
    if (!packed)
        return false;
    bool written = write_all(packed, bytes, box, place);
    int cause = errno;
    free(packed);
    return written || cannot_write(cause, err);
}

static bool end(Error *err)
{
    int failed = fclose(film.stream), cause = errno;
    film.stream = NULL;
    if (failed != 0)
        return cannot_write(cause, err);
    png_destroy_write_struct(&film.png, NULL);
    SDL_FreeSurface(film.last);
    bool kept = new_file_keep(&film.file, err);
    arena_finish(&film.arena);
    film = (Film){.open = false};
    return kept;
}

static bool follows(const SDL_Surface *surface, FilmPlace place, Error *err)
{
    bool fits = film.open && place.number == film.number && film.last &&
                film.last->w == surface->w && film.last->h == surface->h;
    return fits || error_set(err, TELL(FILM_ORDER), place.number);
}

bool film_add(SDL_Surface *surface, FilmPlace place, const char *path, Error *err)
{
    bool good = place.number == 0 ? begin(path, err) : follows(surface, place, err);
    good = good && add(surface, place, err);
    SDL_Surface *copy = good ? SDL_ConvertSurface(surface, surface->format, 0) : NULL;
    if (good && !copy)
        good = error_set(err, TELL(PICTURE_MEMORY), surface->w, surface->h);
    if (!good) {
        film_drop();
        return false;
    }
    SDL_FreeSurface(film.last);
    film.last = copy;
    film.number = place.number + 1;
    return film.number < place.count || end(err);
}
