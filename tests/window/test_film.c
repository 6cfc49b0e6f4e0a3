// Animated PNGs, chunk by chunk: pictures whose changed parts are known by hand, unpacked again by
// libpng.
#include "window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "saved_picture.h"
#include "scratch.h"
#include "suite.h"

enum { WIDE = 40, HIGH = 30 };

static Window window;
static DisplayList list;
static char path[4096];

static void open_window(void)
{
    Error err;
    scratch_open();
    snprintf(path, sizeof path, "%s", scratch_path("film.png"));
    ck_assert_msg(window_open_unseen(&window, &err), "%s", err.text);
}

static void close_window(void)
{
    window_close(&window);
    display_list_finish(&list);
    scratch_close();
}

static WindowEventKind add(unsigned number, unsigned count, int x, int y, Colour colour)
{
    WindowEvent event;
    display_list_clear(&list, WIDE, HIGH, 0xffffff);
    display_rectangle(&list, x, y, 10, 10, colour);
    ck_assert(window_film(&window, &list, (WindowFilm){number, count, 5}, path));
    while (window_wait(&window, -1))
        while (window_next(&window, &event))
            if (event.kind == WINDOW_SAVED || event.kind == WINDOW_FAILED)
                return event.kind;
    return WINDOW_LOST;
}

// A red square, a blue one elsewhere, and the same again.
static void film_squares(void)
{
    ck_assert_int_eq(add(0, 3, 5, 5, 0xff0000), WINDOW_SAVED);
    ck_assert_int_eq(add(1, 3, 20, 10, 0x0000ff), WINDOW_SAVED);
    ck_assert_int_ne(access(path, F_OK), 0); // not yet whole
    ck_assert_int_eq(add(2, 3, 20, 10, 0x0000ff), WINDOW_SAVED);
}

// --- reading chunks

typedef struct Chunk {
    const unsigned char *name, *data;
    unsigned length;
} Chunk;

static unsigned number_at(const unsigned char *bytes, int count)
{
    unsigned number = 0;
    for (int i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return number;
}

static bool next_chunk(const unsigned char *bytes, size_t count, size_t *at, Chunk *chunk)
{
    if (*at + 12 > count)
        return false;
    chunk->length = number_at(bytes + *at, 4);
    chunk->name = bytes + *at + 4;
    chunk->data = bytes + *at + 8;
    *at += 12 + (size_t)chunk->length;
    return *at <= count;
}

static bool is_named(const Chunk *chunk, const char *name)
{
    return memcmp(chunk->name, name, 4) == 0;
}

// The sum that ends a chunk, as the PNG specification has it in its annex D.
static unsigned sum_of(const unsigned char *bytes, size_t count)
{
    unsigned sum = 0xffffffff;
    for (size_t i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? 0xedb88320 ^ sum >> 1 : sum >> 1;
    }
    return ~sum;
}

static void put_number(FILE *out, unsigned number)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        fputc((int)(number >> shift & 0xff), out);
}

static void put_chunk(FILE *out, const char *name, const unsigned char *data, unsigned length)
{
    unsigned char bytes[4096];
    ck_assert_uint_le(length + 4, sizeof bytes);
    memcpy(bytes, name, 4);
    if (length > 0)
        memcpy(bytes + 4, data, length);
    put_number(out, length);
    fwrite(bytes, 1, length + 4, out);
    put_number(out, sum_of(bytes, length + 4));
}

static unsigned char *read_film(size_t *count)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    unsigned char *bytes = malloc(1 << 20);
    *count = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

// --- tests

