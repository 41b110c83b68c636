# Debian's part of the read-only root, made once for one list of versions and kept. Sourced by image/build.
# shellcheck shell=bash

# No recommended packages, no service that nobody asked for: no dbus, no getty on a port, no unattended upgrade.
packages=(
    systemd-sysv udev kmod util-linux fdisk e2fsprogs dosfstools procps iproute2
    systemd-timesyncd systemd-resolved openssh-server tzdata passwd
    python3 libusb-1.0-0
)

# One list of versions, one recipe: one name, whatever commit of the project it is built for.
kept_rootfs() { echo "$cache/rootfs-$(digest_of image/packages.txt image/recipe/rootfs.sh image/recipe/slow).tar"; }

unpack_debian() {
    SOURCE_DATE_EPOCH=$debian_time mmdebstrap --quiet --mode="$([ "$(id -u)" = 0 ] && echo root || echo unshare)" --architectures=arm64 \
        --variant=essential --include="$(
            IFS=,
            echo "${packages[*]}"
        )" --skip=output/dev \
        --aptopt='APT::Install-Recommends "false"' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' \
        --dpkgopt='path-exclude=/usr/share/lintian/*' --dpkgopt='path-exclude=/usr/lib/udev/hwdb.d/*' \
        --essential-hook='image/recipe/slow hold "$1"' --customize-hook='image/recipe/slow release "$1"' \
        "$suite" "$1" "$cache/apt/sources.list"
}

make_rootfs() {
    local made=$work/rootfs.tar
    if [ -n "$pin" ] || [ ! -e "$(kept_rootfs)" ]; then
        unpack_debian "$made" 2>"$work/debian.log" || fail "Debian cannot be unpacked: $(tail -n 20 "$work/debian.log")"
    else
        made=$(kept_rootfs)
    fi
    mkdir -p "$work/root"
    tar -C "$work/root" --numeric-owner -xpf "$made"
    # shellcheck disable=SC2016  # dpkg's own fields
    dpkg-query --admindir="$work/root/var/lib/dpkg" -W --showformat '${Package}=${Version}\n' >"$work/installed.txt"
    check_pins "$work/installed.txt"
    [ "$made" = "$(kept_rootfs)" ] || mv "$made" "$(kept_rootfs)"
}
