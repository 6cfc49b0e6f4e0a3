#!/bin/sh
# Functions that read variables before setting them: test_unset.sh ATTNSCOPE LESSONS prints TAP.
#
# Each function divides by something that is never, or not always, set. None makes a known mistake, so none may be
# named; the reported line is the one that reads the value.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
lessons=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own_places

explain() {
    cat "$scratch/out"
}

# hand_in NAME DIVISOR: scale.c with the lines of standard input first, from line 5 on, which divides by DIVISOR.
hand_in() {
    mkdir -p "$scratch/class/$1"
    {
        printf '#include "attnscope.h"\n#include <stdlib.h>\n'
        printf 'void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)\n{\n'
        cat
        echo '    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)'
        echo '        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)'
        echo '            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)'
        echo '                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)'
        echo '                    *tensor_at4(scores_scaled, b, h, i, j) ='
        echo "                        *tensor_at4(scores, b, h, i, j) / ($2);"
        echo '}'
    } >"$scratch/class/$1/scale.c"
}

hand_in scalar divisor <<'END'
    float divisor;
    if (d_k == 9999)
        divisor = 1;
END
hand_in branch divisor <<'END'
    float divisor;
    if (d_k > 4)
        divisor = sqrtf((float)d_k);
END
hand_in sum divisor <<'END'
    float divisor;
    for (int k = 0; k < 1; k++)
        divisor += sqrtf((float)d_k);
END
hand_in array 'part[j % 8]' <<'END'
    float part[8];
    part[0] = sqrtf((float)d_k);
END
hand_in heap 'part[0] + part[2000 + j]' <<'END'
    float *part = malloc(4000 * sizeof *part);
    part[0] = sqrtf((float)d_k);
END
hand_in right '(is_set ? divisor : 1) + row[j]' <<'END'
    float divisor, *row = malloc(sizeof *row * (size_t)scores->shape[3]);
    int is_set = 0;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
        row[j] = 0;
    if (d_k > 0)
        divisor = sqrtf((float)d_k), is_set = 1;
END
hand_in unwritten 'sqrtf((float)d_k)' <<'END'
    (void)malloc;
END
sed -i 's/ptrdiff_t j = 0/ptrdiff_t j = 1/' "$scratch/class/unwritten/scale.c"
hand_in kept divisor <<'END'
    static float divisor;
    divisor += sqrtf((float)d_k);
END
hand_in mistaken '(float)d_k' <<'END'
    (void)malloc;
END

# why NAME: what is said of it.
why() {
    sed -n "s/^$1  scale: //p" "$scratch/out"
}
runs='two runs with the same inputs gave different numbers: '
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    export CC="$compiler"
    check "$compiler: all are judged" try 0 grade "$scratch/class" scale --lang en --journal none
    check "$compiler: a variable that a branch sets" \
        [ "$(why scalar)" = "${runs}line 13 reads \`divisor\` before it is set" ]
    check "$compiler: one that is set for some inputs" \
        [ "$(why branch)" = "${runs}line 13 reads \`divisor\` before it is set" ]
    check "$compiler: a sum without a beginning" \
        [ "$(why sum)" = "${runs}line 7 reads \`divisor\` before it is set" ]
    for name in array heap; do
        check "$compiler: $name: the rest of it is not set" sh -c 'case $0 in "$1"*) ;; *) exit 1 ;; esac' \
            "$(why "$name")" "$runs"
    done
    check "$compiler: what is set whenever it is read" grep -qE '^right +10  10/10$' "$scratch/out"
    check "$compiler: has no remark" [ -z "$(why right)" ]
    check "$compiler: what is not written is told as that" [ "$(why unwritten)" = '30 of 150 numbers are never set' ]
    check "$compiler: what is kept is told as that" sh -c 'case $0 in "which calls came before"*) ;; *) exit 1 ;; esac' \
        "$(why kept)"
    check "$compiler: a mistake is still named" sh -c 'case $0 in scale-by-d-k:*) ;; *) exit 1 ;; esac' "$(why mistaken)"
done
export CC=gcc
"$attnscope" init "$scratch/work" --lang en >/dev/null
cp "$scratch/class/sum/scale.c" "$scratch/work/exercises/scale.c"
if command -v gcc >/dev/null; then
    check 'the learner is told' try 1 check scale --dir "$scratch/work" --lang en
    check 'what the compiler warns of' grep -q 'scale.c:7:.*\[-W.*uninitialized\]' "$scratch/out"
    check 'what that means' grep -q '"divisor" is read before it is set' "$scratch/out"
    check 'and why no number counts' grep -q 'two runs with the same inputs gave different numbers: line 7' "$scratch/out"
fi
echo "1..$checks"
