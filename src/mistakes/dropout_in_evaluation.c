// Mistake: weights are dropped although nobody is training.
//
//   dropped[b,h,i,j] = weights[b,h,i,j] * keep[b,h,i,j] / (1 - p)
//
// The pipeline has a step more than the right one.
#include "mistake.h"

#include "mistake_reason.h"

enum { OUT_MASK, OUT_DROPPED };

// A scenario that evaluates names no p; a tenth is what most models train with.
static StageOptions training(const StageArgs *args)
{
    StageOptions options = *args->options;
    options.dropout_p = options.dropout_p > 0.0 ? options.dropout_p : 0.1;
    return options;
}

static bool run(StageArgs *args, Error *err)
{
    StageArgs other = *args;
    StageOptions options = training(args);
    other.options = &options;
    return stage_find("dropout")->run(&other, err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    StageArgs other = *args;
    StageOptions options = training(args);
    other.options = &options;
    stage_find("dropout")->origin(&other, slot, at, visit, context);
}

static void settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    StageOptions used = training(&(StageArgs){.options = options});
    stage_find("dropout")->settings(&used, text);
}

static const Stage dropout = {
    .name = "dropout",
    .formula = "dropped = weights * keep / (1 - p)",
    .remark = REMARK_IN_EVALUATION_TOO,
    .torch = "weights = F.dropout(weights, p, training=True)",
    .source = "a common mistake",
    .use = STAGE_ALWAYS,
    .main_output = OUT_DROPPED,
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "weights", .axes = "B H Lq Lk"}},
        .writes = {{.role = "dropout_mask",
                    .tensor = "dropout_mask",
                    .axes = "B H Lq Lk",
                    .dtype = DTYPE_BOOL},
                   {.role = "weights",
                    .tensor = "attn_weights_dropped",
                    .axes = "B H Lq Lk",
                    .is_share = true}},
    }},
    .settings = settings,
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    bool trains = scenario->with_dropout && scenario->options.dropout_p > 0.0;
    return trains ? &reason_trains : NULL;
}

const Mistake mistake_dropout_in_evaluation = {
    .name = "dropout-in-evaluation",
    .stages = (const Stage *const[]){&dropout, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "Dropout is left on in evaluation.", "평가할 때도 드롭아웃이 켜져 있습니다.",
        "Some weights are 0 and the others are larger than softmax made them. With another seed "
        "the same input gives another output.",
        "가중치 몇 개가 0이 되고 나머지는 소프트맥스의 결과보다 커집니다. 시드가 바뀌면 같은 "
        "입력에서 다른 출력이 나옵니다.",
        "Drop weights only in training: model.eval(), or training=False.",
        "드롭아웃은 학습할 때만 적용합니다. model.eval() 또는 training=False를 씁니다."),
};
