// The commands of a heatmap: each does what its help says, and a wrong one changes nothing.
#include "looking.h"

#include <stdlib.h>
#include <string.h>
#include "drawn.h"
#include "suite.h"

static Looking it;

// Two sequences, two heads of 3 x 3.
static void open_heatmap(void)
{
    looking_open(&it, tiny_self(2, 2, 3));
    looking_draw(&it);
}

static void close_heatmap(void)
{
    looking_close(&it);
}

static void apply(const char *words)
{
    looking_say(&it, words);
}

static void press(const char *key)
{
    looking_press(&it, key);
}

START_TEST(it_begins_with_the_attention_weights_of_all_heads)
{
    ck_assert_str_eq(it.trace.tensors[it.heatmap.request.tensor].name, "attn_weights");
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_GRID);
    ck_assert_int_eq(it.heatmap.figure.map_count, 2);
}
END_TEST

START_TEST(heads_and_sequences_go_round)
{
    press("]");
    ck_assert_int_eq(it.heatmap.request.head, 1);
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_HEAD);
    press("]");
    ck_assert_int_eq(it.heatmap.request.head, 0);
    press("[");
    ck_assert_int_eq(it.heatmap.request.head, 1);
    press("n");
    ck_assert_int_eq(it.heatmap.request.batch, 1);
    press("n");
    ck_assert_int_eq(it.heatmap.request.batch, 0);
}
END_TEST

START_TEST(the_cursor_stays_in_the_map)
{
    press("Right"); // appears
    ck_assert(it.heatmap.request.has_cursor);
    press("Up");
    press("Left");
    ck_assert_int_eq(it.heatmap.request.cursor.row, 0);
    ck_assert_int_eq(it.heatmap.request.cursor.column, 0);
    for (int i = 0; i < 5; i++) {
        press("Down");
        press("Right");
    }
    ck_assert_int_eq(it.heatmap.request.cursor.row, 2);
    ck_assert_int_eq(it.heatmap.request.cursor.column, 2);
}
END_TEST

START_TEST(a_locked_row_keeps_the_cursor_and_is_unlocked_again)
{
    apply("cursor 0 1 1");
    press("r");
    press("Down");
    press("Right");
    ck_assert_int_eq(it.heatmap.request.cursor.row, 1);
    ck_assert_int_eq(it.heatmap.request.cursor.column, 2);
    press("r");
    press("Down");
    ck_assert_int_eq(it.heatmap.request.cursor.row, 2);
    press("c");
    press("Up");
    ck_assert_int_eq(it.heatmap.request.cursor.row, 2);
    press("Escape");
    press("Up");
    ck_assert_int_eq(it.heatmap.request.cursor.row, 1);
}
END_TEST

START_TEST(words_of_the_lines_view_choose_a_query_or_a_key)
{
    char words[64];
    const Figure *figure = &it.heatmap.figure;
    press("L");
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_ALL_LINES);
    apply("cursor 0 1 2");
    snprintf(words, sizeof words, "point %d %d", figure->maps[1].x - 5,
             figure->maps[1].y + 2 * figure->cell_height + 1);
    apply(words); // the third query of head 1; the key stays
    ck_assert_int_eq(it.heatmap.request.cursor.head, 1);
    ck_assert_int_eq(it.heatmap.request.cursor.row, 2);
    ck_assert_int_eq(it.heatmap.request.cursor.column, 2);
    snprintf(words, sizeof words, "press %d %d", figure->maps[1].x + figure->cell_width + 5,
             figure->maps[1].y + 1);
    apply(words); // the first key of head 1, which opens
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_LINES);
    ck_assert_int_eq(it.heatmap.request.head, 1);
    ck_assert_int_eq(it.heatmap.request.cursor.row, 2);
    ck_assert_int_eq(it.heatmap.request.cursor.column, 0);
    press("Return");
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_ALL_LINES);
    press("L");
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_GRID);
}
END_TEST

START_TEST(playing_shows_every_cell_once_and_ends_with_all)
{
    press("Space");
    ck_assert(it.heatmap.playing);
    ptrdiff_t before = it.heatmap.request.computed;
    ck_assert_int_eq(before, 0);
    int ticks = 0;
    while (it.heatmap.playing) {
        apply("tick");
        ck_assert(it.heatmap.request.computed < 0 || it.heatmap.request.computed > before);
        before = it.heatmap.request.computed;
        ticks++;
    }
    ck_assert_int_eq(ticks, 18); // 2 heads of 3 x 3, one at a time
    ck_assert_int_eq(it.heatmap.request.computed, -1);
    press(",");
    ck_assert_int_eq(it.heatmap.request.computed, 17);
    press(".");
    ck_assert_int_eq(it.heatmap.request.computed, -1);
}
END_TEST

