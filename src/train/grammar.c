// grammar: see grammar.h.
#include "grammar.h"

#include <assert.h>
#include <string.h>

enum { NOTHING };            // the first word of every grammar about people
enum { PEOPLE_LENGTH = 18 }; // of three sentences

// Words of the English grammar.
enum {
    FIRST_MALE = 1,
    FIRST_FEMALE = 7,
    HE = 13,
    HIM = 15,
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

// Words of the Korean grammar: nouns, adjectives and verbs are stems followed by an ending.
enum {
    K_FIRST_MALE = 1,
    K_FIRST_FEMALE = 6,
    K_HE = 11,
    K_TOPIC = 13,  // after a consonant, then after a vowel
    K_OBJECT = 15, // same
    K_FIRST_NOUN = 17,
    K_SINGER = K_FIRST_NOUN,
    K_FIRST_MODIFIER = 22,
    K_PERFECT = K_FIRST_MODIFIER,
    K_FIRST_ADJECTIVE = 27,
    K_HANDSOME = K_FIRST_ADJECTIVE,
    K_FIRST_ADVERB = 32,
    K_VERY = K_FIRST_ADVERB,
    K_FIRST_VERB = 34,
    K_COPULA = 36, // is, was
    K_FIRST_ENDING = 38,
    K_NAMES = 5,
    K_NOUNS = 5,
    K_MODIFIERS = 5,
    K_ADJECTIVES = 5,
    K_ADVERBS = 2,
    K_VERBS = 2,
    K_ENDINGS = 3,
};

const Grammar grammar_english = {
    .word_count = GRAMMAR_WORDS,
    .length = PEOPLE_LENGTH,
    .asked = QUESTION_COUNT,
    .measured = QUESTION_COUNT,
    .words = {"-",       "Jungkook", "Jimin",    "Minho",   "Taehyung", "Namjoon", "Junho",
              "Jisoo",   "Lisa",     "Jennie",   "Suji",    "Yuna",     "Minji",   "He",
              "She",     "him",      "her",      "singer",  "dancer",   "painter", "friend",
              "teacher", "cook",     "handsome", "perfect", "tall",     "kind",    "famous",
              "young",   "very",     "so",       "really",  "likes",    "meets",   "calls",
              "is",      "was",      "a",        ".",       "!",        "?"},
    .questions = {"who", "before", "mark"},
    .scenario = "heads",
    .names = NAMES,
    .first_of = {FIRST_MALE, FIRST_FEMALE},
    .singer = SINGER,
};

const Grammar grammar_korean = {
    .word_count = GRAMMAR_WORDS,
    .length = PEOPLE_LENGTH,
    .asked = QUESTION_COUNT,
    .measured = QUESTION_COUNT,
    .words = {"-",      "정국",   "지민",   "태형",   "남준", "민호", "지수",
              "리사",   "제니",   "서연",   "지은",   "그",   "그녀", "은",
              "는",     "을",     "를",     "가수",   "화가", "친구", "교사",
              "요리사", "완벽한", "유명한", "친절한", "젊은", "멋진", "잘생겼",
              "유명하", "친절하", "젊",     "멋지",   "아주", "정말", "만났",
              "좋아했", "이",     "였",     "다.",    "니?",  "구나!"},
    .questions = {"누구", "앞", "어미"},
    .scenario = "sentence-korean",
    .names = K_NAMES,
    .first_of = {K_FIRST_MALE, K_FIRST_FEMALE},
    .singer = K_SINGER,
};

// Words of the repeating grammars: as many names as things, and a full stop.
enum {
    LETTERS = 20,
    M_NAMES = 8,
    M_STOP = 2 * M_NAMES,
    M_SAID = 4,
    PIECE_LEAST = 6,
    PIECE_MOST = 11
};

#define REPEATS(count) \
    .word_count = (count), .length = GRAMMAR_LENGTH_MAX, .asked = 1, \
    .measured = QUESTION_BEFORE + 1, .repeats = true, .questions = {"next"}

const Grammar grammar_pieces = {
    REPEATS(LETTERS),
    .words = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
              "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"},
    .scenario = "induction",
};

const Grammar grammar_memory = {
    REPEATS(M_STOP + 1),
    .words = {"Mina", "Joon", "Suji", "Yuna", "Hana", "Dana", "Tae", "Minho", "tea", "milk",
              "bread", "rice", "water", "soup", "fruit", "cake", "."},
    .scenario = "memory",
    .guesses = true,
};

const Grammar grammar_memory_korean = {
    REPEATS(M_STOP + 1),
    .words = {"미나", "준", "수지", "유나", "하나", "다나", "태", "민호", "차", "우유", "빵", "밥",
              "물", "국", "과일", "떡", "."},
    .scenario = "memory-korean",
    .guesses = true,
};

