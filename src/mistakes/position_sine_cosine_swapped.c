// Mistake: sine and cosine have changed places.
//
//   positional_encoding[0,l,2i]   = cos(l / 10000^(2i/Din))
//   positional_encoding[0,l,2i+1] = sin(l / 10000^(2i/Din))
#include "mistake.h"

#include "mistake_position.h"
#include "mistakes_words.h"

static float pattern(ptrdiff_t l, ptrdiff_t d, ptrdiff_t width)
{
    return mistake_sinusoid(l, d % 2 == 0 ? d + 1 : d - 1, width);
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    mistake_position_run(args, pattern);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    mistake_position_origin(args, TELL(TERM_SWAPPED), slot, at, visit, context);
}

static const Stage position = {
    .name = "position",
    .formula = "x[b,l,d] = embeddings[b,l,d] + PE[l,d]; PE = cos/sin(l / 10000^(2i/D))",
    .torch = "pe[:, 0::2], pe[:, 1::2] = torch.cos(angle), torch.sin(angle)",
    .source = "a common mistake",
    .use = STAGE_WITH_POSITIONS,
    .main_output = 1,
    .calls = {{
        .reads = {{.role = "x", .axes = "B L Din"}},
        .writes =
            {{.role = "positional_encoding", .tensor = "positional_encoding", .axes = "1 L Din"},
             {.role = "x", .tensor = "x", .axes = "B L Din"}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    return mistake_position_cannot_show(scenario);
}

const Mistake mistake_position_sine_cosine_swapped = {
    .name = "position-sine-cosine-swapped",
    .stages = (const Stage *const[]){&position, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS("Sine and cosine have changed places: even columns get the cosine.",
                           "사인과 코사인의 자리가 바뀌어 짝수 열에 코사인이 들어갔습니다.",
                           "The first token gets 1, 0, 1, 0 instead of 0, 1, 0, 1.",
                           "첫 토큰에 0, 1, 0, 1... 대신 1, 0, 1, 0...이 더해집니다.",
                           "Even columns get the sine, odd ones the cosine of the same angle.",
                           "짝수 열에는 사인, 홀수 열에는 같은 각도의 코사인을 넣습니다."),
};
