// Training texts: short texts from a small grammar, with questions that have one right answer.
//
// Texts about people, with three questions at every word:
//   text      one to three sentences about one person, or about two of different gender
//   English   who, then: verb whom | be [adverb] adjective | be a [adjective] noun; then a mark
//   Korean    who topic-particle, then: whom object-particle verb | [adverb] adjective |
//             [adjective] noun copula; then an ending with its mark. A particle agrees with the letter
//             before it
//
// After a person is named, four of five mentions are pronouns.
//
// Texts that repeat, with one question: which word is next? It is asked only where the text
// determines it.
//   pieces    6 to 11 different letters, repeated; asked from the second repetition on
//   memory    four names, each with a thing ("Mina tea . Joon milk . ..."), then the same in another order;
//             asked at the names of the second half. So that a model can continue a text, it is also asked
//             at things (answer: full stop) and before those names (answer: a name of the text), where there
//             is nothing to look up
//
// PyTorch's generator draws the texts, so a seed reproduces them.
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stdbool.h>
#include "generator.h"

enum { GRAMMAR_WORDS = 41, GRAMMAR_LENGTH_MAX = 24 }; // at most

typedef enum Question {
    QUESTION_WHO,    // the person meant: a name itself, or for a pronoun the first name of its gender
    QUESTION_BEFORE, // the word before this one
    QUESTION_MARK,   // the mark that ends this sentence; in Korean with its ending
    QUESTION_COUNT,
    QUESTION_NEXT =
        0 // of texts that repeat: the word behind this one. QUESTION_BEFORE is not asked there,
          // but measured: who looks at the word before, from where the answer stands?
} Question;

// A kind of text. Grammars about people have equally many words in each language, so their layers have
// the same shapes.
typedef struct Grammar {
    int word_count, length;           // the most words of a text
    int asked, measured;              // questions
    bool repeats;                     // texts repeat; the fields from `names` on are for people
    bool guesses;                     // also asks for words that the text does not contain
    const char *words[GRAMMAR_WORDS]; // for people "-" first: no answer
    const char *questions[QUESTION_COUNT]; // their names in scenario files
    const char *scenario;                  // a scenario with these words
    int names;                             // names of men, and as many of women
    int first_of[2];                       // the first man and the first woman
    int singer;                            // the document's noun
} Grammar;

extern const Grammar grammar_english, grammar_korean, grammar_pieces, grammar_memory,
    grammar_memory_korean;

// Every grammar; NULL after the last.
const Grammar *grammar_get(int number);

typedef struct GrammarText {
    int length;
    int words[GRAMMAR_LENGTH_MAX];
    int answers[QUESTION_COUNT][GRAMMAR_LENGTH_MAX]; // words; -1: not asked
    // The position of the answer, for rows that must look for it; -1: "-", or the word itself. In a
    // text that repeats every `period` words (else 0) it also occurs that many words earlier, and
    // again.
    int where[QUESTION_COUNT][GRAMMAR_LENGTH_MAX];
    int period;
    // Held out from training, so that no model can memorise them: a fifth of the pairs of names,
    // and every text that begins with Jungkook and mentions a singer. Of repeating texts, a fifth
    // of the pairs of first words.
    bool is_held_out;
} GrammarText;

void grammar_draw(const Grammar *grammar, Generator *generator, GrammarText *text);

// Draws the next held-out text, or the next training text.
void grammar_draw_where(const Grammar *grammar, Generator *generator, bool held_out,
                        GrammarText *text);

// "Jungkook is very handsome. He is a perfect singer." as in the document: 11 words, in Korean too. Only for
// grammars about people.
void grammar_document_text(const Grammar *grammar, GrammarText *text);

#endif
