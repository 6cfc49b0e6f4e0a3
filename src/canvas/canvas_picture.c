// canvas_picture: PNG through libpng, into a file beside the wanted one that then takes its place;
// see canvas_picture.h.
#include "canvas_picture.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include "library_text.h"
#include "new_file.h"
#include "canvas_words.h"

// libpng's simplified interface wants three bytes a pixel.
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

unsigned char *picture_pack(SDL_Surface *surface, SDL_Rect part, size_t *bytes, Error *err)
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

static bool write_png(SDL_Surface *surface, const NewFile *file, Error *err)
{
    SDL_Rect whole = {0, 0, surface->w, surface->h};
    png_image image = image_of(whole);
    unsigned char *bytes = bytes_of(surface, whole);
    if (!bytes)
        return error_set(err, TELL(PICTURE_MEMORY), surface->w, surface->h);
    FILE *stream = fopen(file->temporary, "wb");
    bool written = stream && png_image_write_to_stdio(&image, stream, 0, bytes, 0, NULL);
    bool is_disk = !stream || ferror(stream); // else it is libpng that says why
    int cause = errno;
    if (stream && fclose(stream) != 0 && written) {
        written = false;
        is_disk = true;
        cause = errno;
    }
    free(bytes);
    return written ||
           error_set(err, TELL(PICTURE_UNWRITTEN), file->path,
                     is_disk ? error_reason(cause) : library_text("libpng", image.message));
}

bool picture_write(SDL_Surface *surface, const char *path, Error *err)
{
    Arena arena = {.chunks = NULL};
    NewFile file;
    bool written = false;
    if (new_file_begin(&file, path, &arena, err)) {
        if (write_png(surface, &file, err))
            written = new_file_keep(&file, err);
        else
            new_file_drop(&file);
    }
    arena_finish(&arena);
    return written;
}
