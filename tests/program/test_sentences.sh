#!/bin/sh
# No sentence for a person outside of a table: test_sentences.sh SOURCE prints TAP. See sentences.py.
set -eu
exec python3 "$1/tests/program/sentences.py" "$1" "$1/tests/program/sentences.txt"
