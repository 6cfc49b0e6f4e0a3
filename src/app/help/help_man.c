// help_man: a manual page, in the macros of man(7).
#include "help_format.h"

#include <string.h>
#include "app_words.h"
#include "utf8.h"

enum { SOURCE_COLUMNS = 64 };

// A character as roff wants it: nothing is taken for a command, and letters that are not ASCII are
// named by their number, which every locale's man can print.
static void put_character(uint32_t letter, FILE *out)
{
    if (letter == '\\')
        fputs("\\e", out);
    else if (letter == '-')
        fputs("\\-", out);
    else if (letter == '\'')
        fputs("\\(aq", out);
    else if (letter == '`')
        fputs("\\(ga", out);
    else if (letter == '^')
        fputs("\\(ha", out);
    else if (letter == '~')
        fputs("\\(ti", out);
    else if (letter < 128)
        fputc((int)letter, out);
    else
        fprintf(out, "\\[u%04X]", letter);
}

// Text of whole lines, or of one; a full stop at the beginning of a line is no command.
static void put_text(const char *text, FILE *out)
{
    bool begins = true;
    while (*text) {
        uint32_t letter;
        size_t bytes = utf8_next(text, &letter);
        if (begins && letter == '.')
            fputs("\\&", out);
        put_character(letter, out);
        begins = letter == '\n';
        text += bytes;
    }
}

// The same without its own lines and blanks: roff fills lines itself.
static void put_line(const char *text, FILE *out)
{
    for (size_t columns = 0; *(text += strspn(text, " \n"));) {
        char word[256];
        size_t length = strcspn(text, " \n");
        bool fits = columns + length < SOURCE_COLUMNS;
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (columns > 0)
            fputc(fits ? ' ' : '\n', out);
        put_text(word, out);
        columns = fits ? columns + length + 1 : length;
        text += length;
    }
    fputc('\n', out);
}

static void put_capitals(const char *text, FILE *out)
{
    for (; *text; text++)
        put_character((uint32_t)(*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text), out);
}

// `name` is that of a page beside attnscope(1), NULL: that one itself.
static void put_head(const char *name, int section, const char *summary, FILE *out)
{
    fputs(".TH ATTNSCOPE", out);
    if (name) {
        fputs("\\-", out);
        put_capitals(name, out);
    }
    fprintf(out, " %d %s \"attnscope %s\" attnscope\n.SH %s\nattnscope%s", section, ATTNSCOPE_DATE,
            ATTNSCOPE_VERSION, TELL(MAN_NAME), name ? "\\-" : "");
    put_text(name ? name : "", out);
    fputs(" \\- ", out);
    put_line(summary, out);
}

static void put_section(const char *title, FILE *out)
{
    fprintf(out, ".SH %s\n", title);
}

static void put_example(const char *text, FILE *out)
{
    fputs(".EX\n", out);
    put_text(text, out);
    fputs(".EE\n", out);
}

static void print_command(const AppCommand *command, FILE *out)
{
    put_head(command->name, 1, words_tell(command->summary), out);
    put_section(TELL(MAN_SYNOPSIS), out);
    fprintf(out, ".B attnscope %s\n", command->name);
    put_line(command->arguments, out);
    put_section(TELL(MAN_DESCRIPTION), out);
    fputs(".EX\n", out);
    app_put_details(command, put_text, out);
    fputs(".EE\n", out);
    put_section(TELL(MAN_SEE_ALSO), out);
    fputs(".BR attnscope (1)\n", out);
}

static void print_topic(const HelpTopic *topic, FILE *out)
{
    put_head(topic->name, 5, words_tell(topic->about), out);
    put_section(TELL(MAN_DESCRIPTION), out);
    put_example(words_tell(topic->text), out);
    put_section(TELL(MAN_SEE_ALSO), out);
    fputs(".BR attnscope (1)\n", out);
}

static void print_commands(FILE *out)
{
    put_section(TELL(MAN_COMMANDS), out);
    for (int i = 0; app_command(i); i++) {
        fprintf(out, ".TP\n.B %s\n", app_command(i)->name);
        put_line(words_tell(app_command(i)->summary), out);
    }
    fputs(".PP\n", out);
    put_line(TELL(MAN_OWN_PAGES), out);
    fputs(".BR attnscope\\-walk (1)\n.PP\n", out);
    put_line(TELL(MAN_ALONE), out);
}

static void print_environment(FILE *out)
{
    put_section(TELL(MAN_ENVIRONMENT), out);
    for (int i = 0; help_variable(i); i++) {
        fprintf(out, ".TP\n.B %s\n", help_variable(i)->name);
        put_line(words_tell(help_variable(i)->about), out);
    }
}

// ".TP" with an option of every command, its value in italics, and what it does.
static void put_option(const char *option, const char *value, const char *about, FILE *out)
{
    fprintf(out, ".TP\n.BI \\-\\-%s%s%s%s\n", option, *value ? " \" " : "", value,
            *value ? "\"" : "");
    put_line(about, out);
}

static void print_program(FILE *out)
{
    put_head(NULL, 1, TELL(ABOUT), out);
    put_section(TELL(MAN_SYNOPSIS), out);
    fputs(".B attnscope\n.RB [ \\-\\-lang \" en\" | ko ]\n.br\n"
          ".B attnscope\n.I command\n.RI [ argument \" ...]\"\n.br\n"
          ".B attnscope help\n.RI [ command ]\n.br\n.B attnscope \\-\\-version\n",
          out);
    print_commands(out);
    put_section(TELL(MAN_OPTIONS), out);
    put_line(TELL(MAN_EVERY), out);
    put_option("help", "", TELL(MAN_HELP), out);
    put_option("threads", "N", TELL(MAN_THREADS), out);
    put_option("spill", "FOLDER", TELL(MAN_SPILL), out);
    print_environment(out);
    put_section(TELL(MAN_EXIT_STATUS), out);
    put_line(TELL(MAN_ENDS), out);
    put_section(TELL(MAN_SEE_ALSO), out);
    for (int i = 0; app_command(i); i++)
        fprintf(out, ".BR attnscope\\-%s (1),\n", app_command(i)->name);
    for (int i = 0; help_topic(i); i++)
        fprintf(out, ".BR attnscope\\-%s (5)%s\n", help_topic(i)->name,
                help_topic(i + 1) ? "," : "");
}

static void print(const HelpPage *page, FILE *out)
{
    if (page->command)
        print_command(page->command, out);
    else if (page->topic)
        print_topic(page->topic, out);
    else
        print_program(out);
}

const HelpFormat help_man = {.name = "man", .has_pages = true, .print = print};
