// The list of commands, and attnscope help: help pages, manual pages, and shell completion, all from the tables of --help.
#include <string.h>
#include "app.h"
#include "app_words.def"
#include "scenario_file.h"
#include "shown_name.h"
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

// --- the list of commands

static const AppCommand *const commands[] = {
#define APP_COMMAND(name) &command_##name,
#include "app_commands.def"
#undef APP_COMMAND
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

const AppCommand *app_command(int number)
{
    return number >= 0 && number < COMMAND_COUNT ? commands[number] : NULL;
}

const AppCommand *app_find(const char *name)
{
    const char *names[COMMAND_COUNT + 1] = {NULL};
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i]->name;
        if (strcmp(names[i], name) == 0)
            return commands[i];
    }
    const char *meant = nearest_word(name, names);
    if (meant)
        app_fail(APP_MISUSED, TELL(NO_COMMAND_MEANT), name, meant);
    else
        app_fail(APP_MISUSED, TELL(NO_COMMAND), name);
    return NULL;
}

// Groups and commands: a row is a group's title, or a command.
static const struct {
    Words title;
    const AppCommand *command;
} rows[] = {
#define APP_GROUP(english, korean) {WORDS(english, korean), NULL},
#define APP_COMMAND(name) {WORDS("", ""), &command_##name},
#include "app_commands.def"
#undef APP_COMMAND
};

static void put_words(const char *words, FILE *out)
{
    char text[1024];
    app_put_lines(words_format(text, sizeof text, "%s", words), out);
}

void app_print_help(bool all, FILE *out)
{
    const char *title = NULL;
    fprintf(out, "attnscope: %s\n", TELL(ABOUT));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const AppCommand *command = rows[i].command;
        if (!command) {
            title = words_tell(rows[i].title);
        } else if (all || command->is_first) {
            if (title)
                fprintf(out, "\n%s\n", title);
            title = NULL;
            app_print_lines(out, "  attnscope %-8s  %s\n", command->name,
                            words_tell(command->summary));
        }
    }
    if (!all)
        put_words(TELL(HELP_ALL_COMMANDS), out);
    put_words(TELL(HELP_TELLS), out);
}

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

// --- completion
//
// At each Tab, a shell's script asks `attnscope help --format words -- WORD...` what may stand in place of the last word:
// a line each, of a command with a tab and its summary; /files and /folders stand for those.

static const char bash_script[] =
    "# Completion for attnscope in bash: attnscope help --format bash\n"
    "_attnscope() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} line kind\n"
    "    [ \"$word\" != = ] || word= # bash takes --option=value for three words\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r line _; do\n"
    "        case $line in\n"
    "        /files | /folders)\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            [ \"$line\" = /files ] && kind=\"file\" || kind=directory\n"
    "            while IFS= read -r line; do\n"
    "                COMPREPLY+=(\"$line\")\n"
    "            done < <(compgen -A \"$kind\" -- \"$word\")\n"
    "            ;;\n"
    "        \"$word\"*) COMPREPLY+=(\"$line\") ;;\n"
    "        esac\n"
    "    done < <(\"$1\" help --format words -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _attnscope attnscope\n";

static const char zsh_script[] =
    "#compdef attnscope\n"
    "# Completion for attnscope in zsh: attnscope help --format zsh\n"
    "_attnscope() {\n"
    "    local line\n"
    "    local -a commands own asked=(\"${(@)words[2,CURRENT-1]}\")\n"
    "    # --option=value is one word here\n"
    "    if [[ $PREFIX == --*=* ]]; then\n"
    "        asked+=(\"${PREFIX%%=*}\")\n"
    "        compset -P '*='\n"
    "    fi\n"
    "    for line in \"${(@f)$(${words[1]} help --format words -- \"${asked[@]}\" \"$PREFIX\" "
    "2>/dev/null)}\"; do\n"
    "        case $line in\n"
    "        /files) _files ;;\n"
    "        /folders) _files -/ ;;\n"
    "        *$'\\t'*) commands+=(\"${line%%$'\\t'*}:${${line#*$'\\t'}//:/\\\\:}\") ;;\n"
    "        ?*) own+=(\"$line\") ;;\n"
    "        esac\n"
    "    done\n"
    "    [[ -z $commands ]] || _describe -t commands 'command' commands\n"
    "    compadd -- \"${own[@]}\"\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _attnscope ]; then\n"
    "    _attnscope \"$@\"\n"
    "else\n"
    "    compdef _attnscope attnscope\n"
    "fi\n";

