// PyTorch's generator: every draw against what torch 1.13.1 drew, bit for bit.
//
// golden/rng_vectors.json holds draws ("linear 6 6 randn 3 rand 2" are three from one seed; linear is
// followed by its outputs and inputs), of each the first and last numbers and the sha256 of all, as
// little-endian bytes in the order drawn.
#include "generator.h"
#include "digest.h"
#include "kernel.h"
#include "suite.h"

#include <jansson.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

// Everything one test vector draws, as bytes.
typedef struct Draws {
    unsigned char *bytes;
    size_t length;
    size_t number_size;
} Draws;

static void *draws_room(Draws *draws, size_t count, size_t number_size)
{
    draws->bytes = realloc(draws->bytes, draws->length + count * number_size + 1);
    ck_assert_ptr_nonnull(draws->bytes);
    void *room = draws->bytes + draws->length;
    draws->length += count * number_size;
    draws->number_size = number_size;
    return room;
}

static size_t take_number(char **rest)
{
    char *word = strsep(rest, " ");
    ck_assert_ptr_nonnull(word);
    return strtoull(word, NULL, 10);
}

static void draw_linear(Generator *generator, Draws *draws, char **rest, bool with_bias)
{
    size_t out = take_number(rest), in = take_number(rest);
    float *weight = draws_room(draws, out * (in + with_bias), sizeof *weight);
    generator_linear(generator, in, out, weight, with_bias ? weight + out * in : NULL);
}

// Draws what the words ask for: "randn 5", "linear 8 12" ...
static void draw(Generator *generator, Draws *draws, char **rest)
{
    const char *what = strsep(rest, " ");
    if (strcmp(what, "rand") == 0) {
        size_t count = take_number(rest);
        generator_rand(generator, draws_room(draws, count, sizeof(float)), count);
    } else if (strcmp(what, "randn") == 0) {
        size_t count = take_number(rest);
        generator_randn(generator, draws_room(draws, count, sizeof(float)), count);
    } else if (strcmp(what, "rand64") == 0) {
        size_t count = take_number(rest);
        generator_rand_f64(generator, draws_room(draws, count, sizeof(double)), count);
    } else if (strcmp(what, "emb") == 0) {
        size_t count = take_number(rest) * take_number(rest);
        generator_randn(generator, draws_room(draws, count, sizeof(float)), count);
    } else if (strcmp(what, "linear") == 0) {
        draw_linear(generator, draws, rest, true);
    } else if (strcmp(what, "linearnb") == 0) {
        draw_linear(generator, draws, rest, false);
    } else if (strcmp(what, "randint") == 0) {
        int64_t low = (int64_t)take_number(rest), high = (int64_t)take_number(rest);
        size_t count = take_number(rest);
        ck_assert_uint_eq(take_number(rest), UINT64_C(1) << 32); // from where two words are taken
        generator_randint(generator, low, high, draws_room(draws, count, sizeof(int64_t)), count);
    } else if (strcmp(what, "bern") == 0) {
        double p = strtod(strsep(rest, " "), NULL);
        size_t count = take_number(rest);
        generator_bernoulli(generator, p, draws_room(draws, count, 1), count);
    } else {
        ck_abort_msg("unknown draw \"%s\"", what);
    }
}

static void expect_numbers(const json_t *expected, const Draws *draws, size_t first, const char *of)
{
    for (size_t i = 0; i < json_array_size(expected); i++) {
        uint64_t bits = 0;
        memcpy(&bits, draws->bytes + (first + i) * draws->number_size, draws->number_size);
        char text[17];
        snprintf(text, sizeof text, "%0*llx", (int)(2 * draws->number_size),
                 (unsigned long long)bits);
        ck_assert_msg(strcmp(text, json_string_value(json_array_get(expected, i))) == 0,
                      "%s: number %zu is %s, PyTorch drew %s", of, first + i, text,
                      json_string_value(json_array_get(expected, i)));
    }
}