START_TEST(what_is_not_there_is_refused_and_changes_nothing)
{
    static const char *const wrong[] = {"head 2",    "head x",         "batch 2", "map virdis",
                                        "mode rows", "tensor weights", "dance",   "cursor"};
    FigureRequest before = it.heatmap.request;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        it.err.text[0] = '\0';
        ck_assert_msg(!heatmap_apply(&it.heatmap, wrong[i], &it.err), "%s", wrong[i]);
        ck_assert_msg(it.err.text[0] != '\0', "%s", wrong[i]);
        ck_assert_int_eq(it.heatmap.request.head, before.head);
        ck_assert_int_eq(it.heatmap.request.map, before.map);
        ck_assert_int_eq(it.heatmap.request.tensor, before.tensor);
    }
    heatmap_apply(&it.heatmap, "map virdis", &it.err);
    ck_assert_ptr_nonnull(strstr(it.err.text, "did you mean 'viridis'?"));
}
END_TEST

START_TEST(no_key_means_two_things_and_every_key_does_something)
{
    static const char *const lists[] = {
#define HEATMAP(word, argument, keys, help) keys,
#include "heatmap_commands.def"
#undef HEATMAP
    };
    char seen[1024] = " ";
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char list[64], *rest = NULL;
        snprintf(list, sizeof list, "%s", lists[i]);
        for (char *key = strtok_r(list, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
            char framed[64];
            snprintf(framed, sizeof framed, " %s ", key);
            ck_assert_msg(strstr(seen, framed) == NULL, "%s is there twice", key);
            snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s ", key);
            if (strcmp(key, "q") != 0)
                press(key);
        }
    }
}
END_TEST

START_TEST(the_page_of_keys_is_whole_in_a_small_window)
{
    apply("size 640 480 1000");
    press("?");
    for (int i = 0; it.heatmap.help_page[i]; i++)
        ck_assert_msg(drawn_find(&it.heatmap.list, it.heatmap.help_page[i], true) != NULL, "%s",
                      it.heatmap.help_page[i]);
}
END_TEST

START_TEST(csv_has_the_numbers_with_every_digit)
{
    char *text = NULL;
    size_t bytes = 0;
    int number = trace_find(&it.trace, "attn_weights");
    Tensor weights = it.trace.tensors[number].tensor;
    for (ptrdiff_t j = 0; j < 3; j++)
        *tensor_at4(&weights, 0, 1, 0, j) = (float)(j + 1) / 10.0f;
    apply("head 1");
    FILE *out = open_memstream(&text, &bytes);
    heatmap_csv(&it.heatmap, out);
    fclose(out);
    // 0.1f is 0.100000001490116..., 0.2f 0.200000002980232..., 0.3f 0.300000011920929...
    ck_assert_ptr_nonnull(strstr(text, "head,query,word,0,1,2\n"
                                       "1,0,0,0.100000001,0.200000003,0.300000012\n"));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("heatmap");
    TCase *tcase = tcase_create("commands");
    tcase_add_checked_fixture(tcase, open_heatmap, close_heatmap);
    tcase_add_test(tcase, it_begins_with_the_attention_weights_of_all_heads);
    tcase_add_test(tcase, heads_and_sequences_go_round);
    tcase_add_test(tcase, the_cursor_stays_in_the_map);
    tcase_add_test(tcase, a_locked_row_keeps_the_cursor_and_is_unlocked_again);
    tcase_add_test(tcase, words_of_the_lines_view_choose_a_query_or_a_key);
    tcase_add_test(tcase, playing_shows_every_cell_once_and_ends_with_all);
    tcase_add_test(tcase, what_is_not_there_is_refused_and_changes_nothing);
    tcase_add_test(tcase, no_key_means_two_things_and_every_key_does_something);
    tcase_add_test(tcase, the_page_of_keys_is_whole_in_a_small_window);
    tcase_add_test(tcase, csv_has_the_numbers_with_every_digit);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
