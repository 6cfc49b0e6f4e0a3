// Rotate: turns queries and keys by angles that grow with the place of their token, so that a score
// depends on how far apart two tokens lie (rotary position embedding, RoPE).
//
//   angle(l,p)  = l / rope^(2p/w)          of pair p = 0 ... w/2 - 1, in radians; w = d_k
//   out[l,i]    = q[l,i] * cos(angle) - q[l,j] * sin(angle)     i the first of pair p, j the second
//   out[l,j]    = q[l,j] * cos(angle) + q[l,i] * sin(angle)
//
// in    q [B, H, L, d_k]; rope, the base of the powers; w = rope_width, even, where only the first w
//       numbers of a head are turned. The pair is (p, p + w/2), or (2p, 2p + 1) where neighbours are
//       paired
//       rope_factor, rope_original, rope_low, rope_high: angles are smaller, of all pairs or of slow ones
//       rope_yarn: pairs between two are slowed by their number, and all cosines and sines grow by it
//       rope_dynamic: where there are more tokens than this, the base grows instead
// out   q_rotated [B, H, L, d_k]  each pair as long as it was
// error an odd w, or one wider than a head
// cost  B * H * L * d_k cosines and sines, twice as many multiplications
// from  Su et al. 2021 (RoFormer), section 3.2.2; pairs half a head apart: GPT-NeoX, LLaMA; smaller
//       angles: Peng et al. 2023 (YaRN), sections 3.1 to 3.4
//
// The power and the product are rounded to float32 on the way, as notebooks have them; power, sine and
// cosine are libm's in double precision, narrowed once: there the last bits in which libraries differ
// are gone.
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include "stages_words.h"

// The pair that turns so many times in as many tokens as the model was trained with, between whole ones.
static double pair_of_turns(double turns, ptrdiff_t width, const StageOptions *options)
{
    const double circle = 6.283185307179586;
    double turned = (double)options->rope_original / (turns * circle);
    return (double)width * log(turned) / (2.0 * log((double)options->rope));
}

// YaRN: pairs up to a first one turn as ever, from a last one on more slowly; between them less and less.
static double eased(double frequency, ptrdiff_t pair, ptrdiff_t width, const StageOptions *options)
{
    double slow = frequency / (double)options->rope_factor;
    double first = floor(pair_of_turns((double)options->rope_high, width, options));
    double last = ceil(pair_of_turns((double)options->rope_low, width, options));
    first = first > 0.0 ? first : 0.0;
    last = last < (double)(width - 1) ? last : (double)(width - 1);
    double share = ((double)pair - first) / (last == first ? 0.001 : last - first);
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    return share * slow + (1.0 - share) * frequency;
}

// Where the model is to read longer texts than it was trained with: all pairs turn more slowly, or, with
// rope_original, those that hardly come around in so many tokens.
static double slowed(double frequency, const StageOptions *options)
{
    const double circle = 6.283185307179586;
    double slow = frequency / (double)options->rope_factor;
    double low = (double)options->rope_low, high = (double)options->rope_high;
    if (options->rope_original == 0)
        return slow;
    double turns = (double)options->rope_original * frequency / circle;
    if (turns <= low || turns >= high)
        return turns <= low ? slow : frequency;
    double share = (turns - low) / (high - low);
    return (1.0 - share) * slow + share * frequency;
}

// The base of the powers; a text longer than those of the training may have a larger one.
static double base_of(const Tensor *q, ptrdiff_t width, const StageOptions *options)
{
    double base = (double)options->rope, factor = (double)options->rope_factor;
    ptrdiff_t length = q->shape[2], trained = options->rope_dynamic;
    if (trained == 0 || length <= trained)
        return base;
    double longer = factor * (double)length / (double)trained - (factor - 1.0);
    return base * pow(longer, (double)width / (double)(width - 2));
}

static float angle(ptrdiff_t l, ptrdiff_t pair, ptrdiff_t width, double base,
                   const StageOptions *options)
{
    // Pair 0 turns by one radian a place,
    // each later pair more slowly.
    double power = pow(base, (double)(2 * pair) / (double)width);
    float frequency = (float)(1.0 / power);
    if (options->rope_yarn > 0.0f)
        frequency = (float)eased((double)frequency, pair, width, options);
    else if (options->rope_factor > 0.0f && options->rope_dynamic == 0)
        frequency = (float)slowed((double)frequency, options);
    return (float)l * frequency;
}

