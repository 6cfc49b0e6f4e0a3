// The language of the person: chosen once, when a program starts, and asked by whatever says something.
//
// It is one for the whole process, as a locale is: who steps, reads errors and looks at a picture is
// one person. What is written for others (the record of a verdict) names its languages instead.
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

// Before any other thread runs. Without it: English.
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

// What the environment asks for: ATTNSCOPE_LANG; LANGUAGE, a list between colons, unless the locale is
// C; the locale. Each by its whole name: ko, ko_KR, ko.UTF-8 and ko@x are Korean, kok_IN is not. English
// where nothing is known.
Language language_of_environment(void);

#endif
