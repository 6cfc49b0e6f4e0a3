// The next token: from the last token's logits to one word. These stages follow a readout if the
// scenario says `next`. Each keeps a row of words for each sequence and question.
#include <math.h>
#include <stdio.h>
#include "describe.h"
#include "generator.h"
#include "stage.h"
#include "stages_words.def"

// --- last
//
// Last: only the last token's logits say what comes next.
//
//   last_logits[b,q,0,w] = logits[b,q,Lq-1,w]
//
// in    logits      [B, Q, Lq, V]
// out   last_logits [B, Q, 1, V]  a view: the same storage
// cost  nothing: no element is read or written
// from  Radford et al. 2018 (GPT): a text continues after its last token

static void last(const Tensor *logits, Tensor *last_logits)
{
    // The other rows predict what follows
    // earlier tokens, which is known.
    *last_logits = tensor_narrow(logits, 2, logits->shape[2] - 1, 1);
}

RUN_ON_ONE(last)

static void last_origin(Terms *terms, const ptrdiff_t at[])
{
    ptrdiff_t row = terms->args->in[0].shape[2] - 1;
    term_copy(terms, TERM_PLACE, NULL, SOURCE(0, at[0], at[1], row, at[3]));
}

const Stage stage_last = {
    .name = "last",
    .formula = "last_logits[b,q,0,w] = logits[b,q, Lq - 1, w]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "logits = logits[:, -1]",
    .source = "Radford et al. 2018 (GPT)",
    .rounds_once = true,
    .calls = {{
        .reads = {SLOT("logits", "B Q Lq V")},
        .writes = {NAMED_SLOT("last_logits", "last_logits", "B Q 1 V", .is_view = true)},
    }},
    .options = OPTION(choose),
    .needs = OPTION(choose),
    .run = last_run,
    .origin = last_origin,
};

// --- temperature
//
// Temperature: divides the logits before softmax. Below 1, likely words become likelier; above 1, all
// words come closer together.
//
//   logits_tempered[b,q,0,w] = last_logits[b,q,0,w] / temperature
//
// in    last_logits     [B, Q, 1, V]; temperature, above 0
// out   logits_tempered [B, Q, 1, V]
// cost  B * Q * V divisions
// from  Ackley, Hinton, Sejnowski 1985; Hinton et al. 2015, section 2

static void temperature(const Tensor *logits, float by, Tensor *tempered)
{
    // This divides the differences too, and
    // softmax depends on those alone.
    for (ptrdiff_t b = 0; b < logits->shape[0]; b++)
        for (ptrdiff_t q = 0; q < logits->shape[1]; q++)
            for (ptrdiff_t w = 0; w < logits->shape[3]; w++)
                *tensor_at4(tempered, b, q, 0, w) = *tensor_at4(logits, b, q, 0, w) / by;
}

static bool temperature_run(StageArgs *args, Error *err)
{
    temperature(&args->in[0], args->options->temperature, &args->out[0]);
    return true;
}

SHOW_OPTION(temperature_settings, temperature, "%g", double)

static void temperature_origin(Terms *terms, const ptrdiff_t at[])
{
    term_divide(terms, TELL(TEMPERATURE_DIVIDES), term_here(terms, 0, at),
                terms->args->options->temperature);
}

const Stage stage_temperature = {
    .name = "temperature",
    .formula = "logits_tempered[b,q,0,w] = last_logits[b,q,0,w] / temperature",
    .torch = "logits = logits / temperature",
    .source = "Ackley, Hinton and Sejnowski 1985",
    .influence = INFLUENCE_BY_AXES,
    .rounds_once = true,
    .calls = {{
        .reads = {SLOT("last_logits", "B Q 1 V")},
        .writes = {NAMED_SLOT("last_logits", "logits_tempered", "B Q 1 V")},
    }},
    .options = OPTION(choose) | OPTION(temperature),
    .needs = OPTION(choose) | OPTION(temperature),
    .settings = temperature_settings,
    .terms = {[TERM_DIVIDE] = "/ by"},
    .run = temperature_run,
    .origin = temperature_origin,
};

