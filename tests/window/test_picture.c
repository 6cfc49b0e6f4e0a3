// Saved pictures, pixel by pixel against colours worked out from the tensor; and windows with SDL's
// driver that shows nothing.
#include "drawn.h"
#include "looking.h"
#include "saved_picture.h"
#include "scratch.h"
#include "suite.h"
#include "window.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

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

FIXTURE(open_drawn, close_drawn)

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
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    ck_assert_ptr_nonnull(strstr(drawn.err.text, "--png"));
}

TEST(without_its_program_a_window_is_refused_in_words)
{
    char program[1000]; // tests behind this one need it: under sanitizers all are one process
    snprintf(program, sizeof program, "%s", getenv("ATTNSCOPE_WINDOW"));
    setenv("ATTNSCOPE_WINDOW", scratch_path("nothing"), 1);
    ck_assert(!window_open_unseen(&window, &drawn.err));
    setenv("ATTNSCOPE_WINDOW", program, 1);
    ck_assert_ptr_nonnull(strstr(drawn.err.text, "nothing"));
}

// --- A saved picture of every way to draw: the pixels that published colours and chosen numbers make, reckoned
// in the comments.

static Looking it;

// Of viridis at k/15; the ends of the diverging colours; those of the light theme.
static const Colour mode_points[16] = {0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e,
                                       0x2a788e, 0x23888e, 0x1f988b, 0x22a884, 0x35b779, 0x54c568,
                                       0x7ad151, 0xa5db36, 0xd2e21b, 0xfde725};
enum { LEAST = 0x053061, MOST = 0x67001f, QUIET = 0xeef0f3, FRAME = 0xc2410c, INK = 0x1b2430 };

// --- pictures

static bool is_saved(void)
{
    WindowEvent event;
    while (window_wait(&window, -1))
        while (window_next(&window, &event))
            if (event.kind != WINDOW_READY)
                return event.kind == WINDOW_SAVED;
    return false;
}

static void save_mode(const DisplayList *list)
{
    Error err;
    const char *path = scratch_path("picture.png");
    ck_assert_msg(window_open_unseen(&window, &err), "%s", err.text);
    ck_assert(window_save(&window, list, path) && is_saved());
    window_close(&window);
    ck_assert(saved_picture_read(&picture, path));
}

// Near the corner of a cell: frames are thinner, numbers lie in the middle.
static Colour cell(const Figure *figure, int map, int row, int column)
{
    return pixel(figure->maps[map].x + column * figure->cell_width + 5,
                 figure->maps[map].y + row * figure->cell_height + 5);
}

static void check_colour(Colour is, Colour wanted)
{
    ck_assert_msg(is == wanted, "%06x is not %06x", (unsigned)is, (unsigned)wanted);
}

// --- one run

static void open_modes(void)
{
    scratch_open();
    window = (Window){.fd = -1};
    picture = (SavedPicture){.pixels = NULL};
    drawn_open(&drawn, tiny_self(1, 3, 4));
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    ptrdiff_t at[4] = {0};
    do
        *tensor_at4(&weights, 0, at[1], at[2], at[3]) = 0.0f;
    while (tensor_next(&weights, at));
}

static void set(ptrdiff_t head, ptrdiff_t row, ptrdiff_t column, float number)
{
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    *tensor_at4(&weights, 0, head, row, column) = number;
}

static void save_drawn(void)
{
    drawn_draw(&drawn, 640, 480, 1.0);
    save_mode(&drawn.list);
}

FIXTURE(open_modes, close_drawn)

// The mean of 0, 3/15 and 12/15 is 5/15; a third of 3 x 15/15 is 15/15.
TEST(the_mean_has_the_colour_of_the_mean)
{
    set(1, 2, 3, 3.0f / 15.0f);
    set(2, 2, 3, 12.0f / 15.0f);
    for (int head = 0; head < 3; head++)
        set(head, 1, 1, 1.0f);
    drawn.request.mean = true;
    save_drawn();
    ck_assert_int_eq(drawn.figure.map_count, 1);
    check_colour(cell(&drawn.figure, 0, 2, 3), mode_points[5]);
    check_colour(cell(&drawn.figure, 0, 1, 1), mode_points[15]);
    check_colour(cell(&drawn.figure, 0, 0, 0), mode_points[0]);
}

TEST(in_the_dark_a_number_keeps_its_colour)
{
    set(1, 3, 0, 9.0f / 15.0f);
    drawn.request.dark = true;
    drawn.request.mode = FIGURE_HEAD;
    drawn.request.head = 1;
    save_drawn();
    check_colour(cell(&drawn.figure, 0, 3, 0), mode_points[9]);
    check_colour(pixel(2, 2), 0x14181e);
}

