// The commands of a picture: each does what its help says, and a wrong one changes nothing.
#include "looking.h"
#include "drawn.h"
#include "suite.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

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

FIXTURE(open_heatmap, close_heatmap)

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

// Two sequences, two heads, two layers.
static void open_layers(void)
{
    int number = 0;
    for (const TinyShape *at = tiny_shapes; at->layers < 2 || at->batch < 2 || at->backward; at++)
        number++;
    looking_close(&it);
    looking_open(&it, tiny_shapes[number]);
}

static const char *shown_name(void)
{
    return it.session.run.trace.tensors[it.session.picture.request.tensor].name;
}

TEST(the_same_weights_of_another_layer_are_one_key_away)
{
    open_layers();
    press("}");
    ck_assert_str_eq(shown_name(), "layer1.attn_weights");
    press("}"); // it is the last; the readout stands behind it
    ck_assert_str_eq(shown_name(), "logits");
    press("{");
    ck_assert_str_eq(shown_name(), "layer1.attn_weights");
    press("{");
    ck_assert_str_eq(shown_name(), "attn_weights");
}

TEST(no_key_means_two_things_and_every_key_does_something)
{
    char seen[1024] = " ";
    open_layers();
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

// --- What a window offers to the mouse: every way of drawing has its button, which says which one is
// shown; what the bottom line names can be pressed there.

// Two sequences, two heads of 3 x 3.
static void open_it(void)
{
    looking_open(&it, tiny_self(2, 2, 3));
    it.view.keys = true; // as in a window
    looking_draw(&it);
}

static void close_it(void)
{
    looking_close(&it);
}

static const FigureButton *button(const char *says)
{
    for (int i = 0; i < it.view.figure.button_count; i++)
        if (strcmp(it.view.figure.buttons[i].says, says) == 0)
            return &it.view.figure.buttons[i];
    return NULL;
}

static void click(const char *says)
{
    const FigureButton *at = button(says);
    ck_assert_msg(at != NULL, "%s", says);
    looking_click(&it, at->x + at->width / 2, at->y + at->height / 2);
}

// Written in the colour of the paper, on a dark ground.
static bool is_chosen(const char *name)
{
    const DisplayItem *text = drawn_find(&it.view.list, name, true);
    ck_assert_msg(text != NULL, "%s", name);
    return text->bold && text->colour == it.view.list.background;
}

FIXTURE(open_it, close_it)

TEST(every_way_of_drawing_has_a_button_that_says_whether_it_is_shown)
{
    static const struct {
        FigureMode mode;
        const char *says, *name;
    } modes[] = {{FIGURE_HEAD, "picture-as head", "one head"},
                 {FIGURE_ALL_LINES, "picture-as all-lines", "lines of all"},
                 {FIGURE_LINES, "picture-as lines", "lines of one"},
                 {FIGURE_GRID, "heads-all", "all heads"}};
    for (int way = 0; way < 8; way++) { // from each to each, more or less
        int to = way * 3 % 4;
        click(modes[to].says);
        ck_assert_int_eq(it.session.picture.request.mode, modes[to].mode);
        for (int other = 0; other < 4; other++)
            ck_assert_int_eq(is_chosen(modes[other].name), other == to);
    }
}

TEST(the_head_that_is_looked_at_is_the_one_that_opens)
{
    looking_say(&it, "cell [1,2,0]");
    click("picture-as head");
    ck_assert_int_eq(it.session.picture.request.head, 1);
    click("picture-as lines");
    ck_assert_int_eq(it.session.picture.request.head, 1);
    ck_assert_int_eq(it.session.picture.request.cursor.row, 2);
}

TEST(a_button_under_the_pointer_is_underlined_and_told_of)
{
    const FigureButton at = *button("picture-as lines");
    ck_assert_ptr_null(drawn_find(&it.view.list, "lines from word to word", false));
    looking_point(&it, at.x + 2, at.y + 2);
    ck_assert(!it.session.picture.request.has_cursor);
    ck_assert_ptr_nonnull(drawn_find(&it.view.list, "lines from word to word", false));
    bool underlined = false;
    for (size_t i = 0; i < it.view.list.item_count; i++) {
        const DisplayItem *item = &it.view.list.items[i];
        underlined =
            underlined ||
            (item->kind == DISPLAY_RECTANGLE && item->x == at.x && item->width == at.width &&
             item->y + item->height == at.y + at.height && item->height <= 2);
    }
    ck_assert(underlined);
    looking_point(&it, at.x + 2, at.y + at.height); // a pixel below
    ck_assert_ptr_null(drawn_find(&it.view.list, "lines from word to word", false));
    looking_point(&it, at.x + 2, at.y + 2);
    Command away;
    picture_view_leave(&it.view, &away);
    ck_assert_int_eq(away.kind, COMMAND_POINT_AWAY);
    looking_draw(&it);
    ck_assert_ptr_null(drawn_find(&it.view.list, "lines from word to word", false));
}

TEST(what_the_bottom_line_names_is_done)
{
    click("dark");
    ck_assert(it.session.picture.request.dark);
    click("mean");
    ck_assert(it.session.picture.request.mean);
    click("sequence-next");
    ck_assert_int_eq(it.session.picture.request.batch, 1);
    click("scale-next");
    ck_assert_int_eq(it.session.picture.request.scale, FIGURE_SCALE_UNIT);
    click("show-next");
    ck_assert_str_ne(picture_tensor_name(&it.session), "attn_weights");
    click("picture-save");
    ck_assert_uint_eq(it.session.picture.saves, 1);
    click("picture-keys");
    ck_assert(it.session.picture.help);
}

TEST(an_origin_is_walked_by_the_mouse_alone)
{
    looking_say(&it, "cell [0,0,0]"); // its own term is the first of three
    click("picture-origin");
    ck_assert(it.session.picture.request.origin);
    TraceCell weight = it.session.picture.request.origin_cell;
    looking_draw(&it); // an exp is made of one score
    ck_assert_ptr_null(drawn_find(&it.view.list, "2 into the second input", false));
    ptrdiff_t marked = it.session.picture.request.origin_marked;
    click("term-next");
    ck_assert_int_ne(it.session.picture.request.origin_marked, marked);
    click("term-previous");
    ck_assert_int_eq(it.session.picture.request.origin_marked, marked);
    click("enter");
    ck_assert_int_ne(it.session.picture.request.origin_cell.tensor, weight.tensor);
    click("enter"); // a score, of which each product has two
    click("input-second");
    click("back-out");
    click("back-out");
    click("back-out");
    ck_assert_int_eq(it.session.picture.request.origin_cell.tensor, weight.tensor);
    click("picture-origin");
    ck_assert(!it.session.picture.request.origin);
}

// In every size and language no button lies on another or outside, and each is what it says.
static void check_buttons(void)
{
    const Figure *figure = &it.view.figure;
    for (int i = 0; i < figure->button_count; i++) {
        const FigureButton *one = &figure->buttons[i];
        Command command;
        ck_assert_msg(command_parse(one->says, &command, &it.err), "%s", one->says);
        ck_assert_int_ge(one->x, 0);
        ck_assert_int_le(one->x + one->width, it.view.width);
        ck_assert_int_le(one->y + one->height, it.view.height);
        ck_assert_ptr_eq(figure_hit_button(figure, one->x, one->y), one->says);
        for (int j = 0; j < i; j++) {
            const FigureButton *other = &figure->buttons[j];
            ck_assert_msg(one->y >= other->y + other->height || other->y >= one->y + one->height ||
                              one->x >= other->x + other->width || other->x >= one->x + one->width,
                          "%s over %s", one->says, other->says);
        }
    }
}

TEST(no_button_lies_on_another)
{
    static const int widths[] = {1600, 1280, 900, 640, 480, 320, 100};
    for (int language = 0; language < LANGUAGE_COLUMNS; language++) {
        language_choose((Language)language);
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            looking_size(&it, widths[i], widths[i] * 3 / 4);
            check_buttons();
            looking_say(&it, "picture-origin");
            check_buttons();
            looking_say(&it, "picture-origin");
        }
    }
    language_choose(LANGUAGE_ENGLISH);
}

