// Short texts, made by a small grammar, with questions that have one right answer. What layers are trained
// on.
//
// Texts about people, with three questions at every word:
//   text      one to three sentences about one person, or about two of different gender
//   English   who, then: verb whom | be [adverb] adjective | be a [adjective] noun; then a mark
//   Korean    who topic-particle, then: whom object-particle verb | [adverb] adjective |
//             [adjective] noun copula; then an ending with its mark. A particle fits the last letter
//             before it
//
// Once somebody is named, four of five mentions are pronouns.
//
// Texts that repeat, with one question: which word is next? It is asked where the text tells.
//   pieces    a piece of 6 to 11 different letters, said again and again; asked from its second time on
//   memory    four names, each with a thing ("Mina tea . Joon milk . ..."), then the same in another order;
//             asked at the names of the second half. So that a model can go on with a text, it is asked, too,
//             at things (a full stop) and before those names (one that the text has), with no place to look
//
// Texts are drawn with PyTorch's generator, so that a seed names them.
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stdbool.h>
#include "generator.h"

enum { GRAMMAR_WORDS = 41, GRAMMAR_LENGTH_MAX = 24 }; // at most

typedef enum Question {
    QUESTION_WHO,    // who is meant: a name is itself, a pronoun the first name of its gender
    QUESTION_BEFORE, // the word before this one
    QUESTION_MARK,   // the mark that ends this sentence; in Korean the ending with its mark
    QUESTION_COUNT,
    QUESTION_NEXT =
        0 // of texts that repeat: the word behind this one. QUESTION_BEFORE is not asked there,
          // but measured: who looks at the word before, from where the answer stands?
} Question;

// A kind of texts. Those about people have as many words in each language, so that their layers have the
// same shapes.
typedef struct Grammar {
    int word_count, length;           // at most so many words a text
    int asked, measured;              // questions
    bool repeats;                     // texts that do; what follows from `names` on is of people
    bool guesses;                     // of these, whether words that stand nowhere are asked, too
    const char *words[GRAMMAR_WORDS]; // of people "-" first: the answer where a question has none
    const char *questions[QUESTION_COUNT]; // their names in scenario files
    const char *scenario;                  // one that has these words
    int names;                             // of men, and as many of women
    int first_of[2];                       // the first man and the first woman
    int singer;                            // the document's noun
} Grammar;

extern const Grammar grammar_english, grammar_korean, grammar_pieces, grammar_memory,
    grammar_memory_korean;

// All of them, NULL behind the last.
const Grammar *grammar_get(int number);

typedef struct GrammarText {
    int length;
    int words[GRAMMAR_LENGTH_MAX];
    int answers[QUESTION_COUNT][GRAMMAR_LENGTH_MAX]; // words; -1: it is not asked
    // Where the answer stands, for rows that have to look for it; -1: "-", or the word itself. In a text that
    // repeats every so many words (`period`, else 0) it stands so many words before, too, and again.
    int where[QUESTION_COUNT][GRAMMAR_LENGTH_MAX];
    int period;
    // A fifth of the pairs of names, and every text that begins with Jungkook and has a singer in it:
    // never trained on, so that nobody can have learned them by heart. Of texts that repeat a fifth of the
    // pairs of first words.
    bool is_held_out;
} GrammarText;

void grammar_draw(const Grammar *grammar, Generator *generator, GrammarText *text);

// The next text that is held out, or the next that is not.
void grammar_draw_where(const Grammar *grammar, Generator *generator, bool held_out,
                        GrammarText *text);

// "Jungkook is very handsome. He is a perfect singer." as the document has it: 11 words, in Korean too. Of a
// grammar about people.
void grammar_document_text(const Grammar *grammar, GrammarText *text);

#endif
