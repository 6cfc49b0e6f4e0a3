// Messages about a learner's function and about the machine's faults; makes foreign output printable.
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "shown_name.h"
#include "utf8.h"
#include "words.h"
#include "worker.h"
#include "worker_internal.h"

// --- sentences

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

// The value of a slot, "0}" or "p}".
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

// --- the machine

static const struct {
    int cause;
    WorkerSentence sentence;
} lacks[] = {
    {EMFILE, SENTENCE_MACHINE_DESCRIPTORS}, {ENFILE, SENTENCE_MACHINE_DESCRIPTORS},
    {EAGAIN, SENTENCE_MACHINE_PROCESSES},   {ENOMEM, SENTENCE_MACHINE_MEMORY},
    {ENOSPC, SENTENCE_MACHINE_DISK},        {EDQUOT, SENTENCE_MACHINE_DISK},
};

bool machine_lacks(MachineFault *fault, int cause)
{
    *fault = (MachineFault){.sentence = SENTENCE_MACHINE_OTHER};
    snprintf(fault->detail, sizeof fault->detail, "%s", error_reason(cause));
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
        if (lacks[i].cause == cause)
            fault->sentence = lacks[i].sentence;
    return false;
}

bool machine_ended(MachineFault *fault, const WireReport *report)
{
    if (report->lacks)
        return machine_lacks(fault, report->lacks);
    *fault = (MachineFault){.sentence = SENTENCE_MACHINE_KEEPER};
    return false;
}

bool machine_killed(MachineFault *fault, const WireReport *report)
{
    *fault = (MachineFault){.sentence = SENTENCE_MACHINE_KILLED};
    snprintf(fault->detail, sizeof fault->detail, "%d", report->megabytes);
    return false;
}

bool machine_misses(MachineFault *fault, const Error *err)
{
    *fault = (MachineFault){.sentence = SENTENCE_MACHINE_MISSES};
    snprintf(fault->detail, sizeof fault->detail, "%s", err->text);
    return false;
}

WorkerEnd machine_say(const MachineFault *fault, WorkerAnswer *answer)
{
    return worker_say(answer, WORKER_NOT_JUDGED, fault->sentence, (Given){{fault->detail}});
}

bool machine_error(const MachineFault *fault, Error *err)
{
    WorkerAnswer answer = {.end = WORKER_ANSWERED};
    machine_say(fault, &answer);
    return error_set(err, "%s", answer.why[language_written()]);
}

void worker_machine_lacks(int cause, WorkerAnswer *answer)
{
    MachineFault fault;
    *answer = (WorkerAnswer){.end = WORKER_ANSWERED};
    machine_lacks(&fault, cause);
    machine_say(&fault, answer);
}

// --- printable text

void worker_words_printable(char *text)
{
    uint32_t character;
    for (size_t length = utf8_next(text, &character); length > 0;
         length = utf8_next(text, &character)) {
        bool is_broken = length == 1 && character == 0xFFFD;
        bool is_control = character_steers(character) && character != '\n' && character != '\t';
        if (is_broken || is_control)
            memset(text, '?', length);
        text += length;
    }
}

bool worker_words_shorten_lines(char *text)
{
    enum { LINE_COLUMNS = 320, DOTS_BYTES = 3 };
    char *shorter = malloc(strlen(text) + DOTS_BYTES + 1), *put = text;
    bool good = shorter != NULL;
    for (char *line = text, *end; good && *line; line = end) {
        end = line + strcspn(line, "\n");
        char behind = *end;
        *end = '\0';
        // The removed part is longer than the dots, so lines only move forward.
        bool is_long = utf8_width(line) > LINE_COLUMNS + DOTS_BYTES;
        const char *kept = is_long ? shorter : line;
        if (is_long)
            utf8_shorten(line, LINE_COLUMNS, shorter);
        size_t length = strlen(kept);
        memmove(put, kept, length);
        put += length;
        if (behind) {
            *put++ = behind;
            end++;
        }
    }
    if (good)
        *put = '\0';
    free(shorter);
    return good;
}
