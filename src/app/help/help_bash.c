// help_bash: completion of words in bash.
#include "help_format.h"

static const char begin[] =
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

static const char end[] =
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

static void print(const HelpPage *page, FILE *out)
{
    (void)page;
    fputs(begin, out);
    help_shell_cases(out);
    fputs(end, out);
}

const HelpFormat help_bash = {.name = "bash", .has_pages = false, .print = print};
