// What a figure calls things: maps, rows and columns by what they are, whole where there is room.
#include "drawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "figure_data.h"
#include "figure.h"
#include "suite.h"

static Drawn drawn;

static float *row_numbers;

static void open_large(int heads, int tokens)
{
    row_numbers = drawn_open_large(&drawn, heads, tokens);
}

// (B, Lq, H, d_v): a map of a query has a row for each head.
TEST(maps_of_queries_are_not_called_heads)
{
    open_large(2, 2);
    int number = trace_find(&drawn.trace, "context_transposed");
    ck_assert_int_ge(number, 0);
    drawn.request = figure_request(&drawn.trace, number);
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_int_eq(drawn.figure.map_count, 2); // queries
    ck_assert_ptr_nonnull(drawn_text(&drawn, "query 1"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "over all queries"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "heads"));
    drawn_close(&drawn);
}

// What the third axis from the right is called: by the letter it was declared with, unless it is an
// axis of 1 where there are more.
static const char *word_of_maps(const TraceTensor *tensor)
{
    static const struct {
        const char *letter, *word;
        Symbol symbol;
    } words[] = {{"H", "head", SYMBOL_H},     {"G", "head", SYMBOL_G},
                 {"Q", "question", SYMBOL_Q}, {"Lq", "query", SYMBOL_LQ},
                 {"Lk", "key", SYMBOL_LK},    {"Lt", "key", SYMBOL_LT},
                 {"L", "map", SYMBOL_L},      {"blocks", "map", SYMBOL_BLOCKS}};
    char axes[TRACE_AXES_TEXT_MAX] = "", *rest = NULL;
    ptrdiff_t count = 0;
    int rank = tensor->tensor.rank;
    for (const char *at = tensor->axes; at; at = strchr(at + 1, ' '))
        count++;
    snprintf(axes, sizeof axes, "%s", tensor->axes ? tensor->axes : "");
    char *axis = strtok_r(axes, " ", &rest);
    for (ptrdiff_t i = 3; axis && i < count; i++)
        axis = strtok_r(NULL, " ", &rest);
    if (rank >= 3 && axis &&
        strcmp(axis, "parts") == 0) // of the residual stream, with names of their own
        return "map";
    for (size_t i = 0; rank >= 3 && axis && i < sizeof words / sizeof *words; i++)
        if (strcmp(axis, words[i].letter) == 0 &&
            tensor->tensor.shape[rank - 3] == drawn.scenario.size[words[i].symbol])
            return words[i].word;
    return tensor->name;
}

TEST(every_map_of_every_tensor_is_called_what_it_is)
{
    for (int i = 0; i < tiny_shape_count; i++) {
        drawn_open(&drawn, tiny_shapes[i]);
        for (int number = 0; number < drawn.trace.tensor_count; number++) {
            const TraceTensor *tensor = &drawn.trace.tensors[number];
            FigureRequest request = {.tensor = number};
            FigureData data;
            char name[160];
            if (!figure_data(&drawn.trace, &request, &data, &drawn.err))
                continue;
            const char *word = word_of_maps(tensor);
            figure_map_name(&data, 0, 0, name);
            ck_assert_msg(strncmp(name, word, strlen(word)) == 0, "%s: %s, not %s", tensor->name,
                          name, word);
        }
        drawn_close(&drawn);
    }
}

// A linear layer's weight has a row for each of its outputs; an axis that is only a
// number has no name.
TEST(rows_and_columns_are_called_what_they_are)
{
    TinyShape shape = tiny_causal(1, 2, 3);
    shape.d_out = 5;
    shape.context = 8;
    drawn_open(&drawn, shape);
    drawn.request = figure_request(&drawn.trace, trace_find(&drawn.trace, "q_proj.weight"));
    drawn_draw(&drawn, 800, 600, 1.0);
    const DisplayItem *rows = drawn_text(&drawn, "features of all heads");
    const DisplayItem *columns = drawn_text(&drawn, "input features \xe2\x86\x92");
    const DisplayItem *map = drawn_map(&drawn, 0);
    ck_assert(rows && rows->upright && rows->x < map->x);
    ck_assert(columns && columns->x < map->x && columns->y < map->y); // in the corner
    drawn_draw(&drawn, 400, 300, 1.0);                                // too small for that
    ck_assert_ptr_nonnull(drawn_part(&drawn, "rows are features of all heads"));
    drawn.request = figure_request(&drawn.trace, trace_find(&drawn.trace, "causal_mask_buffer"));
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_ptr_nonnull(drawn_part(&drawn, "(8, 8)"));
    ck_assert_ptr_null(drawn_part(&drawn, "rows are"));
    drawn_close(&drawn);
}

