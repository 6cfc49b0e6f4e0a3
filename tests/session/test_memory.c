// What lies where in memory: addresses, marks, and the wrong turns with heads, against hand
// arithmetic on document 002's shape, one sequence of three tokens A B C with four heads of two
// numbers. Its storage, two numbers a box:
//   q             A0 A1 A2 A3 B0 B1 B2 B3 C0 C1 C2 C3    places 0 2 4 ... 22
//   context_heads A0 B0 C0 A1 B1 C1 A2 B2 C2 A3 B3 C3
#include "panel.h"

#include "suite.h"
#include "talking_screen.h"

#include <stdlib.h>
#include <string.h>

static const TinyShape textbook = {
    .batch = 1, .queries = 3, .keys = 3, .heads = 4, .d_k = 2, .d_v = 2, .d_in = 8};

static void open_textbook(void)
{
    open_computed(textbook);
}

static int find(const char *name)
{
    int tensor = trace_find(&it.session.run.trace, name);
    ck_assert_msg(tensor >= 0, "%s", name);
    return tensor;
}

static WrongTurn turn_of(const char *stage)
{
    WrongTurn turn;
    for (int step = 0; step < it.session.run.trace.step_count; step++)
        if (strcmp(it.session.run.trace.steps[step].stage->name, stage) == 0) {
            ck_assert(wrong_turn(&it.session.run.trace, step, &turn));
            return turn;
        }
    ck_abort_msg("no %s", stage);
    return turn;
}

FIXTURE(open_textbook, close_screen)

TEST(an_address_is_the_offset_and_every_index_times_its_stride)
{
    char text[STORAGE_ADDRESS_MAX];
    Tensor heads = it.session.run.trace.tensors[find("q_heads")].tensor; // strides 24, 2, 8, 1
    ptrdiff_t at[] = {0, 2, 1, 1};
    ck_assert_str_eq(storage_address(&heads, at, text), "0 + 0*24 + 2*2 + 1*8 + 1*1 = 13");
    Tensor last = tensor_narrow(&heads, 2, 1, 2); // tokens B and C: starts at place 8
    ck_assert_str_eq(storage_address(&last, at, text), "8 + 0*24 + 2*2 + 1*8 + 1*1 = 21");
}

TEST(every_place_that_a_tensor_reads_is_found_again_under_its_index)
{
    for (int tensor = 0; tensor < it.session.run.trace.tensor_count; tensor++) {
        const Tensor *numbers = &it.session.run.trace.tensors[tensor].tensor;
        ptrdiff_t at[TENSOR_RANK_MAX] = {0}, found[TENSOR_RANK_MAX];
        for (bool more = true; more; more = tensor_next(numbers, at)) {
            ck_assert(storage_index(numbers, tensor_place(numbers, at), found));
            ck_assert_int_eq(memcmp(at, found, (size_t)numbers->rank * sizeof *at), 0);
        }
    }
}

TEST(a_place_between_the_elements_of_a_slice_is_not_read)
{
    ptrdiff_t at[TENSOR_RANK_MAX];
    Tensor q = it.session.run.trace.tensors[find("q")].tensor, head = tensor_narrow(&q, 2, 4, 2);
    ck_assert(storage_index(&head, 12, at)); // token B: 8 + 4
    ck_assert_int_eq(at[1], 1);
    ck_assert(!storage_index(&head, 3, at)); // before the first
    ck_assert(!storage_index(&head, 6, at));
    ck_assert(!storage_index(&head, 24, at));
}

TEST(views_share_the_storage_of_what_they_look_at_and_a_copy_has_its_own)
{
    ck_assert_int_eq(storage_owner(&it.session.run.trace, find("q_heads")), find("q"));
    ck_assert_int_eq(storage_owner(&it.session.run.trace, find("context_transposed")),
                     find("context_heads"));
    ck_assert_int_eq(storage_owner(&it.session.run.trace, find("context_concat")),
                     find("context_concat"));
    ck_assert_int_eq(storage_count(&it.session.run.trace.tensors[find("q")].tensor), 24);
}

static void check_marks(const char *name, const char *expected)
{
    char text[256] = "", mark[MEMORY_MARK_MAX];
    MemoryMarks marks = memory_marks(&it.session.run.trace, find(name), false);
    for (ptrdiff_t place = 0; place < marks.count; place += marks.run) {
        strcat(text, place ? " " : "");
        strcat(text, memory_mark(&marks, place, mark));
    }
    ck_assert_str_eq(text, expected);
}

