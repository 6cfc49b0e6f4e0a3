// The commands of a picture: each does what its help says, and a wrong one changes nothing.
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

TEST(it_begins_with_the_attention_weights_of_all_heads)
{
    ck_assert_str_eq(it.session.run.trace.tensors[it.session.picture.request.tensor].name,
                     "attn_weights");
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_GRID);
    ck_assert_int_eq(it.view.figure.map_count, 2);
}

TEST(heads_and_sequences_go_round)
{
    press("]");
    ck_assert_int_eq(it.session.picture.request.head, 1);
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_HEAD);
    press("]");
    ck_assert_int_eq(it.session.picture.request.head, 0);
    press("[");
    ck_assert_int_eq(it.session.picture.request.head, 1);
    press("n");
    ck_assert_int_eq(it.session.picture.request.batch, 1);
    press("n");
    ck_assert_int_eq(it.session.picture.request.batch, 0);
}

TEST(the_cursor_stays_in_the_map)
{
    press("Right"); // appears
    ck_assert(it.session.picture.request.has_cursor);
    press("Up");
    press("Left");
    ck_assert_int_eq(it.session.picture.request.cursor.row, 0);
    ck_assert_int_eq(it.session.picture.request.cursor.column, 0);
    for (int i = 0; i < 5; i++) {
        press("Down");
        press("Right");
    }
    ck_assert_int_eq(it.session.picture.request.cursor.row, 2);
    ck_assert_int_eq(it.session.picture.request.cursor.column, 2);
}

TEST(a_locked_row_keeps_the_cursor_and_is_unlocked_again)
{
    apply("cell [0,1,1]");
    press("r");
    press("Down");
    press("Right");
    ck_assert_int_eq(it.session.picture.request.cursor.row, 1);
    ck_assert_int_eq(it.session.picture.request.cursor.column, 2);
    press("r");
    press("Down");
    ck_assert_int_eq(it.session.picture.request.cursor.row, 2);
    press("c");
    press("Up");
    ck_assert_int_eq(it.session.picture.request.cursor.row, 2);
    press("Escape");
    press("Up");
    ck_assert_int_eq(it.session.picture.request.cursor.row, 1);
}

TEST(words_of_the_lines_view_choose_a_query_or_a_key)
{
    const Figure *figure = &it.view.figure;
    press("L");
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_ALL_LINES);
    apply("cell [0,1,2]");
    looking_point(&it, figure->maps[1].x - 5,
                  figure->maps[1].y + 2 * figure->cell_height +
                      1); // the third query of head 1; the key stays
    ck_assert_int_eq(it.session.picture.request.cursor.head, 1);
    ck_assert_int_eq(it.session.picture.request.cursor.row, 2);
    ck_assert_int_eq(it.session.picture.request.cursor.column, 2);
    looking_click(&it, figure->maps[1].x + figure->cell_width + 5,
                  figure->maps[1].y + 1); // the first key of head 1, which opens
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_LINES);
    ck_assert_int_eq(it.session.picture.request.head, 1);
    ck_assert_int_eq(it.session.picture.request.cursor.row, 2);
    ck_assert_int_eq(it.session.picture.request.cursor.column, 0);
    press("Return");
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_ALL_LINES);
    press("L");
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_GRID);
}

// The number of a line between these two words of head 0, on that side of the lines.
static bool has_number(ptrdiff_t query, ptrdiff_t key, bool left)
{
    const Trace *trace = &it.session.run.trace;
    const FigureMap *map = &it.view.figure.maps[0];
    Tensor weights = trace->tensors[trace_find(trace, "attn_weights")].tensor;
    char text[32];
    bool found = false;
    snprintf(text, sizeof text, "%.4f", (double)*tensor_at4(&weights, 0, 0, query, key));
    for (size_t i = 0; i < it.view.list.item_count; i++) {
        const DisplayItem *item = &it.view.list.items[i];
        bool is_left = item->x < map->x + it.view.figure.cell_width;
        found = found || (item->kind == DISPLAY_TEXT && is_left == left &&
                          strcmp(it.view.list.texts + item->at, text) == 0);
    }
    return found;
}

// A query has a number for each key; a key that is pointed at, one for each query, which stand there.
TEST(numbers_are_those_of_the_lines_that_are_left)
{
    const Figure *figure = &it.view.figure;
    press("L");
    apply("head 0");
    apply("cell [0,1,2]");
    for (int word = 0; word < 3; word++)
        ck_assert(has_number(1, word, false) && !has_number(word, 0, true));
    looking_point(&it, figure->maps[0].x + figure->cell_width + 5, figure->maps[0].y + 1);
    ck_assert_int_eq(it.session.picture.request.cursor.column, 0);
    for (int word = 0; word < 3; word++)
        ck_assert(has_number(word, 0, true) && !has_number(1, word, false));
}

