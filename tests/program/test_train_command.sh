#!/bin/sh
# attnscope train as a person uses it, and the weights that are shipped: test_train_command.sh
# ATTNSCOPE SCENARIOS/heads.yaml prints TAP.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scenarios=$(cd "$(dirname "$2")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

explain() {
    cat said
}

# says CODE TEXT ARGUMENTS...: train ends with that code and says that text.
says() {
    wanted=$1 text=$2 code=0
    shift 2
    "$program" train "$@" >said 2>&1 || code=$?
    [ "$code" = "$wanted" ] && grep -qF -- "$text" said
}

# How often the text stands in what was said, wherever its lines end.
count() {
    tr '\n' ' ' <said | grep -oF -- "$1" | wc -l
}

# What was killed when its first checkpoint was there ends as what was not. A training that ended before
# it could be killed has nothing to go on from, and must be equal too.
killed_and_continued() {
    "$program" train --steps 400 --out killed.safetensors >said 2>&1 &
    training=$!
    while [ ! -e killed.safetensors.part.safetensors ] && kill -0 "$training" 2>/dev/null; do :; done
    kill -KILL "$training" 2>/dev/null || true
    wait "$training" 2>/dev/null || true
    "$program" train --steps 400 --out killed.safetensors >said 2>&1 &&
        cmp killed.safetensors whole.safetensors >>said 2>&1 &&
        [ ! -e killed.safetensors.part.safetensors ]
}

# The weights of a step that broke off are kept, and the exit code says so.
breaks_off() {
    says 1 'scores has an infinite number or NaN' --rate 1e9 --steps 50 --out broken.safetensors &&
        grep -qF 'the weights before that step are in broken.safetensors' said
}

# The recipe is the program's own: what it makes is what lies beside the scenarios, bit by bit.
makes_the_shipped_weights() {
    says 0 'Each question has its own head (*), and fails without it.' --seed 0 --out made.safetensors &&
        cmp made.safetensors "$scenarios/trained-seed-0.safetensors" >>said 2>&1
}

# So are those of the Korean sentence.
makes_the_korean_weights() {
    says 0 'Each question has its own head (*), and fails without it.' sentence-korean --seed 0 --out korean.safetensors &&
        cmp korean.safetensors "$scenarios/trained-korean-seed-0.safetensors" >>said 2>&1 &&
        says 0 'Some questions share their strongest head (*).' sentence-korean --overlap 0 --decay 0 --seed 6 --out shared.safetensors &&
        cmp shared.safetensors "$scenarios/plain-korean-seed-6.safetensors" >>said 2>&1
}

# And those of two layers, one of whose heads looks back and one at what came after.
makes_the_weights_of_two_layers() {
    for of in ${ATTNSCOPE_LONG:+induction} memory; do
        says 0 'Two heads make the answer together.' "$of" --seed 0 --out "$of.safetensors" &&
            cmp "$of.safetensors" "$scenarios/trained-$of-seed-0.safetensors" >>said 2>&1 || return 1
    done
}

# Every seed makes the mechanism.
ten_seeds_make_the_mechanism() {
    for of in induction memory-korean; do
        for seed in 1 2 3 4 5 6 7 8 9 500; do
            says 0 'Two heads make the answer together.' "$of" --seed "$seed" || return 1
        done
    done
}

compares_layers() {
    says 0 'layers 1 ' induction --compare 'layers 1' --steps 2 &&
        [ "$(count 'takes two heads in two layers')" = 2 ] &&
        says 0 'heads 2 ' induction --compare 'heads 1' --steps 2 &&
        says 0 'mask none ' memory --compare 'mask none' --steps 2 &&
        says 0 'position none ' memory --compare 'position none' --steps 2 &&
        says 2 '--compare must be layers N, heads N, mask none, scale none or position none' memory --compare 'overlap none' &&
        says 2 "--compare must be overlap none, scale none" --compare 'layers 2'
}

# He, in head 2, gives Jungkook nearly all of its weight.
looks_at_jungkook() {
    "$program" heatmap sentence-trained --head 2 --csv maps.csv >said 2>&1
    awk -F , 'NR > 1 && $2 == 5 { exit !($4 > 0.99) }' maps.csv
}

unknown_word() {
    ! "$program" print sentence-trained --text 'Jungkook is a rapper.' >said 2>&1 &&
        grep -qF -- "text:1:15: 'rapper' is not one of the 41 words of this model: - Jungkook Jimin" said
}

# The recipe and what differs from it in one thing: both tell what they know after each told step; before
# the first there is no loss.
compares() {
    says 0 'scale none        loss ' --compare 'scale none' --steps 2 --threads 1 &&
        [ "$(grep -c '^the recipe ' said)" = 2 ] && [ "$(grep -c '   loss ' said)" = 2 ] &&
        [ "$(grep '^the recipe .*loss' said)" != "$(grep '^scale none .*loss' said | sed 's/^scale none/the recipe/')" ]
}

