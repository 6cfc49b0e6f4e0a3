#!/bin/sh
# Builds and uses the Debian package and the container for graders on an empty system: package.sh [SUITE]
#
# tests/release/fresh.sh provides an empty Debian, or says why it cannot; tests/release/packaged.sh runs in it. The last line
# counts the results.
exec sh "$(dirname -- "$0")/fresh.sh" "${1:-}" root sh tests/release/packaged.sh