TEST(playing_shows_every_cell_once_and_ends_with_all)
{
    const FigureRequest *request = &it.session.picture.request;
    press("Space");
    ck_assert(it.session.play.on);
    ptrdiff_t before = request->computed;
    ck_assert_int_eq(before, 1);
    int ticks = 0;
    while (it.session.play.on) {
        Command tick = session_tick(&it.session);
        ck_assert(session_apply(&it.session, &tick, &it.err));
        looking_draw(&it);
        ck_assert(request->computed < 0 || request->computed == before + 1);
        before = request->computed;
        ticks++;
    }
    ck_assert_int_eq(ticks, 18); // 2 heads of 3 x 3, one at a time, and then all
    ck_assert_int_eq(request->computed, -1);
    press(",");
    ck_assert_int_eq(request->computed, 17);
    press(".");
    ck_assert_int_eq(request->computed, 18);
}

// 4 heads of 60 x 60 are 14400 cells; 30 times a second for 8 seconds makes 60 at once.
TEST(a_large_sequence_is_played_in_as_long_as_a_small_one)
{
    close_heatmap();
    looking_open(&it, tiny_self(1, 4, 60));
    press("Space");
    ck_assert_int_eq(session_next_tick(&it.session), 1000 / 30);
    ck_assert_int_eq(session_tick(&it.session).number, 61);
    press("Space");
    ck_assert_int_eq(session_next_tick(&it.session), -1);
}

TEST(what_is_not_there_is_refused_and_changes_nothing)
{
    static const char *const wrong[] = {
        "head 2",       "head x", "sequence 2", "colours virdis", "picture-as rows",
        "show weights", "dance",  "cell",       "cell [0,3,0]",   "cell [0,0]"};
    FigureRequest before = it.session.picture.request;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        it.err.text[0] = '\0';
        ck_assert_msg(!looking_try(&it, wrong[i]), "%s", wrong[i]);
        ck_assert_msg(it.err.text[0] != '\0', "%s", wrong[i]);
        ck_assert_int_eq(it.session.picture.request.head, before.head);
        ck_assert_int_eq(it.session.picture.request.map, before.map);
        ck_assert_int_eq(it.session.picture.request.tensor, before.tensor);
    }
    looking_try(&it, "colours virdis");
    ck_assert_ptr_nonnull(strstr(it.err.text, "did you mean 'viridis'?"));
}

TEST(no_key_means_two_things_and_every_key_does_something)
{
    char seen[1024] = " ";
    looking_say(&it, "compare mistake scale-missing"); // one key shows both runs
    for (int i = 0; command_key_row(i); i++) {
        char list[64], *rest = NULL;
        snprintf(list, sizeof list, "%s", command_key_row(i)->keys);
        if (command_key_row(i)->place != PLACE_WINDOW)
            continue;
        for (char *key = strtok_r(list, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
            char framed[64];
            snprintf(framed, sizeof framed, " %s ", key);
            ck_assert_msg(strstr(seen, framed) == NULL, "%s is there twice", key);
            snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s ", key);
            press(key);
        }
    }
}

TEST(the_page_of_keys_is_whole_in_a_small_window)
{
    looking_size(&it, 640, 480);
    press("?");
    for (int i = 0; it.view.help_page[i]; i++)
        ck_assert_msg(drawn_find(&it.view.list, it.view.help_page[i], true) != NULL, "%s",
                      it.view.help_page[i]);
}

static const char *about(const char *keys)
{
    for (int i = 0; it.view.help_page[i]; i += 2)
        if (strcmp(it.view.help_page[i], keys) == 0)
            return it.view.help_page[i + 1];
    return NULL;
}

// There Space goes from term to term, and Up does, too, where k still goes to the cell above.
TEST(the_page_of_keys_is_an_origins_while_one_is_shown)
{
    looking_size(&it, 1280, 960);
    press("?");
    ck_assert_str_eq(about("Space"), command_about(COMMAND_CELLS_PLAY));
    ck_assert_ptr_nonnull(about("Up or k"));
    press("?");
    press("o");
    press("?");
    ck_assert_ptr_null(about("Space"));
    ck_assert_str_eq(about("Space or Right or Down"), command_about(COMMAND_TERM_NEXT));
    ck_assert_str_eq(about("Enter or 1"), command_about(COMMAND_ENTER));
    ck_assert_ptr_null(about("Up or k"));
    ck_assert_str_eq(about("k"), command_about(COMMAND_CELL_UP));
    ck_assert_ptr_nonnull(about("d"));
}

TEST(csv_has_the_numbers_with_every_digit)
{
    char *text = NULL;
    size_t bytes = 0;
    int number = trace_find(&it.session.run.trace, "attn_weights");
    Tensor weights = it.session.run.trace.tensors[number].tensor;
    for (ptrdiff_t j = 0; j < 3; j++)
        *tensor_at4(&weights, 0, 1, 0, j) = (float)(j + 1) / 10.0f;
    apply("head 1");
    FILE *out = open_memstream(&text, &bytes);
    picture_csv(&it.session, out);
    fclose(out);
    // the shortest that are read as the same floats
    ck_assert_ptr_nonnull(strstr(text, "head,query,word,0,1,2\n"
                                       "1,0,0,0.1,0.2,0.3\n"));
    free(text);
}

SUITE_WITH("heatmap", open_heatmap, close_heatmap)
