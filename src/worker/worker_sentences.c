// worker_say: see worker_sentences.h.
#include "worker_sentences.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "words.h"
#include "worker_internal.h"
#include "worker_words.h"

static const Words sentences[] = {
#define SENTENCE(name, english, korean) WORDS(english, korean),
#include "worker_sentences.def"
#undef SENTENCE
};

static void append(char text[WORKER_TEXT_MAX], size_t *used, const char *piece, size_t length)
{
    size_t room = WORKER_TEXT_MAX - 1 - *used;
    length = length < room ? length : room;
    memcpy(text + *used, piece, length);
    *used += length;
    text[*used] = '\0';
}

// What stands for a slot, "0}" or "p}".
static const char *slot_text(char slot, const WorkerAnswer *answer, Language language,
                             const Given *given, char place[160])
{
    place[0] = '\0';
    if (slot >= '0' && slot <= '2') {
        assert(given->texts[slot - '0']);
        return given->texts[slot - '0'];
    }
    if (answer->place[0])
        snprintf(place, 160, TELL_IN(language_beside(language), AT_PLACE), answer->place);
    return place;
}

static void fill(WorkerAnswer *answer, Language language, WorkerSentence sentence,
                 const Given *given)
{
    char *text = answer->why[language], place[160];
    size_t used = 0;
    const char *rest = sentences[sentence].in[language_beside(language)];
    text[0] = '\0';
    for (const char *slot = strchr(rest, '{'); slot; slot = strchr(rest, '{')) {
        const char *stands = slot_text(slot[1], answer, language, given, place);
        append(text, &used, rest, (size_t)(slot - rest));
        append(text, &used, stands, strlen(stands));
        rest = slot + 3;
    }
    append(text, &used, rest, strlen(rest));
    worker_words_printable(text);
}

WorkerEnd worker_say(WorkerAnswer *answer, WorkerEnd end, WorkerSentence sentence, Given given)
{
    for (Language language = 0; language < LANGUAGES; language++)
        fill(answer, language, sentence, &given);
    answer->end = end;
    return end;
}