static const char fish_script[] =
    "# Completion for attnscope in fish: attnscope help --format fish\n"
    "function __attnscope\n"
    "    set -l word (commandline -ct)\n"
    "    set -l option (string match -r -- '^--[^=]*=' $word)\n"
    "    test -n \"$option\" && set word (string split -m 1 -- = $word)\n"
    "    for line in (attnscope help --format words -- (commandline -opc)[2..] $word 2>/dev/null)\n"
    "        switch $line\n"
    "            case /files\n"
    "                string replace -r '^' -- \"$option\" (__fish_complete_path \"$word[-1]\")\n"
    "            case /folders\n"
    "                string replace -r '^' -- \"$option\" (__fish_complete_directories "
    "\"$word[-1]\")\n"
    "            case '*'\n"
    "                printf '%s\\n' \"$option$line\"\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c attnscope -f -a '(__attnscope)'\n";

static void put_each(const char *words)
{
    for (int length; words && *words; words += length + strspn(words + length, " ")) {
        length = (int)strcspn(words, " ");
        printf("%.*s\n", length, words);
    }
}

static void put_names(unsigned names)
{
    for (int i = 0; (names & APP_NAMES_COMMAND) && app_command(i); i++)
        printf("%s\t%s\n", app_command(i)->name, words_tell(app_command(i)->summary));
    app_list_names(names);
    if (names & APP_NAMES_FILE)
        puts("/files");
    if (names & APP_NAMES_FOLDER)
        puts("/folders");
}

// The command's options; without one, those of the program.
static void put_options(const AppCommand *command)
{
    put_each(command ? "" : "--help --version --lang");
    for (int i = 0; command && app_option(i); i++)
        if (app_option_fits(app_option(i), command))
            printf("--%s\n", app_option(i)->name);
}

// Sets the command among the words; false: there is none yet. NULL: an unknown one.
static bool find_command(char *const words[], int count, const AppCommand **command)
{
    *command = NULL;
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], "--lang") == 0)
            i++;
        else if (words[i][0] != '-') {
            for (int c = 0; app_command(c); c++)
                if (strcmp(app_command(c)->name, words[i]) == 0)
                    *command = app_command(c);
            return true;
        }
    }
    return false;
}

// The option that wants a value after these words, or NULL; "=" may stand between.
static const AppOption *open_option(char *const words[], int count)
{
    count -= count > 0 && strcmp(words[count - 1], "=") == 0;
    const char *last = count > 0 ? words[count - 1] : "";
    for (int i = 0; app_option(i) && strncmp(last, "--", 2) == 0; i++)
        if (strcmp(app_option(i)->name, last + 2) == 0 && app_option_has_value(app_option(i)))
            return app_option(i);
    return NULL;
}

static void complete(char *const words[], int count)
{
    static const AppCommand none = {.names = APP_NAMES_COMMAND}, unknown = {.name = ""};
    const AppCommand *command;
    const char *last = count > 0 ? words[count - 1] : "";
    bool is_begun = find_command(words, count - 1, &command);
    const AppOption *option = open_option(words, strcmp(last, "=") == 0 ? count : count - 1);
    if (option) {
        bool is_format = strcmp(option->name, "format") == 0 && command;
        put_each(is_format ? command->formats : option->words);
        put_names(option->names);
    } else if (*last == '-') {
        put_options(command);
    } else {
        command = command ? command : is_begun ? &unknown : &none;
        put_each(command->words);
        put_names(command->names);
    }
}

// --- formats

static const struct {
    const char *name, *script; // NULL: a manual page
} formats[] = {
#define HELP_FORMAT(x, script, ...) {#x, script},
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
        app_put_lines(words_tell(page->topic->text), stdout);
    else if (page->command)
        app_print_command_help(page->command, stdout);
    else
        app_print_help(true, stdout);
}

static int run(AppOptions *options)
{
    HelpPage page;
    if (options->format && strcmp(options->format, "words") == 0) {
        complete(options->arguments, options->argument_count);
        return APP_DONE;
    }
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
    if (formats[form].script && (page.command || page.topic))
        return app_fail(APP_MISUSED, TELL(HELP_ALL), options->format, options->format);
    if (formats[form].script)
        fputs(formats[form].script, stdout);
    else
        man_print(&page, stdout);
    return APP_DONE;
}

static const Words forms[] = {
#define HELP_FORMAT(x, script, english, korean) WORDS(#x "\n" english, #x "\n" korean),
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
