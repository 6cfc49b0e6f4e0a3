#!/bin/sh
# Completion of words in the shells that are here, each asked as a person would: test_completion.sh
# ATTNSCOPE prints TAP.
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
PATH=$(cd "$(dirname "$1")" && pwd):$PATH
export PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir -p "home/classes" "a class/of two"
: >own.yaml
HOME=$scratch/home
export HOME
found=

explain() {
    printf '%s\n' "$found"
}

# offers LINE WORD...: for a line that ends where the cursor stands, these are among what is offered.
offers() {
    found=$(ask "$1")
    shift
    for word; do
        printf '%s\n' "$found" | grep -qxF -- "$word" || return 1
    done
}

offers_only() {
    found=$(ask "$1")
    [ "$found" = "$2" ]
}

nothing_said() {
    [ ! -s "$scratch/err" ]
}

# What is asked of every shell; `ask LINE` prints what it offers, a line each.
ask_everything() {
    check "$shell: the commands" offers 'attnscope ' walk trace print heatmap grade list help
    check "$shell: one that has begun" offers_only 'attnscope heatm' heatmap
    check "$shell: behind a language" offers_only 'attnscope --lang ko heatm' heatmap
    check "$shell: scenarios" offers 'attnscope print ' causal padded-batch
    check "$shell: a file of one's own" offers 'attnscope trace own' own.yaml
    check "$shell: lectures" offers_only 'attnscope walk 02' 02-scaled-dot-product
    check "$shell: exercises" offers 'attnscope check ' pad score all
    check "$shell: the options of a command" offers 'attnscope print --' --stage --mistake --set --help
    check "$shell: no others" offers_only 'attnscope init --l' --lang
    check "$shell: mistakes" offers_only 'attnscope print causal --mistake scale-mis' scale-missing
    check "$shell: languages" offers_only 'attnscope walk --lang k' ko
    check "$shell: formats" offers 'attnscope grade . --format ' text json junit
    check "$shell: which differ" offers_only 'attnscope help --format f' fish
    check "$shell: its own words" offers_only 'attnscope list mis' mistakes
    check "$shell: commands, for help" offers_only 'attnscope help heatm' heatmap
    check "$shell: no complaints" nothing_said
}

if command -v bash >/dev/null; then
    shell=bash
    attnscope help --format bash >completion.bash
    ask() {
        # shellcheck disable=SC2016 # the inner shell's
        bash --norc -c '. ./completion.bash
            read -ra COMP_WORDS <<<"$1"
            [[ $1 != *" " ]] || COMP_WORDS+=("")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _attnscope attnscope "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf "%s\n" "${COMPREPLY[@]}"' bash "$1" 2>>err
    }
    ask_everything
    check "bash: folders, blanks included" offers 'attnscope grade a' 'a class'
    # readline takes --option=value for three words
    check "bash: an option with =" offers_only 'attnscope print causal --mistake = scale-mis' scale-missing
fi

if command -v fish >/dev/null; then
    shell=fish
    attnscope help --format fish >completion.fish
    ask() {
        fish --no-config -c "source completion.fish; complete -C '$1'" 2>>err | cut -f 1
    }
    ask_everything
    check "fish: an option with =" offers_only 'attnscope print causal --mistake=scale-mis' --mistake=scale-missing
    check "fish: a file behind =" offers_only 'attnscope heatmap causal --png=ow' --png=own.yaml
fi

if command -v zsh >/dev/null; then
    shell=zsh
    mkdir functions
    attnscope help --format zsh >functions/_attnscope
    # A terminal of its own; what would be inserted or listed is printed instead.
    cat >ask.zsh <<'END_OF_ZSH'
zmodload zsh/zpty
zpty inner zsh -f -i
say() { zpty -w inner "$1" }
say 'unset zle_bracketed_paste; PROMPT=; stty -echo; fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -d $PWD/dump'
say 'compadd() {
    local -a offered
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
    builtin compadd -A offered "$@"
    (( ${#offered} == 0 )) || print -rl -- ${(q)offered[@]/#/offered:} >>$PWD/offered
    builtin compadd "$@"
}'
say 'done-asking() { print -r "the ""end"; zle kill-buffer }; zle -N done-asking; bindkey "^X" done-asking'
zpty -w -n inner "$1"$'\t\x18'
zpty -r inner said '*the end*'
zpty -d inner
END_OF_ZSH
    ask() {
        : >offered
        timeout 60 zsh -f ask.zsh "$1" >>err 2>&1
        sed 's/^offered://; s/\\//g' offered | sort -u
    }
    ask_everything
fi

[ $checks -gt 0 ] || skip "neither bash, zsh nor fish is here: CI=true sh bootstrap.sh test installs them"
echo "1..$checks"
