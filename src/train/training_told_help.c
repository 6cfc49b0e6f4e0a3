// What the keys of a training do, and what its table means; see training_told.h.
#include "training_told.h"

#include "train_words.h"

typedef struct HelpLine {
    Words words;
    enum { OF_BOTH, OF_ONE, OF_PAIR } of;
} HelpLine;

static const HelpLine lines[] = {
    {WORDS("Space  pause, and go on            s  one update, then pause",
           "Space  멈추고, 다시 갑니다          s  한 단계만 고치고 멈춥니다"),
     OF_BOTH},
    {WORDS("[ ]    choose a checkpoint         b  go back to it; what came after is forgotten",
           "[ ]    중간 상태를 고릅니다         b  거기로 돌아갑니다. 그 뒤는 잊습니다"),
     OF_BOTH},
    {WORDS("+ -    a larger, smaller learning rate, by a quarter",
           "+ -    학습률을 4분의 1씩 크게, 작게 합니다"),
     OF_BOTH},
    {WORDS("0 1 2  take a head away, or put it back: answers are counted without it",
           "0 1 2  헤드를 빼거나 되돌립니다. 그 헤드 없이 답을 셉니다"),
     OF_BOTH},
    {WORDS("Tab    another text; Left and Right: another head",
           "Tab    다른 글. 왼쪽과 오른쪽 화살표는 다른 헤드입니다"),
     OF_BOTH},
    {WORDS("n      one parameter, its gradient and the arithmetic of its update; Tab and arrows",
           "n      파라미터 하나와 그 기울기, 고치는 계산. Tab과 화살표로"),
     OF_ONE},
    {WORDS("       choose another, n goes back to the maps",
           "       다른 것을 고르고, n을 다시 누르면 맵으로 돌아갑니다"),
     OF_ONE},
    {WORDS("       Enter: type a new value for it, and see what that does",
           "       Enter를 누르면 새 숫자를 써 넣고 무엇이 달라지는지 봅니다"),
     OF_ONE},
    {WORDS("q      leave; what to type to go on is printed",
           "q      끝냅니다. 이어서 하려면 무엇을 입력할지 나옵니다"),
     OF_ONE},
    {WORDS("q      leave; where both stand is printed",
           "q      끝냅니다. 둘이 어디까지 왔는지 나옵니다"),
     OF_PAIR},
    {{{NULL}}, OF_BOTH},
    {WORDS("who: whom a name, He, She, him or her means. before: the word before. mark: the mark",
           "who: 이름이나 He, She, him, her가 누구인지. before: 앞 단어. mark: 문장을"),
     OF_BOTH},
    {WORDS("that ends the sentence. In the table, for each head: how much of its weight it puts",
           "끝내는 부호. 표에는 헤드마다 답이 있는 곳에 가중치를 얼마나 두는지, 그 헤드가"),
     OF_BOTH},
    {WORDS("on the place of the answer, and how many answers are right without it. * has most.",
           "없을 때 답이 얼마나 맞는지 나옵니다. *가 가장 많이 두는 헤드입니다."),
     OF_BOTH},
    {WORDS("loss: of the answers; behind the +, what it costs that questions share heads.",
           "손실은 답의 손실이고, + 뒤는 질문들이 헤드를 함께 쓰는 비용입니다."),
     OF_BOTH},
    {WORDS("Where a head looks explains nothing by itself: this is why heads are taken away.",
           "헤드가 보는 것만으로는 아무것도 설명되지 않습니다. 그래서 헤드를 빼 봅니다."),
     OF_BOTH},
};

const char *training_told_help(int line, bool of_pair)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        bool is_told = lines[i].of == OF_BOTH || (lines[i].of == OF_PAIR) == of_pair;
        if (is_told && line-- == 0) {
            const char *told = words_tell(lines[i].words);
            return told ? told : "";
        }
    }
    return NULL;
}