# At the end both sides tell their strongest heads, question by question, and a verdict each.
compares_heads() {
    says 0 "The largest weight of a row is averaged" --compare 'heads 1' --steps 2 --threads 1 &&
        [ "$(grep -cE '^  (who|before|mark) +right 0\.[0-9]+   head [0-2]\* puts ' said)" = 6 ] &&
        [ "$(grep -c '^Not learned' said)" = 2 ] && [ "$(count 'Wait until every question')" = 1 ] &&
        [ "$(count 'One head does the work of all three questions.')" = 1 ] &&
        grep -qF 'and 3 if all three use one head' said && grep -qF ' + 15.0000' said
}

# The page of the lecture where jobs mix: without the cost of sharing, seed 2 shares.
shares_without_its_cost() {
    says 0 'Some questions share their strongest head (*).' --overlap 0 --decay 0 --seed 2 --out shared.safetensors &&
        cmp shared.safetensors "$scenarios/plain-seed-2.safetensors" >>said 2>&1 &&
        ! grep -q -e 'The number after the +' -e ' + [0-9]' said
}

# What sharing costs would be all that this optimizer learns.
sgd_pays_nothing() {
    says 0 'weight on the answer' --optimizer sgd --steps 1 --threads 1 && ! grep -q 'The number after the +' said
}

# With one head all three questions hear it: an overlap of 3, whatever the weights are, times 5.
cost_is_told() {
    says 0 ' + 15.0000   right:' --heads 1 --steps 1 --threads 1 && grep -q 'The number after the + is a penalty' said
}

# What is different in the other one is that it pays nothing.
compares_without_its_cost() {
    says 0 'overlap none      loss ' --compare 'overlap none' --steps 1 --threads 1 &&
        grep -q '^the recipe .* + ' said && ! grep -q '^overlap none .* + ' said
}

# The command that is told opens what was written, with the learner's words.
tells_what_opens() {
    says 0 'Wrote the 6.npz' --heads 6 --steps 1 --threads 1 --out 'the 6.npz' &&
        command=$(grep '^  attnscope trace heads ' said | sed 's/^  attnscope trace/print/') && [ "$command" ] &&
        eval "\"\$program\" $command --text 'Lisa is kind .' --tensor attn_weights" >said 2>&1 && grep -q '1, 6, 4, 4' said
}

# So does the one that open tells of such a file.
open_tells_what_opens() {
    "$program" open --heads 6 'the 6.npz' >said 2>&1 && ! grep -q Whisper said &&
        command=$(grep '^  attnscope trace heads ' said | sed 's/^  attnscope trace/print/') && [ "$command" ] &&
        eval "\"\$program\" $command --tensor attn_weights" >said 2>&1 && grep -q '5, 6, 14, 14' said
}

# Of two layers, too: they are not another model with these names.
open_tells_layers() {
    says 0 'Wrote two.npz' memory --steps 1 --threads 1 --out two.npz && "$program" open two.npz >said 2>&1 &&
        ! grep -q Whisper said && grep -q '2 layers trained by attnscope train' said &&
        command=$(grep '^  attnscope trace induction ' said | sed 's/^  attnscope trace induction/print memory/') &&
        [ "$command" ] && eval "\"\$program\" $command --tensor layer1.attn_weights" >said 2>&1
}

same_as_heads() {
    says 0 'weight on the answer' heads --steps 3 --threads 1 --out named.npz &&
        says 0 'weight on the answer' --steps 3 --threads 1 --out unnamed.npz && cmp named.npz unnamed.npz
}

# Its weights are not there before, and its shape is another one: 6 heads of 4, no positions, no scale.
sed -e 's/trained-seed-0/own/' -e 's/d_model: 48/d_model: 24/' -e 's/heads: 3/heads: 6/' \
    -e 's/position: sinusoidal/position: none/' -e 's/mask: key_padding/&\n  scale: none/' \
    -e '/^  asked:/,/words: \[He/d' "$scenarios/heads.yaml" >own.yaml
sed 's/Jungkook, Jimin/Jimin, Jungkook/' "$scenarios/heads.yaml" >word.yaml
trains_its_own() {
    says 0 'head 5' own.yaml --steps 3 --threads 1 --out own.safetensors &&
        "$program" print own.yaml --tensor attn_weights >said 2>&1 && grep -q '5, 6, 14, 14' said &&
        says 0 'step 3 ' own.yaml --steps 3 --threads 1 --set model.heads=2
}

