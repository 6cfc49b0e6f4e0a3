// Saved pictures, pixel by pixel against colours worked out from the tensor; and windows with SDL's
// driver that shows nothing.
#include "drawn.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "saved_picture.h"
#include "scratch.h"
#include "suite.h"
#include "window.h"

static Drawn drawn;
static Window window;
static SavedPicture picture;

static void open_drawn(void)
{
    scratch_open();
    drawn_open(&drawn, tiny_causal(1, 3, 4));
    window = (Window){.fd = -1};
    picture = (SavedPicture){.pixels = NULL};
}

static void close_drawn(void)
{
    saved_picture_finish(&picture);
    window_close(&window);
    drawn_close(&drawn);
    scratch_close();
}

static WindowEventKind wait_for_answer(void)
{
    WindowEvent event;
    while (window_wait(&window, -1))
        while (window_next(&window, &event))
            if (event.kind == WINDOW_SAVED || event.kind == WINDOW_FAILED ||
                event.kind == WINDOW_READY || event.kind == WINDOW_LOST)
                return event.kind;
    return WINDOW_LOST;
}

static Colour pixel(int x, int y)
{
    return saved_picture_pixel(&picture, x, y);
}

static void save(int wide, int high)
{
    const char *path = scratch_path("picture.png");
    ck_assert_msg(window_open_unseen(&window, &drawn.err), "%s", drawn.err.text);
    drawn_draw(&drawn, wide, high, 1.0);
    ck_assert(window_save(&window, &drawn.list, path));
    ck_assert_int_eq(wait_for_answer(), WINDOW_SAVED);
    ck_assert(saved_picture_read(&picture, path));
    ck_assert_int_eq(picture.width, wide);
    ck_assert_int_eq(picture.height, high);
}

// The weights are k/15, so that viridis has their colours as published points.
static void set_weights(void)
{
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    for (ptrdiff_t h = 0; h < 3; h++)
        for (ptrdiff_t i = 0; i < 4; i++)
            for (ptrdiff_t j = 0; j <= i; j++)
                *tensor_at4(&weights, 0, h, i, j) = (float)(4 * i + j - (i == 3)) / 15.0f;
}

static const Colour points[16] = {0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e,
                                  0x2a788e, 0x23888e, 0x1f988b, 0x22a884, 0x35b779, 0x54c568,
                                  0x7ad151, 0xa5db36, 0xd2e21b, 0xfde725};

TEST(every_pixel_of_a_cell_is_the_colour_of_its_number)
{
    set_weights();
    save(420, 300); // cells too small for numbers
    int wide = drawn.figure.cell_width, high = drawn.figure.cell_height;
    ck_assert_int_lt(wide, 30);
    for (int map = 0; map < 3; map++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j <= i; j++)
                for (int y = 0; y < high - 1; y++)
                    for (int x = 0; x < wide - 1; x++)
                        ck_assert_uint_eq(pixel(drawn.figure.maps[map].x + j * wide + x,
                                                drawn.figure.maps[map].y + i * high + y),
                                          points[4 * i + j - (i == 3)]);
}

TEST(masked_cells_have_two_colours_and_no_other)
{
    set_weights();
    save(420, 300);
    int wide = drawn.figure.cell_width, high = drawn.figure.cell_height, hatched = 0;
    for (int y = 0; y < high - 1; y++)
        for (int x = 0; x < wide - 1; x++) {
            Colour colour =
                pixel(drawn.figure.maps[0].x + 3 * wide + x, drawn.figure.maps[0].y + y);
            // the paper 0xeef0f3 with the hatch 0x7f8a97 over it, 190 parts of 255:
            // ee -> (238 * 65 + 127 * 190) / 255 = 155.3 and so on
            ck_assert(colour == 0xeef0f3 || colour == 0x9ba4ae);
            hatched += colour == 0x9ba4ae;
        }
    ck_assert_int_gt(hatched, wide);
    ck_assert_int_lt(hatched, wide * high / 2);
}

TEST(nan_has_two_colours_of_its_own)
{
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    *tensor_at4(&weights, 0, 1, 2, 1) = NAN;
    save(420, 300);
    int wide = drawn.figure.cell_width, high = drawn.figure.cell_height, hatched = 0;
    for (int y = 0; y < high - 1; y++)
        for (int x = 0; x < wide - 1; x++) {
            Colour colour =
                pixel(drawn.figure.maps[1].x + wide + x, drawn.figure.maps[1].y + 2 * high + y);
            // 0xfbe4e2, on which that hatch would hardly be seen, with a dark one, 0x1b2430:
            // fb -> (251 * 65 + 27 * 190) / 255 = 84.1
            ck_assert_msg(colour == 0xfbe4e2 || colour == 0x54555d, "%06x", (unsigned)colour);
            hatched += colour == 0x54555d;
        }
    ck_assert_int_gt(hatched, wide);
}

