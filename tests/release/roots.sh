# shellcheck shell=sh
# Shared by packaged.sh and platformed.sh: makes roots from this empty Debian, and runs container files line
# by line. Source it after tests/helpers/tap.sh.
scratch=$(mktemp -d)
: >"$scratch/failed" # a line for each check that does not hold
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

explain() {
    tail -n 15 "$scratch/out"
    echo failed >>"$scratch/failed"
}

runs() {
    "$@" >"$scratch/out" 2>&1
}

says() {
    grep -qF -- "$1" "$scratch/out"
}

# The last two lines, and whether all held.
count_all() {
    failed=$(wc -l <"$scratch/failed")
    echo "1..$checks"
    echo "$((checks - failed)) passed, $failed failed"
    [ "$failed" = 0 ]
}

# keep_empty: from now on new_root copies this Debian as it is here.
keep_empty() {
    apt-get update >"$scratch/out" 2>&1
    tar -C / --one-file-system --exclude=./root --exclude=./tmp/* -cf "$scratch/empty.tar" .
}

# build_package: the package, at $package. What is said on the way stays in build.log.
build_package() {
    check "what building takes can be installed" runs apt-get install -y --no-install-recommends dpkg-dev git lintian
    check "and is named by the package" runs apt-get build-dep -y --no-install-recommends ./assets/packaging
    mkdir "$scratch/built"
    check "the package is built" runs sh assets/packaging/debian.sh "$scratch/built"
    package=$(find "$scratch/built" -name '*.deb')
    cp "$scratch/out" "$scratch/build.log"
}

# new_root FOLDER: a copy of the empty Debian, with its own devices and processes.
new_root() {
    mkdir -p "$1/root"
    tar -C "$1" -xf "$scratch/empty.tar"
    mount --rbind /dev "$1/dev"
    mount -t proc proc "$1/proc"
}

# in_root FOLDER USER COMMAND...: there, as root or somebody else.
in_root() {
    root=$1
    person=$2
    home=/tmp/$person
    [ "$person" != root ] || home=/root
    shift 2
    runs chroot --userspec="$person" "$root" /usr/bin/env -i PATH="$PATH" HOME="$home" LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}

# --- a container: each line of its file that does something

root_of() {
    echo "$built-$1"
}

# copy WORDS: what the words of a COPY name, from the context or from the first stage.
copy() {
    to=$root${1##* }
    from=${1% *}
    base=$context
    case $from in
    --from=*)
        from=${from#* /}
        base=$(root_of 1)
        ;;
    esac
    # shellcheck disable=SC2086 # a pattern may stand there
    for one in $(cd "$base" && echo $from); do
        if [ -d "$base/$one" ]; then
            mkdir -p "$to"
            cp -a "$base/$one/." "$to"
        else
            mkdir -p "${to%/*}"
            cp -a "$base/$one" "$to"
        fi
    done
}

# A line of the file: its first word, and the rest.
follow() {
    word=$1
    rest=$2
    root=$(root_of "$stage")
    case $word in
    FROM)
        stage=$((stage + 1))
        user=root
        new_root "$(root_of "$stage")"
        ;;
    COPY) copy "$rest" ;;
    RUN) check "RUN $rest" in_root "$root" "$user" sh -c "$rest" ;;
    USER) user=$rest ;;
    ENV) variables=$rest ;;
    WORKDIR) folder=$rest ;;
    ENTRYPOINT | CMD) words="$words $(echo "$rest" | tr -d '[],"')" ;;
    esac
}

# containerfile FILE CONTEXT BUILT: its stages are the roots BUILT-1, BUILT-2 and so on; the last is $root. $stage
# is how many there are, $user, $variables, $folder and $words what the file says.
containerfile() {
    context=$2
    built=$3
    stage=0
    user=root
    words=
    variables=
    folder=/
    sed -e :again -e '/\\$/N; s/\\\n *//; t again' "$1" | grep -v '^ *\(#\|$\)' >"$scratch/lines"
    while read -r word rest; do
        follow "$word" "$rest"
    done <"$scratch/lines"
    root=$(root_of "$stage")
}
