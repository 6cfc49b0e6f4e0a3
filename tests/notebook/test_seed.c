// The seed behind printed numbers: streams side by side against the generator, printed text as numbers,
// and the seeds of documents 001 and 002 from what their notebooks printed.
//
// A search over all seeds takes a minute; here it begins shortly before the seed.
#include "generator.h"
#include "scenario_file.h"
#include "seed_search.h"
#include "suite.h"
#include "number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- words

static void expect_words(const Kernel *kernel, uint32_t first, const KernelPlaces *places)
{
    static uint32_t words[KERNEL_PLACES_MAX][KERNEL_SEEDS];
    kernel->words(first, places, words);
    for (uint32_t seed = 0; seed < KERNEL_SEEDS; seed++) {
        Generator generator;
        generator_seed(&generator, first + seed);
        int given = 0;
        for (int i = 0; i < places->count; i++) {
            uint32_t word = 0;
            for (; given <= places->place[i]; given++)
                word = generator_word(&generator);
            ck_assert_msg(words[i][seed] == word, "%s: seed %u, word %d", kernel->name,
                          first + seed, places->place[i]);
        }
    }
}

LOOP_TEST(streams_side_by_side_are_the_generators, 3)
{
    const Kernel *kernel = kernel_get(_i);
    if (!kernel)
        return;
    const KernelPlaces near = {6, {0, 1, 2, 8, 200, 226}};
    const KernelPlaces far = {5, {0, 227, 623, 624, 5000}};
    expect_words(kernel, 0, &near);
    expect_words(kernel, UINT32_MAX - 60, &near); // goes around
    expect_words(kernel, 2766588038u, &far);
}

// --- printed text

static Arena arena;
static Printed printed;

static void read_printed(const char *text)
{
    Error err = {.text = ""};
    ck_assert_msg(printed_read(text, &printed, &arena, &err), "%s", err.text);
}

static void expect_number(const PrintedNumber *number, double value, double half)
{
    ck_assert_double_eq(number->value, value);
    ck_assert_double_eq_tol(number->half, half, 1e-12);
}

static void finish(void)
{
    arena_finish(&arena);
}

FIXTURE(NULL, finish)

TEST(a_print_in_a_notebook_is_read)
{
    read_printed("In [3]:\nprint('Q', Q)\nQ tensor([[-0.1392,  5.5230e-01],\n        [ 1.,  nan]], "
                 "grad_fn=<X>)\nshape torch.Size([2, 2])\n");
    ck_assert_int_eq(printed.count, 1);
    const PrintedTensor *tensor = &printed.tensors[0];
    ck_assert_str_eq(tensor->label, "Q");
    ck_assert_int_eq(tensor->line, 3);
    ck_assert_int_eq(tensor->rank, 2);
    ck_assert_int_eq(tensor->shape[0], 2);
    ck_assert_int_eq(tensor->shape[1], 2);
    ck_assert_int_eq(tensor->count, 4);
    expect_number(&tensor->numbers[0], -0.1392, 0.00005);
    expect_number(&tensor->numbers[1], 0.5523, 0.000005);
    expect_number(&tensor->numbers[2], 1.0, 0.0);
    ck_assert(isnan(tensor->numbers[3].value));
}

TEST(what_dots_leave_out_is_counted_from_the_end)
{
    read_printed("tensor([[1.5, 2.5, 3.5,  ..., 7.5, 8.5, 9.5],\n        ...,\n"
                 "        [0.5, 0.5, 0.5,  ..., 0.5, 0.5, 4.5]])");
    const PrintedTensor *tensor = &printed.tensors[0];
    ck_assert_int_eq(tensor->count, 12);
    ck_assert_int_eq(tensor->shape[0], -1);
    ck_assert_int_eq(tensor->shape[1], -1);
    float room[20 * 30] = {0.0f};
    Tensor numbers = tensor_over(room, DTYPE_F32, 2, (ptrdiff_t[]){20, 30});
    ptrdiff_t at[TENSOR_RANK_MAX];
    ck_assert(printed_fits(tensor, &numbers));
    ck_assert(printed_place(tensor, &tensor->numbers[4], &numbers, at)); // 8.5
    ck_assert_int_eq(at[0], 0);
    ck_assert_int_eq(at[1], 28);
    ck_assert(printed_place(tensor, &tensor->numbers[11], &numbers, at)); // 4.5
    ck_assert_int_eq(at[0], 19);
    ck_assert_int_eq(at[1], 29);
}

TEST(a_print_that_breaks_off_gives_what_was_there)
{
    read_printed("tensor([[1.5, 2.5],\n        [3.5, 0");
    ck_assert_int_eq(printed.tensors[0].count, 3);
    ck_assert_int_eq(printed.tensors[0].shape[0], -1);
    read_printed("tensor([[1.5,  ..., 2.5, 3.5, 4.5],\n        [5.5,  ..., 6.5, 7.");
    ck_assert_int_eq(printed.tensors[0].count, 5);
}

TEST(numbers_without_a_tensor_are_its_first_ones)
{
    read_printed("[-0.1392, 0.55 0.2820]");
    ck_assert_int_eq(printed.tensors[0].rank, 0);
    ck_assert_int_eq(printed.tensors[0].count, 3);
    expect_number(&printed.tensors[0].numbers[1], 0.55, 0.005);
    Error err;
    ck_assert(!printed_read("nothing here", &printed, &arena, &err));
    ck_assert_str_eq(err.text, "this text has no printed numbers");
}