// --- top_k
//
// Top k: keeps the k largest logits; the others become -inf, so that softmax gives them nothing.
//
//   kth[b,q,0,0]          = the k-th largest of last_logits[b,q,0,...]
//   logits_top_k[b,q,0,w] = last_logits[b,q,0,w] if that is at least kth, else -inf
//
// in    last_logits [B, Q, 1, V]; top_k
// out   kth          [B, Q, 1, 1]
//       logits_top_k [B, Q, 1, V]  keeps words that tie with the k-th; a NaN makes the whole row NaN
// cost  B * Q * V * k comparisons
// from  Fan et al. 2018, section 5.1

enum { TOP_K_OUT_KTH, TOP_K_OUT_LOGITS };

// The largest number of a row below `limit`, and how many words have it; NaN if the row has one.
static float next_largest(const Tensor *logits, ptrdiff_t b, ptrdiff_t q, float limit,
                          ptrdiff_t *count)
{
    float largest = -INFINITY;
    *count = 0;
    for (ptrdiff_t w = 0; w < logits->shape[3]; w++) {
        float logit = *tensor_at4(logits, b, q, 0, w);
        bool is_below = logit < limit || (logit == limit && limit == INFINITY);
        if (isnan(logit))
            return logit;
        if (is_below && (logit > largest || *count == 0)) {
            largest = logit;
            *count = 0;
        }
        *count += is_below && logit == largest;
    }
    return largest;
}

static float kth_largest(const Tensor *logits, ptrdiff_t b, ptrdiff_t q, ptrdiff_t k)
{
    // The largest number, then the next one,
    // until k words have been counted.
    float kth = INFINITY;
    ptrdiff_t seen = 0, equal = 1;
    for (; seen < k && seen < logits->shape[3] && equal > 0; seen += equal)
        kth = next_largest(logits, b, q, kth, &equal);
    return kth;
}

static float kept_of(float logit, float kth)
{
    return logit >= kth ? logit : logit < kth ? -INFINITY : logit + kth;
}

static void top_k(const Tensor *logits, ptrdiff_t k, Tensor *kth, Tensor *logits_top_k)
{
    for (ptrdiff_t b = 0; b < logits->shape[0]; b++)
        for (ptrdiff_t q = 0; q < logits->shape[1]; q++) {
            *tensor_at4(kth, b, q, 0, 0) = kth_largest(logits, b, q, k);
            for (ptrdiff_t w = 0; w < logits->shape[3]; w++)
                *tensor_at4(logits_top_k, b, q, 0, w) =
                    kept_of(*tensor_at4(logits, b, q, 0, w), *tensor_at4(kth, b, q, 0, 0));
        }
}

static bool top_k_run(StageArgs *args, Error *err)
{
    top_k(&args->in[0], args->options->top_k, &args->out[TOP_K_OUT_KTH],
          &args->out[TOP_K_OUT_LOGITS]);
    return true;
}

SHOW_OPTION(top_k_settings, top_k, "%td", ptrdiff_t)

// The whole row determines the k-th logit; a word is then compared with it.
static void top_k_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    ptrdiff_t b = at[0], q = at[1];
    float kth = *tensor_at4(&args->out[TOP_K_OUT_KTH], b, q, 0, 0);
    for (ptrdiff_t u = 0; u < args->in[0].shape[3]; u++) {
        float logit = *tensor_at4(&args->in[0], b, q, 0, u);
        term_one(terms, TERM_RULE, logit >= kth ? TELL(TOP_K_AMONG) : TELL(TOP_K_BELOW),
                 SOURCE(0, b, q, 0, u), logit, kth);
    }
    if (terms->slot == TOP_K_OUT_KTH)
        return;
    float logit = *tensor_at4(&args->in[0], b, q, 0, at[3]);
    term_one(terms, TERM_RULE, logit >= kth ? TELL(TOP_K_KEPT) : TELL(TOP_K_DROPPED),
             SOURCE(0, b, q, 0, at[3]), logit, kept_of(logit, kth));
}

