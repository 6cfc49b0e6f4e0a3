// What a window offers to the mouse: every way of drawing has its button, which says which one is
// shown; what the bottom line names can be pressed there.
#include "looking.h"

#include <string.h>
#include "drawn.h"
#include "suite.h"
#include "words.h"

static Looking it;

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

SUITE_WITH("heatmap_buttons", open_it, close_it)
