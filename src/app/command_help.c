// attnscope help: pages for a reader, manual pages, and what shells need to complete words. All of it comes
// from the tables that --help is printed from.
#include <string.h>
#include "app.h"
#include "app_exercise.h"
#include "app_words.def"
#include "glossary.h"
#include "lecture.h"
#include "scenario_file.h"
#include "shown_name.h"
#include "utf8.h"
#include "words.h"

// What `attnscope help NAME` tells about that is no command.
typedef struct HelpTopic {
    const char *name; // "scenario"
    Words about;
    Words text; // whole lines
} HelpTopic;

// A page: of a command, of a topic, or of the program where both are NULL.
typedef struct HelpPage {
    const AppCommand *command;
    const HelpTopic *topic;
} HelpPage;

typedef struct HelpFormat {
    const char *name; // "man"
    bool has_pages;   // false: there is one for the whole program, and none for a command
    void (*print)(const HelpPage *page, FILE *out);
} HelpFormat;

// --- what help tells about beside commands
//
// Topics, variables of the environment, what words may name.

typedef struct HelpVariable {
    const char *name;
    Words about;
} HelpVariable;

static const HelpVariable variables[] = {
#define HELP_VARIABLE(name, english, korean) {name, WORDS(english, korean)},
#include "help_environment.def"
#undef HELP_VARIABLE
};

// What a word may name, one bit at a time: the kind that `attnscope list KIND --format names` lists;
// NULL for files and folders, which shells know themselves. The first of them has number 0; NULL in
// `names` beyond the last.
typedef struct HelpNames {
    unsigned names;   // one of APP_NAMES_...
    const char *kind; // "scenarios"
} HelpNames;

static const HelpNames all_names[] = {
    {APP_NAMES_SCENARIO, "scenarios"},
    {APP_NAMES_LECTURE, "lectures"},
    {APP_NAMES_EXERCISE, "exercises"},
    {APP_NAMES_MISTAKE, "mistakes"},
    {APP_NAMES_FILE, NULL},
    {APP_NAMES_FOLDER, NULL},
};

// The variables of the environment, NULL beyond the last.
static const HelpVariable *help_variable(int number)
{
    return number < (int)(sizeof variables / sizeof *variables) ? &variables[number] : NULL;
}

static const HelpNames *help_names(int number)
{
    return number < (int)(sizeof all_names / sizeof *all_names) ? &all_names[number] : NULL;
}

// The topics in order, NULL beyond the last.
static const HelpTopic *help_topic(int number)
{
    static HelpTopic topics[] = {
        {.name = "scenario",
         .about = WORDS("the format of scenario files", "시나리오 파일의 형식")},
        {.name = "formula", .about = WORDS("how formulas are written", "수식을 쓰는 법")},
    };
    topics[0].text = scenario_format; // generated, and so no constants here
    topics[1].text = formula_grammar;
    return number < (int)(sizeof topics / sizeof *topics) ? &topics[number] : NULL;
}

// --- a manual page, in the macros of man(7)

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
static void man_put_option(const char *option, const char *value, const char *about, FILE *out)
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
    man_put_option("help", "", TELL(MAN_HELP), out);
    man_put_option("threads", "N", TELL(MAN_THREADS), out);
    man_put_option("spill", "FOLDER", TELL(MAN_SPILL), out);
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

static void man_print(const HelpPage *page, FILE *out)
{
    if (page->command)
        print_command(page->command, out);
    else if (page->topic)
        print_topic(page->topic, out);
    else
        print_program(out);
}

static const HelpFormat help_man = {.name = "man", .has_pages = true, .print = man_print};

// --- what completion in bash and in zsh have in common

// The kinds behind the bits, as words: "scenarios files".
static void shell_put_names(unsigned names, FILE *out)
{
    const char *between = "";
    for (int i = 0; help_names(i); i++) {
        if (!(names & help_names(i)->names))
            continue;
        const char *own = help_names(i)->names == APP_NAMES_FILE ? "files" : "folders";
        fprintf(out, "%s%s", between, help_names(i)->kind ? help_names(i)->kind : own);
        between = " ";
    }
}

static void put_options(const AppCommand *command, FILE *out)
{
    const char *between = "";
    for (int i = 0; app_option(i); i++) {
        if (!app_option_fits(app_option(i), command))
            continue;
        fprintf(out, "%s--%s", between, app_option(i)->name);
        between = " ";
    }
}

