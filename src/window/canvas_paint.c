// Paints a display list, or what has changed in it, on a surface; see canvas.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "canvas.h"

// --- rectangles, frames, curves and cells as pixels

enum { ROWS_AHEAD = 4 };

// A surface and the part of it that is painted, in pixels from `left` to `right`-1.
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

// One column of a curve: from `top` to `bottom`, its ends as faint as the part of a pixel they
// cover.
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

// Whether the pattern of a mark covers this pixel. Patterns go on from cell to cell.
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

// The hatch of the cell before: cells of a row are often alike.
typedef struct Hatch {
    bool known;
    Colour cell, colour;
} Hatch;

// Over a cell that has been filled.
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

// Returns all marks of the cells at once. Pixels and cells lie apart, which lets loops be vectors.
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

// Calls cells and pixels of a later row into the cache: cells come from another
// core, which takes long.
static void fetch_soon(const uint32_t *pixels, const DisplayCell *cells, int count)
{
    enum { CACHE_LINE = 16 };
    for (int i = 0; i < count; i += CACHE_LINE) {
        __builtin_prefetch(cells + i);
        __builtin_prefetch(pixels + i, 1);
    }
}

// Cells of one pixel: the rows that are not marked are copied.
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

// What an item covers at most.
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

// The most of a part that one item covers with cells without gaps.
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

// The background around what is covered: above, left, right and below.
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
    SDL_SetClipRect(surface, &part); // cut to the surface
    SDL_Rect clip = surface->clip_rect;
    Canvas canvas = {surface, clip.x, clip.y, clip.x + clip.w, clip.y + clip.h};
    paint_background(&canvas, list, &clip);
    for (size_t i = 0; i < list->item_count; i++)
        if (!boxes || SDL_HasIntersection(&boxes[i], &clip))
            paint_item(&canvas, list, &list->items[i], fonts);
    SDL_SetClipRect(surface, NULL);
}

// --- two lists compared item by item
//
// Items that are in both lists keep their order, so the lists are walked side by side; where they
// differ, an item that only one list has is looked for a little ahead.

enum { LOOK_AHEAD = 24 };

// The new list with the boxes of its items.
typedef struct Fresh {
    const DisplayList *list;
    SDL_Rect *boxes;
    bool same_cells; // as in the old list
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

// How many old and new items to step over until the lists agree again; one each when they do not.
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