// How many pixels of ink lie over each other halfway along the line from a word to the one beside it: a
// whole pixel of it is 0x2a5fa5 over white, 150 parts of 255; 2a -> (255 * 105 + 42 * 150) / 255 = 129.7.
static double thickness(int map, int row)
{
    const Figure *figure = &drawn.figure;
    int x = figure->maps[map].x + figure->cell_width / 2;
    int y = figure->maps[map].y + row * figure->cell_height + figure->cell_height / 2;
    double ink = 0.0;
    for (int away = -figure->cell_height / 2 + 1; away < figure->cell_height / 2; away++)
        ink += (255.0 - (double)(pixel(x, y + away) >> 16)) / (255.0 - 130.0);
    return ink;
}

TEST(a_line_is_as_thick_as_its_number)
{
    set(0, 0, 0, 1.0f);
    set(0, 1, 1, 0.5f);
    set(0, 2, 2, 0.25f);
    set(0, 3, 3, 0.009f); // below a hundredth of the scale, which the picture says is not drawn
    drawn.request.mode = FIGURE_LINES;
    save_drawn();
    ck_assert(drawn_part(&drawn, "below 1 % of the scale no line"));
    double most = thickness(0, 0);
    ck_assert_double_eq_tol(most, 10.0, 0.1); // ten mode_points are the thickest
    ck_assert_double_eq_tol(thickness(0, 1), most / 2.0, 0.1);
    ck_assert_double_eq_tol(thickness(0, 2), most / 4.0, 0.1);
    ck_assert_double_eq_tol(thickness(0, 3), 0.0, 1e-9);
    const FigureMap *map = &drawn.figure.maps[0];
    check_colour(pixel(map->x + drawn.figure.cell_width / 2, map->y + drawn.figure.cell_height / 2),
                 0x82a1ca); // 5f -> (255 * 105 + 95 * 150) / 255 = 160.9, a5 -> 202.1
}

// 0xb3261e over white, 150 parts of 255: b3 -> (255 * 105 + 179 * 150) / 255 = 210.3, 26 -> 127.4,
// 1e -> 122.6.
TEST(what_is_no_number_is_a_line_of_alarm)
{
    set(0, 1, 1, NAN);
    drawn.request.mode = FIGURE_LINES;
    save_drawn();
    const FigureMap *map = &drawn.figure.maps[0];
    check_colour(
        pixel(map->x + drawn.figure.cell_width / 2, map->y + drawn.figure.cell_height * 3 / 2),
        0xd27f7b);
}

TEST(every_head_has_its_own_lines)
{
    set(0, 0, 0, 1.0f);
    set(1, 1, 1, 1.0f);
    set(2, 1, 1, 0.5f);
    drawn.request.mode = FIGURE_ALL_LINES;
    save_drawn();
    ck_assert_int_eq(drawn.figure.map_count, 3);
    double most = thickness(0, 0);
    ck_assert_double_gt(most, 4.0);
    ck_assert_double_eq_tol(thickness(1, 1), most, 0.1);
    ck_assert_double_eq_tol(thickness(2, 1), most / 2.0, 0.1);
    ck_assert_double_eq_tol(thickness(1, 0), 0.0, 1e-9);
}

// --- a session

static void open_looking(void)
{
    scratch_open();
    window = (Window){.fd = -1};
    picture = (SavedPicture){.pixels = NULL};
    it = (Looking){.session.run.trace.tensor_count = 0};
}

static void close_looking(void)
{
    saved_picture_finish(&picture);
    window_close(&window);
    looking_close(&it);
    scratch_close();
}

static Tensor tensor_of(const Trace *trace, const char *name)
{
    return trace->tensors[trace_find(trace, name)].tensor;
}

static void save_looking(void)
{
    it.session.picture.request.version++;
    looking_size(&it, 800, 600);
    save_mode(&it.view.list);
}

FIXTURE(open_looking, close_looking)

