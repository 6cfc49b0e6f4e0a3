// The user's language, chosen once when a program starts.
//
// Like a locale, it is one for the whole process. Records for others (a verdict) name their languages instead.
#ifndef LANGUAGE_H
#define LANGUAGE_H

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

#endif