TEST(boxes_are_marked_by_token_and_head_in_the_order_of_the_storage)
{
    check_marks("q", "A0 A1 A2 A3 B0 B1 B2 B3 C0 C1 C2 C3");
    check_marks("q_heads", "A0 A1 A2 A3 B0 B1 B2 B3 C0 C1 C2 C3");
    check_marks("context_heads", "A0 B0 C0 A1 B1 C1 A2 B2 C2 A3 B3 C3");
    check_marks("context_concat", "A0 A1 A2 A3 B0 B1 B2 B3 C0 C1 C2 C3");
    check_marks("x", "A B C");
    check_marks("q_proj.weight", "0 1 2 3");
    check_marks("scores", "A0 B0 C0 A1 B1 C1 A2 B2 C2 A3 B3 C3");
}

static void check_table(const WrongTurn *turn, const Tensor *tensor, const char *expected)
{
    char text[256] = "", mark[MEMORY_MARK_MAX];
    MemoryMarks marks = memory_marks(&it.session.run.trace, turn->input, false);
    for (ptrdiff_t x = 0; x < tensor->shape[1]; x++)
        for (ptrdiff_t y = 0; y < tensor->shape[2]; y++) {
            ptrdiff_t place = tensor_place(tensor, (ptrdiff_t[]){0, x, y, 0});
            strcat(text, y ? " " : x ? ", " : "");
            strcat(text, memory_mark(&marks, place, mark));
        }
    ck_assert_str_eq(text, expected);
}

// view(B, H, L, d) hands out the boxes of q in the order of the storage, three to a head.
LOOP_TEST(heads_cut_without_a_transpose_get_runs_of_slices, 2)
{
    static const char *const stages[] = {"view", "transpose"};
    WrongTurn turn = turn_of(stages[_i]);
    ck_assert(turn.cuts);
    check_table(&turn, &turn.right, "A0 B0 C0, A1 B1 C1, A2 B2 C2, A3 B3 C3");
    check_table(&turn, &turn.wrong, "A0 A1 A2, A3 B0 B1, B2 B3 C0, C1 C2 C3");
}

// view(B, L, H*d) hands out the boxes of context_heads in the order of the storage, four to a token.
TEST(heads_joined_without_a_transpose_mix_tokens)
{
    WrongTurn turn = turn_of("concat");
    ck_assert(!turn.cuts);
    check_table(&turn, &turn.right, "A0 A1 A2 A3, B0 B1 B2 B3, C0 C1 C2 C3");
    check_table(&turn, &turn.wrong, "A0 B0 C0 A1, B1 C1 A2 B2, C2 A3 B3 C3");
}

// Of the tables above, A0 and C3 alone stand where they should.
TEST(the_first_wrong_slice_is_told_with_places_tokens_and_heads)
{
    char text[MEMORY_SENTENCE_MAX];
    WrongTurn cut = turn_of("view"), join = turn_of("concat");
    MemoryMarks cut_marks = memory_marks(&it.session.run.trace, cut.input, false);
    MemoryMarks join_marks = memory_marks(&it.session.run.trace, join.input, false);
    ck_assert_str_eq(memory_turn_sentence(&cut, &cut_marks, 0, text),
                     "[0,0,1,:] should be head 0 of token B (places 8-9) but reads head 1 of token "
                     "A (2-3). 10 of 12 slices are wrong; the shape is right.");
    ck_assert_str_eq(memory_turn_sentence(&join, &join_marks, 0, text),
                     "[0,0,2:4] should be head 1 of token A (places 6-7) but reads head 0 of token "
                     "B (2-3). 10 of 12 slices are wrong; the shape is right.");
}

FIXTURE(NULL, NULL)

TEST(the_number_of_wrong_slices_is_what_counting_gives)
{
    TinyShape shape = textbook;
    for (shape.heads = 1; shape.heads <= 7; shape.heads++)
        for (shape.queries = 1; shape.queries <= 7; shape.queries++) {
            shape.keys = shape.queries;
            open_computed(shape);
            WrongTurn turn = turn_of("view");
            ptrdiff_t wrong = 0, at[TENSOR_RANK_MAX];
            for (ptrdiff_t h = 0; h < shape.heads; h++)
                for (ptrdiff_t l = 0; l < shape.queries; l++) {
                    ptrdiff_t here[] = {0, h, l, 0};
                    wrong += tensor_place(&turn.right, here) != tensor_place(&turn.wrong, here);
                }
            ck_assert_int_eq(wrong_turn_count(&turn), wrong);
            ck_assert_int_eq(wrong_turn_first(&turn, 0, at), wrong > 0);
            close_screen();
        }
}

TEST(with_one_head_the_mistake_goes_unseen_and_the_panel_says_so)
{
    char text[MEMORY_SENTENCE_MAX];
    TinyShape shape = textbook;
    shape.heads = 1;
    open_computed(shape);
    WrongTurn turn = turn_of("concat");
    MemoryMarks marks = memory_marks(&it.session.run.trace, turn.input, false);
    ck_assert_str_eq(
        memory_turn_sentence(&turn, &marks, 0, text),
        "With one head both ways read the same places: the mistake is invisible here.");
    close_screen();
}