// Both runs have 5/15 wherever the right one sees a key, and 1 at the end, so that their scale is 0 to 1.
// Of what differs +6/15 is the most, so its colour is the end of red and that of -6/15 the end of blue.
TEST(what_differs_is_red_or_blue_and_what_stays_is_quiet)
{
    looking_open(&it, tiny_causal(1, 1, 4));
    looking_say(&it, "compare mistake mask-off-by-one");
    looking_say(&it, "picture-compare");
    looking_say(&it, "scale unit");
    Tensor here = tensor_of(&it.session.run.trace, "attn_weights");
    Tensor there = tensor_of(&it.session.comparison.trace, "attn_weights");
    for (ptrdiff_t i = 0; i < 4; i++)
        for (ptrdiff_t j = 0; j < 4; j++)
            *tensor_at4(&here, 0, 0, i, j) = *tensor_at4(&there, 0, 0, i, j) =
                i == 3 && j == 3 ? 1.0f
                : j <= i         ? 5.0f / 15.0f
                                 : 0.0f;
    *tensor_at4(&there, 0, 0, 1, 0) = 11.0f / 15.0f;
    *tensor_at4(&here, 0, 0, 2, 1) = 9.0f / 15.0f;
    *tensor_at4(&there, 0, 0, 2, 1) = 3.0f / 15.0f;
    save_looking();
    const Figure *figure = &it.view.figure;
    check_colour(cell(figure, 0, 1, 0), mode_points[5]);
    check_colour(cell(figure, 1, 1, 0), mode_points[11]);
    check_colour(cell(figure, 2, 1, 0), MOST);
    check_colour(cell(figure, 0, 2, 1), mode_points[9]);
    check_colour(cell(figure, 1, 2, 1), mode_points[3]);
    check_colour(cell(figure, 2, 2, 1), LEAST);
    check_colour(cell(figure, 2, 3, 3), QUIET);
    for (int map = 0; map < 3; map++) // the first of those that differ most
        check_colour(pixel(figure->maps[map].x + figure->cell_width / 2,
                           figure->maps[map].y + figure->cell_height + 1),
                     FRAME);
}

// The left upper corner of a term in a band of the origin, bands counted from above.
static Colour term(int band, int number)
{
    const DisplayList *list = &it.view.list;
    for (size_t i = 0; i < list->item_count; i++) {
        const DisplayItem *item = &list->items[i];
        if (item->kind == DISPLAY_CELLS && band-- == 0)
            return pixel(item->x + number * (item->width / item->columns) + 6, item->y + 6);
    }
    ck_abort_msg("there are fewer bands");
}

// A row of q is 1 and -1, of k 1/2 and 1/2: the products are 1/2 and -1/2, their sum 1/2, then 0. Each
// band goes to its own largest number, so all are at an end but the last, which is in the middle.
TEST(an_origin_has_the_colours_of_its_terms)
{
    looking_open(&it, tiny_self(1, 2, 3));
    looking_say(&it, "show scores");
    looking_say(&it, "cell [1,2,0]");
    Tensor q = tensor_of(&it.session.run.trace, "q_heads");
    Tensor k = tensor_of(&it.session.run.trace, "k_heads");
    *tensor_at4(&q, 0, 1, 2, 0) = 1.0f;
    *tensor_at4(&q, 0, 1, 2, 1) = -1.0f;
    *tensor_at4(&k, 0, 1, 0, 0) = *tensor_at4(&k, 0, 1, 0, 1) = 0.5f;
    looking_say(&it, "picture-origin");
    save_looking();
    static const Colour wanted[3][2] = {{MOST, LEAST}, {MOST, MOST}, {MOST, LEAST}};
    for (int band = 0; band < 3; band++)
        for (int number = 0; number < 2; number++)
            check_colour(term(band, number), wanted[band][number]);
    check_colour(term(3, 0), MOST);
    Colour middle = term(3, 1); // 0xf7f7f7 lies between two of the 256 levels
    ck_assert_msg(middle == 0xf7f6f6 || middle == 0xf6f7f7, "%06x", (unsigned)middle);
}

// The layer that is shown is written in reverse and underlined, others only have a frame.
TEST(the_layer_that_is_shown_is_marked_and_has_its_numbers)
{
    looking_open(&it,
                 (TinyShape){.map_layers = 2, .heads = 2, .queries = 3, .keys = 3, .batch = 1});
    looking_say(&it, "show maps");
    looking_say(&it, "scale unit");
    Tensor maps = tensor_of(&it.session.run.trace, "maps");
    for (int layer = 0; layer < 2; layer++)
        *tensor_at4(&maps, layer, 1, 2, 0) = layer == 0 ? 4.0f / 15.0f : 12.0f / 15.0f;
    for (int layer = 0; layer < 2; layer++) {
        if (layer == 1)
            looking_press(&it, "n");
        save_looking();
        const FigureStrip *strip = &it.view.figure.layers;
        ck_assert_int_eq(strip->count, 2);
        int other = strip->width + strip->gap;
        check_colour(pixel(strip->x + layer * other + 2, strip->y + 2), INK);
        check_colour(pixel(strip->x + (1 - layer) * other + 2, strip->y + 2), 0xffffff);
        check_colour(cell(&it.view.figure, 1, 2, 0), mode_points[layer == 0 ? 4 : 12]);
        saved_picture_finish(&picture);
    }
}

SUITE("picture")
