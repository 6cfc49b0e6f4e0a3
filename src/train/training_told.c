// training_told: see training_told.h.
#include "training_told.h"

#include <string.h>
#include "train_words.h"

static const char *state_of(const TrainingWatch *watch)
{
    switch (watch->state) {
    case WATCH_RUNS:
        return TELL(TRAIN_STATE_RUNS);
    case WATCH_PAUSED:
        return TELL(TRAIN_STATE_PAUSED);
    case WATCH_ENDED:
        return TELL(TRAIN_STATE_ENDED);
    case WATCH_BROKE_OFF:
        break;
    }
    return TELL(TRAIN_STATE_BROKE_OFF);
}

void training_told_title(const TrainingWatch *watch, char text[TOLD_BYTES])
{
    const Training *training = &watch->training;
    float rate = training->rate_scale * training->recipe.rate *
                 (1.0f - (float)training->step / (float)training->recipe.steps);
    size_t used = 0;
    words_format(text, TOLD_BYTES, TELL(TRAIN_TITLE), (long long)training->step,
                 (long long)training->recipe.steps);
    used = strlen(text);
    if (training->step > 0)
        words_format(text + used, TOLD_BYTES - used, TELL(TRAIN_TITLE_LOSS),
                     (double)training->loss);
    used = strlen(text);
    words_format(text + used, TOLD_BYTES - used, TELL(TRAIN_TITLE_RATE), (double)rate,
                 state_of(watch));
}

void training_told_message(const TrainingWatch *watch, char *text, size_t room)
{
    const Measure *measure = &watch->measure;
    long long back = (long long)watch->keeps[watch->keep_chosen].step;
    if (watch->hangul)
        words_format(text, room, "%s", TELL(TRAIN_SAYS_HANGUL));
    else if (watch->state == WATCH_BROKE_OFF)
        words_format(text, room, TELL(TRAIN_SAYS_BROKE_OFF), watch->broken.text, back);
    else if (watch->types)
        words_format(text, room, "%s", TELL(TRAIN_SAYS_TYPE));
    else if (watch->is_by_hand)
        words_format(text, room, TELL(TRAIN_SAYS_BY_HAND), back);
    else if (watch->without)
        words_format(text, room, TELL(TRAIN_SAYS_AWAY), question_names[QUESTION_WHO],
                     measure->right[QUESTION_WHO], question_names[QUESTION_BEFORE],
                     measure->right[QUESTION_BEFORE], question_names[QUESTION_MARK],
                     measure->right[QUESTION_MARK]);
    else if (watch->state == WATCH_ENDED && watch->keep_chosen + 1 < watch->keep_count)
        words_format(text, room, TELL(TRAIN_SAYS_CHOSEN), back);
    else if (watch->state == WATCH_ENDED)
        words_format(text, room, TELL(TRAIN_SAYS_ENDED), question_names[QUESTION_WHO],
                     measure->owner[QUESTION_WHO], question_names[QUESTION_BEFORE],
                     measure->owner[QUESTION_BEFORE], question_names[QUESTION_MARK],
                     measure->owner[QUESTION_MARK]);
    else if (watch->state == WATCH_PAUSED)
        words_format(text, room, TELL(TRAIN_SAYS_PAUSED), back);
    else
        words_format(text, room, "%s", TELL(TRAIN_SAYS_READ));
}

const char *training_told_help(int line)
{
    static const Words lines[] = {
        WORDS("Space  pause, and go on            s  one update, then pause",
              "Space  멈추고, 다시 갑니다          s  한 단계만 고치고 멈춥니다"),
        WORDS("[ ]    choose a checkpoint         b  go back to it; what came after is forgotten",
              "[ ]    중간 상태를 고릅니다         b  거기로 돌아갑니다. 그 뒤는 잊습니다"),
        WORDS("+ -    a larger, smaller learning rate, by a quarter",
              "+ -    학습률을 4분의 1씩 크게, 작게 합니다"),
        WORDS("0 1 2  take a head away, or put it back: answers are counted without it",
              "0 1 2  헤드를 빼거나 되돌립니다. 그 헤드 없이 답을 셉니다"),
        WORDS("Tab    another text; Left and Right: another head",
              "Tab    다른 글. 왼쪽과 오른쪽 화살표는 다른 헤드입니다"),
        WORDS("n      one parameter, its gradient and the arithmetic of its update; Tab and arrows",
              "n      파라미터 하나와 그 기울기, 고치는 계산. Tab과 화살표로"),
        WORDS("       choose another, n goes back to the maps",
              "       다른 것을 고르고, n을 다시 누르면 맵으로 돌아갑니다"),
        WORDS("       Enter: type a new value for it, and see what that does",
              "       Enter를 누르면 새 숫자를 써 넣고 무엇이 달라지는지 봅니다"),
        WORDS("q      leave; what to type to go on is printed",
              "q      끝냅니다. 이어서 하려면 무엇을 입력할지 나옵니다"),
        {{NULL}},
        WORDS(
            "who: whom a name, He, She, him or her means. before: the word before. mark: the mark",
            "who: 이름이나 He, She, him, her가 누구인지. before: 앞 단어. mark: 문장을"),
        WORDS("that ends the sentence. In the table, for each head: how much of its weight it puts",
              "끝내는 부호. 표에는 헤드마다 답이 있는 곳에 가중치를 얼마나 두는지, 그 헤드가"),
        WORDS("on the place of the answer, and how many answers are right without it. * has most.",
              "없을 때 답이 얼마나 맞는지 나옵니다. *가 가장 많이 두는 헤드입니다."),
        WORDS("Where a head looks explains nothing by itself: this is why heads are taken away.",
              "헤드가 보는 것만으로는 아무것도 설명되지 않습니다. 그래서 헤드를 빼 봅니다."),
    };
    if (line >= (int)(sizeof lines / sizeof *lines))
        return NULL;
    const char *told = words_tell(lines[line]);
    return told ? told : "";
}
