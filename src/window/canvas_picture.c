// Writes surfaces as files through libpng: a PNG, and a film as an animated PNG; see canvas.h.
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include "canvas.h"
#include "canvas_messages.h"
#include "library_text.h"
#include "new_file.h"

// --- a picture

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

// A part of the surface as the bytes of a PNG, which belong to the caller. NULL with a sentence.
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

// --- a film
//
// One film is made at a time, because this process has one list at a time.

enum { SIGNATURE_BYTES = 8, CHUNK_BYTES = 12, LAST_SECONDS = 2 };

typedef struct Film {
    bool open;
    Arena arena;
    NewFile file;
    FILE *stream;
    png_structp png;
    SDL_Surface *last;    // the picture before, of which what stays is not written again
    unsigned number;      // of the next picture
    png_uint_32 sequence; // of the next chunk that has one
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
    return error_set(err, TELL(PICTURE_UNWRITTEN), film.file.path, error_reason(cause));
}

static bool begin(const char *path, Error *err)
{
    film_drop();
    film = (Film){.open = false};
    const char *own = arena_format(&film.arena, err, "%s", path); // messages come and go
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

// What differs from the picture before; one pixel where nothing does, as no picture is empty.
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
    unsigned char control[26] = {0}; // it takes the place of what was there, and stays
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
    unsigned char control[8] = {0}; // again and again
    png_save_uint_32(control, count);
    png_write_chunk(film.png, (png_const_bytep) "acTL", control, sizeof control);
}

// The data of a later picture are those of a PNG with a number before them.
static void write_data(png_bytep data, png_uint_32 length)
{
    unsigned char number[4];
    png_save_uint_32(number, film.sequence++);
    png_write_chunk_start(film.png, (png_const_bytep) "fdAT", length + 4);
    png_write_chunk_data(film.png, number, 4);
    png_write_chunk_data(film.png, data, length);
    png_write_chunk_end(film.png);
}

// Takes a PNG of the picture apart. The chunks before the data are those of the whole film.
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

// libpng jumps back here where the disk takes no more.
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
