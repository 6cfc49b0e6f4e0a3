// Two runs beside each other: three maps a head, one scale for two of them, what differs in the third,
// and whose numbers they are said to be.
#include "figure.h"
#include "comparing.h"
#include "drawn.h"
#include "number_text.h"
#include "scenario_file.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The cells of map number `map`, counted as they are painted; those of the scales come behind.
static const DisplayCell *cells_of(int map)
{
    const DisplayList *list = &pair.view.list;
    for (size_t i = 0; i < list->item_count; i++)
        if (list->items[i].kind == DISPLAY_CELLS && map-- == 0)
            return list->cells + list->items[i].at;
    ck_abort_msg("there are fewer maps");
}

static float weight(const Trace *trace, int head, int row, int column)
{
    const Tensor *weights = &trace->tensors[trace_find(trace, "attn_weights")].tensor;
    return weights->storage.f32[tensor_place(weights, (ptrdiff_t[]){0, head, row, column})];
}

// A number as the terminal prints it; as many at once as `which` tells apart.
static const char *full(float number, int which)
{
    static char texts[3][NUMBER_FULL_TEXT_MAX];
    return number_full_text(number, texts[which]);
}

FIXTURE(open_causal, close_it)

TEST(there_are_three_maps_for_each_head)
{
    ck_assert_int_eq(pair.view.figure.map_count, 6);
    ck_assert(pair_says("compared with: the mistake", true));
    ck_assert(pair_says("difference", true));
    ck_assert(pair_says("head 1", true));
    looking_say(&pair, "head 1");
    ck_assert_int_eq(pair.view.figure.map_count, 3);
    looking_say(&pair, "picture-compare");
    ck_assert_int_eq(pair.view.figure.map_count, 1);
    ck_assert(!pair_says("compared with", false));
}

// Lines of words, and numbers in cells, at sizes at which the line below the title has to go on in another.
LOOP_TEST(no_words_lie_over_others, 5)
{
    static const int sizes[][2] = {{1600, 1000}, {1280, 800}, {800, 600}, {700, 500}, {640, 480}};
    looking_size(&pair, sizes[_i][0], sizes[_i][1]);
    drawn_check_apart(&pair.view.list);
}

// The words over columns are digits here, which lie in cells of any size; those of a sentence stand.
TEST(words_over_columns_lie_where_they_fit)
{
    const DisplayItem *key = drawn_find(&pair.view.list, "3", true);
    ck_assert(key && !key->upright);
    open_pair("sentence");
    looking_say(&pair, "compare attention.scale=none");
    looking_say(&pair, "picture-compare");
    bool stands = false;
    for (size_t i = 0; i < pair.view.list.item_count; i++)
        stands |= pair.view.list.items[i].kind == DISPLAY_TEXT && pair.view.list.items[i].upright &&
                  strcmp(pair.view.list.texts + pair.view.list.items[i].at, "handsome") == 0;
    ck_assert(stands);
}

// Row 3 has the same numbers in both runs: one colour in both maps, quiet in the third. Row 0 is 1 on
// the diagonal in the right run, less in the other, whose second key takes the rest.
TEST(large_letters_leave_the_scales_and_the_numbers)
{
    looking_say(&pair, "letters 2000");
    picture_view_size(&pair.view, 1280, 800, 1.0);
    looking_draw(&pair);
    ck_assert(pair_says("difference \xc3\x97 keys", true));
    picture_view_size(&pair.view, 1280, 850, 1.0);
    looking_draw(&pair);
    ck_assert(pair_says("1.000", true));
    for (int wide = 900; wide < 1700; wide += 20) { // a + is wider than a -
        looking_size(&pair, wide, wide * 5 / 8);
        ck_assert_msg(!pair_says("+0.\xe2\x80\xa6", true), "a number is cut at %d", wide);
    }
}

TEST(what_one_scale_is_of_is_told_in_full)
{
    looking_say(&pair, "picture-compare");
    looking_say(&pair, "show context_transposed");
    picture_view_size(&pair.view, 1280, 800, 1.0);
    looking_draw(&pair);
    ck_assert(!pair_says("difference", true));
    ck_assert(pair_says("context_transposed", true));
}