// A cosine or sine, and what YaRN makes of it.
static float grown(double number, const StageOptions *options)
{
    return options->rope_yarn > 0.0f ? (float)number * options->rope_yarn : (float)number;
}

// Of number i of a head: its pair, and where the other one of the pair lies.
static ptrdiff_t pair_of(ptrdiff_t i, ptrdiff_t width, bool neighbours)
{
    return neighbours ? i / 2 : i % (width / 2);
}

static ptrdiff_t other_of(ptrdiff_t i, ptrdiff_t width, bool neighbours)
{
    bool is_first = neighbours ? i % 2 == 0 : i < width / 2;
    ptrdiff_t apart = neighbours ? 1 : width / 2;
    return is_first ? i + apart : i - apart;
}

static void rotate(const Tensor *q, const StageOptions *options, ptrdiff_t width, Tensor *q_rotated)
{
    bool neighbours = options->rope_neighbours;
    double base = base_of(q, width, options);
    for (ptrdiff_t b = 0; b < q->shape[0]; b++)
        for (ptrdiff_t h = 0; h < q->shape[1]; h++)
            for (ptrdiff_t l = 0; l < q->shape[2]; l++) {
                for (ptrdiff_t i = 0; i < width; i++) {
                    // Two numbers are a point in a
                    // plane. Turned by l, and a key
                    // by m, they meet in a dot
                    // product that knows only l - m.
                    ptrdiff_t j = other_of(i, width, neighbours);
                    ptrdiff_t pair = pair_of(i, width, neighbours);
                    double by = (double)angle(l, pair, width, base, options);
                    // The sine with a minus for the
                    // first of a pair and a plus for
                    // the second: only so is it a
                    // turn, and no length changes.
                    float sine = grown(i < j ? -sin(by) : sin(by), options);
                    *tensor_at4(q_rotated, b, h, l, i) =
                        *tensor_at4(q, b, h, l, i) * grown(cos(by), options) +
                        *tensor_at4(q, b, h, l, j) * sine;
                }
                // What is not turned does not know
                // its place.
                for (ptrdiff_t i = width; i < q->shape[3]; i++)
                    *tensor_at4(q_rotated, b, h, l, i) = *tensor_at4(q, b, h, l, i);
            }
}

static ptrdiff_t width_of(const StageArgs *args)
{
    return args->options->rope_width ? args->options->rope_width : args->in[0].shape[3];
}

static bool rotate_run(StageArgs *args, Error *err)
{
    (void)err;
    rotate(&args->in[0], args->options, width_of(args), &args->out[0]);
    return true;
}

static bool rotate_shapes(StageArgs *args, Error *err)
{
    ptrdiff_t d_k = args->in[0].shape[3], width = width_of(args);
    if (width > d_k)
        return error_set(err, TELL(ROTATE_WIDE), width, d_k);
    return width % 2 == 0 || error_set(err, TELL(ROTATE_ODD), width);
}

static void rotate_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    int used = snprintf(text, STAGE_SETTINGS_MAX,
                        options->rope_neighbours ? TELL(ROTATE_NEIGHBOURS) : "rope = %g",
                        (double)options->rope);
    if (options->rope_width)
        used += snprintf(text + used, STAGE_SETTINGS_MAX - (size_t)used, ", rope_width = %td",
                         options->rope_width);
    if (options->rope_factor > 0.0f)
        used += snprintf(text + used, STAGE_SETTINGS_MAX - (size_t)used, ", rope_factor = %g",
                         (double)options->rope_factor);
    if (options->rope_dynamic)
        snprintf(text + used, STAGE_SETTINGS_MAX - (size_t)used, ", rope_dynamic = %td",
                 options->rope_dynamic);
    if (options->rope_yarn > 0.0f)
        snprintf(text + used, STAGE_SETTINGS_MAX - (size_t)used, ", rope_yarn = %g",
                 (double)options->rope_yarn);
}

