// Texts about a watched training; see training_watch.h.
#include "training_watch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "number_text.h"
#include "train_words.def"
#include "utf8.h"

// --- the training

static const char *state_of(const TrainingWatch *watch)
{
    return watch->state == WATCH_RUNS     ? TELL(TRAIN_STATE_RUNS)
           : watch->state == WATCH_PAUSED ? TELL(TRAIN_STATE_PAUSED)
                                          : TELL(TRAIN_STATE_ENDED);
}

// Adds the learning rate and whether the training runs.
static void training_text_rate(const TrainingWatch *watch, char text[TRAINING_TEXT_MAX])
{
    const Training *training = &watch->training;
    float rate = training_rate(training);
    size_t used = strlen(text);
    if (watch->state == WATCH_BROKE_OFF) // in the step after those that are done
        words_format(text + used, TRAINING_TEXT_MAX - used, TELL(TRAIN_TITLE_BROKE),
                     (long long)training->step + 1);
    else
        words_format(text + used, TRAINING_TEXT_MAX - used, TELL(TRAIN_TITLE_RATE), (double)rate,
                     state_of(watch));
}

// Adds the last step's loss and overlap cost; nothing before a step has run.
static void training_text_loss(const TrainingWatch *watch, char text[TRAINING_TEXT_MAX])
{
    const Training *training = &watch->training;
    size_t used = strlen(text);
    if (!training->has_loss)
        return;
    words_format(text + used, TRAINING_TEXT_MAX - used,
                 watch->is_by_hand ? TELL(TRAIN_TITLE_LOSS_WAS) : TELL(TRAIN_TITLE_LOSS),
                 number_unsigned_nan((double)training->loss));
    used = strlen(text);
    if (training->recipe.overlap_cost > 0.0f)
        words_format(text + used, TRAINING_TEXT_MAX - used, TELL(TRAIN_TITLE_PAID),
                     number_unsigned_nan((double)training->paid));
}

// Of two, the one that continues after the other has failed.
static const TrainingWatch *leader_of(const TrainingWatch *watch)
{
    return watch->other && watch->state == WATCH_BROKE_OFF ? watch->other : watch;
}

void training_text_title(const TrainingWatch *watch, char text[TRAINING_TEXT_MAX])
{
    const TrainingWatch *leader = leader_of(watch);
    words_format(text, TRAINING_TEXT_MAX, watch->other ? TELL(TRAIN_PAIR_TITLE) : TELL(TRAIN_TITLE),
                 (long long)leader->training.step, (long long)leader->training.recipe.steps);
    if (!watch->other)
        training_text_loss(watch, text);
    training_text_rate(leader, text);
    if (leader->speed != 1.0f)
        text_add(text, TRAINING_TEXT_MAX, TELL(TRAIN_TITLE_SPEED), (double)leader->speed);
}

const char *training_text_question(const Training *training, Question question)
{
    switch (question) {
    case QUESTION_WHO: // QUESTION_NEXT too
        return training->recipe.grammar->repeats ? TELL(TRAIN_QUESTION_NEXT)
                                                 : TELL(TRAIN_QUESTION_WHO);
    case QUESTION_BEFORE:
        return TELL(TRAIN_QUESTION_BEFORE);
    default:
        return training->recipe.grammar == &grammar_korean ? TELL(TRAIN_QUESTION_ENDING)
                                                           : TELL(TRAIN_QUESTION_MARK);
    }
}

// "who 0.135, before 0.036"
static void describe_unlearned(const Training *training, const Measure *measure,
                               char text[TRAINING_TEXT_MAX])
{
    text[0] = '\0';
    for (int q = 0; q < training->recipe.grammar->asked; q++)
        if (measure->right[q] < MEASURE_LEARNED)
            text_add(text, TRAINING_TEXT_MAX, "%s%s %.3f", *text ? ", " : "",
                     training_text_question(training, q), measure->right[q]);
}