// The red square covers (5, 5) to (14, 14), the blue one (20, 10) to (29, 19): 25 x 15 pixels from
// (5, 5) on change. Then nothing does, and no picture is empty. At 5 a second the last stays for 10.
TEST(only_what_changes_is_written)
{
    static const unsigned boxes[3][4] = {{WIDE, HIGH, 0, 0}, {25, 15, 5, 5}, {1, 1, 0, 0}};
    static const unsigned delays[3] = {1, 1, 10};
    size_t count, at = 8;
    unsigned frames = 0, sequence = 0;
    Chunk chunk;
    film_squares();
    unsigned char *bytes = read_film(&count);
    while (next_chunk(bytes, count, &at, &chunk)) {
        ck_assert_uint_eq(number_at(chunk.data + chunk.length, 4),
                          sum_of(chunk.name, chunk.length + 4));
        if (is_named(&chunk, "acTL"))
            ck_assert_uint_eq(number_at(chunk.data, 4), 3);
        if (is_named(&chunk, "fcTL") || is_named(&chunk, "fdAT"))
            ck_assert_uint_eq(number_at(chunk.data, 4), sequence++);
        if (!is_named(&chunk, "fcTL"))
            continue;
        for (int i = 0; i < 4; i++)
            ck_assert_uint_eq(number_at(chunk.data + 4 + 4 * i, 4), boxes[frames][i]);
        ck_assert_uint_eq(number_at(chunk.data + 20, 2), delays[frames]);
        ck_assert_uint_eq(number_at(chunk.data + 22, 2), 5);
        frames++;
    }
    ck_assert_uint_eq(frames, 3);
    ck_assert_uint_eq(at, count);
    ck_assert(is_named(&chunk, "IEND"));
    free(bytes);
}

// Whoever knows no films sees the first picture.
TEST(the_first_picture_is_that_of_the_file)
{
    SavedPicture picture;
    film_squares();
    ck_assert(saved_picture_read(&picture, path));
    ck_assert_int_eq(picture.width, WIDE);
    ck_assert_uint_eq(saved_picture_pixel(&picture, 14, 14), 0xff0000);
    ck_assert_uint_eq(saved_picture_pixel(&picture, 15, 14), 0xffffff);
    saved_picture_finish(&picture);
}

// The data of the second, as a picture of its own.
TEST(later_pictures_are_png_too)
{
    size_t count, at = 8;
    unsigned controls = 0;
    Chunk chunk;
    SavedPicture picture;
    film_squares();
    unsigned char *bytes = read_film(&count), header[13];
    FILE *out = fopen(scratch_path("second.png"), "wb");
    fwrite(bytes, 1, 8, out);
    while (next_chunk(bytes, count, &at, &chunk)) {
        controls += is_named(&chunk, "fcTL");
        if (is_named(&chunk, "IHDR"))
            memcpy(header, chunk.data, sizeof header);
        if (controls == 2 && is_named(&chunk, "fcTL")) {
            memcpy(header, chunk.data + 4, 8); // its own width and height
            put_chunk(out, "IHDR", header, sizeof header);
        }
        if (controls == 2 && is_named(&chunk, "fdAT"))
            put_chunk(out, "IDAT", chunk.data + 4, chunk.length - 4);
    }
    put_chunk(out, "IEND", NULL, 0);
    fclose(out);
    ck_assert(saved_picture_read(&picture, scratch_path("second.png")));
    ck_assert_int_eq(picture.width, 25);
    ck_assert_uint_eq(saved_picture_pixel(&picture, 0, 0), 0xffffff); // no red any more
    ck_assert_uint_eq(saved_picture_pixel(&picture, 14, 5), 0xffffff);
    ck_assert_uint_eq(saved_picture_pixel(&picture, 15, 5), 0x0000ff);
    ck_assert_uint_eq(saved_picture_pixel(&picture, 24, 14), 0x0000ff);
    saved_picture_finish(&picture);
    free(bytes);
}

TEST(a_picture_out_of_order_ends_the_film)
{
    ck_assert_int_eq(add(1, 3, 5, 5, 0xff0000), WINDOW_FAILED);
    ck_assert_int_eq(add(0, 3, 5, 5, 0xff0000), WINDOW_SAVED);
    ck_assert_int_eq(add(2, 3, 5, 5, 0xff0000), WINDOW_FAILED);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(add(0, 1, 5, 5, 0xff0000), WINDOW_SAVED); // one picture is a film
    ck_assert_int_eq(access(path, F_OK), 0);
}

TEST(a_folder_that_is_not_there_is_told)
{
    snprintf(path, sizeof path, "%s", scratch_path("nowhere/film.png"));
    ck_assert_int_eq(add(0, 2, 5, 5, 0xff0000), WINDOW_FAILED);
}

SUITE_WITH("film", open_window, close_window)
