// A dump that is read by its numbers: whatever stands in it, what is said of it is about its own tensors. The
// bytes are not a file of tensors, of which other targets take care, but what stands in one: a byte that
// asks for heads and a mask, and then tensors, each a byte of rank and a letter of its name, a byte for every
// axis, a byte that says what its numbers are, and, where they are its own, a byte for each.
#include "chain.h"
#include "fuzz.h"

#include <math.h>

enum { NUMBERS_MAX = 300, TENSORS_MAX = 12 };

typedef struct Bytes {
    const uint8_t *at;
    size_t left;
} Bytes;

static uint8_t next(Bytes *bytes)
{
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->at++;
}

// Small whole numbers, so that products of them are found; a few that are none.
static float number(uint8_t byte)
{
    return byte == 255   ? (float)NAN
           : byte == 254 ? -INFINITY
           : byte == 253 ? -1e9f
                         : (float)(byte - 120) / 16.0f;
}

static const char *name_of(uint8_t byte)
{
    static const char *const names[] = {
        "x",       "q_proj.weight", "k.weight", "W_v", "qkv.weight", "q.bias", "attn_mask",
        "weights", "out",           "context",  "l.0", "l.1.weight", "키",     "a/kernel:0"};
    return names[byte % (sizeof names / sizeof *names)];
}

// a b^T over the last axes of two tensors that were read before, as far as they go.
static void multiply(const Dump *dump, uint8_t which, DumpTensor *one, ptrdiff_t count)
{
    const Tensor *a = &dump->tensors[which / 16 % dump->count].tensor,
                 *b = &dump->tensors[which % 16 % dump->count].tensor;
    ptrdiff_t rank = one->tensor.rank, columns = rank > 0 ? one->tensor.shape[rank - 1] : 1;
    ptrdiff_t width = a->rank > 0 ? a->shape[a->rank - 1] : 1, all_a = tensor_count(a),
              all_b = tensor_count(b);
    for (ptrdiff_t i = 0; i < count; i++) {
        double sum = 0.0;
        for (ptrdiff_t c = 0; c < width && all_a > 0 && all_b > 0; c++)
            sum += (double)a->storage.f32[(i / columns * width + c) % all_a] *
                   (double)b->storage.f32[(i % columns * width + c) % all_b];
        one->tensor.storage.f32[i] = (float)sum;
    }
}

static bool take(Dump *dump, Bytes *bytes, Arena *arena)
{
    Error err;
    ptrdiff_t shape[TENSOR_RANK_MAX] = {0}, count = 1;
    uint8_t head = next(bytes);
    int rank = head % 5;
    for (int i = 0; i < rank; i++) {
        shape[i] = next(bytes) % 19;
        count *= shape[i];
    }
    uint8_t kind = next(bytes);
    DumpTensor *one = &dump->tensors[dump->count];
    if (count > NUMBERS_MAX || !tensor_take(arena, DTYPE_F32, rank, shape, &one->tensor, &err))
        return false;
    one->name = name_of(head / 5);
    if (kind % 3 == 1 && dump->count > 0)
        multiply(dump, next(bytes), one, count);
    for (ptrdiff_t i = 0; i < count && kind % 3 != 1; i++)
        one->tensor.storage.f32[i] = kind % 3 == 0 ? number(next(bytes)) : (float)(i * 7 % kind);
    dump->count++;
    return true;
}

static void must_be_ours(const Dump *dump, const Chain *chain)
{
    int of[] = {chain->wrong, chain->unused_weight, chain->open};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        fuzz_must(of[i] >= -1 && of[i] < dump->count, "%d is no tensor of the dump", of[i]);
    for (int i = 0; i < chain->line_count; i++)
        fuzz_must(chain->lines[i].dumped < dump->count, "line %d is of no tensor", i);
    for (int i = 0; i < chain->left_count; i++)
        fuzz_must(chain->left[i] >= 0 && chain->left[i] < dump->count, "no tensor is left");
    fuzz_must(chain->same <= chain->line_count, "%d of %d lines", chain->same, chain->line_count);
    fuzz_must(chain->slip == CHAIN_RIGHT || chain_mistake(chain->slip) || *chain_title(chain->slip),
              "slip %d has no words", chain->slip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Dump dump;
    static Chain chain;
    Arena arena = {0};
    Error err = {.text = ""};
    Bytes bytes = {data, size};
    uint8_t asked = next(&bytes);
    ChainAsk ask = {asked % 5, asked & 64, asked & 128, 0.003};
    dump.count = 0;
    while (bytes.left > 0 && dump.count < TENSORS_MAX && take(&dump, &bytes, &arena))
        continue;
    if (chain_find(&dump, &ask, &chain, &arena, &err))
        must_be_ours(&dump, &chain);
    else
        fuzz_refused(&err);
    arena_finish(&arena);
    return 0;
}
