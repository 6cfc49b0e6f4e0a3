// The parameters of the large cases, drawn from their seeds, by the sha256 of PyTorch's own.
#include "digest.h"
#include "generator.h"

#include "suite.h"

#include <jansson.h>
#include <stdlib.h>

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

SUITE("generator_weights")
