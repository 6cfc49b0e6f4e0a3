#!/bin/sh
# Builds the Debian package of this source: sh assets/packaging/debian.sh [FOLDER]
#
# attnscope_VERSION_ARCHITECTURE.deb is put into FOLDER, or into the current one. dpkg-buildpackage
# wants the folder `debian` at the top of a source; here it gets a copy of this source that is so, in a
# folder of its own. What building takes: apt-get install dpkg-dev, and
# apt-get build-dep ./assets/packaging
set -eu
out=$(CDPATH='' cd -- "${1:-.}" && pwd)
CDPATH='' cd -- "$(dirname -- "$0")/../.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM

# Changes that are not committed belong to it; what was built does not.
mkdir "$place/attnscope"
if git -C . ls-files --error-unmatch meson.build >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$place/attnscope"
    commit=$(git describe --always --dirty --abbrev=12 --exclude='*')
else
    tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$place/attnscope"
    commit=unknown
fi
cd "$place/attnscope"
cp -R assets/packaging/debian debian
echo "$commit" >debian/commit

dpkg-buildpackage --build=binary --no-sign >&2
cp ../attnscope_*.deb "$out"
