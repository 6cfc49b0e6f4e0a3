// attnscope glossary: the terms of the field, in English and Korean.
#include "app.h"

#include "glossary.h"
#include "prose.h"
#include "utf8.h"
#include "words.h"
#include "glossary_words.def"

enum { COLUMNS = 80, TERM_BYTES = 256 };

static Language other_than(Language language)
{
    return language == LANGUAGE_KOREAN ? LANGUAGE_ENGLISH : LANGUAGE_KOREAN;
}

static int list_all(void)
{
    enum { NAME_COLUMNS = 24 };
    Language first = language_written(), second = other_than(first);
    for (int i = 0; glossary_term(i); i++) {
        const GlossaryTerm *term = glossary_term(i);
        const char *name = term->name.in[first], *other = term->name.in[second];
        printf("%s%*s%s%*s%s\n", name, NAME_COLUMNS - utf8_width(name), "", other,
               term->torch[0] ? NAME_COLUMNS - utf8_width(other) : 0, "", term->torch);
    }
    return app_finish_output();
}

static void print_where(const char *text, const char *names)
{
    char line[TERM_BYTES];
    if (names[0])
        printf("  %s\n", words_format(line, sizeof line, text, names));
}

static int show(const GlossaryTerm *term)
{
    printf("%s (%s)\n", words_tell(term->name), term->name.in[other_than(language_now())]);
    prose_print(words_tell(term->about), "  ", COLUMNS, stdout);
    print_where(TELL(GLOSSARY_TORCH), term->torch);
    print_where(TELL(GLOSSARY_DOCUMENTS), term->documents);
    return app_finish_output();
}

static int refuse(const char *name)
{
    char text[2 * TERM_BYTES];
    const char *nearest = glossary_nearest(name);
    if (nearest)
        words_format(text, sizeof text, TELL(GLOSSARY_MEANT), name, nearest);
    else
        words_format(text, sizeof text, TELL(GLOSSARY_UNKNOWN), name);
    return app_fail(APP_MISUSED, "%s", text);
}

// A term of several words need not stand between quotes.
static const char *asked(const AppOptions *options, char name[TERM_BYTES])
{
    size_t used = 0;
    for (int i = 0; i < options->argument_count && used < TERM_BYTES; i++)
        used += (size_t)snprintf(name + used, TERM_BYTES - used, "%s%s", i > 0 ? " " : "",
                                 options->arguments[i]);
    return name;
}

static int run(int argc, char **argv)
{
    AppOptions options;
    char name[TERM_BYTES];
    if (!app_options(argc, argv, command_glossary.options, &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(&command_glossary, stdout);
        return app_finish_output();
    }
    if (options.argument_count == 0)
        return list_all();
    const GlossaryTerm *term = glossary_find(asked(&options, name));
    return term ? show(term) : refuse(name);
}

const AppCommand command_glossary = {
    .name = "glossary",
    .arguments = "[TERM] [--lang en|ko]",
    .summary = WORDS("Look up a term in English and Korean", "이 분야의 용어, 영어와 한국어로"),
    .details = WORDS(
        "Without a term, lists all terms and their PyTorch names. TERM may be in either\n"
        "language: glossary dot product. In the stepper, E explains the terms on the screen.\n"
        "  --lang en|ko   the language [the locale's]\n",
        "용어를 쓰지 않으면 전부, PyTorch에서 부르는 이름과 함께 보여 줍니다. 용어는 어느 언어로 "
        "써도\n"
        "됩니다: glossary 내적. 단계별 화면에서 E를 누르면 화면에 나온 용어를 풀이합니다.\n"
        "  --lang en|ko   언어 [로캘의 언어]\n"),
    .options = "lang",
    .run = run,
};