// Where "head 39" has no room every name is a number, none is cut.
TEST(names_without_room_are_numbers)
{
    char name[32];
    open_large(40, 6);
    for (int lines = 0; lines < 2; lines++) {
        drawn.request.mode = lines ? FIGURE_ALL_LINES : FIGURE_GRID;
        drawn_draw(&drawn, 640, 480, 1.0);
        ck_assert_ptr_null(drawn_part(&drawn, "head 1"));
        ck_assert_ptr_null(drawn_part(&drawn, "hea\xe2\x80\xa6"));
        for (int head = 10; head < 40; head++) {
            snprintf(name, sizeof name, "%d", head);
            const DisplayItem *text = drawn_text(&drawn, name);
            ck_assert_msg(text && text->bold, "%s", name);
        }
    }
    drawn_close(&drawn);
}

TEST(what_a_small_picture_says_of_itself_takes_a_second_line)
{
    open_large(4, 600);
    drawn_draw(&drawn, 480, 400, 1.0);
    const DisplayItem *first = drawn_part(&drawn, "(B, H, Lq, Lk) = (1, 4, 600, 600)");
    const DisplayItem *rows = drawn_part(&drawn, "rows are queries, columns are keys");
    const DisplayItem *blocks = drawn_part(&drawn, "a pixel shows the largest of");
    ck_assert(first && rows && blocks);
    ck_assert_int_gt(blocks->y, first->y);
    ck_assert_ptr_null(drawn_part(&drawn, "\xe2\x80\xa6"));
    drawn_close(&drawn);
}

TEST(a_scale_of_one_number_says_it_once)
{
    int found = 0;
    open_large(1, 1);
    row_numbers[0] = 0.5f;
    drawn.request.scale = FIGURE_SCALE_HEAD;
    drawn_draw(&drawn, 800, 600, 1.0);
    for (size_t i = 0; i < drawn.list.item_count; i++)
        found += drawn.list.items[i].kind == DISPLAY_TEXT &&
                 strcmp(drawn.list.texts + drawn.list.items[i].at, "0.5") == 0;
    ck_assert_int_eq(found, 1);
    drawn_close(&drawn);
}

// A layer of two heads that was asked: head 0 at word 1, head 1 wherever a word stands before.
static void open_asked(void)
{
    static const bool of_word[2][4] = {{false, true, false, false}, {true, true, true, true}};
    static const ScenarioAsked asked[2] = {{of_word[0], true}, {of_word[1], false}};
    drawn_open(&drawn, (TinyShape){.batch = 1,
                                   .queries = 3,
                                   .keys = 3,
                                   .heads = 2,
                                   .d_k = 2,
                                   .d_v = 2,
                                   .d_in = 3,
                                   .d_out = 3,
                                   .vocabulary = 4});
    drawn.scenario.asked = asked;
    Tensor tokens = drawn_tensor(&drawn, "input_ids");
    int64_t *ids = tensor_id2(&tokens, 0, 0);
    ids[0] = ids[2] = 1;
    ids[1] = 2;
}

// A veil over row 1 of head 0, and over row 0 of head 1, as wide as the map; nowhere else.
TEST(rows_with_nothing_to_look_for_are_pale)
{
    enum { PALE = 190 }; // of 255
    int found = 0;
    open_asked();
    drawn_draw(&drawn, 800, 600, 1.0);
    for (size_t i = 0; i < drawn.list.item_count; i++) {
        const DisplayItem *item = &drawn.list.items[i];
        if (item->kind != DISPLAY_RECTANGLE || item->alpha != PALE)
            continue;
        ck_assert_int_lt(found, 2);
        ck_assert_int_eq(item->x, drawn.figure.maps[found].x);
        ck_assert_int_eq(item->y,
                         drawn.figure.maps[found].y + (found == 0 ? drawn.figure.cell_height : 0));
        ck_assert_int_eq(item->width, 3 * drawn.figure.cell_width);
        ck_assert_int_eq(item->height, drawn.figure.cell_height);
        found++;
    }
    ck_assert_int_eq(found, 2);
    ck_assert_ptr_nonnull(drawn_part(&drawn, "pale: nothing to look for there"));
    drawn_close(&drawn);
}

