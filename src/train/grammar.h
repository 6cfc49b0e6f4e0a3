// Short texts about people, made by a small grammar, with questions that have one right answer at every
// word. What a layer is trained on.
//
//   text      one to three sentences about one person, or about two of different gender
//   sentence  who, then: verb whom | be [adverb] adjective | be a [adjective] noun; then a mark
//
// Once somebody is named, four of five mentions are pronouns. Texts are drawn with PyTorch's generator,
// so that a seed names them.
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stdbool.h>
#include "generator.h"

enum { GRAMMAR_WORDS = 41, GRAMMAR_LENGTH_MAX = 18 };

// "-" first, which is the answer where a question has none.
extern const char *const grammar_words[GRAMMAR_WORDS];

typedef enum Question {
    QUESTION_WHO,    // who is meant: a name is itself, a pronoun the first name of its gender
    QUESTION_BEFORE, // the word before this one
    QUESTION_MARK,   // the mark that ends this sentence
    QUESTION_COUNT
} Question;

extern const char *const question_names[QUESTION_COUNT];

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

void grammar_draw(Generator *generator, GrammarText *text);

// The next text that is held out, or the next that is not.
void grammar_draw_where(Generator *generator, bool held_out, GrammarText *text);

// "Jungkook is very handsome. He is a perfect singer." as the document has it: 11 words.
void grammar_document_text(GrammarText *text);

#endif