TEST(saved_pictures_and_comparisons_have_what_they_can_use)
{
    it.view.keys = false;
    it.view.stale = true;
    looking_draw(&it);
    ck_assert_int_eq(it.view.figure.button_count, 0);
    it.view.keys = true;
    looking_say(&it, "compare mistake scale-missing");
    looking_say(&it, "picture-compare");
    ck_assert(button("heads-all") && button("picture-as head"));
    ck_assert_ptr_null(button("picture-as lines"));
}

// --- The pointer in a picture: it looks, presses, drags and turns its wheel.

static void open_shape(TinyShape shape)
{
    looking_open(&it, shape);
    looking_draw(&it);
}

// Two sequences, two heads of 3 x 3.
static void open_pointed(void)
{
    open_shape(tiny_self(2, 2, 3));
}

FIXTURE(open_pointed, close_heatmap)

TEST(the_pointer_looks_and_a_press_opens_a_head_and_then_locks)
{
    const FigureMap *map = &it.view.figure.maps[1];
    looking_point(&it, map->x + it.view.figure.cell_width + 1,
                  map->y + 2 * it.view.figure.cell_height + 1);
    ck_assert_int_eq(it.session.picture.request.cursor.head, 1);
    ck_assert_int_eq(it.session.picture.request.cursor.row, 2);
    ck_assert_int_eq(it.session.picture.request.cursor.column, 1);
    press("Return");
    ck_assert_int_eq(it.session.picture.request.head, 1);
    press("Return");
    map = &it.view.figure.maps[1];
    looking_click(&it, map->x + it.view.figure.cell_width + 1,
                  map->y + 2 * it.view.figure.cell_height + 1);
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_HEAD);
    ck_assert_int_eq(it.session.picture.request.head, 1);
    looking_click(&it, it.view.figure.maps[0].x + 1, it.view.figure.maps[0].y + 1);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_LOCKED_CELL);
    looking_point(&it, 1, 1); // outside: what is locked stays
    ck_assert(it.session.picture.request.has_cursor);
    looking_click(&it, it.view.figure.maps[0].x + 1, it.view.figure.maps[0].y + 1);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_UNLOCKED);
    looking_point(&it, it.view.figure.maps[0].x + 1,
                  it.view.figure.maps[0].y + 2 * it.view.figure.cell_height + 1);
    ck_assert_int_eq(it.session.picture.request.cursor.row, 2);
    looking_point(&it, 1, 1); // outside: what was pressed last is chosen
    ck_assert_int_eq(it.session.picture.request.cursor.row, 0);
    press("Escape"); // all heads
    press("Escape");
    ck_assert(!it.session.picture.request.has_cursor);
}