// How the heads share the work; nothing for a single head.
static const char *sharing_of(const Training *training, const Measure *measure)
{
    if (training->recipe.grammar->repeats)
        return TELL(TRAIN_VERDICT_NO_CHAIN);
    if (training->recipe.heads == 1)
        return TELL(TRAIN_VERDICT_ALONE);
    if (!measure->is_learned)
        return TELL(TRAIN_VERDICT_OPEN);
    if (measure->is_clear)
        return TELL(TRAIN_VERDICT_CLEAR);
    return measure->is_distinct ? TELL(TRAIN_VERDICT_DISTINCT) : TELL(TRAIN_VERDICT_SHARED);
}

// Without a mask: the head that looks most at the next word, which is the answer.
static void describe_ahead(const Training *training, const Measure *measure, char *text,
                           size_t room)
{
    char name[16];
    int most = 0;
    for (int h = 1; h < training_heads(&training->recipe); h++)
        most = measure->ahead[h] > measure->ahead[most] ? h : most;
    training_head_name(&training->recipe, most, name);
    words_format(text, room, TELL(TRAIN_VERDICT_AHEAD), name, measure->ahead[most],
                 measure->right_without[QUESTION_NEXT][most]);
}

// The strongest heads, each with its score and the loss without it. They make the answer together if is_clear
// (measure.c) holds for both.
static void describe_together(const Training *training, const Measure *measure, char *text,
                              size_t room)
{
    char first[16], second[16];
    int earlier = measure->owner[QUESTION_BEFORE], later = measure->owner[QUESTION_NEXT];
    training_head_name(&training->recipe, earlier, first);
    training_head_name(&training->recipe, later, second);
    words_format(
        text, room, measure->is_clear ? TELL(TRAIN_VERDICT_TOGETHER) : TELL(TRAIN_VERDICT_OTHERS),
        first, measure->mass[QUESTION_BEFORE][earlier], second, measure->mass[QUESTION_NEXT][later],
        first, measure->right_without[QUESTION_NEXT][earlier], second,
        measure->right_without[QUESTION_NEXT][later]);
}

void training_text_verdict(const Training *training, const Measure *measure, char *text,
                           size_t room)
{
    char unlearned[TRAINING_TEXT_MAX];
    const char *sharing = sharing_of(training, measure);
    describe_unlearned(training, measure, unlearned);
    if (!measure->is_learned)
        words_format(text, room, TELL(TRAIN_VERDICT_UNLEARNED), MEASURE_LEARNED, unlearned,
                     sharing);
    else if (training->recipe.grammar->repeats && training->recipe.unmasked)
        describe_ahead(training, measure, text, room);
    else if (training->recipe.grammar->repeats)
        describe_together(training, measure, text, room);
    else
        words_format(text, room, "%s", sharing);
    size_t used = strlen(text);
    if (training->by_hand)
        words_format(text + used, room - used, "\n%s", TELL(TRAIN_VERDICT_BY_HAND));
}

static void describe_typing(const TrainingWatch *watch, char *text, size_t room)
{
    switch (watch->typing) {
    case TYPING_OTHER_KEY:
        words_format(text, room, "%s", TELL(TRAIN_TYPING_OTHER_KEY));
        return;
    case TYPING_FULL:
        words_format(text, room, TELL(TRAIN_TYPING_FULL), WATCH_TYPED_MAX);
        return;
    case TYPING_NO_NUMBER:
        words_format(text, room, TELL(TRAIN_TYPING_NO_NUMBER), watch->typed);
        return;
    case TYPING_TOO_LARGE:
        words_format(text, room, TELL(TRAIN_TYPING_TOO_LARGE), watch->typed);
        return;
    case TYPING_FINE:
        break;
    }
    words_format(text, room, "%s", TELL(TRAIN_SAYS_TYPE));
}

// The questions, or their results if heads are removed or the training has ended.
static void describe_people(const TrainingWatch *watch, const char *pale, char *text, size_t room)
{
    const Measure *measure = &watch->measure;
    const char *names[QUESTION_COUNT];
    char heads[QUESTION_COUNT][16];
    for (int q = 0; q < QUESTION_COUNT; q++) {
        names[q] = training_text_question(&watch->training, (Question)q);
        training_head_name(&watch->training.recipe, measure->owner[q], heads[q]);
    }
    if (watch->without)
        words_format(text, room, TELL(TRAIN_SAYS_AWAY), names[0], measure->right[0], names[1],
                     measure->right[1], names[2], measure->right[2]);
    else if (watch->state == WATCH_ENDED)
        words_format(text, room, TELL(TRAIN_SAYS_ENDED), names[0], heads[0], names[1], heads[1],
                     names[2], heads[2]);
    else
        words_format(text, room, TELL(TRAIN_SAYS_READ), names[0], names[1], names[2], pale);
}