static void expect_sha256(const Draws *draws, const char *expected, const char *of)
{
    struct sha256_ctx sha;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char text[2 * sizeof digest + 1];
    sha256_init(&sha);
    sha256_update(&sha, draws->length, draws->bytes);
    sha256_digest(&sha, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    ck_assert_msg(strcmp(text, expected) == 0, "%s: sha256 is %s, PyTorch's %s", of, text,
                  expected);
}

static void expect_vector(const json_t *vector)
{
    const char *op = json_string_value(json_object_get(vector, "op"));
    uint64_t seed = (uint64_t)json_integer_value(json_object_get(vector, "seed"));
    char of[128], words[64], *rest = words;
    snprintf(of, sizeof of, "seed %llu, %s", (unsigned long long)seed, op);
    ck_assert_int_lt(snprintf(words, sizeof words, "%s", op), (int)sizeof words);

    Generator generator;
    generator_seed(&generator, seed);
    Draws draws = {0};
    while (rest)
        draw(&generator, &draws, &rest);

    size_t count = (size_t)json_integer_value(json_object_get(vector, "count"));
    ck_assert_uint_eq(draws.length, count * draws.number_size);
    const json_t *last = json_object_get(vector, "last");
    expect_numbers(json_object_get(vector, "first"), &draws, 0, of);
    expect_numbers(last, &draws, count - json_array_size(last), of);
    expect_sha256(&draws, json_string_value(json_object_get(vector, "sha256")), of);
    free(draws.bytes);
}

static void expect_all_vectors(void)
{
    json_t *file = json_load_file(test_file("golden/rng_vectors.json"), 0, NULL);
    ck_assert_ptr_nonnull(file);
    int compared = 0;
    size_t i;
    json_t *vector;
    json_array_foreach(json_object_get(file, "vectors"), i, vector)
    {
        // "plain" is the arithmetic of machines without fused multiply-add
        if (strcmp(json_string_value(json_object_get(vector, "arith")), "plain") == 0)
            continue;
        expect_vector(vector);
        compared++;
    }
    ck_assert_int_eq(compared, 294);
    json_decref(file);
}

TEST(every_kernel_draws_every_vector_as_pytorch_drew_it)
{
    const Kernel *kernel;
    for (int i = 0; (kernel = kernel_get(i)) != NULL; i++) {
        ck_assert_int_eq(setenv("ATTNSCOPE_ISA", kernel->name, 1), 0);
        ck_assert_ptr_eq(kernel_choose(), kernel);
        expect_all_vectors();
    }
    unsetenv("ATTNSCOPE_ISA");
}

// Few machines have AVX-512: its instructions as loops against the plain kernel, whose numbers are PyTorch's.
TEST(avx512_draws_the_numbers_of_the_plain_kernel)
{
    extern const Kernel kernel_avx512_in_c;
    enum { COUNT = 624, ODD = 37 }; // an odd number of blocks, and more
    Generator generator;
    generator_seed(&generator, 5);
    generator_word(&generator);
    for (ptrdiff_t count = COUNT - ODD; count <= COUNT; count++) {
        float drawn[2][COUNT];
        const Kernel *kernels[] = {&kernel_avx512_in_c, kernel_find("plain")};
        for (int i = 0; i < 2; i++)
            kernels[i]->uniform(count, generator.state, -0.3f, 0.7f, drawn[i]);
        ck_assert_mem_eq(drawn[0], drawn[1], (size_t)count * sizeof(float));
        for (int i = 0; i < 2; i++) {
            kernels[i]->uniform(count, generator.state, 0.0f, 1.0f, drawn[i]);
            kernels[i]->normal(count / KERNEL_NORMALS, 0.5f, 2.0f, drawn[i]);
        }
        ck_assert_mem_eq(drawn[0], drawn[1], (size_t)count * sizeof(float));
    }
}

// --- seeds, the waiting normal, and how many words a draw takes

static Generator seeded(uint64_t seed)
{
    Generator generator;
    generator_seed(&generator, seed);
    return generator;
}

TEST(only_the_low_32_bits_of_a_seed_count)
{
    Generator low = seeded(5), high = seeded((UINT64_C(77) << 32) + 5), other = seeded(6);
    uint32_t word = generator_word(&low);
    ck_assert_uint_eq(word, generator_word(&high));
    ck_assert_uint_ne(word, generator_word(&other));
}

TEST(the_ten_thousandth_word_is_the_one_of_the_c_plus_plus_standard)
{
    // [rand.predef]: the 10000th value of a default-constructed mt19937 (seed 5489) is 4123659995
    Generator generator = seeded(5489);
    for (int i = 1; i < 10000; i++)
        generator_word(&generator);
    ck_assert_uint_eq(generator_word(&generator), 4123659995u);
}

// torch 1.13.1: manual_seed(0); torch.randn(4)
static const float four_normals[] = {1.5409960746765137f, -0.293428897857666f, -2.1787893772125244f,
                                     0.5684312582015991f};

TEST(the_second_normal_of_a_pair_waits_through_every_other_draw)
{
    Generator generator = seeded(0);
    float numbers[64], bias[4];
    generator_randn(&generator, numbers, 1);
    ck_assert_float_eq(numbers[0], four_normals[0]);
    generator_rand(&generator, numbers, 3);
    generator_linear(&generator, 4, 4, numbers, bias);
    generator_randn(&generator, numbers, 16);
    generator_randn(&generator, numbers, 17);
    int64_t whole[3];
    generator_randint(&generator, 0, 9, whole, 3);
    generator_randn(&generator, numbers, 1);
    ck_assert_float_eq(numbers[0], four_normals[1]);
}

TEST(a_pair_may_be_taken_in_two_calls)
{
    Generator generator = seeded(0);
    float numbers[4];
    generator_randn(&generator, numbers, 3);
    generator_randn(&generator, numbers + 3, 1);
    ck_assert_mem_eq(numbers, four_normals, sizeof numbers);
}

TEST(seeding_forgets_the_waiting_normal)
{
    Generator generator = seeded(3);
    float number;
    generator_randn(&generator, &number, 1);
    ck_assert(generator.has_cached_normal);
    generator_seed(&generator, 0);
    generator_randn(&generator, &number, 1);
    ck_assert_float_eq(number, four_normals[0]);
}

// How many words lie between a generator of this seed and one that has drawn.
static int words_used(Generator drawn, uint64_t seed)
{
    uint32_t ahead[4];
    for (int i = 0; i < 4; i++)
        ahead[i] = generator_word(&drawn);
    Generator plain = seeded(seed);
    for (int used = 0; used < 1000; used++) {
        Generator trial = plain;
        int same = 0;
        while (same < 4 && generator_word(&trial) == ahead[same])
            same++;
        if (same == 4)
            return used;
        generator_word(&plain);
    }
    return -1;
}

static int words_of(const char *what)
{
    char words[64], *rest = words;
    snprintf(words, sizeof words, "%s", what);
    Generator generator = seeded(8);
    Draws draws = {0};
    draw(&generator, &draws, &rest);
    free(draws.bytes);
    return words_used(generator, 8);
}

TEST(draws_take_as_many_words_as_in_pytorch)
{
    // counted in torch 1.13.1
    static const struct {
        const char *draw;
        int words;
    } known[] = {
        {"linear 4 4", 20},
        {"linearnb 4 4", 16},
        {"linear 3 0", 3},
        {"emb 3 5", 32},
        {"randn 15", 32},
        {"randn 16", 16},
        {"randn 17", 33},
        {"randn 3", 8},
        {"bern 0.9 10", 20},
        {"rand64 3", 6},
        {"rand 5", 5},
        {"randint 0 9 3 4294967296", 3},
        {"randint 0 4294967295 3 4294967296", 3},
        {"randint 0 4294967296 3 4294967296", 6},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int words = words_of(known[i].draw);
        ck_assert_msg(words == known[i].words, "%s took %d words, PyTorch takes %d", known[i].draw,
                      words, known[i].words);
    }
}

TEST(whole_numbers_of_any_range_are_pytorchs)
{
    // torch 1.13.1: manual_seed(3); torch.randint(-2**63, 2**63 - 1, (3,)), torch.randint(-5, 3, (5,))
    static const int64_t wide[] = {937055941807507096, 3839649608876091011, -3857126681373350968};
    static const int64_t narrow[] = {-5, 0, 0, -2, -3};
    Generator generator = seeded(3);
    int64_t numbers[5];
    generator_randint(&generator, INT64_MIN, INT64_MAX, numbers, 3);
    ck_assert_mem_eq(numbers, wide, sizeof wide);
    generator_randint(&generator, -5, 3, numbers, 5);
    ck_assert_mem_eq(numbers, narrow, sizeof narrow);
}

TEST(a_mean_and_a_deviation_are_applied_as_in_pytorch)
{
    // torch 1.13.1: manual_seed(3); torch.empty(4).normal_(0.5, 0.02), the same with 17 (its ends)
    static const uint32_t few[] = {0x3f041cdf, 0x3f00e528, 0x3f0074a0, 0x3ef9b72d};
    static const uint32_t first[] = {0x3eff3715, 0x3f04c472, 0x3efabb5e};
    static const uint32_t last[] = {0x3f0c796f, 0x3efe7f27, 0x3f027bd9};
    Generator generator = seeded(3);
    float numbers[17];
    generator_normal(&generator, 0.5, 0.02, numbers, 4);
    ck_assert_mem_eq(numbers, few, sizeof few);
    generator_seed(&generator, 3);
    generator_normal(&generator, 0.5, 0.02, numbers, 17);
    ck_assert_mem_eq(numbers, first, sizeof first);
    ck_assert_mem_eq(numbers + 14, last, sizeof last);
}

// --- The parameters of the large cases, drawn from their seeds, by the sha256 of PyTorch's own.

// What a case's recipe in the manifest draws, in this order.
typedef struct LargeCase {
    const char *name;
    uint64_t seed;
    size_t embedding_rows; // 0: no embedding
    size_t thrown_away;    // layers drawn and never used
    size_t width;
    bool with_bias;  // of q, k and v; the output projection always has one
    size_t x_tokens; // 0: x is not drawn
} LargeCase;

static const LargeCase large_cases[] = {
    {"s000_B1_L10_D768_H12", 0, 0, 0, 768, true, 1 * 10},
    {"s001_as_written_B10_L20_D512_H8", 2766588038, 100, 0, 512, true, 0},
    {"s001_corrected_B10_L20_D512_H8", 2766588038, 100, 0, 512, true, 0},
    {"s001_key_padding_mask_B10_L20_D512_H8", 2766588038, 100, 0, 512, true, 0},
    {"s001_class_B10_L20_D512_H8", 2766588038, 100, 4, 512, true, 0},
    {"s003_causal_bias0_B16_L128_D512_H8", 42, 0, 0, 512, false, 16 * 128},
    {"s003_causal_bias1_B16_L128_D512_H8", 42, 0, 0, 512, true, 16 * 128},
};

// 1 when PyTorch's checksum is there and the same, 0 when the case keeps none.
static int expect_digest(const json_t *checksums, const char *name, float numbers[], size_t count)
{
    const json_t *checksum = json_object_get(checksums, name);
    if (!checksum)
        return 0;
    char text[DIGEST_TEXT_MAX];
    Tensor tensor = tensor_over(numbers, DTYPE_F32, 1, (ptrdiff_t[]){(ptrdiff_t)count});
    ck_assert_str_eq(tensor_digest(&tensor, text),
                     json_string_value(json_object_get(checksum, "sha256")));
    return 1;
}

static int expect_linear(const json_t *checksums, const char *name, Generator *generator,
                         size_t width, bool with_bias, float numbers[])
{
    char weight_name[64], bias_name[64];
    snprintf(weight_name, sizeof weight_name, "f32.%s.weight", name);
    snprintf(bias_name, sizeof bias_name, "f32.%s.bias", name);
    float *bias = with_bias ? numbers + width * width : NULL;
    generator_linear(generator, width, width, numbers, bias);
    return expect_digest(checksums, weight_name, numbers, width * width) +
           (bias ? expect_digest(checksums, bias_name, bias, width) : 0);
}

static int expect_large_case(const json_t *checksums, const LargeCase *large, float numbers[])
{
    int compared = 0;
    Generator generator;
    generator_seed(&generator, large->seed);
    if (large->embedding_rows > 0) {
        size_t count = large->embedding_rows * large->width;
        generator_randn(&generator, numbers, count);
        compared += expect_digest(checksums, "f32.embedding.weight", numbers, count);
    }
    for (size_t layer = 0; layer < large->thrown_away; layer++)
        expect_linear(NULL, "", &generator, large->width, true, numbers);
    const char *const layers[] = {"q_proj", "k_proj", "v_proj", "out_proj"};
    for (int layer = 0; layer < 4; layer++)
        compared += expect_linear(checksums, layers[layer], &generator, large->width,
                                  large->with_bias || layer == 3, numbers);
    if (large->x_tokens > 0) {
        size_t count = large->x_tokens * large->width;
        generator_randn(&generator, numbers, count);
        compared += expect_digest(checksums, "f32.x", numbers, count);
    }
    return compared;
}

TEST(weights_of_the_large_cases_have_pytorchs_sha256)
{
    json_t *manifest = json_load_file(test_file("golden/manifest.json"), 0, NULL);
    ck_assert_ptr_nonnull(manifest);
    float *numbers = calloc(16 * 128 * 512, sizeof *numbers); // the largest tensor
    ck_assert_ptr_nonnull(numbers);
    int compared = 0;
    for (size_t i = 0; i < sizeof large_cases / sizeof *large_cases; i++) {
        const json_t *kept = json_object_get(manifest, large_cases[i].name);
        compared += expect_large_case(json_object_get(kept, "checksums"), &large_cases[i], numbers);
    }
    // four weights and four biases a case, an embedding or x; two cases keep fewer: as_written no
    // k_proj and v_proj, bias0 none of three biases
    ck_assert_int_eq(compared, 7 * 9 - 4 - 3);
    free(numbers);
    json_decref(manifest);
}

SUITE("generator")