// Seven pixels above a map are words or its name: it opens, and no cell is chosen.
TEST(a_press_on_the_name_of_a_head_opens_it)
{
    int x = it.view.figure.maps[1].x + 20, y = it.view.figure.maps[1].y - 7;
    looking_point(&it, x, y);
    ck_assert(!it.session.picture.request.has_cursor);
    looking_click(&it, x, y);
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_HEAD);
    ck_assert_int_eq(it.session.picture.request.head, 1);
    ck_assert(!it.session.picture.request.has_cursor);
    looking_click(&it, x, y); // above one head alone there is nothing to open
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_HEAD);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_UNLOCKED);
}

TEST(before_the_first_picture_there_is_nothing_to_point_at)
{
    PictureView *view = &it.view;
    Command command;
    close_heatmap();
    looking_open(&it, tiny_self(2, 2, 3));
    ck_assert(picture_view_point(view, &it.session, 600, 500, &command));
    ck_assert_int_eq(command.kind, COMMAND_POINT_AWAY);
    ck_assert(!picture_view_press(&it.view, &it.session, 600, 500, &command));
    ck_assert(!picture_view_wheel(&it.view, &it.session, 600, 500, 1, &command));
    ck_assert(!picture_view_drag(&it.view, &it.session, 60, 50, &command));
    ck_assert(!picture_view_next(view, &it.session, &command));
    ck_assert(looking_try(&it, "zoom-in"));
    ck_assert(looking_try(&it, "cell-left"));
    looking_draw(&it);
}

TEST(a_pointer_that_stays_in_its_cell_needs_no_new_picture)
{
    Command command;
    int x = it.view.figure.maps[0].x + 1, y = it.view.figure.maps[0].y + 1;
    unsigned long screen = it.session.revision;
    looking_point(&it, x, y);
    ck_assert(picture_view_point(&it.view, &it.session, x + 1, y, &command));
    ck_assert(session_apply(&it.session, &command, &it.err));
    ck_assert(!picture_view_is_stale(&it.view, &it.session));
    ck_assert(
        picture_view_point(&it.view, &it.session, x + it.view.figure.cell_width, y, &command));
    ck_assert(session_apply(&it.session, &command, &it.err));
    ck_assert(picture_view_is_stale(&it.view, &it.session));
    ck_assert_uint_eq(it.session.revision, screen); // nor does the terminal need a new screen
}