static void describe_repeating(const TrainingWatch *watch, const char *pale, char *text,
                               size_t room)
{
    const Measure *measure = &watch->measure;
    int next = measure->owner[QUESTION_NEXT], before = measure->owner[QUESTION_BEFORE];
    char later[16], earlier[16];
    training_head_name(&watch->training.recipe, next, later);
    training_head_name(&watch->training.recipe, before, earlier);
    if (watch->without)
        words_format(text, room, TELL(TRAIN_SAYS_AWAY_NEXT), measure->right[QUESTION_NEXT]);
    else if (watch->state == WATCH_ENDED)
        words_format(text, room, TELL(TRAIN_SAYS_ENDED_NEXT), later,
                     measure->mass[QUESTION_NEXT][next], earlier,
                     measure->mass[QUESTION_BEFORE][before]);
    else if (training_asks_guesses(&watch->training))
        words_format(text, room, TELL(TRAIN_SAYS_READ_GUESSES), pale);
    else
        words_format(text, room, TELL(TRAIN_SAYS_READ_NEXT), pale);
}

static void describe_one(const TrainingWatch *watch, const char *pale, char *text, size_t room)
{
    long long back = (long long)training_watch_back(watch);
    bool is_chosen = watch->state == WATCH_ENDED && watch->keep_chosen + 1 < watch->keep_count;
    if (watch->state == WATCH_BROKE_OFF)
        words_format(text, room, TELL(TRAIN_SAYS_BROKE_OFF), watch->broken.text, back);
    else if (watch->types)
        describe_typing(watch, text, room);
    else if (watch->is_by_hand)
        words_format(text, room, TELL(TRAIN_SAYS_BY_HAND), back);
    else if (!watch->without && is_chosen)
        words_format(text, room, TELL(TRAIN_SAYS_CHOSEN), back);
    else if (!watch->without && watch->state == WATCH_PAUSED)
        words_format(text, room, TELL(TRAIN_SAYS_PAUSED), back);
    else if (watch->training.recipe.grammar->repeats)
        describe_repeating(watch, pale, text, room);
    else
        describe_people(watch, pale, text, room);
}

static void describe_both(const TrainingWatch *watch, char *text, size_t room)
{
    const TrainingWatch *leader = leader_of(watch), *broken = leader->other;
    long long back = (long long)training_watch_back(watch);
    if (broken->state == WATCH_BROKE_OFF)
        words_format(text, room, TELL(TRAIN_PAIR_BROKE), broken->name, broken->broken.text, back);
    else if (leader->without)
        words_format(text, room, "%s", TELL(TRAIN_PAIR_AWAY));
    else if (leader->state == WATCH_PAUSED)
        words_format(text, room, TELL(TRAIN_SAYS_PAUSED), back);
    else if (leader->state == WATCH_RUNS)
        words_format(text, room, "%s", TELL(TRAIN_PAIR_RUNS));
    else if (leader->keep_chosen + 1 < leader->keep_count)
        words_format(text, room, TELL(TRAIN_SAYS_CHOSEN), back);
    else
        words_format(text, room, "%s", TELL(TRAIN_PAIR_ENDED));
}

void training_text_message(const TrainingWatch *watch, bool tells_pale, char *text, size_t room)
{
    if (watch->hangul)
        words_format(text, room, "%s", TELL(TRAIN_SAYS_HANGUL));
    else if (watch->other)
        describe_both(watch, text, room);
    else
        describe_one(watch, tells_pale ? TELL(TRAIN_SAYS_PALE) : "", text, room);
}

// --- its keys and its table

