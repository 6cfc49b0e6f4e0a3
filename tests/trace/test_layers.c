// Maps of several layers: their numbers stand above the maps, one of them is chosen, a click chooses another;
// what the window offers speaks of layers and not of sequences.
#include <string.h>
#include "looking.h"
#include "scenario_maps.h"
#include "scratch.h"
#include "suite.h"

static Looking it;

// Three layers of one head over two words, as NumPy writes them: a header of 128 bytes, then numbers.
static const char *maps_file(void)
{
    static struct {
        char head[128];
        float numbers[3][2][2];
    } file;
    memcpy(file.head, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(file.head + 10, ' ', 117);
    file.head[127] = '\n';
    const char *about = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1, 2, 2), }";
    memcpy(file.head + 10, about, strlen(about));
    for (int layer = 0; layer < 3; layer++)
        for (int row = 0; row < 2; row++)
            file.numbers[layer][row][row] = 1.0f;
    return scratch_write("maps.npy", &file, sizeof file);
}

static void open_it(void)
{
    scratch_open();
    Error *err = &it.err;
    ck_assert_msg(scenario_of_maps(&it.scenario, &(MapsRequest){.file = maps_file()}, err) &&
                      session_open(&it.session, &it.scenario, err) &&
                      picture_view_open(&it.view, err),
                  "%s", err->text);
    it.view.keys = true; // as in a window
    looking_say(&it, "last");
    looking_say(&it, "show maps");
    looking_say(&it, "picture-back");
}

static void close_it(void)
{
    looking_close(&it);
    scratch_close();
}

static bool says(const char *text)
{
    for (size_t i = 0; i < it.view.list.item_count; i++) {
        const DisplayItem *item = &it.view.list.items[i];
        if (item->kind == DISPLAY_TEXT && strcmp(it.view.list.texts + item->at, text) == 0)
            return true;
    }
    return false;
}

TEST(a_click_on_a_layer_shows_it)
{
    const FigureStrip *layers = &it.view.figure.layers;
    ck_assert(says("layers"));
    ck_assert_int_eq(layers->count, 3);
    ck_assert_int_eq(it.session.picture.request.batch, 0);
    looking_click(&it, layers->x + 2 * (layers->width + layers->gap) + 3, layers->y + 3);
    ck_assert_int_eq(it.session.picture.request.batch, 2);
    looking_press(&it, "n");
    ck_assert_int_eq(it.session.picture.request.batch, 0);
}

TEST(there_is_no_word_of_sequences)
{
    ck_assert(says("n b layer"));
    ck_assert(!says("n b sequence"));
}

TEST(a_batch_has_sequences)
{
    close_it();
    looking_open(&it, tiny_self(2, 2, 3));
    it.view.keys = true;
    looking_draw(&it);
    ck_assert_int_eq(it.view.figure.layers.count, 0);
    ck_assert(says("n b sequence"));
    ck_assert(!says("n b layer"));
    scratch_open();
}

SUITE_WITH("layers", open_it, close_it)
