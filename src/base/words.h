// Messages in English and Korean.
#ifndef WORDS_H
#define WORDS_H

#include <stdarg.h>
#include <stdbool.h>
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
    LANGUAGES, // the languages of lectures and exercises

    // English in brackets, made by the compiler from the tables: text on a screen outside of brackets comes
    // from no table.
    LANGUAGE_MARKED = LANGUAGES,
    LANGUAGE_COLUMNS,
} Language;

// Call before any other thread runs. The default is English.
void language_choose(Language language);

Language language_now(void);

// The language for lectures and exercises: English for LANGUAGE_MARKED.
Language language_written(void);

// The column of a table to use next to a text in `written`: the same, or the marked one.
Language language_beside(Language written);

// The column of a record, which has only English and Korean.
Language language_recorded(Language language);

// "en", "ko" or "marked"; -1 for anything else, including NULL.
int language_named(const char *name);
const char *language_name(Language language);

// The language of the environment: ATTNSCOPE_LANG; else LANGUAGE, a list with colons, unless the locale is C;
// else the locale. Compares whole names: ko, ko_KR, ko.UTF-8 and ko@x are Korean, kok_IN is not. Defaults to
// English.
Language language_of_environment(void);

// --- texts in each language
//
// A folder keeps its messages in FOLDER_words.def, one row each:
//
//   WORD(NO_FILE, "there is no file '%s'", "'%s'{이라는/라는} 파일이 없습니다")
//
// A source file includes words.h, then that table, and writes
//
//   error_set(err, TELL(NO_FILE), path);
//
// for the row in the user's language. A row without Korean does not compile. Both columns are printf formats
// with the same values in the same order, which the compiler checks. {은/는} is replaced by the particle that
// the preceding word requires.
//
// Tables with other columns (a command's help, a panel's title) hold Words, made by WORDS(english, korean).

// A text in each language, made by WORDS, which also makes the marked form.
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

// A row as a value, for tables of Words.
#define WORDS_ROW(NAME) \
    { \
        { \
            word_##NAME##_english, word_##NAME##_korean, word_##NAME##_marked \
        } \
    }

#define TELL_IN(language, NAME) \
    ((language) == LANGUAGE_KOREAN   ? word_##NAME##_korean \
     : (language) == LANGUAGE_MARKED ? word_##NAME##_marked \
                                     : word_##NAME##_english)

#define TELL(NAME) TELL_IN(language_now(), NAME)

// The text in the user's language; NULL for {{NULL}}.
const char *words_tell(Words words);

// Commands in a text are written "attnscope check score". If such a command would not choose the user's
// language by itself, the option is inserted: "attnscope --lang ko check score". The callback returns the
// language to insert, or NULL. Set it once, before other threads run.
typedef const char *WordsCommand(const char *word, size_t length);
void words_ask_commands(WordsCommand *language_to_say);

// Inserts particles and command languages into a text of `room` bytes. Idempotent; skips a language that
// does not fit.
void words_settle(char *text, size_t room);

// printf with both: to `text` (`room` bytes, cut at a character), and to a file. They return `text`, and the
// number of bytes written or -1.
char *words_format(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int words_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int words_vprint(FILE *out, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

// Appends formatted text to `text`, which has `room` bytes; what does not fit is cut. Returns `text`.
char *text_add(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A text that is the ending itself ends so too.
bool text_ends(const char *text, const char *ending);

// What follows the last slash of a path.
const char *path_name(const char *path);

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

// Translates a library's error message with library_words.def. An unknown one is quoted with the library's
// name, so that a sentence does not mix languages. Valid until the same thread calls it again.
const char *library_text(const char *library, const char *said);

// --- signals (error.c)

// A signal's name in words: "Aborted", "abort 호출로 중단(SIGABRT)"; "signal 40" for rare ones, valid until
// the same thread asks for another rare one in that language.
const char *signal_text(int number, Language language);

#endif