// Two terms: the number itself times the cosine, then the other of its pair times the sine.
static void rotate_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                          void *context)
{
    (void)slot;
    const Tensor *q = &args->in[0];
    bool neighbours = args->options->rope_neighbours;
    ptrdiff_t b = at[0], h = at[1], l = at[2], i = at[3], width = width_of(args);
    if (i >= width) {
        visit(context, &(Term){.kind = TERM_COPY,
                               .source_count = 1,
                               .sources = {{0, {b, h, l, i}}},
                               .value = *tensor_at4(q, b, h, l, i),
                               .running = *tensor_at4(q, b, h, l, i)});
        return;
    }
    ptrdiff_t j = other_of(i, width, neighbours);
    double base = base_of(q, width, args->options);
    double by = (double)angle(l, pair_of(i, width, neighbours), width, base, args->options);
    float cosine = grown(cos(by), args->options);
    float sine = grown(i < j ? -sin(by) : sin(by), args->options);
    float own = *tensor_at4(q, b, h, l, i) * cosine, others = *tensor_at4(q, b, h, l, j) * sine;
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = TELL(ROTATE_COSINE),
                           .source_count = 1,
                           .sources = {{0, {b, h, l, i}}},
                           .value = cosine,
                           .running = own});
    visit(context, &(Term){.kind = TERM_ADD,
                           .what = i < j ? TELL(ROTATE_MINUS_SINE) : TELL(ROTATE_SINE),
                           .source_count = 1,
                           .sources = {{0, {b, h, l, j}}},
                           .value = others,
                           .running = own + others});
}

// Where angles come from; `length` is how many tokens there are, `keep` how much of a pair's own turn is left.
#define ANGLES(length) \
    "a = float32(l * float32(rope_factor > 0 and rope_dynamic = 0 ? keep * f + " \
    "(1 - keep) * (f / rope_factor) : f)); f = float32(1 / base^(2*pair/width)); base = " \
    "rope_dynamic > 0 and " length " > rope_dynamic ? rope * (rope_factor*" length \
    "/rope_dynamic - rope_factor + 1)^(" \
    "width/(width - 2)) : rope; keep = max(0, min(1, rope_yarn > 0 ? 1 - (pair - from) / " \
    "(to = from ? 0.001 : to - from) : (rope_original*f/(2*pi) - rope_low) / " \
    "(rope_high - rope_low))); from = max(0, floor(pair_at[rope_high])); " \
    "to = min(width - 1, -floor(-pair_at[rope_low])); " \
    "pair_at[t] = width * log(rope_original / (t * 2*pi)) / (2 * log(rope)); " \
    "grow = rope_yarn > 0 ? rope_yarn : 1; " \
    "pair = rope_neighbours ? floor(i/2) : i % (width/2); " \
    "first = rope_neighbours ? i % 2 = 0 : i < width/2; apart = rope_neighbours ? 1 : width/2; " \
    "width = rope_width > 0 ? rope_width : d_k"

const Stage stage_rotate = {
    .name = "rotate",
    .formula = "q_rotated[b,h,l,i] = i >= width ? q[b,h,l,i] : q[b,h,l,i] * (cos(a) * grow) + "
               "(first ? -q[b,h,l, i + apart] : q[b,h,l, i - apart]) * (sin(a) * grow)",
    .where = ANGLES("Lq"),
    .torch = "q = q * cos + rotate_half(q) * sin",
    .source = "Su et al. 2021 (RoFormer), section 3.2.2",
    .calls = {{.label = "q",
               .reads = {{.role = "q", .axes = "B H Lq d_k"}},
               .writes = {{.role = "q", .tensor = "q_rotated", .axes = "B H Lq d_k"}}},
              {.label = "k",
               .formula =
                   "k_rotated[b,h,l,i] = i >= width ? k[b,h,l,i] : k[b,h,l,i] * (cos(a) * grow) + "
                   "(first ? -k[b,h,l, i + apart] : k[b,h,l, i - apart]) * (sin(a) * grow)",
               .where = ANGLES("Lk"),
               .torch = "k = k * cos + rotate_half(k) * sin",
               .reads = {{.role = "k", .axes = "B G Lt d_k"}},
               .writes = {{.role = "k", .tensor = "k_rotated", .axes = "B G Lt d_k"}}}},
    .options = OPTION(rope) | OPTION(rope_neighbours) | OPTION(rope_width) | OPTION(rope_factor) |
               OPTION(rope_original) | OPTION(rope_low) | OPTION(rope_high) | OPTION(rope_yarn) |
               OPTION(rope_dynamic),
    .needs = OPTION(rope),
    .settings = rotate_settings,
    .terms = {[TERM_FACTOR] = "* grown(cos", [TERM_ADD] = "* sine"},
    .run = rotate_run,
    .shapes = rotate_shapes,
    .origin = rotate_origin,
};
