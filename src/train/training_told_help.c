// What the keys of a training do, and what its table means; see training_told.h.
#include "training_told.h"

#include "utf8.h"
#include "train_words.h"

// No line is wider than 78 columns: a terminal of 80 has a blank on each side.
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

// The table means the same whether one training is watched or two.
static const char *meaning(int line)
{
    int count = sizeof meanings / sizeof *meanings;
    return line < count ? words_tell(meanings[line]) : NULL;
}

const char *training_told_help(int line, bool of_pair, char text[TOLD_BYTES])
{
    enum { KEY_COLUMNS = 9 };
    KeyTold told;
    unsigned ever = training_watch_ever(of_pair);
    int at = 0;
    while (keymap_tell(training_watch_keys, KEY_HELP, ever, language_now(), &at, &told)) {
        int left = KEY_COLUMNS - utf8_width(told.keys);
        if (line-- == 0)
            return words_format(text, TOLD_BYTES, "%s%*s%s", told.keys, left > 0 ? left : 1, "",
                                told.words);
    }
    return line == 0 ? "" : meaning(line - 1);
}