FIXTURE(open_textbook, close_screen)

// The element of the copy is the element of what was copied.
TEST(wrong_and_right_read_the_numbers_that_the_trace_holds)
{
    WrongTurn turn = turn_of("concat");
    const Tensor *concat = &it.session.run.trace.tensors[find("context_concat")].tensor;
    for (ptrdiff_t l = 0; l < 3; l++)
        for (ptrdiff_t column = 0; column < 8; column++)
            ck_assert(*tensor_at4(&turn.right, 0, l, column / 2, column % 2) ==
                      *tensor_at3(concat, 0, l, column));
}

// Tokens A and B have colours of their own whichever head they are in, and the other way round.
TEST(colours_tell_tokens_apart_or_heads)
{
    MemoryMarks marks = memory_marks(&it.session.run.trace, find("q"), false);
    ck_assert_uint_eq(memory_shade(&marks, 0).back, memory_shade(&marks, 2).back); // A0 A1
    ck_assert_uint_ne(memory_shade(&marks, 0).back, memory_shade(&marks, 8).back); // A0 B0
    marks = memory_marks(&it.session.run.trace, find("q"), true);
    ck_assert_uint_ne(memory_shade(&marks, 0).back, memory_shade(&marks, 2).back);
    ck_assert_uint_eq(memory_shade(&marks, 0).back, memory_shade(&marks, 8).back);
}

TEST(memory_is_coloured_by_token_or_by_head_and_by_nothing_else)
{
    Command command;
    say("memory-by head");
    ck_assert(it.session.look.memory_by_head);
    expect_refusal("memory-by row", "memory can be coloured by token or by head, not by \"row\"");
    ck_assert(it.session.look.memory_by_head);
    ck_assert(command_for_key("M", &command));
    ck_assert(session_apply(&it.session, &command, &it.err));
    ck_assert(!it.session.look.memory_by_head);
}

static void apply(CommandKind kind)
{
    Command command = {.kind = kind, .number = 1 + rand() % 3};
    session_apply(&it.session, &command, &it.err);
}

FIXTURE(NULL, NULL)

// 40 tokens in 3 heads of 2: token 39, head 2, its second number lies at (39 * 3 + 2) * 2 + 1 = 239.
TEST(the_line_of_the_chosen_place_is_among_those_shown)
{
    TinyShape shape = textbook;
    shape.queries = shape.keys = 40;
    shape.heads = 3;
    open_computed(shape);
    apply(COMMAND_MEMORY);
    say("goto transpose q");
    say("@[0,2,39,1]");
    for (int rows = 22; rows < 70; rows++) {
        draw(60 + rows, rows);
        ck_assert_ptr_nonnull(strstr(screen, "0 + 0*240 + 2*2 + 39*6 + 1*1 = 239"));
        ck_assert_msg(strstr(screen, "\u25b2 239") || strstr(screen, "239 \u25b2"), "%s", screen);
    }
    close_screen();
}

SLICE_TEST(any_tensor_of_any_form_is_drawn_at_any_size, tiny_shape_count, 1)
{
    static const CommandKind walk[] = {COMMAND_NEXT,        COMMAND_PREVIOUS, COMMAND_TENSOR_NEXT,
                                       COMMAND_DOWN,        COMMAND_RIGHT,    COMMAND_PICK_NEXT,
                                       COMMAND_LINE_END,    COMMAND_BOTTOM,   COMMAND_AXIS_NEXT,
                                       COMMAND_TENSOR_NEXT, COMMAND_ROWS};
    srand(1);
    open_computed(tiny_shapes[_i]);
    apply(COMMAND_MEMORY);
    apply(COMMAND_FIRST);
    for (int round = 0; round < 200; round++) {
        apply(walk[(size_t)rand() % (sizeof walk / sizeof *walk)]);
        draw(1 + rand() % 220, 1 + rand() % 70);
    }
    close_screen();
}

TEST(one_number_and_four_thousand_columns_are_drawn)
{
    TinyShape one = {
        .batch = 1, .queries = 1, .keys = 1, .heads = 1, .d_k = 1, .d_v = 1, .d_in = 1};
    TinyShape wide = {
        .batch = 1, .queries = 2, .keys = 2, .heads = 64, .d_k = 64, .d_v = 64, .d_in = 1};
    for (int round = 0; round < 2; round++) {
        open_computed(round ? wide : one);
        apply(COMMAND_MEMORY);
        for (int step = 0; step < it.session.run.trace.step_count; step++) {
            draw(80, 24);
            draw(200, 60);
            apply(COMMAND_PREVIOUS);
        }
        close_screen();
    }
}

SUITE("memory")
