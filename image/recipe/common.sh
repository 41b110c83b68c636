# Shared by the parts of image/build: where things lie, how a step is told and how it fails. Sourced, never run.
# shellcheck shell=bash disable=SC2034  # the other parts read these

suite=trixie
python=python3.13
triplet=aarch64-linux-gnu
# Seconds: what Debian's package scripts make new in the root is as old as this, in every build.
debian_time=1760000000

# Kept between builds; a build's own work lies in a folder beside it that is gone at the end.
cache=${POZO_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pozo}/image

export LC_ALL=C TZ=UTC PATH=$PATH:/usr/sbin:/sbin

fail() {
    echo "image: $*" >&2
    exit 1
}

step() { printf '%5d s  %s\n' "$SECONDS" "$*"; }

# What a file or folder depends on, as one name: another content makes another name.
digest_of() { cat "$@" | sha256sum | cut -c1-16; }
