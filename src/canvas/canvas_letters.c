// canvas_letters: see canvas_letters.h.
#include "canvas_letters.h"

#include <stdlib.h>

bool letters_keep(Letters *letters, const unsigned char *covered, int width, int height,
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

void letters_draw(const Letters *letters, SDL_Surface *surface, const SDL_Rect *place,
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

void letters_forget(Letters *letters)
{
    free(letters->coverage);
    *letters = (Letters){.coverage = NULL};
}