// --- seeds

static Scenario scenario;
static Trace trace;
static SeedQuestion question;

static void open_with_seed(const char *what, const char *set, const char *seed)
{
    Error err = {.text = ""};
    char seed_set[64];
    snprintf(seed_set, sizeof seed_set, "weights.manual_seed=%s", seed);
    const char *sets[] = {seed_set, set};
    ScenarioRequest request = {.what = what, .sets = sets, .set_count = set ? 2 : 1};
    ck_assert_msg(scenario_open(&scenario, &request, &err) && trace_open(&trace, &scenario, &err) &&
                      trace_run(&trace, &err),
                  "%s", err.text);
}

static void close_scenario(void)
{
    trace_close(&trace);
    scenario_finish(&scenario);
}

static void ask(const char *tensor)
{
    Error err = {.text = ""};
    ck_assert_msg(seed_question_make(&trace, trace_find(&trace, tensor), &printed.tensors[0],
                                     &question, &arena, &err),
                  "%s", err.text);
}

// Tries a piece that has the seed in it, and one before that has it not.
static void expect_seed(uint32_t seed)
{
    Error err = {.text = ""};
    Team team;
    team_init(&team, 2);
    SeedSearch search = {.question = &question,
                         .kernel = kernel_get(0),
                         .next = (uint64_t)(seed / SEED_PIECE - 1) * SEED_PIECE};
    ck_assert(seed_search_run(&search, &team, 1, &err));
    ck_assert_int_eq(search.found_count, 0);
    ck_assert(seed_search_run(&search, &team, 1, &err));
    ck_assert_int_eq(search.found_count, 1);
    ck_assert_uint_eq(search.found[0], seed);
    team_finish(&team);
}

static void read_document(const char *name)
{
    static char text[1 << 16];
    FILE *file = fopen(test_file(name), "r");
    ck_assert_ptr_nonnull(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    read_printed(text);
}

TEST(the_seed_of_document_002_is_in_its_printed_q)
{
    read_document("documents/002_q.txt");
    open_with_seed("scaled-dot-product", NULL, "0");
    ask("q");
    expect_seed(3761981812u);
    close_scenario();
}

TEST(the_seed_of_document_001_is_in_its_printed_embeddings)
{
    read_document("documents/001_x.txt");
    open_with_seed("padded-batch", NULL, "0");
    ask("x");
    expect_seed(2766588038u);
    close_scenario();
}

// The print of a tensor drawn from a seed.
static void print_tensor(const char *name)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    tensor_print(&trace.tensors[trace_find(&trace, name)].tensor, out);
    fclose(out);
    read_printed(text);
    free(text);
}

TEST(few_normal_numbers_and_those_drawn_again_are_looked_for_as_well)
{
    // 12 numbers are drawn in pairs; of 40, the last 16 are drawn again
    static const struct {
        const char *set;
        uint32_t seed;
        const char *text;
    } cases[] = {{"input.vectors={randn: [1, 3, 4]}", 4000000001u, "4000000001"},
                 {"input.vectors={randn: [1, 10, 4]}", 77777777u, "77777777"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_with_seed(test_file("scenarios/drawn_vectors.yaml"), cases[i].set, cases[i].text);
        print_tensor("x");
        // what is printed last is drawn last
        PrintedTensor *tensor = &printed.tensors[0];
        tensor->numbers += tensor->count - 6;
        tensor->count = 6;
        close_scenario();
        open_with_seed(test_file("scenarios/drawn_vectors.yaml"), cases[i].set, "0");
        ask("x");
        expect_seed(cases[i].seed);
        close_scenario();
    }
}

TEST(products_of_drawn_numbers_are_not_looked_for)
{
    Error err;
    open_with_seed("padded-batch", NULL, "0");
    read_printed("[0.5, 0.25, 0.125]");
    ck_assert(!seed_question_make(&trace, trace_find(&trace, "q"), &printed.tensors[0], &question,
                                  &arena, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "seed of q cannot be searched"));
    close_scenario();
}

TEST(seeds_from_2_to_the_63_are_those_of_pytorch)
{
    // torch.manual_seed(-1) is torch.manual_seed(2^64 - 1)
    open_with_seed("causal", NULL, "18446744073709551615");
    float first = *tensor_at2(&scenario_tensor(&scenario, "q_proj.weight")->tensor, 0, 0);
    ck_assert_ptr_nonnull(strstr(scenario_tensor(&scenario, "q_proj.weight")->from,
                                 "manual_seed 18446744073709551615,"));
    close_scenario();
    open_with_seed("causal", NULL, "-1");
    ck_assert_float_eq(first,
                       *tensor_at2(&scenario_tensor(&scenario, "q_proj.weight")->tensor, 0, 0));
    close_scenario();
    Error err;
    const char *sets[] = {"weights.manual_seed=18446744073709551616"};
    ck_assert(!scenario_open(
        &scenario, &(ScenarioRequest){.what = "causal", .sets = sets, .set_count = 1}, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "from -2^63 to 2^64 - 1"));
}

SUITE("seed")