const Stage stage_top_k = {
    .name = "top_k",
    .formula =
        "logits_top_k[b,q,0,w] = last_logits[b,q,0,w] >= kth[b,q,0,0] ? last_logits[b,q,0,w] : "
        "last_logits[b,q,0,w] < kth[b,q,0,0] ? -inf : last_logits[b,q,0,w] + kth[b,q,0,0]; "
        "kth[b,q,0,0] = -max_w (above[w] < top_k ? -last_logits[b,q,0,w] : -inf); "
        "above[w] = sum_u (last_logits[b,q,0,u] > last_logits[b,q,0,w])",
    .torch = "logits[logits < logits.topk(top_k).values[..., -1:]] = -inf",
    .source = "Fan et al. 2018, section 5.1",
    .main_output = TOP_K_OUT_LOGITS,
    .rounds_once = true,
    .calls = {{
        .reads = {SLOT("last_logits", "B Q 1 V")},
        .writes = {NAMED_SLOT("kth", "kth", "B Q 1 1"),
                   NAMED_SLOT("last_logits", "logits_top_k", "B Q 1 V")},
    }},
    .options = OPTION(choose) | OPTION(top_k),
    .needs = OPTION(choose) | OPTION(top_k),
    .settings = top_k_settings,
    .run = top_k_run,
    .origin = top_k_origin,
};

// --- top_p
//
// Top p: keeps the likeliest words until their probabilities add up to p, the nucleus; the others get 0,
// and the kept ones are divided by their sum.
//
//   above[w]                    = sum of the probabilities of all words likelier than w, largest first
//   taken[w]                    = next_probabilities[b,q,0,w] if above[w] < top_p, else 0
//   nucleus[b,q,0,w]            = taken[w] / sum over u of taken[u]
//
// in    next_probabilities [B, Q, 1, V]; top_p
// out   nucleus [B, Q, 1, V]  each row sums to 1; equally likely words are taken in order
// cost  B * Q * V * words kept comparisons
// from  Holtzman et al. 2020, section 3.1; the words that transformers' TopPLogitsWarper keeps

static bool is_likelier(const Tensor *p, ptrdiff_t b, ptrdiff_t q, ptrdiff_t u, ptrdiff_t w)
{
    float other = *tensor_at4(p, b, q, 0, u), own = *tensor_at4(p, b, q, 0, w);
    return other > own || (other == own && u < w);
}

// The likeliest word after `before` in that order (-1: of all words); -1 if none is left.
static ptrdiff_t next_likeliest(const Tensor *p, ptrdiff_t b, ptrdiff_t q, ptrdiff_t before)
{
    ptrdiff_t next = -1;
    for (ptrdiff_t w = 0; w < p->shape[3]; w++)
        if ((before < 0 || is_likelier(p, b, q, before, w)) &&
            (next < 0 || is_likelier(p, b, q, w, next)))
            next = w;
    return next;
}

static ptrdiff_t last_of_nucleus(const Tensor *p, ptrdiff_t b, ptrdiff_t q, float top_p)
{
    // The likeliest word first, then the
    // next, until those before it reach
    // top_p. Added in double, then rounded,
    // as in torch.cumsum: thousands of small
    // ones would lose too much.
    ptrdiff_t last = -1, w = next_likeliest(p, b, q, -1);
    double above = 0.0;
    while (w >= 0 && (float)above < top_p) {
        last = w;
        above += (double)*tensor_at4(p, b, q, 0, w);
        w = next_likeliest(p, b, q, last);
    }
    return last;
}

// 0 for a word outside, by a product, so that NaN stays NaN.
static float taken(const Tensor *p, ptrdiff_t b, ptrdiff_t q, ptrdiff_t w, ptrdiff_t last)
{
    bool is_kept = w == last || (last >= 0 && is_likelier(p, b, q, w, last));
    return *tensor_at4(p, b, q, 0, w) * (is_kept ? 1.0f : 0.0f);
}

static void top_p(const Tensor *p, float limit, Tensor *nucleus)
{
    for (ptrdiff_t b = 0; b < p->shape[0]; b++)
        for (ptrdiff_t q = 0; q < p->shape[1]; q++) {
            ptrdiff_t last = last_of_nucleus(p, b, q, limit);
            float sum = 0.0f;
            for (ptrdiff_t w = 0; w < p->shape[3]; w++)
                sum += taken(p, b, q, w, last);
            for (ptrdiff_t w = 0; w < p->shape[3]; w++)
                *tensor_at4(nucleus, b, q, 0, w) = taken(p, b, q, w, last) / sum;
        }
}

static bool top_p_run(StageArgs *args, Error *err)
{
    top_p(&args->in[0], args->options->top_p, &args->out[0]);
    return true;
}

SHOW_OPTION(top_p_settings, top_p, "%g", double)