// WCAG's contrast of a line with the page below it.
static double contrast_of_line(const DisplayItem *line, Colour paper)
{
    double page = colour_luminance(paper) + 0.05;
    double seen = colour_luminance(colour_blend(paper, line->colour, line->alpha)) + 0.05;
    return seen > page ? seen / page : page / seen;
}

// Of the nine lines of head 0, of equal weights, those of its middle word; they are seen all the same.
LOOP_TEST(lines_of_words_with_nothing_to_look_for_are_pale, 2)
{
    enum { PALE = 65 };
    open_asked();
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    for (int i = 0; i < 9; i++)
        weights.storage.f32[weights.offset + i] = 0.5f;
    drawn.request.mode = FIGURE_LINES;
    drawn.request.dark = _i == 1;
    drawn_draw(&drawn, 800, 600, 1.0);
    int pale = 0, first = -1;
    for (size_t i = 0; i < drawn.list.item_count; i++) {
        const DisplayItem *item = &drawn.list.items[i];
        if (item->kind != DISPLAY_CURVE || item->alpha != PALE)
            continue;
        first = pale++ == 0 ? item->y : first;
        ck_assert_int_eq(item->y, first);
        ck_assert_double_gt(contrast_of_line(item, figure_theme(_i == 1)->paper), 1.3);
    }
    ck_assert_int_eq(pale, 3);
    drawn_close(&drawn);
}

// The largest weight of all stands where head 0 has nothing to look for.
TEST(a_pale_weight_is_not_the_largest)
{
    FigureData data;
    FigureCell cell = {.head = 0};
    float most = 0.0f;
    open_asked();
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    *tensor_at4(&weights, 0, 0, 1, 2) = 1.0f;
    *tensor_at4(&weights, 0, 0, 2, 1) = 0.9f;
    ck_assert(figure_data(&drawn.trace, &drawn.request, &data, &drawn.err));
    ck_assert(figure_largest(&data, &drawn.request, 0, &cell, &most));
    ck_assert_int_eq(cell.row, 2);
    ck_assert_int_eq(cell.column, 1);
    drawn_close(&drawn);
}

TEST(what_a_head_does_is_said_of_the_chosen_row)
{
    open_asked();
    drawn.request.has_cursor = true;
    drawn.request.cursor = (FigureCell){0, 1, 0};
    drawn_draw(&drawn, 1200, 600, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "nothing to look for"));
    drawn.request.cursor.row = 0;
    drawn_draw(&drawn, 1200, 600, 1.0);
    ck_assert_ptr_null(drawn_text(&drawn, "nothing to look for"));
    drawn_close(&drawn);
}

// A page of a telephone is 390 pixels wide: "(document 004)" stands at the end of the title.
TEST(a_title_is_smaller_where_its_end_had_no_room)
{
    open_large(2, 2);
    drawn.request.title = "attn_weights of sentence (document 004)";
    drawn_draw(&drawn, 800, 600, 1.0);
    int usual = drawn_text(&drawn, drawn.request.title)->size;
    drawn_draw(&drawn, 390, 900, 1.0);
    const DisplayItem *title = drawn_text(&drawn, drawn.request.title);
    ck_assert_ptr_nonnull(title);
    ck_assert_int_lt(title->size, usual);
    drawn_draw(&drawn, 200, 900, 1.0); // there it is cut, and not read with a glass
    ck_assert_ptr_null(drawn_text(&drawn, drawn.request.title));
    ck_assert_int_ge(drawn_part(&drawn, "attn_weights of")->size, 12);
    drawn_close(&drawn);
}

SUITE("figure_words")
