#!/bin/sh
# Uses each folder of `attnscope grade --init` like its platform does, on an empty system: platforms.sh [SUITE]
#
# tests/release/fresh.sh provides an empty Debian, or says why it cannot; tests/release/platformed.sh runs in it. The last line
# counts the results.
exec sh "$(dirname -- "$0")/fresh.sh" "${1:-}" root sh tests/release/platformed.sh
