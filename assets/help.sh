#!/bin/sh
# Writes the manual pages and what shells need: help.sh ATTNSCOPE LANGUAGE FOLDER COMMAND...
# What shells need is the same in every language: it is written once, with the English pages.
set -eu
attnscope=$1
language=$2
folder=$3
shift 3
if [ "$language" = en ]; then
    "$attnscope" help --format bash >"$folder/attnscope"
    "$attnscope" help --format zsh >"$folder/_attnscope"
    "$attnscope" help --format fish >"$folder/attnscope.fish"
fi
"$attnscope" help --lang "$language" --format man >"$folder/attnscope.1"
"$attnscope" help scenario --lang "$language" --format man >"$folder/attnscope-scenario.5"
for command; do
    "$attnscope" help "$command" --lang "$language" --format man >"$folder/attnscope-$command.1"
done
