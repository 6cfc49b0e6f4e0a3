#!/bin/sh
# The folders that `attnscope grade --init` writes, each used as its platform uses it, where nothing else
# is: platforms.sh [SUITE]
#
# An empty Debian comes from tests/fresh.sh, which also says when there can be none; in it runs
# tests/platformed.sh. The last line counts what held.
exec sh "$(dirname -- "$0")/fresh.sh" "${1:-}" root sh tests/platformed.sh
