// Mistake: positions are counted from 1 instead of from 0.
//
//   x[b,l,d] = embeddings[b,l,d] + positional_encoding[0,l+1,d]
#include "mistake.h"

#include "mistake_position.h"
#include "mistakes_words.h"

static float pattern(ptrdiff_t l, ptrdiff_t d, ptrdiff_t width)
{
    return mistake_sinusoid(l + 1, d, width);
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
    mistake_position_origin(args, TELL(TERM_NEXT_PLACE), slot, at, visit, context);
}

static const Stage position = {
    .name = "position",
    .formula = "x[b,l,d] = embeddings[b,l,d] + PE[l+1,d]; PE = sin/cos(l / 10000^(2i/D))",
    .torch = "x = embeddings + positional_encoding[:, 1:length + 1]",
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

const Mistake mistake_position_off_by_one = {
    .name = "position-off-by-one",
    .stages = (const Stage *const[]){&position, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "Positions are counted from 1 instead of 0.", "위치를 0이 아니라 1부터 셌습니다.",
        "The first token gets sin 1 and cos 1 instead of 0 and 1; every row holds the pattern of "
        "the next place.",
        "첫 토큰에 0과 1 대신 sin 1과 cos 1이 더해지고, 행마다 다음 자리의 숫자가 들어갑니다.",
        "The first token has position 0.", "첫 토큰의 위치는 0입니다."),
};