TEST(a_colour_is_one_number_and_what_stays_is_quiet)
{
    const DisplayCell *here = cells_of(0), *there = cells_of(1), *apart = cells_of(2);
    const int last = 3 * 4;
    for (int column = 0; column < 4; column++) {
        ck_assert_uint_eq(here[last + column], there[last + column]);
        ck_assert_uint_eq(apart[last + column], apart[last]);
    }
    ck_assert_uint_eq(apart[3], apart[last]); // query 0 sees key 3 in neither
    ck_assert_uint_ne(here[0], there[0]);
    ck_assert_uint_ne(apart[0], apart[last]);
    unsigned loses = apart[0], gains = apart[1]; // blue below 0, red above
    ck_assert_uint_gt(loses & 0xff, loses >> 16 & 0xff);
    ck_assert_uint_gt(gains >> 16 & 0xff, gains & 0xff);
    ck_assert_uint_eq(here[1] >> 24, DISPLAY_MASKED);
    ck_assert_uint_eq(there[1] >> 24, DISPLAY_PLAIN);
}

// Query i of the right run sees i + 1 keys: weight times that is 1 for an even share in every row, and
// the scale ends at the round number above the largest of both runs.
TEST(later_rows_are_as_bright_as_the_first)
{
    const DisplayCell *here = cells_of(0);
    const Trace *runs[] = {&pair.session.run.trace, &pair.session.comparison.trace};
    Colour table[COLOUR_LEVELS];
    float most = 0.0f;
    for (int run = 0; run < 2; run++)
        for (int cell = 0; cell < 2 * 16; cell++)
            most = fmaxf(most, weight(runs[run], cell / 16, cell / 4 % 4, cell % 4) *
                                   (float)(cell / 4 % 4 + 1));
    ck_assert(most > 1.0f && most <= 3.0f);
    most = most <= 1.5f ? 1.5f : most <= 2.0f ? 2.0f : most <= 2.5f ? 2.5f : 3.0f;
    colour_table_around(COLOUR_VIRIDIS, 1.0 / (double)most,
                        table); // an even share has the middle colour
    for (int row = 0; row < 4; row++) {
        float share = weight(runs[0], 0, row, 0) * (float)(row + 1);
        ck_assert_uint_eq(here[4 * row] & 0xffffff, table[colour_level(share, 0.0f, most)]);
    }
    ck_assert(pair_says("difference \xc3\x97 keys", true));
}

// 1 + 2 + 3 + 4 cells of the triangle and the three above the diagonal; row 3 stays: 9 of 16 a head.
static float farthest(int at[3])
{
    at[0] = at[1] = at[2] = 0;
    float most = 0.0f;
    for (int cell = 0; cell < 2 * 4 * 4; cell++) {
        int head = cell / 16, row = cell / 4 % 4, column = cell % 4;
        float apart = fabsf(weight(&pair.session.comparison.trace, head, row, column) -
                            weight(&pair.session.run.trace, head, row, column));
        if (apart <= most)
            continue;
        most = apart;
        at[0] = head, at[1] = row, at[2] = column;
    }
    return most;
}

static void set_all(const Trace *trace, float number)
{
    const Tensor *weights = &trace->tensors[trace_find(trace, "attn_weights")].tensor;
    for (ptrdiff_t i = 0; i < 2 * 4 * 4; i++)
        weights->storage.f32[i] = number;
}

// 1/4 and the number after it, 2^-25 = 2.98e-8 larger: neither is written 0.00.
TEST(a_difference_is_never_written_as_zeros)
{
    set_all(&pair.session.run.trace, 0.25f);
    set_all(&pair.session.comparison.trace, 0.25f);
    pair.session.picture.request.version++;
    looking_size(&pair, 1600, 1000);
    ck_assert(pair_says("all of these 32 numbers are equal", false));
    set_all(&pair.session.comparison.trace, nextafterf(0.25f, 1.0f));
    pair.session.picture.request.version++;
    looking_size(&pair, 1600, 1001);
    ck_assert(pair_says("32 of 32 numbers differ, by 2.9802322e-08 at most", false));
    ck_assert(pair_says("+3.0e-08", true));
    ck_assert(!pair_says("+0.00", false));
}

TEST(the_largest_difference_is_told_and_counted)
{
    char text[160];
    int at[3];
    float most = farthest(at);
    float here = weight(&pair.session.run.trace, at[0], at[1], at[2]);
    float there = weight(&pair.session.comparison.trace, at[0], at[1], at[2]);
    snprintf(text, sizeof text, "%s here    %s beside    difference %s%s", full(here, 0),
             full(there, 1), there > here ? "+" : "", full(there - here, 2));
    ck_assert(pair_says(text, false));
    snprintf(text, sizeof text, "largest difference here: head %d, query %d, key %d:", at[0], at[1],
             at[2]);
    ck_assert_msg(pair_says(text, false), "%s", text);
    snprintf(text, sizeof text,
             "18 of 32 numbers differ, by %s at most; in the whole run attn_mask[0,1] is the first",
             full(most, 0));
    ck_assert(pair_says(text, true));
    looking_say(&pair, "cell [1, 2, 3]");
    snprintf(text, sizeof text, "0 here    %s beside",
             full(weight(&pair.session.comparison.trace, 1, 2, 3), 0));
    ck_assert(pair_says(text, false));
}

