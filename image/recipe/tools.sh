# What the build needs on a Debian machine, and the kernel's leave to run arm64 programs. Sourced by image/build.
# shellcheck shell=bash

declare -A tools=(
    [aarch64-linux-gnu-gcc]="gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
    [arch-test]=arch-test
    [bmaptool]=bmap-tools
    [cpio]=cpio
    [depmod]=kmod
    [dpkg-deb]=dpkg
    [dtc]=device-tree-compiler
    [mcopy]=mtools
    [mkfs.vfat]=dosfstools
    [mmdebstrap]=mmdebstrap
    [qemu-aarch64-static]=qemu-user-static
    [sfdisk]=fdisk
    [swig]=swig
    [xz]=xz-utils
    [zstd]=zstd
)

install_tools() {
    local tool packages=()
    for tool in "${!tools[@]}"; do
        command -v "$tool" >/dev/null || packages+=(${tools[$tool]})
    done
    python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv)
    [ ${#packages[@]} -gt 0 ] || return 0
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
}

# Some machines (containers among them) have neither the mount nor the entry that Debian's package would have made.
allow_arm64_programs() {
    local binfmt=/proc/sys/fs/binfmt_misc
    [ -e "$binfmt/register" ] || mount -t binfmt_misc binfmt_misc "$binfmt"
    [ -e "$binfmt/qemu-aarch64" ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >"$binfmt/register"
}