# One step teaches nothing: on weights that are nearly alike no head is anybody's.
unlearned() {
    says 0 'Not learned (below 0.98 right): who ' --steps 1 --threads 1 &&
        ! grep -q -e 'Each question has' -e 'Some questions share' said
}

check 'what is not learned is said, and no verdict on heads' unlearned
check 'two trainings stand beside each other' compares
check 'and tell which head answers what' compares_heads
check 'and without what sharing a head costs' compares_without_its_cost
check 'what sharing costs is told beside the loss' cost_is_told
check 'what opens the weights is told' tells_what_opens
check 'open tells it, too' open_tells_what_opens
check 'and what opens several layers' open_tells_layers
check 'what differs is known' says 2 "--compare must be overlap none, scale none, position none or heads N, not 'heads x'" --compare 'heads x'
check 'a comparison keeps no weights' says 2 '--compare does not save weights' --compare 'heads 1' --out x.npz
check 'a run that breaks off is told, and the other goes on' says 0 'stopped: step 2: the loss is infinite or NaN' --compare 'heads 1' --rate 1000 --steps 3
check 'the shipped weights are made again' makes_the_shipped_weights
check 'and those of two layers' makes_the_weights_of_two_layers
# Whole trainings, which go the same way with other words and seeds.
if [ -n "${ATTNSCOPE_LONG:-}" ]; then
    check 'and those of the Korean sentence' makes_the_korean_weights
    check 'without the cost of sharing heads share, from the seed of which the lecture tells' shares_without_its_cost
    check 'ten of ten seeds make the mechanism' ten_seeds_make_the_mechanism
fi
check 'layers, masks and places stand beside each other, too' compares_layers
check 'texts that repeat have one question' says 2 'texts that repeat have one question' induction --overlap 1
check 'in the trained sentence He looks at Jungkook' looks_at_jungkook
check 'a word that the layer does not know is refused with those it knows' unknown_word
check 'a training says which head does what' says 0 'weight on the answer' --steps 400 --out whole.safetensors
check 'a killed training goes on to the same bits' killed_and_continued
check 'a learning rate that is too large has words' breaks_off
check 'steps are a number' says 2 "--steps must be a whole number from 0 to 1000000, not 'many'" --steps many
check 'what an overlap costs is a number' says 2 "--overlap must be a number from 0 to 1000000, not 'much'" --overlap much
check 'and a whole one' says 2 "--steps must be a whole number from 0 to 1000000, not '2.5'" --steps 2.5
check 'heads divide the width' says 2 'width 48 is not divisible by 5 heads' --heads 5
check 'in a comparison, too' says 2 'width 48 is not divisible by 5 heads' --compare 'heads 5'
check 'a layer has one head at least' says 2 "--heads must be a whole number from 1 to 16, not '0'" --heads 0
check 'a rate is above 0' says 2 "--rate must be a number above 0, up to 1000000000, not '0'" --rate 0
check 'and not below' says 2 "--rate must be a number above 0, up to 1000000000, not '-1'" --rate=-1
check 'a scenario without a target is told what it lacks' says 1 'causal has no questions, so there is nothing to learn' causal
check 'and so is a question that has no answer' says 1 "heads has the question 'what', but" heads --set 'model.questions=[what]'
check 'and a part that does not learn' says 1 'remove attention.rope' heads --set attention.rope=100
check 'and a bias' says 1 'heads has q_proj.bias' heads --set model.qkv_bias=true
check 'and another word' says 1 "word 2 of model.vocabulary_words must be 'Jungkook'" word.yaml
check 'and another scale' says 1 'divides scores by sqrt_d_k or not at all' heads --set attention.scale=2
check 'an option that changes a scenario needs one' says 1 'needs a scenario to change' --set model.heads=4
check 'the scenario of the shipped weights is the recipe' same_as_heads
check 'a scenario of the own is trained and opened' trains_its_own
# Whoever waits for a training learns at once that its weights have no place.
no_place() {
    says 1 'cannot write none/w.npz: No such file or directory' --steps 3 --out none/w.npz && ! grep -q 'step 0' said &&
        says 1 'w.st: the name must end in .npz or .safetensors' --steps 3 --out w.st && ! grep -q 'step 0' said
}

# A file that is in the place of a checkpoint.
no_checkpoint() {
    echo none >other.npz.part.safetensors
    says 1 'cannot continue from other.npz.part.safetensors (remove it to start again): ' --steps 3 --out other.npz
}

check 'a checkpoint that is none is told with what to do' no_checkpoint
check 'a file that cannot be written is told before the first step' no_place
check 'another optimizer has the plain recipe' sgd_pays_nothing
check 'an optimizer is known' says 2 "--optimizer must be adam or sgd, not 'rmsprop'" --optimizer rmsprop
echo "1..$checks"
