// What a library or a signal says of a failure; see library_text.h.
#include "library_text.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "words_words.def"

// --- libraries

enum { TEXT_BYTES = 512 };

static const struct {
    const char *said, *korean;
} rows[] = {
#define LIBRARY_SAYS(said, korean) {said, korean},
#include "library_words.def"
#undef LIBRARY_SAYS
};

// The row whose words these begin with, the longest; -1: none.
static int row_of(const char *said)
{
    int best = -1;
    size_t most = 0;
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        size_t length = strlen(rows[i].said);
        if (length > most && strncmp(said, rows[i].said, length) == 0 &&
            strchr(": ,(", said[length])) {
            best = i;
            most = length;
        }
    }
    return best;
}

// What follows the words of a row: where it is, or what the system says beside it.
static const char *with_rest(char text[TEXT_BYTES], const char *korean, const char *rest)
{
    static const char near[] = " near ";
    if (strcmp(rest, " near end of file") == 0)
        return words_format(text, TEXT_BYTES, "%s(파일의 끝)", korean);
    if (strncmp(rest, near, strlen(near)) == 0) // it has quotes
        return words_format(text, TEXT_BYTES, "%s: %s", korean, rest + strlen(near));
    rest += strspn(rest, ": ,(");
    return *rest ? words_format(text, TEXT_BYTES, "%s: \"%s\"", korean, rest) : korean;
}

const char *library_text(const char *library, const char *said)
{
    static _Thread_local char text[TEXT_BYTES];
    if (language_now() != LANGUAGE_KOREAN)
        return said;
    int row = row_of(said);
    if (row >= 0)
        return with_rest(text, rows[row].korean, said + strlen(rows[row].said));
    return words_format(text, sizeof text, TELL(LIBRARY_QUOTED), library, said);
}

// --- signals

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