TEST(a_locked_row_has_its_frame_and_pales_the_others)
{
    set_weights();
    drawn.request.has_cursor = true;
    drawn.request.cursor = (FigureCell){0, 2, 0};
    drawn.request.mode = FIGURE_HEAD;
    drawn.request.lock = FIGURE_LOCKED_ROW;
    save(420, 290); // no room for numbers
    const FigureMap *map = &drawn.figure.maps[0];
    int wide = drawn.figure.cell_width, high = drawn.figure.cell_height;
    ck_assert_uint_eq(pixel(map->x + 3 * wide / 2, map->y + 2 * high - 1), 0xffffff);
    ck_assert_uint_eq(pixel(map->x + 3 * wide / 2, map->y + 2 * high), 0xc2410c);
    // 5/15 is 0x31688e; white over it, 150 parts of 255: 31 -> (49 * 105 + 255 * 150) / 255 = 170.2
    ck_assert_uint_eq(pixel(map->x + wide + 3, map->y + high + 3), 0xaac1d0);
    ck_assert_uint_eq(pixel(map->x + 2 * wide + 3, map->y + 2 * high + 3), points[10]);
}

// Another trace than the usual one: every query of every head has the same row of weights.
static float *open_other(int heads, int tokens)
{
    drawn_close(&drawn);
    return drawn_open_large(&drawn, heads, tokens);
}

TEST(a_frame_leaves_a_small_cell_its_colour)
{
    open_other(1, 100)[50] = 1.0f;
    TraceTensor *tensors = drawn.trace.tensors; // the read-out tells the chosen cell's score, too
    int scores = trace_find(&drawn.trace, "scores_scaled");
    tensors[scores].tensor = tensors[trace_find(&drawn.trace, "attn_weights")].tensor;
    drawn.request.has_cursor = true;
    drawn.request.cursor = (FigureCell){0, 30, 50};
    save(640, 640);
    const FigureMap *map = &drawn.figure.maps[0];
    int side = drawn.figure.cell_width, x = map->x + 50 * side, y = map->y + 30 * side;
    ck_assert(side > 1 && side < 5);
    ck_assert_uint_eq(pixel(x, y), points[15]);
    ck_assert_uint_eq(pixel(x + side - 1, y + side - 1), points[15]);
    ck_assert_uint_eq(pixel(x - 1, y), 0x1b2430); // the frame
}

TEST(one_token_is_one_cell)
{
    open_other(1, 1)[0] = 1.0f;
    save(190, 150);
    const FigureMap *map = &drawn.figure.maps[0];
    ck_assert_int_eq(drawn.figure.map_count, 1);
    ck_assert_uint_eq(pixel(map->x + 2, map->y + 2), points[15]);
    ck_assert_uint_eq(pixel(map->x - 1, map->y + 2), 0xffffff);
}

TEST(forty_heads_have_forty_maps)
{
    float *row = open_other(40, 10);
    for (int j = 0; j < 10; j++)
        row[j] = (float)j / 15.0f;
    save(1280, 960);
    ck_assert_int_eq(drawn.figure.map_count, 40);
    int wide = drawn.figure.cell_width, high = drawn.figure.cell_height;
    for (int map = 0; map < 40; map++)
        for (int j = 0; j < 10; j++)
            ck_assert_uint_eq(pixel(drawn.figure.maps[map].x + j * wide + 1,
                                    drawn.figure.maps[map].y + 9 * high + 1),
                              points[j]);
}

TEST(a_pixel_of_4096_tokens_is_the_largest_of_its_block)
{
    float *row = open_other(1, 4096);
    for (int j = 0; j < 4096; j++)
        row[j] = j == 3001 ? 1.0f : j == 3000 ? 9.0f / 15.0f : 3.0f / 15.0f;
    save(1280, 960);
    int block = (int)drawn.figure.block_columns, y = drawn.figure.maps[0].y + 100;
    ck_assert_int_ge(block, 4); // 4096 in at most 1280
    for (int x = 0; x < 4096 / block; x++)
        ck_assert_uint_eq(pixel(drawn.figure.maps[0].x + x, y), x == 3001 / block   ? points[15]
                                                                : x == 3000 / block ? points[9]
                                                                                    : points[3]);
}

TEST(a_saved_picture_is_the_size_that_was_asked_for)
{
    save(1, 1);
    saved_picture_finish(&picture);
    window_close(&window);
    save(1600, 1200);
}

