// Short texts about people, made by a small grammar, with questions that have one right answer at every
// word. What a layer is trained on.
//
//   text      one to three sentences about one person, or about two of different gender
//   English   who, then: verb whom | be [adverb] adjective | be a [adjective] noun; then a mark
//   Korean    who topic-particle, then: whom object-particle verb | [adverb] adjective |
//             [adjective] noun copula; then an ending with its mark. A particle fits the last letter
//             before it
//
// Once somebody is named, four of five mentions are pronouns. Texts are drawn with PyTorch's generator,
// so that a seed names them.
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stdbool.h>
#include "generator.h"

enum { GRAMMAR_WORDS = 41, GRAMMAR_LENGTH_MAX = 18 };

typedef enum Question {
    QUESTION_WHO,    // who is meant: a name is itself, a pronoun the first name of its gender
    QUESTION_BEFORE, // the word before this one
    QUESTION_MARK,   // the mark that ends this sentence; in Korean the ending with its mark
    QUESTION_COUNT
} Question;

// A language of texts. Both have as many words, so that their layers have the same shapes.
typedef struct Grammar {
    const char *words[GRAMMAR_WORDS];      // "-" first: the answer where a question has none
    const char *questions[QUESTION_COUNT]; // their names in scenario files
    const char *scenario;                  // one that has these words
    int names;                             // of men, and as many of women
    int first_of[2];                       // the first man and the first woman
    int singer;                            // the document's noun
} Grammar;

extern const Grammar grammar_english, grammar_korean;

typedef struct GrammarText {
    int length;
    int words[GRAMMAR_LENGTH_MAX];
    int answers[QUESTION_COUNT][GRAMMAR_LENGTH_MAX]; // words
    // Where the answer stands, for rows that have to look for it; -1: "-", or the word itself.
    int where[QUESTION_COUNT][GRAMMAR_LENGTH_MAX];
    // A fifth of the pairs of names, and every text that begins with Jungkook and has a singer in it:
    // never trained on, so that nobody can have learned them by heart.
    bool is_held_out;
} GrammarText;

void grammar_draw(const Grammar *grammar, Generator *generator, GrammarText *text);

// The next text that is held out, or the next that is not.
void grammar_draw_where(const Grammar *grammar, Generator *generator, bool held_out,
                        GrammarText *text);

// "Jungkook is very handsome. He is a perfect singer." as the document has it: 11 words, in Korean too.
void grammar_document_text(const Grammar *grammar, GrammarText *text);

#endif
