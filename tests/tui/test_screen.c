// Screens of every size: panels that stay in their areas, words for a screen that is too small, and
// work that does not grow with the tensor.
#include "open_lecture.h"
#include "session.h"
#include "screen.h"

#include "suite.h"
#include "talking_screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- sizes

enum { COLUMNS_MAX = 220, ROWS_MAX = 70 };

// How many cells of the panels lie outside the screen or belong to two panels.
static int misplaced_cells(const Area areas[PANEL_COUNT], int columns, int rows)
{
    static bool taken[ROWS_MAX][COLUMNS_MAX];
    int misplaced = 0;
    memset(taken, 0, sizeof taken);
    for (int panel = 0; panel < PANEL_COUNT; panel++)
        for (int row = 0; row < areas[panel].rows; row++)
            for (int column = 0; column < areas[panel].columns; column++) {
                int y = areas[panel].row + row, x = areas[panel].column + column;
                bool inside = y >= 0 && y < rows && x >= 0 && x < columns;
                misplaced += !inside || taken[y][x];
                if (inside)
                    taken[y][x] = true;
            }
    return misplaced;
}

TEST(panels_neither_overlap_nor_leave_the_screen)
{
    open_batch();
    for (int columns = 1; columns <= COLUMNS_MAX; columns += 7)
        for (int rows = 1; rows <= ROWS_MAX; rows += 4) {
            Area areas[PANEL_COUNT];
            bool fits = layout_areas(&it.session, columns, rows, areas);
            ck_assert_int_eq(fits, columns >= LAYOUT_COLUMNS_MIN && rows >= LAYOUT_ROWS_MIN);
            ck_assert_msg(misplaced_cells(areas, columns, rows) == 0, "%dx%d", columns, rows);
        }
    close_screen();
}

static bool panel_stays_inside(const Panel *panel, Area area)
{
    bool stays = true;
    for (int row = 0; row < cells.rows; row++)
        cells_fill(cells_area(&cells), row, 0, cells.columns, ROLE_TEXT, "~");
    panel->draw(&it.session, area_on(&cells, area));
    for (int row = 0; row < cells.rows; row++)
        for (int column = 0; column < cells.columns; column++) {
            bool inside = row >= area.row && row < area.row + area.rows && column >= area.column &&
                          column < area.column + area.columns;
            stays = stays && (inside || strcmp(cells_at(&cells, row, column)->text, "~") == 0);
        }
    return stays;
}

TEST(a_panel_draws_in_its_area_and_nowhere_else)
{
    static const int sizes[][2] = {{40, 12}, {64, 13}, {80, 24}, {120, 40}, {200, 60}};
    for (int shape = 0; shape < tiny_shape_count; shape++) {
        open_shape(tiny_shapes[shape]);
        for (int step = 0; step < it.session.run.trace.step_count; step++, say("next"))
            for (int tensor = 0; tensor < 2; tensor++, say("tensor-next"))
                for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
                    Area areas[PANEL_COUNT];
                    if (!suite_takes(shape + step + tensor + (int)size, 10)) // each size in turn
                        continue;
                    draw(sizes[size][0], sizes[size][1]);
                    layout_areas(&it.session, sizes[size][0], sizes[size][1], areas);
                    for (int panel = 0; panel < PANEL_COUNT; panel++)
                        ck_assert_msg(
                            areas[panel].rows <= 0 || !panel_get((PanelKind)panel)->draw ||
                                panel_stays_inside(panel_get((PanelKind)panel), areas[panel]),
                            "panel %d at %dx%d", panel, cells.columns, cells.rows);
                }
        close_screen();
    }
}