const Grammar *grammar_get(int number)
{
    static const Grammar *const all[] = {&grammar_english, &grammar_korean,        &grammar_pieces,
                                         &grammar_memory,  &grammar_memory_korean, NULL};
    return all[number];
}

// A text being written: its people, and where each was named first (-1: not yet).
typedef struct Writing {
    const Grammar *grammar;
    Generator *generator;
    GrammarText *text;
    int name[2], named_at[2]; // man, woman
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

static void add_pronoun(Writing *writing, int gender, int pronoun)
{
    add(writing, pronoun);
    int at = writing->text->length - 1;
    writing->text->answers[QUESTION_WHO][at] = writing->name[gender];
    writing->text->where[QUESTION_WHO][at] = writing->named_at[gender];
}

// `pronoun` is the man's or the woman's pronoun.
static void mention(Writing *writing, int gender, int pronoun)
{
    bool has_pronoun = writing->named_at[gender] >= 0 && draw(writing->generator, 5) < 4;
    if (has_pronoun)
        add_pronoun(writing, gender, pronoun);
    else
        add_name(writing, gender);
}

// Sets the mark as the answer for every word of the sentence; it is known only now.
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

// --- English

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

static void write_english(Writing *writing, int subject, bool are_two)
{
    Generator *generator = writing->generator;
    mention(writing, subject, HE + subject);
    int form = are_two ? draw(generator, 3) : 1 + draw(generator, 2);
    if (form == 0) {
        add(writing, FIRST_VERB + draw(generator, VERBS));
        mention(writing, 1 - subject, HIM + 1 - subject);
    } else {
        add_predicate(writing, form == 2);
    }
    end_sentence(writing, FIRST_MARK + draw(generator, MARKS));
}

// --- Korean

// True if a word ends in a consonant. Its last letter must be a Hangul syllable; the first of the 28
// finals means none.
static bool ends_in_consonant(const char *word)
{
    const unsigned char *last = (const unsigned char *)word + strlen(word) - 3;
    unsigned code = (last[0] & 0x0fu) << 12 | (last[1] & 0x3fu) << 6 | (last[2] & 0x3fu);
    return (code - 0xac00u) % 28u != 0;
}

// The particle for the last word; the form after a consonant comes first.
static void add_particle(Writing *writing, int particle)
{
    const GrammarText *text = writing->text;
    const char *word = writing->grammar->words[text->words[text->length - 1]];
    add(writing, particle + !ends_in_consonant(word));
}

static void add_korean_predicate(Writing *writing, bool has_noun)
{
    Generator *generator = writing->generator;
    bool is_longer = draw(generator, 2) == 0;
    if (is_longer)
        add(writing, has_noun ? K_FIRST_MODIFIER + draw(generator, K_MODIFIERS)
                              : K_FIRST_ADVERB + draw(generator, K_ADVERBS));
    add(writing, has_noun ? K_FIRST_NOUN + draw(generator, K_NOUNS)
                          : K_FIRST_ADJECTIVE + draw(generator, K_ADJECTIVES));
    if (has_noun)
        add(writing, K_COPULA + draw(generator, 2));
}

static void write_korean(Writing *writing, int subject, bool are_two)
{
    Generator *generator = writing->generator;
    mention(writing, subject, K_HE + subject);
    add_particle(writing, K_TOPIC);
    int form = are_two ? draw(generator, 3) : 1 + draw(generator, 2);
    if (form == 0) {
        mention(writing, 1 - subject, K_HE + 1 - subject);
        add_particle(writing, K_OBJECT);
        add(writing, K_FIRST_VERB + draw(generator, K_VERBS));
    } else {
        add_korean_predicate(writing, form == 2);
    }
    end_sentence(writing, K_FIRST_ENDING + draw(generator, K_ENDINGS));
}

// --- texts that repeat

// torch.randperm(count).
static void shuffle(Generator *generator, int count, int numbers[])
{
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    for (int i = 0; i + 1 < count; i++) {
        int from = i + draw(generator, count - i), kept = numbers[i];
        numbers[i] = numbers[from];
        numbers[from] = kept;
    }
}

// Asks for the word after position `at`, which also occurs at `where`.
static void ask_next(GrammarText *text, int at, int where)
{
    text->answers[QUESTION_NEXT][at] = text->words[where];
    text->where[QUESTION_NEXT][at] = where;
}

static void write_pieces(Generator *generator, GrammarText *text)
{
    int letters[LETTERS];
    text->period = PIECE_LEAST + draw(generator, PIECE_MOST - PIECE_LEAST + 1);
    shuffle(generator, LETTERS, letters);
    for (int at = 0; at < text->length; at++)
        text->words[at] = letters[at % text->period];
    for (int at = text->period; at + 1 < text->length; at++)
        ask_next(text, at, at + 1 - text->period);
}

static void write_memory(Generator *generator, GrammarText *text)
{
    enum { EACH = 3 }; // name, thing, full stop
    int names[M_NAMES], order[M_SAID];
    shuffle(generator, M_NAMES, names);
    for (int i = 0; i < M_SAID; i++) {
        text->words[EACH * i] = names[i];
        text->words[EACH * i + 1] = M_NAMES + draw(generator, M_NAMES);
        text->words[EACH * i + 2] = M_STOP;
    }
    shuffle(generator, M_SAID, order);
    for (int i = 0; i < M_SAID; i++) {
        int from = EACH * order[i], to = EACH * (M_SAID + i);
        memcpy(&text->words[to], &text->words[from], EACH * sizeof *text->words);
        ask_next(text, to, from + 1);
        text->answers[QUESTION_NEXT][to - 1] = text->words[to];
    }
    for (int at = 1; at < text->length; at += EACH)
        text->answers[QUESTION_NEXT][at] = M_STOP;
}

static void draw_repeating(const Grammar *grammar, Generator *generator, GrammarText *text)
{
    text->length = grammar->length;
    for (int at = 0; at < text->length; at++)
        text->answers[QUESTION_NEXT][at] = text->where[QUESTION_NEXT][at] = -1;
    if (grammar == &grammar_pieces)
        write_pieces(generator, text);
    else
        write_memory(generator, text);
    text->is_held_out = (text->words[0] + text->words[1]) % 5 == 0;
}

// --- a text

static void write_sentence(Writing *writing, int subject, bool are_two)
{
    if (writing->grammar == &grammar_korean)
        write_korean(writing, subject, are_two);
    else
        write_english(writing, subject, are_two);
}

static bool has_word(const GrammarText *text, int word)
{
    for (int at = 0; at < text->length; at++)
        if (text->words[at] == word)
            return true;
    return false;
}

void grammar_draw(const Grammar *grammar, Generator *generator, GrammarText *text)
{
    *text = (GrammarText){.length = 0};
    if (grammar->repeats) {
        draw_repeating(grammar, generator, text);
        return;
    }
    Writing writing = {
        .grammar = grammar, .generator = generator, .text = text, .named_at = {-1, -1}};
    int length = draw(generator, 5), sentences = length == 0 ? 1 : length < 4 ? 2 : 3;
    bool are_two = draw(generator, 10) < 6;
    int male = draw(generator, grammar->names), female = draw(generator, grammar->names);
    int first = draw(generator, 2);
    writing.name[0] = grammar->first_of[0] + male;
    writing.name[1] = grammar->first_of[1] + female;
    for (int sentence = 0; sentence < sentences; sentence++)
        write_sentence(&writing, sentence > 0 && are_two ? draw(generator, 2) : first, are_two);
    bool is_documents = text->words[0] == grammar->first_of[0] && has_word(text, grammar->singer);
    text->is_held_out = is_documents || (are_two && (male + female) % 5 == 0);
}

void grammar_draw_where(const Grammar *grammar, Generator *generator, bool held_out,
                        GrammarText *text)
{
    do
        grammar_draw(grammar, generator, text);
    while (text->is_held_out != held_out);
}

static void add_words(Writing *writing, const int words[], int count)
{
    for (int i = 0; i < count; i++)
        add(writing, words[i]);
}

static void document_english(Writing *writing)
{
    add_name(writing, 0);
    add_words(writing, (const int[]){IS, VERY, HANDSOME}, 3);
    end_sentence(writing, FIRST_MARK);
    add_pronoun(writing, 0, HE);
    add_words(writing, (const int[]){IS, A, PERFECT, SINGER}, 4);
    end_sentence(writing, FIRST_MARK);
}

static void document_korean(Writing *writing)
{
    add_name(writing, 0);
    add_particle(writing, K_TOPIC);
    add_words(writing, (const int[]){K_VERY, K_HANDSOME}, 2);
    end_sentence(writing, K_FIRST_ENDING);
    add_pronoun(writing, 0, K_HE);
    add_particle(writing, K_TOPIC);
    add_words(writing, (const int[]){K_PERFECT, K_SINGER, K_COPULA}, 3);
    end_sentence(writing, K_FIRST_ENDING);
}

void grammar_document_text(const Grammar *grammar, GrammarText *text)
{
    *text = (GrammarText){.is_held_out = true};
    Writing writing = {
        .grammar = grammar, .text = text, .name = {grammar->first_of[0]}, .named_at = {-1, -1}};
    if (grammar == &grammar_korean)
        document_korean(&writing);
    else
        document_english(&writing);
}
