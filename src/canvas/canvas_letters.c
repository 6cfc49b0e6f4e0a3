// canvas_letters: see canvas_letters.h.
#include "canvas_letters.h"

#include <stdlib.h>

bool letters_keep(Letters *letters, const SDL_Surface *picture, bool upright)
{
    size_t wide = (size_t)picture->w, high = (size_t)picture->h;
    letters->coverage = malloc(wide * high + 1);
    if (!letters->coverage)
        return false;
    for (size_t y = 0; y < high; y++) {
        const char *line = (const char *)picture->pixels + y * (size_t)picture->pitch;
        const uint32_t *row = (const uint32_t *)(const void *)line;
        for (size_t x = 0; x < wide; x++)
            letters->coverage[upright ? (wide - 1 - x) * high + y : y * wide + x] =
                (unsigned char)(row[x] >> 24);
    }
    letters->width = upright ? picture->h : picture->w;
    letters->height = upright ? picture->w : picture->h;
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
