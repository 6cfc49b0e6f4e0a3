// grammar: see grammar.h.
#include "grammar.h"

#include <assert.h>

enum {
    NOTHING,
    FIRST_MALE = 1,
    FIRST_FEMALE = 7,
    HE = 13,
    SHE,
    HIM,
    HER,
    FIRST_NOUN = 17,
    SINGER = FIRST_NOUN,
    FIRST_ADJECTIVE = 23,
    HANDSOME = FIRST_ADJECTIVE,
    PERFECT,
    FIRST_ADVERB = 29,
    VERY = FIRST_ADVERB,
    FIRST_VERB = 32,
    IS = 35,
    A = 37,
    FIRST_MARK = 38,
    NAMES = 6,
    NOUNS = 6,
    ADJECTIVES = 6,
    ADVERBS = 3,
    VERBS = 3,
    MARKS = 3,
};

const char *const grammar_words[GRAMMAR_WORDS] = {
    "-",      "Jungkook", "Jimin",  "Minho",   "Taehyung", "Namjoon",  "Junho",   "Jisoo", "Lisa",
    "Jennie", "Suji",     "Yuna",   "Minji",   "He",       "She",      "him",     "her",   "singer",
    "dancer", "painter",  "friend", "teacher", "cook",     "handsome", "perfect", "tall",  "kind",
    "famous", "young",    "very",   "so",      "really",   "likes",    "meets",   "calls", "is",
    "was",    "a",        ".",      "!",       "?"};

const char *const question_names[QUESTION_COUNT] = {
    [QUESTION_WHO] = "who", [QUESTION_BEFORE] = "before", [QUESTION_MARK] = "mark"};

// A text while it is written: who is in it, and where each was named first (-1: not yet).
typedef struct Writing {
    Generator *generator;
    GrammarText *text;
    int name[2], named_at[2]; // of the man and of the woman
    int sentence_start;
} Writing;

static int draw(Generator *generator, int limit)
{
    int64_t number;
    generator_randint(generator, 0, limit, &number, 1);
    return (int)number;
}

static void add(Writing *writing, int word)
{
    GrammarText *text = writing->text;
    assert(text->length < GRAMMAR_LENGTH_MAX);
    int at = text->length++;
    text->words[at] = word;
    text->answers[QUESTION_WHO][at] = NOTHING;
    text->where[QUESTION_WHO][at] = -1;
    text->answers[QUESTION_BEFORE][at] = at > 0 ? text->words[at - 1] : NOTHING;
    text->where[QUESTION_BEFORE][at] = at - 1;
}

static void add_name(Writing *writing, int gender)
{
    add(writing, writing->name[gender]);
    int at = writing->text->length - 1;
    writing->text->answers[QUESTION_WHO][at] = writing->name[gender];
    if (writing->named_at[gender] < 0)
        writing->named_at[gender] = at;
}

static void add_pronoun(Writing *writing, int gender, bool is_object)
{
    add(writing, (is_object ? HIM : HE) + gender);
    int at = writing->text->length - 1;
    writing->text->answers[QUESTION_WHO][at] = writing->name[gender];
    writing->text->where[QUESTION_WHO][at] = writing->named_at[gender];
}

static void mention(Writing *writing, int gender, bool is_object)
{
    bool has_pronoun = writing->named_at[gender] >= 0 && draw(writing->generator, 5) < 4;
    if (has_pronoun)
        add_pronoun(writing, gender, is_object);
    else
        add_name(writing, gender);
}

// Every word of the sentence is asked for its mark, which is known only now.
static void end_sentence(Writing *writing, int mark)
{
    add(writing, mark);
    GrammarText *text = writing->text;
    for (int at = writing->sentence_start; at < text->length; at++) {
        text->answers[QUESTION_MARK][at] = mark;
        text->where[QUESTION_MARK][at] = at + 1 < text->length ? text->length - 1 : -1;
    }
    writing->sentence_start = text->length;
}

static void add_predicate(Writing *writing, bool has_noun)
{
    Generator *generator = writing->generator;
    add(writing, IS + draw(generator, 2));
    if (has_noun)
        add(writing, A);
    bool is_longer = draw(generator, 2) == 0;
    if (is_longer)
        add(writing, has_noun ? FIRST_ADJECTIVE + draw(generator, ADJECTIVES)
                              : FIRST_ADVERB + draw(generator, ADVERBS));
    add(writing, has_noun ? FIRST_NOUN + draw(generator, NOUNS)
                          : FIRST_ADJECTIVE + draw(generator, ADJECTIVES));
}

static void write_sentence(Writing *writing, int subject, bool are_two)
{
    Generator *generator = writing->generator;
    mention(writing, subject, false);
    int form = are_two ? draw(generator, 3) : 1 + draw(generator, 2);
    if (form == 0) {
        add(writing, FIRST_VERB + draw(generator, VERBS));
        mention(writing, 1 - subject, true);
    } else {
        add_predicate(writing, form == 2);
    }
    end_sentence(writing, FIRST_MARK + draw(generator, MARKS));
}

static bool has_word(const GrammarText *text, int word)
{
    for (int at = 0; at < text->length; at++)
        if (text->words[at] == word)
            return true;
    return false;
}

void grammar_draw(Generator *generator, GrammarText *text)
{
    *text = (GrammarText){.length = 0};
    Writing writing = {.generator = generator, .text = text, .named_at = {-1, -1}};
    int length = draw(generator, 5), sentences = length == 0 ? 1 : length < 4 ? 2 : 3;
    bool are_two = draw(generator, 10) < 6;
    int male = draw(generator, NAMES), female = draw(generator, NAMES), first = draw(generator, 2);
    writing.name[0] = FIRST_MALE + male;
    writing.name[1] = FIRST_FEMALE + female;
    for (int sentence = 0; sentence < sentences; sentence++)
        write_sentence(&writing, sentence > 0 && are_two ? draw(generator, 2) : first, are_two);
    bool is_documents = text->words[0] == FIRST_MALE && has_word(text, SINGER);
    text->is_held_out = is_documents || (are_two && (male * NAMES + female) % 5 == 0);
}

void grammar_draw_where(Generator *generator, bool held_out, GrammarText *text)
{
    do
        grammar_draw(generator, text);
    while (text->is_held_out != held_out);
}

void grammar_document_text(GrammarText *text)
{
    *text = (GrammarText){.is_held_out = true};
    Writing writing = {.text = text, .name = {FIRST_MALE}, .named_at = {-1, -1}};
    add_name(&writing, 0);
    add(&writing, IS);
    add(&writing, VERY);
    add(&writing, HANDSOME);
    end_sentence(&writing, FIRST_MARK);
    add_pronoun(&writing, 0, false);
    add(&writing, IS);
    add(&writing, A);
    add(&writing, PERFECT);
    add(&writing, SINGER);
    end_sentence(&writing, FIRST_MARK);
}