static void shell_put_command(const AppCommand *command, FILE *out)
{
    fprintf(out, "    %s)\n        options='", command->name);
    put_options(command, out);
    fprintf(out, "'\n        own='%s", command->words ? command->words : "");
    for (int i = 0; (command->names & APP_NAMES_COMMAND) && app_command(i); i++)
        fprintf(out, " %s", app_command(i)->name);
    fputs("'\n        names='", out);
    shell_put_names(command->names, out);
    fprintf(out, "'\n        formats='%s'\n        ;;\n", command->formats ? command->formats : "");
}

// Two `case` statements, in words that bash and zsh share: the variables `options`, `own` and `names`
// are set for the command in `command`, then for the option in `before`, if that takes a value.
static void help_shell_cases(FILE *out)
{
    fputs("    local options='--help --version --lang' own= names= formats=\n"
          "    case $command in\n    '')\n        own='",
          out);
    for (int i = 0; app_command(i); i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", app_command(i)->name);
    fputs("'\n        ;;\n", out);
    for (int i = 0; app_command(i); i++)
        shell_put_command(app_command(i), out);
    fputs("    esac\n    case $before in\n", out);
    for (int i = 0; app_option(i); i++) {
        const AppOption *option = app_option(i);
        if (!app_option_has_value(option))
            continue;
        fprintf(out, "    --%s)\n        options= own=", option->name);
        fprintf(out, strcmp(option->name, "format") == 0 ? "$formats" : "'%s'",
                option->words ? option->words : "");
        fputs(" names='", out);
        shell_put_names(option->names, out);
        fputs("'\n        ;;\n", out);
    }
    fputs("    esac\n", out);
}

// --- bash

static const char bash_begin[] =
    "# Completion for attnscope in bash: attnscope help --format bash\n"
    "_attnscope() {\n"
    "    local program=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
    "command= kind i\n"
    "    # bash takes --option=value for three words\n"
    "    [ \"$word\" != = ] || word=\n"
    "    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in\n"
    "        --lang) i=$((i + 1)) ;;\n"
    "        -*) ;;\n"
    "        *) command=${COMP_WORDS[i]} && break ;;\n"
    "        esac\n"
    "    done\n";

static const char bash_end[] =
    "    COMPREPLY=()\n"
    "    case $word in\n"
    "    -*) own=$options names= ;;\n"
    "    esac\n"
    "    for kind in $names; do\n"
    "        case $kind in\n"
    "        files | folders)\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            while IFS= read -r i; do\n"
    "                COMPREPLY+=(\"$i\")\n"
    "            done < <(compgen -A \"$([ \"$kind\" = files ] && echo file || echo directory)\" "
    "-- "
    "\"$word\")\n"
    "            ;;\n"
    "        *) own=\"$own $(\"$program\" list \"$kind\" --format names 2>/dev/null)\" ;;\n"
    "        esac\n"
    "    done\n"
    "    COMPREPLY+=($(compgen -W \"$own\" -- \"$word\"))\n"
    "}\n"
    "complete -F _attnscope attnscope\n";

static void bash_print(const HelpPage *page, FILE *out)
{
    (void)page;
    fputs(bash_begin, out);
    help_shell_cases(out);
    fputs(bash_end, out);
}

static const HelpFormat help_bash = {.name = "bash", .has_pages = false, .print = bash_print};

// --- zsh

static const char zsh_begin[] =
    "#compdef attnscope\n"
    "# Completion for attnscope in zsh: attnscope help --format zsh\n"
    "_attnscope() {\n"
    "    local program=${words[1]} before=${words[CURRENT-1]} command= kind i\n"
    "    for ((i = 2; i < CURRENT; i++)); do\n"
    "        case ${words[i]} in\n"
    "        --lang) i=$((i + 1)) ;;\n"
    "        -*) ;;\n"
    "        *) command=${words[i]} && break ;;\n"
    "        esac\n"
    "    done\n"
    "    # --option=value is one word here\n"
    "    if [[ $PREFIX == --*=* ]]; then\n"
    "        before=${PREFIX%%=*}\n"
    "        compset -P '*='\n"
    "    fi\n";

static const char middle[] = "    if [[ $PREFIX == -* ]]; then\n"
                             "        compadd -- ${=options}\n"
                             "        return\n"
                             "    fi\n"
                             "    if [[ -z $command && -n $own ]]; then\n"
                             "        local -a commands=(\n";

static const char zsh_end[] =
    "        )\n"
    "        _describe -t commands 'command' commands\n"
    "        return\n"
    "    fi\n"
    "    for kind in ${=names}; do\n"
    "        case $kind in\n"
    "        files) _files ;;\n"
    "        folders) _files -/ ;;\n"
    "        *) own=\"$own $($program list $kind --format names 2>/dev/null)\" ;;\n"
    "        esac\n"
    "    done\n"
    "    compadd -- ${=own}\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _attnscope ]; then\n"
    "    _attnscope \"$@\"\n"
    "else\n"
    "    compdef _attnscope attnscope\n"
    "fi\n";

// 'walk:a lecture beside the stepper'; a colon in a summary would begin another field.
static void put_described(const AppCommand *command, FILE *out)
{
    fprintf(out, "            '%s:", command->name);
    for (const char *at = words_tell(command->summary); *at; at++)
        if (*at == '\'')
            fputs("'\\''", out);
        else if (*at == ':')
            fputs("\\:", out);
        else
            fputc(*at, out);
    fputs("'\n", out);
}

static void zsh_print(const HelpPage *page, FILE *out)
{
    (void)page;
    fputs(zsh_begin, out);
    help_shell_cases(out);
    fputs(middle, out);
    for (int i = 0; app_command(i); i++)
        put_described(app_command(i), out);
    fputs(zsh_end, out);
}

static const HelpFormat help_zsh = {.name = "zsh", .has_pages = false, .print = zsh_print};

// --- fish

// In quotes for fish.
static void put_quoted(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

// What is offered for these names, each as words of `complete`.
static void fish_put_names(unsigned names, const char *before, FILE *out)
{
    for (int i = 0; help_names(i); i++) {
        if (!(names & help_names(i)->names))
            continue;
        fputs(before, out);
        if (help_names(i)->kind)
            fprintf(out, " -a '(attnscope list %s --format names)'\n", help_names(i)->kind);
        else if (help_names(i)->names == APP_NAMES_FILE)
            fputs(" -F\n", out);
        else
            fputs(" -a '(__fish_complete_directories)'\n", out);
    }
}

static void fish_put_option(const AppOption *option, const AppCommand *command, FILE *out)
{
    char before[256];
    const char *words = strcmp(option->name, "format") == 0 ? command->formats : option->words;
    bool has_value = app_option_has_value(option);
    snprintf(before, sizeof before,
             "complete -c attnscope -n '__fish_seen_subcommand_from %s' -l %s%s", command->name,
             option->name, has_value ? " -r" : "");
    if (option->names) {
        fish_put_names(option->names, before, out);
        return;
    }
    fputs(before, out);
    if (has_value && words)
        fprintf(out, " -a '%s'", words);
    fputc('\n', out);
}

static void fish_put_command(const AppCommand *command, FILE *out)
{
    char before[256];
    fprintf(out, "complete -c attnscope -n __attnscope_no_command -a %s -d ", command->name);
    put_quoted(words_tell(command->summary), out);
    fputc('\n', out);
    snprintf(before, sizeof before, "complete -c attnscope -n '__fish_seen_subcommand_from %s'",
             command->name);
    if (command->words)
        fprintf(out, "%s -a '%s'\n", before, command->words);
    for (int i = 0; (command->names & APP_NAMES_COMMAND) && app_command(i); i++)
        fprintf(out, "%s -a %s\n", before, app_command(i)->name);
    fish_put_names(command->names, before, out);
    for (int i = 0; app_option(i); i++)
        if (app_option_fits(app_option(i), command))
            fish_put_option(app_option(i), command, out);
}

static void fish_print(const HelpPage *page, FILE *out)
{
    (void)page;
    fputs("# Completion for attnscope in fish: attnscope help --format fish\n"
          "function __attnscope_no_command\n    not __fish_seen_subcommand_from",
          out);
    for (int i = 0; app_command(i); i++)
        fprintf(out, " %s", app_command(i)->name);
    fputs("\nend\n"
          "complete -c attnscope -f\n"
          "complete -c attnscope -n __attnscope_no_command -l help\n"
          "complete -c attnscope -n __attnscope_no_command -l version\n"
          "complete -c attnscope -n __attnscope_no_command -l lang -r -a 'en ko'\n",
          out);
    for (int i = 0; app_command(i); i++)
        fish_put_command(app_command(i), out);
}

static const HelpFormat help_fish = {.name = "fish", .has_pages = false, .print = fish_print};

// --- the list of forms

static const HelpFormat *const formats[] = {
#define HELP_FORMAT(x, ...) &help_##x,
#include "help_formats.def"
#undef HELP_FORMAT
};

// NULL when there is none of this name.
static const HelpFormat *help_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

// The page that is asked for. False after a sentence.
static bool find_page(const AppOptions *options, HelpPage *page)
{
    const char *name = options->argument_count > 0 ? options->arguments[0] : NULL;
    *page = (HelpPage){NULL, NULL};
    if (!name)
        return true;
    for (int i = 0; help_topic(i); i++)
        if (strcmp(help_topic(i)->name, name) == 0)
            page->topic = help_topic(i);
    if (!page->topic)
        page->command = app_find(name);
    return page->topic || page->command;
}

static void print_text(const HelpPage *page)
{
    if (page->topic)
        fputs(words_tell(page->topic->text), stdout);
    else if (page->command)
        app_print_command_help(page->command, stdout);
    else
        app_print_help(true, stdout);
}

static int run(AppOptions *options)
{
    HelpPage page;
    if (!find_page(options, &page))
        return APP_MISUSED;
    const HelpFormat *format = options->format ? help_format(options->format) : NULL;
    if (options->format && !format)
        return app_fail(APP_MISUSED, TELL(HELP_FORMAT), command_help.formats, options->format);
    if (format && !format->has_pages && (page.command || page.topic))
        return app_fail(APP_MISUSED, TELL(HELP_ALL), format->name, format->name);
    if (format)
        format->print(&page, stdout);
    else
        print_text(&page);
    return APP_DONE;
}

static const Words forms[] = {
#define HELP_FORMAT(x, english, korean) WORDS(#x "\n" english, #x "\n" korean),
#include "help_formats.def"
#undef HELP_FORMAT
};

static const AppList lists[] = {APP_LIST("formats", forms), {.name = NULL}};

const AppCommand command_help = {
    .name = "help",
    .arguments = "[COMMAND|scenario|formula] [--format F]",
    .summary = WORDS("Explain a command; 'help scenario' explains scenario files",
                     "명령에 대한 설명. 'help scenario'는 시나리오 파일의 형식입니다"),
    .details = WORDS("attnscope help scenario   how to write a scenario\n"
                     "attnscope help formula    how to write a formula\n"
                     "  --format F     print the help in another format:\n"
                     "@formats\n",
                     "attnscope help scenario   시나리오를 직접 쓰는 방법\n"
                     "attnscope help formula    수식을 쓰는 방법\n"
                     "  --format F     다른 형식의 설명:\n"
                     "@formats\n"),
    .lists = lists,
    .options = "format",
    .words = "scenario formula",
    .names = APP_NAMES_COMMAND,
    .formats = ""
#define HELP_FORMAT(x, ...) #x " "
#include "help_formats.def"
#undef HELP_FORMAT
    ,
    .run = run,
};

// --- attnscope list and attnscope glossary: what there is to look at, and the terms of the field.

// --- list

static int list_scenarios(const AppOptions *options)
{
    Error err = {.text = ""};
    ScenarioList list;
    (void)options;
    if (!scenario_list_open(&list, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int width = 0;
    for (int i = 0; i < list.count; i++)
        width = utf8_width(list.entries[i].name) > width ? utf8_width(list.entries[i].name) : width;
    for (int i = 0; i < list.count; i++) {
        const ScenarioEntry *entry = &list.entries[i];
        printf("%s%*s  %-3s  %s\n", entry->name, width - utf8_width(entry->name), "",
               entry->document ? entry->document : "-", entry->about ? entry->about : "");
    }
    scenario_list_close(&list);
    return APP_DONE;
}

// A lecture of somebody's own may be half written: what is wrong takes the place of its line.
static bool print_lecture(const LectureEntry *entry, bool is_own, Error *err)
{
    enum { COLUMNS = 24 };
    Lecture lecture;
    bool good = lecture_open(&lecture, entry->name, entry->folder, language_written(), err);
    const char *name = is_own ? entry->folder : entry->name;
    int gap = COLUMNS - utf8_width(name);
    if (good || (is_own && !err->of_machine))
        printf("%s%*s %s\n", name, gap > 0 ? gap : 0, "", good ? lecture.about : err->text);
    lecture_finish(&lecture);
    return good || (is_own && !err->of_machine);
}

static int list_lectures(const AppOptions *options)
{
    Error err = {.text = ""};
    LectureList list;
    (void)options;
    bool good = lecture_list_open(&list, &err);
    int known = list.count;
    good = good && lecture_list_add_own(&list, &err);
    for (int i = 0; good && i < list.count; i++)
        good = print_lecture(&list.entries[i], i >= known, &err);
    lecture_list_close(&list);
    return good ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}

static int list_exercises(const AppOptions *options)
{
    return app_exercise_list(options);
}

// A line for each mistake of the bank.
static int list_mistakes(const AppOptions *options)
{
    (void)options;
    Language language = language_now();
    int width = 0;
    for (int i = 0; mistake_get(i); i++)
        width = utf8_width(mistake_get(i)->name) > width ? utf8_width(mistake_get(i)->name) : width;
    for (int i = 0; mistake_get(i); i++)
        printf("%-*s  %s\n", width, mistake_get(i)->name, mistake_get(i)->words[language].title);
    return APP_DONE;
}

// --- names alone, one a line: for other programs

static bool name_scenarios(Error *err)
{
    ScenarioList list;
    bool good = scenario_list_open(&list, err);
    for (int i = 0; good && i < list.count; i++)
        puts(list.entries[i].name);
    scenario_list_close(&list);
    return good;
}

static bool name_lectures(Error *err)
{
    LectureList list;
    bool good = lecture_list_open(&list, err);
    for (int i = 0; good && i < list.count; i++)
        puts(list.entries[i].name);
    lecture_list_close(&list);
    return good;
}

static bool name_exercises(Error *err)
{
    static ExerciseList list; // large
    bool good = exercise_list_open(&list, LANGUAGE_ENGLISH, err);
    for (int i = 0; good && i < list.count; i++)
        puts(list.exercises[i].name);
    exercise_list_close(&list);
    return good;
}

static bool name_mistakes(Error *err)
{
    (void)err;
    for (int i = 0; mistake_get(i); i++)
        puts(mistake_get(i)->name);
    return true;
}

// --- the command

typedef struct Kind {
    const char *name;
    int (*list)(const AppOptions *options);
    bool (*name_all)(Error *err);
} Kind;

static const Kind kinds[] = {
    {"scenarios", list_scenarios, name_scenarios},
    {"lectures", list_lectures, name_lectures},
    {"exercises", list_exercises, name_exercises},
    {"mistakes", list_mistakes, name_mistakes},
};

// The first for NULL; NULL after a sentence.
static const Kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!name || strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    app_fail(APP_MISUSED, TELL(LIST_KNOWS), name);
    return NULL;
}

static int list_run(AppOptions *options)
{
    const Kind *kind = find_kind(options->argument_count > 0 ? options->arguments[0] : NULL);
    const char *format = options->format ? options->format : "text";
    if (!kind)
        return APP_MISUSED;
    if (strcmp(format, "text") == 0)
        return kind->list(options);
    if (strcmp(format, "names") != 0)
        return app_fail(APP_MISUSED, TELL(FORMAT_TEXT_NAMES), format);
    Error err = {.text = ""};
    return kind->name_all(&err) ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}

const AppCommand command_list = {
    .name = "list",
    .arguments = "[scenarios|lectures|exercises [--dir DIR]|mistakes] [--lang en|ko] "
                 "[--format names]",
    .summary = WORDS("List the scenarios, lectures, exercises or mistakes",
                     "시나리오, 강의, 연습문제, 실수의 목록"),
    .details = WORDS(
        "A scenario: name, document, what it shows. A lecture: name, subject. An exercise:\n"
        "name, points, your progress; \u25b8 marks the current one. A mistake: name, what it is.\n"
        "  --dir DIR      your workspace [the current one]\n"
        "  --format names only the names, one per line, for scripts\n",
        "시나리오: 이름, 문서, 무엇을 보여 주는지. 강의: 이름, 무엇에 대한 것인지. 연습문제:\n"
        "이름, 점수, 어디까지 했는지. ▸는 지금 할 연습문제입니다. 실수: 이름, 무엇인지.\n"
        "  --dir DIR      작업 폴더 [지금 있는 곳]\n"
        "  --format names 이름만 한 줄에 하나씩, 프로그램용\n"),
    .options = "dir lang format",
    .words = "scenarios lectures exercises mistakes",
    .formats = "text names",
    .run = list_run,
};

// --- glossary

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
    return APP_DONE;
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
    return APP_DONE;
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

static int glossary_run(AppOptions *options)
{
    char name[TERM_BYTES];
    if (options->argument_count == 0)
        return list_all();
    const GlossaryTerm *term = glossary_find(asked(options, name));
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
    .run = glossary_run,
};
