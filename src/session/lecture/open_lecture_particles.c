// open_lecture_particles: whether the Korean particles behind computed numbers fit them; see
// open_lecture.h.
#include "open_lecture.h"

#include <stdio.h>
#include <string.h>
#include "josa.h"
#include "words.h"
#include "particle_words.def"

// The longer ones first: 이라서 is no 이.
static const struct {
    const char *after_consonant, *after_vowel;
    bool rieul_as_vowel;
} pairs[] = {
    {"이라서", "라서", false}, {"이라고", "라고", false}, {"이라는", "라는", false},
    {"이라면", "라면", false}, {"으로", "로", true},      {"이나", "나", false},
    {"은", "는", false},       {"을", "를", false},       {"이", "가", false},
    {"과", "와", false},
};

enum { PAIR_COUNT = sizeof pairs / sizeof *pairs, SYLLABLE = 3 };

static bool is_syllable(const char *text)
{
    return (unsigned char)text[0] >= 0xea && (unsigned char)text[0] <= 0xed;
}

// Whether a text begins with this particle: the word ends behind it, or another particle follows.
static bool begins_with(const char *text, const char *particle)
{
    static const char *const more[] = {"는", "도", "만", "부터"};
    size_t length = strlen(particle);
    if (strncmp(text, particle, length) != 0)
        return false;
    bool ends = !is_syllable(text + length);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        ends |= strncmp(text + length, more[i], strlen(more[i])) == 0 &&
                !is_syllable(text + length + strlen(more[i]));
    return ends;
}

// How much of a number is read aloud at its end: neither the point of "1." nor brackets.
static size_t spoken(const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(")]. ", text[length - 1]))
        length--;
    return length;
}

// The particle of the text, and the one that fits what stands before it; false where both are the same,
// or there is none.
static bool is_wrong(const char *before, const char *text, const char **is, const char **fits)
{
    JosaEnd end = josa_end(before, spoken(before));
    for (int i = 0; i < PAIR_COUNT; i++) {
        bool full = begins_with(text, pairs[i].after_consonant);
        if (!full && !begins_with(text, pairs[i].after_vowel))
            continue;
        bool wants_full = end == JOSA_CONSONANT || (end == JOSA_RIEUL && !pairs[i].rieul_as_vowel);
        *is = full ? pairs[i].after_consonant : pairs[i].after_vowel;
        *fits = wants_full ? pairs[i].after_consonant : pairs[i].after_vowel;
        return full != wants_full;
    }
    return false;
}

int open_lecture_check_particles(const OpenLecture *open, const LectureSpan *filled,
                                 OpenLectureProblem *tell, void *context)
{
    int problems = 0;
    if (open->lecture->language != LANGUAGE_KOREAN)
        return 0;
    for (; filled && filled->next; filled = filled->next) {
        char text[2048];
        const char *is, *fits;
        const LectureSpan *next = filled->next;
        if (filled->kind != SPAN_REFERENCE || next->kind != SPAN_TEXT ||
            !is_wrong(filled->text, next->text, &is, &fits))
            continue;
        words_format(text, sizeof text, TELL(PARTICLE_WRONG), open->lecture->file, filled->line,
                     filled->text, is, fits);
        tell(context, text);
        problems++;
    }
    return problems;
}