TEST(a_picture_without_a_place_is_refused_with_the_reason)
{
    WindowEvent event;
    ck_assert(window_open_unseen(&window, &drawn.err));
    drawn_draw(&drawn, 300, 200, 1.0);
    ck_assert(window_save(&window, &drawn.list, scratch_path("nowhere/picture.png")));
    ck_assert(window_wait(&window, -1));
    ck_assert(window_next(&window, &event));
    ck_assert_int_eq(event.kind, WINDOW_FAILED);
    ck_assert_ptr_nonnull(strstr(event.word, "nowhere/picture.png"));
    ck_assert(window_is_ready(&window));
    ck_assert_int_eq(scratch_count(), 0);
}

TEST(any_byte_may_be_in_the_name_of_a_picture)
{
    char name[32] = "notes\nx.png", other[256] = "";
    const char *notes = scratch_write("notes", "mine", 4);
    for (int i = 1; i < 128; i++) // the rest is UTF-8 or not, and no file system minds
        other[i - 1] = (char)(i == '/' ? '-' : i);
    other[126] = '\xff';
    static const int files[] = {2, 3};
    const char *const names[] = {name, other};
    for (int i = 0; i < 2; i++) {
        const char *path = scratch_path(names[i]);
        ck_assert_msg(window_open_unseen(&window, &drawn.err), "%s", drawn.err.text);
        drawn_draw(&drawn, 30, 20, 1.0);
        ck_assert(window_save(&window, &drawn.list, path));
        ck_assert_int_eq(wait_for_answer(), WINDOW_SAVED);
        ck_assert(saved_picture_read(&picture, path));
        ck_assert_int_eq(scratch_count(), files[i]);
        saved_picture_finish(&picture);
        window_close(&window);
    }
    size_t length;
    unsigned char *kept = scratch_read(notes, &length);
    ck_assert_uint_eq(length, 4);
    ck_assert_mem_eq(kept, "mine", 4);
    free(kept);
}

TEST(a_name_that_is_too_long_is_refused)
{
    WindowEvent event;
    static char path[3 * WINDOW_MESSAGE_MAX];
    memset(path, 'x', sizeof path - 1);
    ck_assert(window_open_unseen(&window, &drawn.err));
    drawn_draw(&drawn, 30, 20, 1.0);
    ck_assert(window_save(&window, &drawn.list, path));
    ck_assert(window_wait(&window, -1));
    ck_assert(window_next(&window, &event));
    ck_assert_int_eq(event.kind, WINDOW_FAILED);
    ck_assert_ptr_nonnull(strstr(event.word, "too long"));
    ck_assert(window_is_ready(&window));
}

TEST(a_window_shows_one_list_after_the_other)
{
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    ck_assert_msg(window_open(&window, "test", 640, 480, &drawn.err), "%s", drawn.err.text);
    ck_assert_int_eq(window.width, 640);
    ck_assert_int_eq(window.height, 480);
    ck_assert_float_gt(window.metrics.ascii['W' - ' '], window.metrics.ascii['i' - ' ']);
    for (int column = 0; column < 4; column++) {
        drawn.request.has_cursor = true;
        drawn.request.cursor.column = column;
        drawn_draw(&drawn, 640, 480, 1.0);
        ck_assert(window_is_ready(&window));
        ck_assert(window_show(&window, &drawn.list));
        ck_assert(!window_is_ready(&window));
        ck_assert_int_eq(wait_for_answer(), WINDOW_READY);
    }
}

TEST(a_child_that_ends_is_noticed_and_told)
{
    WindowEvent event;
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    ck_assert(window_open(&window, "test", 640, 480, &drawn.err));
    ck_assert_int_eq(kill(window.child, SIGKILL), 0);
    ck_assert(window_wait(&window, -1));
    ck_assert(window_next(&window, &event));
    ck_assert_int_eq(event.kind, WINDOW_LOST);
    ck_assert_ptr_nonnull(strstr(event.word, "--png"));
    ck_assert(!window_next(&window, &event));
    ck_assert(!window_is_ready(&window));
}

TEST(a_driver_that_is_not_there_is_refused_with_what_to_do)
{
    setenv("SDL_VIDEODRIVER", "nosuchdriver", 1);
    ck_assert(!window_open(&window, "test", 640, 480, &drawn.err));
    ck_assert_ptr_nonnull(strstr(drawn.err.text, "--png"));
}

TEST(without_its_program_a_window_is_refused_in_words)
{
    setenv("ATTNSCOPE_WINDOW", scratch_path("nothing"), 1);
    ck_assert(!window_open_unseen(&window, &drawn.err));
    ck_assert_ptr_nonnull(strstr(drawn.err.text, "nothing"));
}

SUITE_WITH("picture", open_drawn, close_drawn)
