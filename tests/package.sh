#!/bin/sh
# The package for Debian and the container for graders, made and used where nothing else is:
# package.sh [SUITE]
#
# An empty Debian comes from tests/fresh.sh, which also says when there can be none; in it runs
# tests/packaged.sh. The last line counts what held.
exec sh "$(dirname -- "$0")/fresh.sh" "${1:-}" root sh tests/packaged.sh
