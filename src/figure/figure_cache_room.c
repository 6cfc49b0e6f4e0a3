// The memory in which a picture's cache keeps maps and their pieces, from one picture to the next; see
// figure_cache.h.
#include "figure_internal.h"

#include "figure_cache.h"

void *figure_cache_room(FigureCache *cache, CacheRoom *place, ptrdiff_t count, size_t size,
                        Error *err)
{
    size_t bytes = (size_t)count * size;
    if (place->memory && bytes <= place->bytes)
        return place->memory;
    place->memory = arena_take(&cache->arena, (size_t)count + (size_t)count / 2, size, err);
    place->bytes = place->memory ? bytes + (size_t)count / 2 * size : 0;
    return place->memory;
}

FigureMap *figure_cache_maps(FigureCache *cache, ptrdiff_t count, Error *err)
{
    return figure_cache_room(cache, &cache->maps, count, sizeof(FigureMap), err);
}

ptrdiff_t figure_piece_start(const FigureCache *cache, const CachePiece *piece)
{
    return (piece->map * cache->down + piece->first) * cache->across;
}

float *figure_piece_scratch(const FigureCache *cache, const CachePiece *piece, ptrdiff_t columns)
{
    ptrdiff_t number = piece - (const CachePiece *)cache->pieces.memory;
    return (float *)cache->scratch.memory + number * (columns + 1);
}
