#!/bin/sh
# Writes the manual pages and what shells need: help.sh ATTNSCOPE FOLDER COMMAND...
set -eu
attnscope=$1
folder=$2
shift 2
"$attnscope" help --format bash >"$folder/attnscope"
"$attnscope" help --format zsh >"$folder/_attnscope"
"$attnscope" help --format fish >"$folder/attnscope.fish"
"$attnscope" help --format man >"$folder/attnscope.1"
"$attnscope" help scenario --format man >"$folder/attnscope-scenario.5"
for command; do
    "$attnscope" help "$command" --format man >"$folder/attnscope-$command.1"
done
