// A heatmap under thousands of commands in no order: every picture can be drawn, and everything
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

static void some_command(char words[WORD_MAX])
{
    static const char *const plain[] = {
#define HEATMAP(word, argument, keys, help) keys[0] == '\0' ? "" : #word,
#include "heatmap_commands.def"
#undef HEATMAP
    };
    static const char *const at[] = {"point", "press", "drag", "wheel"};
    long kind = below(8);
    if (kind < 5)
        snprintf(words, WORD_MAX, "%s", plain[below(sizeof plain / sizeof *plain)]);
    else if (kind == 5)
        snprintf(words, WORD_MAX, "%s %ld %ld %ld", at[below(4)], below(700) - 20, below(500) - 20,
                 below(3) - 1);
    else if (kind == 6)
        snprintf(words, WORD_MAX, below(2) ? "heads %ld,%ld" : "cursor %ld %ld 1", below(4),
                 below(4));
    else
        snprintf(words, WORD_MAX, "size %ld %ld %ld", 1 + below(900), 1 + below(700),
                 1000 + 500 * below(3));
}

static bool is_there(FigureCell cell, const ptrdiff_t shape[4])
{
    return cell.head >= 0 && cell.row >= 0 && cell.column >= 0 && cell.head < shape[1] &&
           cell.row < shape[2] && cell.column < shape[3];
}

static void check(const char *words)
{
    const FigureRequest *request = &it.heatmap.request;
    FigureData data;
    ck_assert_msg(heatmap_draw(&it.heatmap, &it.err), "%s: %s", words, it.err.text);
    ck_assert_msg(figure_data(&it.trace, request, &data, &it.err), "%s: %s", words, it.err.text);
    const ptrdiff_t *shape = data.values.shape;
    ck_assert_msg(is_there(request->cursor, shape) && is_there(it.heatmap.chosen, shape), "%s",
                  words);
    ck_assert_msg(it.heatmap.figure.map_count > 0 && it.heatmap.figure.rows > 0, "%s", words);
    ck_assert_msg(it.heatmap.figure.first_row + it.heatmap.figure.rows <= shape[2], "%s", words);
    for (int map = 0; map < it.heatmap.figure.map_count; map++)
        ck_assert_msg(it.heatmap.figure.maps[map].head < shape[1], "%s", words);
}

START_TEST(no_order_of_commands_breaks_it)
{
    char words[WORD_MAX];
    chance = (uint64_t)_i + 1;
    looking_open(&it, tiny_shapes[_i]);
    it.heatmap.request.keys = true;
    for (int command = 0; command < COMMANDS; command++) {
        some_command(words);
        if (words[0] != '\0')
            heatmap_apply(&it.heatmap, words, &it.err);
        check(words);
    }
    looking_close(&it);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("heatmap_random");
    TCase *tcase = tcase_create("commands");
    tcase_add_loop_test(tcase, no_order_of_commands_breaks_it, 0, tiny_shape_count);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