// The sum of the kept words, then the word's own share of it.
static void top_p_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    const Tensor *p = &args->in[0];
    ptrdiff_t b = at[0], q = at[1], last = last_of_nucleus(p, b, q, args->options->top_p);
    float sum = 0.0f;
    for (ptrdiff_t u = 0; u < p->shape[3]; u++) {
        float part = taken(p, b, q, u, last);
        bool is_kept = u == last || (last >= 0 && is_likelier(p, b, q, u, last));
        sum += part;
        term_one(terms, TERM_ADD, is_kept ? TELL(TOP_P_KEPT) : TELL(TOP_P_OUTSIDE),
                 SOURCE(0, b, q, 0, u), part, sum);
    }
    term_one(terms, TERM_DIVIDE, TELL(TOP_P_SHARE), SOURCE(0, b, q, 0, at[3]), sum,
             taken(p, b, q, at[3], last) / sum);
}

const Stage stage_top_p = {
    .name = "top_p",
    .formula = "nucleus[b,q,0,w] = taken[w] / sum_u taken[u]; "
               "taken[w] = next_probabilities[b,q,0,w] * (above[w] < top_p); "
               "above[w] = sum_u next_probabilities[b,q,0,u] * ("
               "next_probabilities[b,q,0,u] > next_probabilities[b,q,0,w] or "
               "next_probabilities[b,q,0,u] = next_probabilities[b,q,0,w] and u < w)",
    .torch = "p, order = p.sort(descending=True); p[p.cumsum(-1) - p >= top_p] = 0; p /= p.sum()",
    .source = "Holtzman et al. 2020, section 3.1",
    .influence = INFLUENCE_BY_ROW,
    .calls = {{
        .reads = {SLOT("next_probabilities", "B Q 1 V")},
        .writes = {NAMED_SLOT("next_probabilities", "nucleus", "B Q 1 V")},
    }},
    .options = OPTION(choose) | OPTION(top_p),
    .needs = OPTION(choose) | OPTION(top_p),
    .settings = top_p_settings,
    .terms = {[TERM_ADD] = "sum += taken", [TERM_DIVIDE] = "/ sum"},
    .run = top_p_run,
    .origin = top_p_origin,
};

// --- draw
//
// Draw: a race in which likely words run faster. Each word gets a random time, exponentially distributed;
// divided by it, the word's probability is its speed, and the fastest word wins exactly as often as its
// probability says.
//
//   noise[b,q,0,w] = -log(1 - uniform)
//   race[b,q,0,w]  = next_probabilities[b,q,0,w] / noise[b,q,0,w]
//
// in    next_probabilities [B, Q, 1, V]; draw_seed, and how many tokens were drawn before
// out   noise [B, Q, 1, V]  above 0
//       race  [B, Q, 1, V]
// loops b, q, w: the order in which torch.multinomial draws. Each new token takes the next B * Q * V
//       draws of the stream
// cost  B * Q * V draws of two generator words and as many logarithms
// from  torch.multinomial of torch 1.13 without MKL; the logarithm is libm's in double precision,
//       narrowed to float once

enum { DRAW_OUT_NOISE, DRAW_OUT_RACE };

static void draw(const Tensor *p, uint64_t seed, ptrdiff_t drawn, Tensor *noise, Tensor *race)
{
    // One stream for the whole text: skip the
    // draws of earlier tokens.
    Generator generator;
    generator_seed(&generator, seed);
    for (ptrdiff_t i = 0; i < drawn * p->shape[0] * p->shape[1] * p->shape[3]; i++)
        generator_exponential(&generator);
    for (ptrdiff_t b = 0; b < p->shape[0]; b++)
        for (ptrdiff_t q = 0; q < p->shape[1]; q++)
            for (ptrdiff_t w = 0; w < p->shape[3]; w++) {
                *tensor_at4(noise, b, q, 0, w) = (float)generator_exponential(&generator);
                *tensor_at4(race, b, q, 0, w) =
                    *tensor_at4(p, b, q, 0, w) / *tensor_at4(noise, b, q, 0, w);
            }
}

static bool draw_run(StageArgs *args, Error *err)
{
    draw(&args->in[0], (uint64_t)args->options->draw_seed, args->options->drawn,
         &args->out[DRAW_OUT_NOISE], &args->out[DRAW_OUT_RACE]);
    return true;
}