// What has no number has no distance: it is counted apart.
TEST(what_differs_by_no_number_is_counted_apart)
{
    set_all(&pair.session.run.trace, 0.25f);
    set_all(&pair.session.comparison.trace, 0.5f);
    const Trace *there = &pair.session.comparison.trace;
    float *numbers = there->tensors[trace_find(there, "attn_weights")].tensor.storage.f32;
    numbers[0] = NAN;
    numbers[5] = INFINITY;
    pair.session.picture.request.version++;
    looking_size(&pair, 1600, 1000);
    ck_assert(pair_says(
        "32 of 32 numbers differ, 30 by 0.25 at most, and 2 where one of the two is NaN or "
        "infinite",
        false));
}

TEST(only_its_own_numbers_are_the_documents)
{
    open_pair("four-heads");
    looking_say(&pair, "head 0");
    looking_say(&pair, "compare attention.scale=none");
    looking_say(&pair, "picture-compare");
    ck_assert(pair_says("attn_weights of four-heads    (B, H", false));
    ck_assert(pair_says("four-heads (document 002)", true));
    ck_assert(pair_says("compared with: attention.scale=none", true));
}

TEST(a_sentence_of_ones_own_can_be_compared)
{
    open_pair("sentence");
    looking_say(&pair, "compare text Jungkook is very handsome . He is a perfect dancer .");
    looking_say(&pair, "head 0");
    looking_say(&pair, "picture-compare");
    ck_assert(pair_says("dancer", true)); // above the other map
    ck_assert(pair_says("singer", true));
    ck_assert(!looking_try(&pair, "compare text too short"));
}

// Five words each, none twice: both are the ids 0 to 4, and so the same numbers.  A scale comes
// behind the scores; the first query sees one key, which has the weight 1 whatever its score.
TEST(why_nothing_differs_is_told)
{
    Error err;
    ScenarioRequest request = {.text = "She gave him the book"};
    close_it();
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    looking_open_over(&pair, &scenario);
    looking_say(&pair, "compare text Who ate all the pies");
    looking_say(&pair, "picture-compare");
    ck_assert(
        pair_says("all of these 75 numbers are equal: the words differ, but their ids are the "
                  "same, and only ids are used",
                  true));
    open_pair("causal");
    looking_say(&pair, "compare attention.scale=none");
    looking_say(&pair, "picture-compare");
    looking_say(&pair, "show scores");
    ck_assert(
        pair_says("numbers are equal: what differs in the whole run, attn_weights[0,0,1,0] first, "
                  "does not reach them",
                  false));
    looking_say(&pair, "compare causal");
    ck_assert(pair_says("numbers are equal, and so is the rest of the run", false));
}

TEST(without_a_run_there_is_nothing_to_compare)
{
    looking_say(&pair, "compare-swap");
    ck_assert(!pair_says("compared with", false));
    ck_assert(pair_says("changed: mistake mask-off-by-one", false));
    looking_say(&pair, "compare off");
    ck_assert(!looking_try(&pair, "picture-compare"));
    ck_assert_ptr_nonnull(strstr(pair.err.text, "there is no comparison"));
}

TEST(a_hidden_run_is_not_named)
{
    looking_say(&pair, "compare hidden mistake mask-off-by-one");
    looking_say(&pair, "picture-compare");
    if (!pair.session.picture.request.compares)
        looking_say(&pair, "picture-compare");
    ck_assert(pair_says("compared with: ?", true));
    ck_assert(!pair_says("off-by-one", false));
    ck_assert(!pair_says("off by one", false));
}

// Whoever shows lists copies cells only when their version is another one: so one that is drawn in the
// place of maps, of an origin or of another comparison has another one each time.
TEST(other_cells_have_another_version)
{
    unsigned long seen[4];
    seen[0] = pair.view.list.cells_version;
    looking_say(&pair, "compare mistake scale-missing");
    looking_say(&pair, "cell [0, 1, 1]");
    seen[1] = pair.view.list.cells_version;
    looking_say(&pair, "picture-origin");
    seen[2] = pair.view.list.cells_version;
    looking_say(&pair, "picture-origin");
    looking_say(&pair, "compare off");
    seen[3] = pair.view.list.cells_version;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            ck_assert_uint_ne(seen[i], seen[j]);
}