// Lines have at most 78 columns: a terminal of 80 leaves a blank on each side.
static const Words meanings[] = {
    WORDS("who: whom a name, He, She, him or her means. before: the word before.",
          "who: 이름이나 He, She, him, her가 누구인지. before: 앞 단어."),
    WORDS("mark: the mark that ends the sentence. In the table, for each head: how much",
          "mark: 문장을 끝내는 부호. 표에는 헤드마다 답이 있는 곳에 가중치를 얼마나"),
    WORDS("of its weight it puts on the place of the answer, and how many answers are",
          "두는지, 그 헤드가 없을 때 답이 얼마나 맞는지 나옵니다. *가 가장 많이"),
    WORDS("right without it. * has most. loss: of the answers; behind the +, what it",
          "두는 헤드입니다. 손실은 답의 손실이고, + 뒤는 질문들이 헤드를 함께 쓰는"),
    WORDS("costs that questions share heads. Where a head looks explains nothing by",
          "비용입니다. 헤드가 보는 것만으로는 아무것도 설명되지 않습니다. 그래서"),
    WORDS("itself: this is why heads are taken away. It is no language model.",
          "헤드를 빼 봅니다. 이 층은 언어 모델이 아닙니다."),
};

static const Words meanings_next[] = {
    WORDS("next: which word comes next, where the text shows it. In the table,",
          "다음: 다음에 오는 단어. 글이 이미 알려 준 곳만 셉니다. 표에는 헤드마다"),
    WORDS("for each head: how much of its weight it puts on what came after earlier places",
          "지금 단어가 앞에 나온 자리의 바로 다음 자리에 가중치를 얼마나 두는지, 그"),
    WORDS("of the present word, and how many answers are right without it. before: in the",
          "헤드가 없을 때 답이 얼마나 맞는지 나옵니다. 앞 단어: 그 자리들의 행에서"),
    WORDS("rows of those places, how much it puts on the word before. * has most. 0.0 is a",
          "앞 단어에 얼마나 두는지. *가 가장 많이 두는 헤드입니다. 0.0은 첫 층,"),
    WORDS("head of the first layer, 1.0 of the second. Where a head looks explains nothing",
          "1.0은 둘째 층의 헤드입니다. 헤드가 보는 것만으로는 아무것도 설명되지"),
    WORDS("by itself: this is why heads are taken away.", "않습니다. 그래서 헤드를 빼 봅니다."),
};

// The table is the same for one training or two.
static const char *meaning(int line, bool repeats)
{
    const Words *lines = repeats ? meanings_next : meanings;
    int count =
        repeats ? sizeof meanings_next / sizeof *meanings_next : sizeof meanings / sizeof *meanings;
    return line < count ? words_tell(lines[line]) : NULL;
}

const char *training_text_help(const TrainingWatch *watch, int line, char text[TRAINING_TEXT_MAX])
{
    enum { KEY_COLUMNS = 9 };
    KeyLabel told;
    unsigned ever = training_watch_ever(watch);
    int at = 0;
    while (keymap_describe(training_watch_keys, KEY_HELP, ever, &at, &told)) {
        int left = KEY_COLUMNS - utf8_width(told.keys);
        if (line-- == 0)
            return words_format(text, TRAINING_TEXT_MAX, "%s%*s%s", told.keys, left > 0 ? left : 1,
                                "", told.words);
    }
    return line == 0 ? "" : meaning(line - 1, watch->training.recipe.grammar->repeats);
}

// --- one of two trainings

void training_text_side(const TrainingWatch *side, char text[TRAINING_TEXT_MAX])
{
    words_format(text, TRAINING_TEXT_MAX, "%s", side->name);
    training_text_loss(side, text);
}

void training_text_sharpness(const TrainingWatch *side, char text[TRAINING_TEXT_MAX])
{
    words_format(text, TRAINING_TEXT_MAX, TELL(TRAIN_PAIR_SHARP), training_watch_sharpness(side));
}

// --- the last update of one parameter, with its arithmetic

typedef struct Lines {
    ParameterLine *lines;
    int count;
} Lines;

static ParameterLine *__attribute__((format(printf, 2, 3)))
add(Lines *lines, const char *format, ...)
{
    ParameterLine *line = &lines->lines[lines->count++];
    va_list arguments;
    *line = (ParameterLine){.is_name = false};
    va_start(arguments, format);
    vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
    words_settle(line->text, sizeof line->text);
    return line;
}