static void draw_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, TELL(DRAW_SETTINGS), options->draw_seed, options->drawn);
}

// Draws nothing again: the stored noise is the draw.
static void draw_origin(Terms *terms, const ptrdiff_t at[])
{
    float noise = *tensor_at4(&terms->args->out[DRAW_OUT_NOISE], at[0], at[1], 0, at[3]);
    if (terms->slot == DRAW_OUT_NOISE)
        term_rule(terms, TELL(DRAW_NOISE), noise, noise);
    else
        term_divide(terms, TELL(DRAW_RACE), term_here(terms, 0, at), noise);
}

const Stage stage_draw = {
    .name = "draw",
    .formula = "race[b,q,0,w] = next_probabilities[b,q,0,w] / noise[b,q,0,w]",
    .torch = "race = p / torch.empty_like(p).exponential_(1)  # torch.multinomial",
    .source = "torch.multinomial of torch 1.13",
    .influence = INFLUENCE_BY_AXES,
    .main_output = DRAW_OUT_RACE,
    .calls = {{
        .reads = {SLOT("next_probabilities", "B Q 1 V")},
        .writes = {NAMED_SLOT("noise", "noise", "B Q 1 V"),
                   NAMED_SLOT("next_probabilities", "race", "B Q 1 V")},
    }},
    .options = OPTION(choose) | OPTION(draw) | OPTION(draw_seed) | OPTION(drawn),
    .needs = OPTION(choose) | OPTION(draw),
    .settings = draw_settings,
    .terms = {[TERM_DIVIDE] = "/ *tensor_at4(noise"},
    .run = draw_run,
    .origin = draw_origin,
};

// --- choose
//
// Choose: the word with the largest number. On probabilities this is greedy decoding; on a race, the
// winner.
//
//   next[b,q,0] = the w with the largest next_probabilities[b,q,0,w], the first of several
//
// in    next_probabilities, or nucleus, or race [B, Q, 1, V]
// out   next [B, Q, 1]  int64, an id
// cost  B * Q * V comparisons
// from  torch.argmax: a NaN counts as the largest

static bool is_larger(float a, float b)
{
    return a > b || (isnan(a) && !isnan(b));
}

static void choose(const Tensor *p, Tensor *next)
{
    for (ptrdiff_t b = 0; b < p->shape[0]; b++)
        for (ptrdiff_t q = 0; q < p->shape[1]; q++) {
            // A word takes the lead only if it
            // is larger: of equal ones the first
            // wins.
            ptrdiff_t leader = 0;
            for (ptrdiff_t w = 1; w < p->shape[3]; w++)
                if (is_larger(*tensor_at4(p, b, q, 0, w), *tensor_at4(p, b, q, 0, leader)))
                    leader = w;
            *tensor_id3(next, b, q, 0) = leader;
        }
}

RUN_ON_ONE(choose)

static void choose_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    ptrdiff_t b = at[0], q = at[1], leader = 0;
    for (ptrdiff_t w = 0; w < args->in[0].shape[3]; w++) {
        float number = *tensor_at4(&args->in[0], b, q, 0, w);
        if (is_larger(number, *tensor_at4(&args->in[0], b, q, 0, leader)))
            leader = w;
        term_one(terms, TERM_RULE, w == leader ? TELL(CHOOSE_LEADS) : TELL(CHOOSE_BEHIND),
                 SOURCE(0, b, q, 0, w), number, (float)leader);
    }
}

const Stage stage_choose = {
    .name = "choose",
    .formula = "next[b,q,0] = -max_w (is[w] ? -w : -inf); "
               "is[w] = most = most ? next_probabilities[b,q,0,w] = most : "
               "next_probabilities[b,q,0,w] != next_probabilities[b,q,0,w]; "
               "most = max_v next_probabilities[b,q,0,v]",
    .torch = "next = p.argmax(-1)",
    .source = "torch.argmax",
    .rounds_once = true,
    .calls = {{
        .reads = {SLOT("next_probabilities", "B Q 1 V")},
        .writes = {NAMED_SLOT("next", "next", "B Q 1", .dtype = DTYPE_I64)},
    }},
    .options = OPTION(choose),
    .needs = OPTION(choose),
    .run = choose_run,
    .origin = choose_origin,
};
