// signal_text: see signal_text.h.
#include "signal_text.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include "words_words.h"

static const struct {
    int number;
    Words words;
} signals[] = {
#define SIGNAL(number, english, korean) {number, WORDS(english, korean)},
#include "signals.def"
#undef SIGNAL
};

const char *signal_text(int number, Language language)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i].number == number)
            return signals[i].words.in[language];
    static _Thread_local char rare[LANGUAGE_COLUMNS][64];
    snprintf(rare[language], sizeof rare[language], TELL_IN(language, RARE_SIGNAL), number);
    return rare[language];
}
