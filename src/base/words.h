// Tables of all messages, in English and Korean.
#ifndef WORDS_H
#define WORDS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

// --- the language
//
// The user's language, chosen once when a program starts.
//
// Like a locale, it is one for the whole process. Records for others (a verdict) name their languages instead.

typedef enum Language {
    LANGUAGE_ENGLISH,
    LANGUAGE_KOREAN,
    LANGUAGES, // those in which lectures and exercises are written

    // English between brackets, made by the compiler from the tables: what stands outside of brackets on
    // a screen came from no table.
    LANGUAGE_MARKED = LANGUAGES,
    LANGUAGE_COLUMNS,
} Language;

// Call before any other thread runs. The default is English.
void language_choose(Language language);

Language language_now(void);

// That in which lectures and exercises are read: English, where the words are marked.
Language language_written(void);

// The column of a table for what goes with a text in that language: it, or the marked one where words are
// marked.
Language language_beside(Language written);

// The column of what is kept in English and Korean (a record) for whoever reads that language.
Language language_recorded(Language language);

// "en", "ko", "marked"; -1 for another name, and for NULL.
int language_named(const char *name);
const char *language_name(Language language);

// The language of the environment: ATTNSCOPE_LANG; else LANGUAGE, a list with colons, unless the locale is C;
// else the locale. Compares whole names: ko, ko_KR, ko.UTF-8 and ko@x are Korean, kok_IN is not. Defaults to
// English.
Language language_of_environment(void);

// --- texts in each language
//
// Tables of all messages, in English and Korean.
//
// A floor keeps its sentences in FLOOR_words.def, one row each:
//
//   WORD(NO_FILE, "there is no file '%s'", "'%s'{이라는/라는} 파일이 없습니다")
//
// A file that speaks includes words.h and then that table, and says
//
//   error_set(err, TELL(NO_FILE), path);
//
// which is the row in the person's language. A row without Korean does not compile. Both columns are
// printf formats that take the same values in the same order; the compiler holds each against the values
// given. {은/는} is the particle after whatever stands before it when the values are in (words.h).
//
// Where rows are data (a command's help, a panel's title), they hold Words, made by WORDS(english, korean).

// A text in each language; WORDS makes one, and marks the third.
typedef struct Words {
    const char *in[LANGUAGE_COLUMNS];
} Words;

#define WORDS(english, korean) \
    { \
        { \
            "" english "", "" korean "", "\u27e6" english "\u27e7" \
        } \
    }

#define WORD(NAME, english, korean) \
    static const char word_##NAME##_english[] = "" english "", \
                      word_##NAME##_korean[] = "" korean "", \
                      word_##NAME##_marked[] = "\u27e6" english "\u27e7";

#define TELL_IN(language, NAME) \
    ((language) == LANGUAGE_KOREAN   ? word_##NAME##_korean \
     : (language) == LANGUAGE_MARKED ? word_##NAME##_marked \
                                     : word_##NAME##_english)

#define TELL(NAME) TELL_IN(language_now(), NAME)

// The text in the person's language. NULL where all of it is empty ({{NULL}}).
const char *words_tell(Words words);

// A command in a text is "attnscope" and its word: "attnscope check score". One that would not choose the
// person's language by itself says it: "attnscope --lang ko check score". Whoever knows the commands
// tells the language that has to be said, NULL: none; asked for once, before any other thread runs.
typedef const char *WordsCommand(const char *word, size_t length);
void words_ask_commands(WordsCommand *language_to_say);

// Puts particles (words.h) and the languages of commands into a text of room bytes. A text that was
// settled stays as it is; a language for which there is no room is left out.
void words_settle(char *text, size_t room);

// printf with both: into `text` (room bytes, cut at a letter), and to a file. They return `text`,
// and how many bytes were written (-1 where it failed).
char *words_format(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int words_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int words_vprint(FILE *out, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

// --- particles
//
// Korean particles after words that are only known when the program runs: 은/는, 이/가, 을/를, 과/와,
// 으로/로, 이라/라, 이어야/여야.
//
// The choice depends on how the word before it ends when read aloud: in a consonant or in a vowel; 으로 needs a
// consonant other than ㄹ.

typedef enum JosaEnd { JOSA_VOWEL, JOSA_RIEUL, JOSA_CONSONANT } JosaEnd;

// How the first `length` bytes of a text end, read aloud in Korean: "행" in a consonant, "7" (칠) in ㄹ,
// "mask" (마스크) in a vowel. Skips closing brackets and quotes. Text that nobody reads aloud
// counts as a vowel.
JosaEnd josa_end(const char *text, size_t length);

// Replaces each {은/는} in place with one of the two; the text becomes shorter. Both sides must be Hangul;
// leaves other braces alone.
void josa_settle(char *text);

// --- libraries (error.c)
//
// What a library says of a failure, for a sentence in the person's language.

// "did not find expected key"; "'이름:'이 있어야 할 곳입니다", as library_words.def has it. What is not
// in that list is quoted, so that no sentence goes over into another language: libyaml이 이렇게 말합니다:
// "...". It lasts until the same thread asks again.
const char *library_text(const char *library, const char *said);

// --- signals (error.c)
//
// What ended a process: the signals that somebody who learns C can meet, in words.

// "Aborted", "abort 호출로 중단(SIGABRT)"; "signal 40" where it is a rare one; then it
// lasts until the same thread asks for the next rare one in that language.
const char *signal_text(int number, Language language);

#endif