static void describe_name(const TrainingWatch *watch, Lines *lines)
{
    const ParameterStep *update = &watch->update;
    const Tensor *weight = &watch->training.weights[update->weight];
    ptrdiff_t columns = weight->shape[weight->rank - 1], rows = tensor_count(weight) / columns;
    add(lines, TELL(TRAIN_PARAMETER), watch->training.names[update->weight],
        update->place / columns, rows, update->place % columns, columns)
        ->is_name = true;
}

// The weight after decay, where the update starts.
static float shrunk(const ParameterStep *update, const Optimizer *optimizer)
{
    return optimizer_kept(update->rate, optimizer->decay) * update->value[0];
}

// m and v, then step size and divisor, then the new value; long lines are split so that their ends fit
// 80 columns.
static void describe_adam(const ParameterStep *update, const Optimizer *adam, Lines *lines)
{
    double beta1 = (double)adam->beta1, beta2 = (double)adam->beta2;
    double step = (double)parameter_step_size(update);
    double divisor = (double)parameter_divisor(update, adam->epsilon);
    add(lines, "m = %.6g * %.6g + %.6g * g = %.6g", beta1, (double)update->moment1[0], 1.0 - beta1,
        (double)update->moment1[1]);
    add(lines, "v = %.6g * %.6g + %.6g * g * g = %.6g", beta2, (double)update->moment2[0],
        1.0 - beta2, (double)update->moment2[1]);
    add(lines, TELL(TRAIN_PARAMETER_STEP), (double)update->rate, update->remaining1, step);
    add(lines, "%s", TELL(TRAIN_PARAMETER_SIZE));
    add(lines, TELL(TRAIN_PARAMETER_SIZE_IS), update->remaining2, (double)adam->epsilon, divisor);
    add(lines, "%s", TELL(TRAIN_PARAMETER_NEW));
    add(lines, TELL(TRAIN_PARAMETER_NEW_IS), (double)shrunk(update, adam), step,
        (double)update->moment1[1], divisor, (double)update->value[1])
        ->is_result = true;
}

static void describe_sgd(const ParameterStep *update, const Optimizer *sgd, Lines *lines)
{
    add(lines, TELL(TRAIN_PARAMETER_SGD), (double)shrunk(update, sgd), (double)update->rate,
        (double)update->gradient, (double)update->value[1])
        ->is_result = true;
}

static void describe_update(const TrainingWatch *watch, Lines *lines)
{
    const ParameterStep *update = &watch->update;
    const Optimizer *optimizer = &watch->training.optimizer;
    add(lines, TELL(TRAIN_PARAMETER_UPDATE), (long long)update->step);
    if (training_overlap_moves(&watch->training, update->weight))
        add(lines, TELL(TRAIN_PARAMETER_GRADIENT_OVERLAP), (double)update->gradient,
            (double)watch->training.recipe.overlap_cost);
    else
        add(lines, TELL(TRAIN_PARAMETER_GRADIENT), (double)update->gradient);
    if (optimizer->decay > 0.0f)
        add(lines, TELL(TRAIN_PARAMETER_DECAY), (double)update->rate, (double)optimizer->decay,
            (double)update->value[0], (double)shrunk(update, optimizer));
    if (optimizer->is_sgd)
        describe_sgd(update, optimizer, lines);
    else
        describe_adam(update, optimizer, lines);
}

int training_text_parameter(const TrainingWatch *watch, ParameterLine lines[PARAMETER_LINES_MAX])
{
    const ParameterStep *update = &watch->update;
    const Tensor *weight = &watch->training.weights[update->weight];
    Lines told = {.lines = lines};
    describe_name(watch, &told);
    if (watch->types)
        add(&told, TELL(TRAIN_PARAMETER_TYPED), watch->typed)->is_result = true;
    else if (update->step == 0)
        add(&told,
            watch->state == WATCH_ENDED ? TELL(TRAIN_PARAMETER_END) : TELL(TRAIN_PARAMETER_NONE),
            (double)weight->storage.f32[update->place]);
    else
        describe_update(watch, &told);
    return told.count;
}
