# Debian's packages: which mirror, which versions. Sourced by image/build.
#
# The mirror is the one of the machine that builds. What is taken is pinned in image/packages.txt, version by version: a
# mirror that would give another one stops the build, and `image/build --pin` writes down what it gives now.
# shellcheck shell=bash

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Prints sources for the image's Debian, on this machine's own mirrors.
sources() {
    local mirror security
    # shellcheck disable=SC2016  # apt's own fields, not the shell's
    mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 == "Debian" && $2 !~ /security/ {print $2; exit}')
    # shellcheck disable=SC2016
    security=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 == "Debian" && $2 ~ /security/ {print $2; exit}')
    [ -n "$mirror" ] || fail "apt of this machine names no Debian mirror: run apt-get update, or mend its sources"
    local from="[signed-by=$keyring]"
    echo "deb $from $mirror $suite main non-free-firmware"
    echo "deb $from $mirror $suite-updates main"
    echo "deb $from $mirror $suite-backports main"
    [ -z "$security" ] || echo "deb $from $security $suite-security main"
}

# A view of the image's Debian beside the machine's own packages; its lists are fetched anew.
prepare_apt() {
    local apt=$cache/apt
    here=$(dpkg --print-architecture)
    mkdir -p "$apt"/{lists,none,debs}/partial
    : >"$apt/status"
    sources >"$apt/sources.list"
    cat >"$apt/apt.conf" <<EOF
Dir::State::Lists "$apt/lists";
Dir::State::Status "$apt/status";
Dir::Cache "$apt";
Dir::Cache::archives "$apt/debs";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "$apt/none";
Dir::Etc::PreferencesParts "$apt/none";
APT::Architecture "arm64";
APT::Architectures { "arm64"; "$here"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
EOF
    export APT_CONFIG=$apt/apt.conf
    apt-get update -qq
}

# The kernel's version is part of its packages' names: Debian's newest of the backports, which carry gpio-sim and the Pi 5.
newest_kernel() {
    apt-cache depends "linux-image-arm64/$suite-backports" |
        awk '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ {sub("linux-image-", "", $2); print $2; exit}'
}

# Fetches packages that are taken apart, not installed, into a folder; what is in the cache is not fetched again.
fetch() { # FOLDER PACKAGES
    local folder=$1 name
    shift
    mkdir -p "$folder"
    apt-get download --print-uris -qq "$@" >"$work/uris"
    for name in $(awk '{print $2}' "$work/uris"); do
        [ -e "$cache/apt/debs/$name" ] || {
            (cd "$cache/apt/debs" && apt-get download -qq "$@")
            break
        }
    done
    for name in $(awk '{print $2}' "$work/uris"); do ln -s "$cache/apt/debs/$name" "$folder/$name"; done
}

# The kernel and what goes with it, their versions noted for the pins; and for this machine's processor the image's own
# Python and mke2fs: Debian 12's mke2fs keeps the times of the build.
fetch_parts() {
    kernel=$(newest_kernel)
    [ -n "$kernel" ] || fail "Debian's $suite-backports have no linux-image-arm64"
    fetch "$work/parts" "linux-base-$kernel" "linux-binary-$kernel" "linux-modules-$kernel" raspi-firmware \
        busybox-static "lib$python-dev"
    local part
    for part in "$work"/parts/*.deb; do
        dpkg-deb -W --showformat '${Package}=${Version}\n' "$part"
    done | sort >"$work/parts.txt"
    local native=("$python-minimal" libc6 libexpat1 zlib1g e2fsprogs libext2fs2t64 libcom-err2 libblkid1 libuuid1)
    fetch "$work/native" "${native[@]/%/:$here}"
}

# Compares what would go into the image with what is pinned (F102).
check_pins() {
    sort -u "$1" "$work/parts.txt" >"$work/packages.txt"
    if [ -n "$pin" ]; then
        cp "$work/packages.txt" image/packages.txt
    elif ! diff -u image/packages.txt "$work/packages.txt" >"$work/pins.diff"; then
        cat "$work/pins.diff" >&2
        fail "Debian gives other versions than image/packages.txt pins (above). Read what changed, then run
image/build --pin, run image/emulate with the result, and commit image/packages.txt"
    fi
}