TEST(zooming_in_and_out_comes_back)
{
    press("Return");
    int cell = it.view.figure.cell_width;
    press("-"); // everything is visible: no smaller
    ck_assert_int_eq(it.view.figure.cell_width, cell);
    looking_size(&it, 200, 200);
    press("+");
    ck_assert_int_ne(it.session.picture.request.zoom, 0);
    press("0");
    ck_assert(it.view.figure.all_visible);
}

// Where there is more than is visible a press may begin a drag: it chooses a cell, and the same cell
// pressed again opens its head.
TEST(in_larger_cells_of_all_heads_a_drag_moves_and_two_presses_open)
{
    looking_size(&it, 500, 400);
    for (int i = 0; i < 20; i++)
        press("+");
    ck_assert(!it.view.figure.all_visible);
    ptrdiff_t first = it.view.figure.first_row;
    int cell = it.view.figure.cell_height;
    int x = it.view.figure.maps[1].x + 5, y = it.view.figure.maps[1].y + 5;
    looking_click(&it, x, y);
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_GRID);
    ck_assert_int_eq(it.session.picture.request.cursor.head, 1);
    ck_assert_int_ne(it.session.picture.request.zoom, 0);
    looking_drag(&it, 0, first > 0 ? cell : -cell);
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_GRID);
    ck_assert_int_eq(it.view.figure.first_row, first > 0 ? first - 1 : first + 1);
    looking_click(&it, x, y); // another cell is there now
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_GRID);
    looking_click(&it, x, y);
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_HEAD);
    ck_assert_int_eq(it.session.picture.request.head, 1);
}

// Three rows of cells of 96 pixels in a window of 200: a cell is visible, or two.
TEST(dragging_moves_by_cells_however_small_its_steps_are)
{
    press("Return");
    looking_size(&it, 260, 200);
    for (int i = 0; i < 30; i++)
        press("+");
    ck_assert_int_eq(it.view.figure.cell_height, 96);
    apply("cell [0,0,0]");
    ck_assert_int_eq(it.view.figure.first_row, 0);
    looking_click(&it, it.view.figure.maps[0].x + 50, it.view.figure.maps[0].y + 50);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_LOCKED_CELL);
    for (int i = 0; i < 9; i++)
        looking_drag(&it, -1, -10); // 90 pixels
    ck_assert_int_eq(it.view.figure.first_row, 0);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_LOCKED_CELL);
    looking_drag(&it, 0, -10);
    ck_assert_int_eq(it.view.figure.first_row, 1);
    ck_assert_int_eq(it.view.figure.first_column, 0);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_UNLOCKED); // it was no click
    Command drag;                                                       // no picture between
    ck_assert(picture_view_drag(&it.view, &it.session, 0, 100, &drag));
    ck_assert(session_apply(&it.session, &drag, &it.err));
    looking_drag(&it, 0, -96);
    ck_assert_int_eq(it.view.figure.first_row, 1);
    looking_drag(&it, 0, -960);
    looking_drag(&it, 0, 96);
    ck_assert_int_lt(it.view.figure.first_row, 2); // from the end, not from behind it
}

static void open_hundred(void)
{
    close_heatmap();
    open_shape(tiny_self(1, 1, 100));
}

TEST(the_wheel_keeps_the_cell_under_the_pointer)
{
    FigureCell before, after;
    open_hundred();
    ck_assert(figure_hit(&it.view.figure, 500, 480, &before));
    for (int notch = 0; notch < 16; notch++) {
        looking_wheel(&it, 500, 480, notch < 8 ? 1 : -1);
        ck_assert(figure_hit(&it.view.figure, 500, 480, &after));
        if (it.view.figure.all_visible)
            continue;
        ck_assert_int_eq(after.row, before.row);
        if (it.view.figure.columns < 100) // else there is nowhere to move them
            ck_assert_int_eq(after.column, before.column);
    }
}

TEST(the_wheel_scrolls_lines)
{
    open_hundred();
    press("l");
    ck_assert(!it.view.figure.all_visible);
    looking_wheel(&it, 500, 480, -1);
    ck_assert_int_eq(it.view.figure.first_row, 3);
    ck_assert_int_eq(it.view.figure.first_column, 3);
    looking_wheel(&it, 500, 480, 1);
    looking_wheel(&it, 500, 480, 1);
    ck_assert_int_eq(it.view.figure.first_row, 0);
    for (int notch = 0; notch < 40; notch++)
        looking_wheel(&it, 500, 480, -1);
    ptrdiff_t last = 100 - it.view.figure.rows;
    looking_wheel(&it, 500, 480, 1);
    ck_assert_int_eq(it.view.figure.first_row, last - 3);
}

SUITE("heatmap")