static char *written(void (*write)(const Session *, FILE *))
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    write(&pair.session, out);
    fclose(out);
    return text;
}

TEST(tables_and_words_have_both_sides)
{
    char *csv = written(picture_csv), *about = written(picture_about), line[160];
    ck_assert_ptr_nonnull(strstr(csv, "# compared: mistake mask-off-by-one\n"
                                      "side,head,query,word,0,1,2,3\nthis,0,0,0,1,0,0,0\n"));
    float there = weight(&pair.session.comparison.trace, 0, 0, 1);
    snprintf(line, sizeof line, "other,0,0,0,%s,%s,0,0\n",
             full(weight(&pair.session.comparison.trace, 0, 0, 0), 0), full(there, 1));
    ck_assert_ptr_nonnull(strstr(csv, line));
    ck_assert_ptr_nonnull(strstr(csv, "\ndifference,1,3,3,0,0,0,0\n"));
    ck_assert_ptr_nonnull(strstr(about, "Compared with mistake mask-off-by-one."));
    ck_assert_ptr_nonnull(strstr(about, "head 1: 9 of 16 numbers differ."));
    free(csv);
    free(about);
}

// --- Where the maps of a comparison lie: as large as there is room, with their numbers and words, and without
// the words around them in small pictures.

FIXTURE(open_causal, close_it)

// Sizes at which titles, scales and read-outs have no room: the maps stay, and the picture says that words
// are missing.
TEST(in_a_small_picture_the_maps_stay_and_words_go)
{
    static const int sizes[][2] = {{200, 150}, {300, 220}, {400, 280}};
    pair.view.keys = false;
    for (int i = 0; i < 3; i++) {
        looking_size(&pair, sizes[i][0], sizes[i][1]);
        drawn_check_apart(&pair.view.list);
        ck_assert(pair_says("too small for the rest", true) && pair_says("compared with", false));
        for (int map = 0; map < 6; map++) {
            const FigureMap *at = &pair.view.figure.maps[map];
            ck_assert_int_ge(pair.view.figure.cell_height, 4);
            ck_assert_int_le(at->y + 4 * pair.view.figure.cell_height, sizes[i][1] - 20);
        }
    }
}

// Eleven words three times below each other: 1000 pixels less 48 of margins, 84 of header, 46 of footer,
// 16 between heads, and 42 and at most 86 of words above each leave 422 for 33 rows, 12 for each. Letters
// of 9 pixels are read there, as cells are a quarter higher.
TEST(three_heads_of_a_sentence_have_their_numbers)
{
    open_pair("sentence-causal");
    looking_say(&pair, "compare mistake mask-off-by-one");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1600, 1000);
    ck_assert_int_ge(pair.view.figure.cell_height, 12);
    ck_assert(pair_says("1.000", true) && pair_says("-0.42", true));
    drawn_check_apart(&pair.view.list);
}

// Ten rows four times below each other are low only when words stand above every head.
TEST(twelve_heads_have_words_at_their_axes)
{
    open_pair("self-attention");
    looking_say(&pair, "compare mistake scale-missing");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1230, 770);
    ck_assert_int_eq(pair.view.figure.map_count, 36);
    int rows = 0; // the words of rows end at a map; 0 to 9 at each of the leftmost ones
    for (size_t i = 0; i < pair.view.list.item_count; i++) {
        const DisplayItem *item = &pair.view.list.items[i];
        rows += item->kind == DISPLAY_TEXT && item->anchor == DISPLAY_RIGHT &&
                item->x < pair.view.figure.maps[0].x;
        ck_assert(item->kind != DISPLAY_TEXT || item->anchor != DISPLAY_RIGHT ||
                  item->size <= pair.view.figure.cell_height);
    }
    ck_assert_int_ge(rows, 10);
    ck_assert_int_eq(rows % 10, 0);
}

// The frame lies outside of a low cell but for one pixel: none of its number is covered.
TEST(the_frame_of_what_differs_most_covers_no_number)
{
    open_pair("sentence-causal");
    looking_say(&pair, "compare mistake mask-off-by-one");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1600, 1000);
    const Figure *figure = &pair.view.figure;
    int frames = 0;
    for (size_t i = 0; i < pair.view.list.item_count; i++) {
        const DisplayItem *item = &pair.view.list.items[i];
        if (item->kind != DISPLAY_FRAME)
            continue;
        frames++; // of a cell, whose corner lies at whole cells from some map's
        bool outside = false;
        for (int map = 0; map < figure->map_count; map++) {
            int x = item->x + item->thickness - figure->maps[map].x;
            int y = item->y + item->thickness - figure->maps[map].y;
            outside |=
                x >= 0 && y >= 0 && x % figure->cell_width <= 1 && y % figure->cell_height <= 1;
        }
        ck_assert(outside);
    }
    ck_assert_int_eq(frames, 2 * 3); // in three maps
}

