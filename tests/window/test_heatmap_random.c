// A picture under thousands of commands in no order: every picture can be drawn, and everything
// that is looked at, picked or marked is there.
#include "looking.h"

#include "figure_data.h"
#include "suite.h"

enum { COMMANDS = 1000, WORD_MAX = 96 };

static Looking it;
static uint64_t chance;

static long below(long limit)
{
    return (long)tiny_index(&chance, limit);
}

// A key of the window, or words that name something; what the pointer does is `use_pointer`.
static void some_words(char words[WORD_MAX])
{
    int rows = 0;
    while (command_key_row(rows))
        rows++;
    const KeyRow *row = command_key_row((int)below(rows));
    long kind = below(8);
    if (kind < 6)
        snprintf(words, WORD_MAX, "%s",
                 row->place == PLACE_WINDOW ? command_info((CommandKind)row->does)->word
                                            : "cells-play");
    else if (kind == 6)
        snprintf(words, WORD_MAX, below(2) ? "heads %ld,%ld" : "cell [%ld,%ld,1]", below(4),
                 below(4));
    else
        snprintf(words, WORD_MAX, "next %ld", below(20));
}

static void use_pointer(void)
{
    int x = (int)below(700) - 20, y = (int)below(500) - 20;
    switch (below(5)) {
    case 0:
        looking_point(&it, x, y);
        return;
    case 1:
        looking_click(&it, x, y);
        return;
    case 2:
        looking_drag(&it, x, y);
        return;
    case 3:
        looking_wheel(&it, x, y, (int)below(3) - 1);
        return;
    default:
        picture_view_size(&it.view, 1 + (int)below(900), 1 + (int)below(700),
                          1.0 + 0.5 * (double)below(3));
    }
}

static bool is_there(FigureCell cell, const ptrdiff_t shape[4])
{
    return cell.head >= 0 && cell.row >= 0 && cell.column >= 0 && cell.head < shape[1] &&
           cell.row < shape[2] && cell.column < shape[3];
}

static void check(const char *words)
{
    const FigureRequest *request = &it.session.picture.request;
    const Figure *figure = &it.view.figure;
    FigureData data;
    looking_draw(&it);
    ck_assert_msg(figure_data(picture_trace(&it.session), request, &data, &it.err), "%s: %s", words,
                  it.err.text);
    const ptrdiff_t *shape = data.values.shape;
    ck_assert_msg(is_there(request->cursor, shape) && is_there(picture_chosen(&it.session), shape),
                  "%s", words);
    ck_assert_msg(request->origin || (figure->map_count > 0 && figure->rows > 0), "%s", words);
    ck_assert_msg(figure->first_row + figure->rows <= shape[2], "%s", words);
    for (int map = 0; map < figure->map_count; map++)
        ck_assert_msg(figure->maps[map].head < shape[1], "%s", words);
}

SLICE_TEST(no_order_of_commands_breaks_it, tiny_shape_count, 4)
{
    char words[WORD_MAX];
    chance = (uint64_t)_i + 1;
    looking_open(&it, tiny_shapes[_i]);
    it.view.keys = true;
    for (int command = 0; command < COMMANDS; command++) {
        some_words(words);
        if (below(3) > 0)
            looking_try(&it, words);
        else
            use_pointer();
        check(words);
    }
    looking_close(&it);
}

SUITE("heatmap_random")
