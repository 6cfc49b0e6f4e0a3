// help_zsh: completion of words in zsh.
#include "help_format.h"

static const char begin[] =
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

static const char end[] =
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

static void print(const HelpPage *page, FILE *out)
{
    (void)page;
    fputs(begin, out);
    help_shell_cases(out);
    fputs(middle, out);
    for (int i = 0; app_command(i); i++)
        put_described(app_command(i), out);
    fputs(end, out);
}

const HelpFormat help_zsh = {.name = "zsh", .has_pages = false, .print = print};