// 24 maps of 128 x 128 numbers have some 130 pixels each way: numbers of a pixel would not be seen.
TEST(many_numbers_are_squares_that_are_seen)
{
    close_it();
    looking_open(&pair, tiny_causal(1, 8, 128));
    looking_say(&pair, "compare mistake mask-off-by-one");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1600, 1000);
    const Figure *figure = &pair.view.figure;
    char text[128];
    ck_assert_int_gt(figure->block_rows, 1);
    ck_assert_int_ge(figure->cell_width, 4);
    ck_assert_int_eq(figure->cell_width, figure->cell_height);
    snprintf(text, sizeof text,
             "a square shows the largest of %td x %td cells, of differences the farthest from 0",
             figure->block_rows, figure->block_rows);
    ck_assert(pair_says(text, false));
}

// Words of rows that end between the first two maps of the first head.
static int words_between(void)
{
    int count = 0;
    for (size_t i = 0; i < pair.view.list.item_count; i++) {
        const DisplayItem *item = &pair.view.list.items[i];
        count += item->kind == DISPLAY_TEXT && item->anchor == DISPLAY_RIGHT &&
                 item->x > pair.view.figure.maps[0].x && item->x < pair.view.figure.maps[1].x;
    }
    return count;
}

// Eleven words three times below each other, which are others in another sentence.
TEST(rows_of_the_other_run_have_its_words)
{
    open_pair("sentence-trained");
    looking_say(&pair, "compare text Jimin is really tall . She is a kind teacher .");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1600, 1000);
    const DisplayItem *here = drawn_find(&pair.view.list, "Jungkook", true);
    const DisplayItem *there = drawn_find(&pair.view.list, "Jimin", true);
    ck_assert_int_eq(words_between(), 33);
    ck_assert_ptr_nonnull(here);
    ck_assert_ptr_nonnull(there);
    ck_assert_int_eq(here->y, there->y);
    ck_assert_int_lt(there->x, pair.view.figure.maps[1].x);
    drawn_check_apart(&pair.view.list);
}

TEST(rows_with_the_same_words_have_them_once)
{
    open_pair("sentence-causal");
    looking_say(&pair, "compare mistake mask-off-by-one");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1600, 1000);
    ck_assert_int_eq(words_between(), 0);
}

// The frame of the first difference is two points wide within its cell, of which + and - leave the rest.
TEST(a_difference_fits_into_its_cell_with_its_sign)
{
    open_pair("four-heads");
    looking_say(&pair, "show context_concat");
    looking_say(&pair, "compare model.heads=2");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1230, 770);
    int signs = 0;
    for (size_t i = 0; i < pair.view.list.item_count; i++) {
        const DisplayItem *item = &pair.view.list.items[i];
        const char *text = pair.view.list.texts + item->at;
        if (item->kind != DISPLAY_TEXT || text[0] != '+')
            continue;
        signs++;
        ck_assert_int_le(font_width(&pair.view.metrics, text, item->size),
                         pair.view.figure.cell_width - 4);
    }
    ck_assert_int_gt(signs, 8);
}

// What is written into the cells of the first map.
static bool is_in_first_map(const DisplayItem *item)
{
    const Figure *figure = &pair.view.figure;
    const FigureMap *map = &figure->maps[0];
    return item->kind == DISPLAY_TEXT && item->x > map->x && item->y > map->y &&
           item->x < map->x + figure->columns * figure->cell_width &&
           item->y < map->y + figure->rows * figure->cell_height;
}

// As in a picture of one run, where numbers of more than 13 points take seven tenths of a cell at most.
TEST(large_numbers_have_paper_around_them)
{
    int large = 0;
    for (int wide = 700; wide < 1700; wide += 20) {
        looking_size(&pair, wide, wide * 5 / 8);
        for (size_t i = 0; i < pair.view.list.item_count; i++) {
            const DisplayItem *item = &pair.view.list.items[i];
            if (!is_in_first_map(item) || item->size <= 13)
                continue;
            const char *text = pair.view.list.texts + item->at;
            ck_assert_msg(10 * font_width(&pair.view.metrics, text, item->size) <=
                              7 * pair.view.figure.cell_width,
                          "%s at %d pixels", text, wide);
            large++;
        }
    }
    ck_assert_int_gt(large, 100);
}

SUITE("figure_compare")
