// attnscope help: help pages, manual pages, and shell completion, all from the tables of --help.
#include <string.h>
#include "app.h"
#include "app_words.def"
#include "scenario_file.h"
#include "utf8.h"

// A topic of `attnscope help NAME` that is not a command.
typedef struct HelpTopic {
    const char *name; // "scenario"
    Words about;
    Words text; // whole lines
} HelpTopic;

// A page: of a command, of a topic, or if both are NULL of the program.
typedef struct HelpPage {
    const AppCommand *command;
    const HelpTopic *topic;
} HelpPage;

// --- topics, environment variables, completion

static const struct {
    const char *name;
    Words about;
} variables[] = {
    {"ATTNSCOPE_LANG",
     WORDS("the language, en or ko, instead of the locale's; --lang, before or after a command, "
           "overrides it",
           "로캘의 언어 대신 쓸 언어, en이나 ko. 명령 앞이나 뒤의 --lang이 먼저입니다")},
    {"ATTNSCOPE_ISA", WORDS("the kernels to use: plain, avx2, avx512 or neon, if the machine "
                            "supports them; the numbers stay the same",
                            "계산하는 커널: plain, avx2, avx512, neon 가운데 이 컴퓨터에 있는 것. "
                            "숫자는 그대로입니다")},
    {"ATTNSCOPE_SCALE",
     WORDS("the scale of windows, from 1 to 4", "창에 그리는 것을 몇 배로 할지: 1부터 4까지")},
    {"ATTNSCOPE_LESSONS",
     WORDS("the folder of lectures, exercises and scenarios, instead of the built-in one",
           "강의, 연습문제, 시나리오의 폴더. 프로그램의 것 대신 씁니다")},
    {"ATTNSCOPE_WORKERS",
     WORDS("the folder of the libraries that call learners' functions, instead of the built-in one",
           "학습자의 함수를 부르는 라이브러리의 폴더, 마찬가지로")},
    {"ATTNSCOPE_KEEPER",
     WORDS("the sandbox program for learners' functions, instead of the built-in one",
           "학습자의 함수를 가두는 프로그램, 마찬가지로")},
    {"ATTNSCOPE_WINDOW",
     WORDS("the program that draws windows and pictures, instead of the built-in one",
           "창과 그림을 그리는 프로그램, 마찬가지로")},
    {"ATTNSCOPE_PAPER", WORDS("the program that writes PDF, instead of the built-in one",
                              "PDF를 쓰는 프로그램, 마찬가지로")},
    {"CC", WORDS("the C compiler for exercises, with options: gcc -m64",
                 "학습자의 C를 컴파일할 컴파일러, 옵션까지: gcc -m64")},
    {"NO_COLOR", WORDS("turn off colours in the terminal", "터미널에 색을 쓰지 않습니다")},
    {"NO_MOUSE",
     WORDS("turn off the mouse in the terminal", "터미널의 마우스를 건드리지 않습니다")},
    {"XDG_STATE_HOME",
     WORDS("the parent of the folder attnscope with progress and input history [~/.local/state]",
           "진도와 입력한 명령을 그 안의 attnscope에 둡니다. 없으면 ~/.local/state입니다")},
    {"XDG_CACHE_HOME",
     WORDS("the parent of the folder attnscope with built programs [~/.cache]",
           "빌드한 프로그램을 그 안의 attnscope에 둡니다. 없으면 ~/.cache입니다")},
    {"TMPDIR", WORDS("the folder for temporary files", "파일을 잠시 두는 곳")},
};

enum { VARIABLES = sizeof variables / sizeof *variables };

// What a word may name: the kind for `attnscope list KIND --format names`; NULL for files and folders, which shells
// complete themselves.
static const struct {
    unsigned names;   // one of APP_NAMES_...
    const char *kind; // "scenarios"
} kinds[] = {
    {APP_NAMES_SCENARIO, "scenarios"},
    {APP_NAMES_LECTURE, "lectures"},
    {APP_NAMES_EXERCISE, "exercises"},
    {APP_NAMES_MISTAKE, "mistakes"},
    {APP_NAMES_FILE, NULL},
    {APP_NAMES_FOLDER, NULL},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

// The topics in order, NULL past the end.
static const HelpTopic *help_topic(int number)
{
    static HelpTopic topics[] = {
        {.name = "scenario",
         .about = WORDS("the format of scenario files", "시나리오 파일의 형식")},
        {.name = "formula", .about = WORDS("how formulas are written", "수식을 쓰는 법")},
    };
    topics[0].text = scenario_format; // generated, so not constants here
    topics[1].text = formula_grammar;
    return number < (int)(sizeof topics / sizeof *topics) ? &topics[number] : NULL;
}

// --- manual pages, with the macros of man(7)

enum { SOURCE_COLUMNS = 64 };

// Escapes a character for roff; non-ASCII letters by number, which man prints in every locale.
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

// Prints text; a full stop at the start of a line is escaped.
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

// The same without line breaks and indentation: roff fills lines itself.
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

// `name`: a page besides attnscope(1); NULL: that one.
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
    for (int i = 0; i < VARIABLES; i++) {
        fprintf(out, ".TP\n.B %s\n", variables[i].name);
        put_line(words_tell(variables[i].about), out);
    }
}

// ".TP" with an option of every command, its value in italics, and its description.
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

// --- shared by bash and zsh

// The kinds behind the bits: "scenarios files".
static void shell_put_names(unsigned names, FILE *out)
{
    const char *between = "";
    for (int i = 0; i < KINDS; i++) {
        if (!(names & kinds[i].names))
            continue;
        const char *own = kinds[i].names == APP_NAMES_FILE ? "files" : "folders";
        fprintf(out, "%s%s", between, kinds[i].kind ? kinds[i].kind : own);
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

// Two `case` statements for bash and zsh: they set `options`, `own` and `names` for the command in `command`, then for
// the option in `before`, if that takes a value.
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

// 'walk:a lecture next to the stepper'; a colon in a summary is escaped.
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

// --- fish

// Quotes for fish.
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

// The completions of these names, each as a `complete` command.
static void fish_put_names(unsigned names, const char *before, FILE *out)
{
    for (int i = 0; i < KINDS; i++) {
        if (!(names & kinds[i].names))
            continue;
        fputs(before, out);
        if (kinds[i].kind)
            fprintf(out, " -a '(attnscope list %s --format names)'\n", kinds[i].kind);
        else if (kinds[i].names == APP_NAMES_FILE)
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

// --- formats

static const struct {
    const char *name;
    bool has_pages; // false: one output for the whole program
    void (*print)(const HelpPage *page, FILE *out);
} formats[] = {
#define HELP_FORMAT(x, has_pages, ...) {#x, has_pages, x##_print},
#include "help_formats.def"
#undef HELP_FORMAT
};

enum { FORMATS = sizeof formats / sizeof *formats };

// Finds the page. Reports an unknown name and returns false.
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
    if (!options->format) {
        print_text(&page);
        return APP_DONE;
    }
    int form = 0;
    while (form < FORMATS && strcmp(formats[form].name, options->format) != 0)
        form++;
    if (form == FORMATS)
        return app_fail(APP_MISUSED, TELL(HELP_FORMAT), command_help.formats, options->format);
    if (!formats[form].has_pages && (page.command || page.topic))
        return app_fail(APP_MISUSED, TELL(HELP_ALL), options->format, options->format);
    formats[form].print(&page, stdout);
    return APP_DONE;
}

static const Words forms[] = {
#define HELP_FORMAT(x, has_pages, english, korean) WORDS(#x "\n" english, #x "\n" korean),
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
