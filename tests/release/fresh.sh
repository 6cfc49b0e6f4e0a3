#!/bin/sh
# An empty Debian like a newcomer's machine: fresh.sh [SUITE] [user|root] [COMMAND...]
#
# debootstrap creates it in a folder below TMPDIR, from the mirror of this machine's apt, or from
# ATTNSCOPE_MIRROR. SUITE is a release (bookworm, trixie) [this machine's]. COMMAND [tests/release/newcomer.sh] runs
# as root, or as an ordinary user with sudo, in a clone of the commit; the folder has a space and Korean
# letters in its name. The last line and the exit status are those of COMMAND.
#
# If this machine cannot create such a root, the script prints the reason and "0 passed, 0 failed, 1
# skipped". Mounts and processes have their own namespaces, which end with this script, so removing the folder
# cannot touch this machine.
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/../.."

skip() {
    echo "fresh: skipped: $*" >&2
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

# shellcheck source=/dev/null
[ -r /etc/os-release ] && here=$(. /etc/os-release && echo "${VERSION_CODENAME:-}") || here=
suite=${1:-$here}
person=${2:-user}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
[ $# -gt 0 ] || set -- sh tests/release/newcomer.sh
case $person in
user | root) ;;
*)
    echo "fresh: the person is user or root, not $person: tests/release/fresh.sh [SUITE] [user|root] [COMMAND...]" >&2
    exit 2
    ;;
esac

# Where apt would look for the lists of a release: the names of its sources stand nowhere here.
source_of() {
    apt-get --print-uris update 2>/dev/null | sed -n "s|^'\(.*\)/dists/$1/InRelease' .*|\1|p" | head -n 1
}

[ "$(id -u)" = 0 ] || skip "only root can make an empty root: sudo sh tests/release/fresh.sh"
for tool in debootstrap unshare git; do
    command -v "$tool" >/dev/null ||
        skip "$tool is not here: apt-get install debootstrap util-linux git"
done
[ -n "$suite" ] || skip "this is no Debian: name a release, as in tests/release/fresh.sh trixie"
unshare --mount --pid --fork true 2>/dev/null || skip "this machine lets nobody mount (unshare says no)"
mirror=${ATTNSCOPE_MIRROR:-$(source_of "$here")}
[ -n "$mirror" ] || skip "apt names no mirror of Debian here: set ATTNSCOPE_MIRROR to one"

place=$(mktemp -d)
root=$place/root
inside=
trap '[ -z "$inside" ] || kill -9 "$inside" || true; wait; rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM

# Runs a command in namespaces of its own. Not in the foreground: there a signal would have to wait for it.
# In the background two signals are ignored, which nobody's tests expect.
apart() {
    unshare --mount --pid --fork --kill-child --mount-proc env --default-signal "$@" </dev/null &
    inside=$!
    status=0
    wait "$inside" || status=$?
    inside=
    return "$status"
}

# The way to the mirror is that of apt here, proxies too.
apt-config dump | grep -E '^Acquire::(http|https|ftp|Retries|Check-)' >"$place/apt.conf" || true
eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
export http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}"

mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/90here" # nothing of it has to outlast a power cut
echo "fresh: an empty $suite from the mirror of apt"
apart debootstrap --variant=minbase --include=ca-certificates,sudo "$suite" "$root" "$mirror" >"$place/log" 2>&1 ||
    skip "debootstrap made no $suite: $(tail -n 1 "$place/log")"
cp "$place/apt.conf" "$root/etc/apt/apt.conf.d/90here"
security=$(source_of "$here-security")
[ -z "$security" ] || echo "deb $security $suite-security main" >>"$root/etc/apt/sources.list"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true

home=/root
if [ "$person" = user ]; then
    home=/home/newcomer
    chroot "$root" useradd --create-home --shell /bin/bash newcomer
    echo 'newcomer ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/newcomer"
fi
folder="$home/어텐션 보기/attnscope"
mkdir -p "$root$folder"
git -c safe.directory='*' clone --quiet --no-hardlinks . "$root$folder"
[ "$person" = root ] || chroot "$root" chown -R newcomer: "$home"

# In the new namespaces: the root becomes /, with devices, processes and terminals of its own.
cat >"$place/enter" <<'END'
set -eu
root=$1 person=$2 folder=$3
shift 3
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
for device in null zero full random urandom tty; do
    touch "dev/$device"
    mount --bind "/dev/$device" "dev/$device"
done
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s fd/0 dev/stdin
ln -s fd/1 dev/stdout
ln -s fd/2 dev/stderr
mkdir -p old
pivot_root . old
umount -l /old
rmdir /old
cd "$folder"
export HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
[ "$person" = root ] || set -- sudo -u newcomer -H "$@"
exec "$@"
END
apart env -i PATH="$PATH" TERM=xterm sh "$place/enter" "$root" "$person" "$folder" "$@"