TEST(a_screen_that_is_too_small_says_so)
{
    open_batch();
    ck_assert_str_eq(draw(39, 24), "too small: 39x24, at least 40x12; q\n"
                                   "quits\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
    for (int columns = 1; columns <= 41; columns++)
        for (int rows = 1; rows <= 13; rows++)
            draw(columns, rows);
    ck_assert_ptr_nonnull(strstr(draw(40, 12), "tiny"));
    language_choose(LANGUAGE_KOREAN);
    const char *korean = draw(39, 12);
    ck_assert_ptr_nonnull(strstr(korean, "39x12"));
    ck_assert_ptr_nonnull(
        strstr(korean, "40x12")); // the sentence is whole, however many bytes it has
    ck_assert_ptr_nonnull(strstr(korean, "q로"));
    language_choose(LANGUAGE_ENGLISH);
    close_screen();
}

TEST(a_smaller_screen_shows_the_chosen_element_and_a_too_small_one_forgets_nothing)
{
    open_batch();
    say("goto score");
    say("@[2,1,3,3]");
    ck_assert_ptr_nonnull(strstr(draw(80, 24), "scores[2, 1, 3, 3] = "));
    ck_assert_ptr_nonnull(strchr(draw(40, 12), '['));
    ptrdiff_t row = session_view(&it.session)->first_row;
    draw(1, 1);
    ck_assert_int_eq(session_view(&it.session)->first_row, row);
    close_screen();
}

// --- what is shown

TEST(the_chosen_element_is_framed_and_written_in_full)
{
    open_batch();
    say("goto score");
    say("@[1,0,2,1]");
    const Tensor *scores = &session_tensor(&it.session)->tensor;
    float number = *tensor_at4(scores, 1, 0, 2, 1);
    static const char name[] = "scores[1, 0, 2, 1] = ";
    char framed[32];
    snprintf(framed, sizeof framed, "[%.4f]", (double)number);
    const char *text = draw(120, 40), *full = strstr(text, name);
    ck_assert_msg(strstr(text, framed) != NULL, "%s in\n%s", framed, text);
    ck_assert_ptr_nonnull(full);
    ck_assert_float_eq(strtof(full + strlen(name), NULL), number); // to the last bit
    close_screen();
}

// "▸ out scores": the mark, an arrow or a space, in or out, and the name, or its beginning and "…".
static bool is_listed(const char *text, bool is_output)
{
    const char *own = session_tensor(&it.session)->name;
    for (const char *at = text; (at = strstr(at, "\u25b8")) != NULL; at++) {
        const char *name = at + strlen("\u25b8") + (strncmp(at + 3, " ", 1) == 0 ? 1 : 3);
        if (strncmp(name, is_output ? "out " : "in  ", 4) != 0)
            continue;
        size_t same = 0;
        while (own[same] && own[same] == name[4 + same])
            same++;
        if (!own[same] || (same > 0 && strncmp(name + 4 + same, "\u2026", 3) == 0))
            return true;
    }
    return false;
}

TEST(the_tensor_looked_at_is_always_listed)
{
    for (int shape = 0; shape < tiny_shape_count; shape++) {
        open_shape(tiny_shapes[shape]);
        for (int step = 0; step < it.session.run.trace.step_count; step++, say("next"))
            for (int tensor = 0; tensor < SESSION_TENSORS_MAX; tensor++, say("tensor-next")) {
                if (!suite_takes(shape + step + tensor, 2))
                    continue;
                bool is_output = session_tensor(&it.session)->step == it.session.cursor.step;
                ck_assert_msg(is_listed(draw(80, 24), is_output), "%s", draw(80, 24));
                ck_assert_msg(is_listed(draw(64, 16), is_output), "%s", draw(64, 16));
            }
        close_screen();
    }
}

TEST(rows_are_named_queries_and_columns_keys)
{
    open_batch();
    say("goto softmax");
    ck_assert_ptr_nonnull(strstr(draw(80, 24), "rows: queries, columns: keys"));
    ck_assert_ptr_nonnull(strstr(draw(120, 40), "rows: queries (Lq), columns: keys (Lk)"));
    ck_assert_ptr_nonnull(strstr(draw(120, 40), " B 0/2   \u25b8H 0/1 "));
    close_screen();
}

TEST(strides_tell_a_view_from_a_copy)
{
    open_batch(); // (B, L, D) = (3, 4, 6), 2 heads of 3: view strides (24, 6, 3, 1)
    say("goto transpose q");
    const char *text = draw(120, 40);
    ck_assert_ptr_nonnull(strstr(text, "(3, 2, 4, 3)"));
    ck_assert_ptr_nonnull(strstr(text, "stride (24, 3, 6, 1)"));
    ck_assert_ptr_nonnull(strstr(text, "not contiguous, a view of q_view"));
    close_screen();
}

TEST(korean_words_keep_the_columns_aligned)
{
    static const char *const words[] = {"<pad>", "\ub098\ub294", "a", "\ud559\uad50\uc5d0",
                                        "go",    "\uac04\ub2e4", "."};
    open_batch();
    it.scenario.vocabulary = words;
    say("goto softmax");
    say("@[0,0,3,0]");
    draw(120, 40);
    // every number of the column under the frame starts in the same column
    int frame = -1, row = 0;
    for (int y = 0; y < cells.rows && frame < 0; y++)
        for (int x = 0; x < cells.columns && frame < 0; x++)
            if (strcmp(cells_at(&cells, y, x)->text, "[") == 0 && x > 20 && y > 9) {
                frame = x;
                row = y;
            }
    ck_assert_int_gt(frame, 0);
    for (int y = row - 3; y < row; y++) {
        ck_assert_str_eq(cells_at(&cells, y, frame)->text, " ");
        ck_assert_int_ne(strspn(cells_at(&cells, y, frame + 1)->text, "0123456789"), 0);
        ck_assert_str_eq(cells_at(&cells, y, frame + 2)->text, ".");
    }
    close_screen();
}

TEST(a_row_of_nan_is_explained)
{
    static unsigned char flags[] = {1, 1, 1, 0, 0, 0, 0, 0, 0};
    open_shape((TinyShape){.batch = 1, .queries = 3, .keys = 3, .d_k = 2, .d_v = 2, .d_in = 2});
    session_close(&it.session);
    it.scenario.masked = true;
    scenario_add(&it.scenario, "mask", "mask",
                 tensor_over(flags, DTYPE_BOOL, 2, (ptrdiff_t[]){3, 3}), "by hand");
    ck_assert(session_open(&it.session, &it.scenario, &it.err));
    say("goto softmax");
    const char *text = draw(80, 24);
    ck_assert_ptr_nonnull(strstr(text, "every key of this row is masked"));
    ck_assert_ptr_nonnull(strstr(text, "[nan]"));
    close_screen();
}

TEST(a_step_that_cannot_be_computed_tells_why)
{
    static unsigned char flags[4];
    open_shape((TinyShape){.batch = 1, .queries = 3, .keys = 3, .d_k = 2, .d_v = 2, .d_in = 2});
    session_close(&it.session);
    it.scenario.masked = true;
    scenario_add(&it.scenario, "mask", "mask",
                 tensor_over(flags, DTYPE_BOOL, 2, (ptrdiff_t[]){2, 2}), "by hand");
    ck_assert(session_open(&it.session, &it.scenario, &it.err));
    say("last");
    const char *text = draw(120, 40);
    ck_assert_ptr_nonnull(strstr(text, "This step could not be computed:"));
    ck_assert_ptr_nonnull(strstr(text, "a mask of shape (2, 2) does not broadcast"));
    ck_assert_ptr_nonnull(strstr(text, "\u2717  6 mask"));
    for (int columns = 40; columns < 130; columns += 5)
        draw(columns, 12 + columns % 7);
    close_screen();
}

TEST(the_help_page_has_every_command)
{
    open_batch();
    say("help");
    const char *text = draw(120, help_page_lines() + 10);
    for (int kind = 0; kind < COMMAND_COUNT; kind++) {
        ck_assert_ptr_nonnull(strstr(text, command_info((CommandKind)kind)->word));
        ck_assert_ptr_nonnull(strstr(text, command_about((CommandKind)kind)));
    }
    draw(80, 24);
    ck_assert_ptr_nonnull(strstr(draw(80, 24), "\nmoving among the values\n"));
    say("bottom");
    ck_assert_ptr_nonnull(strstr(draw(80, 24), command_about(COMMAND_COUNT - 1)));
    close_screen();
}

TEST(the_help_page_shows_the_keys_that_work_in_the_model)
{
    open_batch();
    say("help");
    const char *text = draw(80, help_page_lines() + 10);
    ck_assert_ptr_nonnull(strstr(text, "\n ] +       pick-next"));
    ck_assert_ptr_nonnull(strstr(text, "\n           layer-next"));
    close_screen();
    open_named("memory"); // two layers
    say("help");
    text = draw(80, help_page_lines() + 10);
    ck_assert_ptr_nonnull(strstr(text, "\n +         pick-next"));
    ck_assert_ptr_nonnull(strstr(text, "\n ]         layer-next"));
    close_screen();
}

// --- size of the tensor

TEST(a_tensor_of_a_million_million_numbers_is_moved_through_and_drawn)
{
    // One number seen a million times a million times: whatever looked at all of them would not
    // come to an end.
    float number = 0.5f;
    Tensor one = tensor_over(&number, DTYPE_F32, 3, (ptrdiff_t[]){1, 1, 1}), huge;
    ck_assert(tensor_expand(&one, 3, (ptrdiff_t[]){1, 1000000, 1000000}, &huge, &it.err));
    open_shape((TinyShape){.batch = 1, .queries = 3, .keys = 3, .d_k = 2, .d_v = 2, .d_in = 2});
    say("goto score");
    it.session.run.trace.tensors[it.session.cursor.tensor].tensor = huge;
    static const char *const walk[] = {"bottom", "line-end",           "page-up", "left 12345",
                                       "flip",   "@[0,500000,499999]", "top",     "down 77"};
    for (size_t i = 0; i < sizeof walk / sizeof *walk; i++) {
        say(walk[i]);
        draw(120, 40);
    }
    ck_assert_ptr_nonnull(strstr(draw(120, 40), "scores[0, 500000, 77] = 0.5"));
    close_screen();
}

// --- anything at all

TEST(no_keys_and_no_sizes_bring_it_down)
{
    uint64_t state = 20;
    for (int shape = 0; shape < tiny_shape_count; shape++) {
        if (!suite_takes(shape, 5))
            continue;
        open_shape(tiny_shapes[shape]);
        for (int press = 0; press < 300; press++) {
            CommandKind kind = (CommandKind)tiny_index(&state, COMMAND_COUNT);
            Command command = {.kind = kind, .number = tiny_index(&state, 6), .rank = 3};
            for (int axis = 0; axis < 3; axis++)
                command.index[axis] = tiny_index(&state, 4);
            snprintf(command.name, sizeof command.name, "%td", 1 + tiny_index(&state, 20));
            session_apply(&it.session, &command, &it.err);
            draw(1 + (int)tiny_index(&state, 210), 1 + (int)tiny_index(&state, 64));
        }
        close_screen();
    }
}

TEST(what_is_said_without_a_lecture_is_in_the_language_of_the_person)
{
    open_batch();
    language_choose(LANGUAGE_KOREAN);
    ck_assert_ptr_nonnull(
        strstr(open_lecture_session_word(&it.session, WORD_HANGUL_KEYS), "한글 상태"));
    language_choose(LANGUAGE_ENGLISH);
    ck_assert_ptr_nonnull(
        strstr(open_lecture_session_word(&it.session, WORD_HANGUL_KEYS), "types Hangul"));
    close_screen();
}

SUITE("screen")
