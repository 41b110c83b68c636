#!/usr/bin/env bash
# Installs Pozo on Raspberry Pi OS or Debian from this checkout; run again, it installs what has changed since.
#
#   sudo systemd/install.sh [--board pi|pi5|none] [--release-key FILE] [--root DIR]
#   sudo systemd/install.sh --uninstall [--root DIR]      the journal, the witness and the configuration stay
#
# --board         which libraries of pins; without it the machine is asked. none: no pins, for a simulated board.
# --release-key   the builder's private key, which signs the list of what was installed. Without it a key is made for this
#                 installation alone and thrown away once it has signed.
# --root          the file system to install into, from inside which this script is run again (chroot).
#
# The table must be stopped. What is installed is pinned, hash by hash (image/requirements).
set -euo pipefail
cd "$(dirname "$0")/.."

releases=/opt/pozo-releases units=/etc/systemd/system boot=/boot/firmware masked=/etc/pozo/masked
mark="pozo: written by systemd/install.sh, taken out by --uninstall"

say() { printf '%s\n' "$*"; }
refuse() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}
live() { [ -d /run/systemd/system ]; }

main() {
    local action=install board="" key="" root=""
    while [ $# -gt 0 ]; do
        case $1 in
            --uninstall) action=uninstall ;;
            --board) board=${2:?--board needs pi, pi5 or none} && shift ;;
            --release-key) key=${2:?--release-key needs a file} && shift ;;
            --root) root=${2:?--root needs a directory} && shift ;;
            *) sed -n '2,12s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
        esac
        shift
    done
    [ "$(id -u)" = 0 ] || refuse "run it as root: sudo systemd/install.sh"
    if [ -n "$root" ]; then
        inside "$root" "$action" "$board" "$key"
        return
    fi
    if live && systemctl is-active --quiet pozo-table.service; then
        refuse "the table runs. Close it, then: systemctl stop pozo.target"
    fi
    "$action" "$board" "$key"
}

# The same in another root: the checkout is copied in for the time it takes.
inside() { # ROOT ACTION BOARD KEY
    local here="$1/root/pozo-checkout" words=()
    # shellcheck disable=SC2064  # what it is now: the copy may hold a private key, and goes however this ends
    trap "rm -rf '$here'" EXIT
    rm -rf "$here" && mkdir -p "$here"
    tar --exclude=./.venv --exclude=./.git --exclude='*/__pycache__' -cf - . | tar -C "$here" -xf -
    [ "$2" = uninstall ] && words+=(--uninstall)
    [ -n "$3" ] && words+=(--board "$3")
    if [ -n "$4" ]; then
        command install -m 0600 "$4" "$here/release.key"
        words+=(--release-key release.key)
    fi
    local ended=0
    # /proc for systemd's own tools, seen by nobody else and gone with them.
    unshare --mount --propagation private sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' \
        "$1" /root/pozo-checkout/systemd/install.sh "${words[@]}" || ended=$?
    return "$ended"
}

install() { # BOARD KEY
    local board=${1:-$(board_of_machine)} release
    case $board in
        pi | pi5) lock=$board ;;
        none) lock=table ;;
        *) refuse "--board $board: it is pi (Raspberry Pi 3, 4, Zero 2 W), pi5 or none" ;;
    esac
    packages "$board"
    python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' ||
        refuse "Pozo needs Python 3.11, 3.12 or 3.13; this is $(python3 --version)"
    release=$releases/$(identity "$lock")
    if [ -e "$release/complete" ]; then
        say "the program is there already: $release"
    else
        program "$release" "$lock" "$2"
    fi
    switch "$release"
    system
    [ ! -e "$boot/config.txt" ] || firmware
    say "installed: $(/opt/pozo/bin/pozo --version), in /opt/pozo"
    say "next: edit $boot/pozo/table.toml, then: systemctl start pozo.target. The table's screen says the rest"
}

board_of_machine() {
    case $(tr -d '\0' </proc/device-tree/model 2>/dev/null) in
        *"Raspberry Pi 5"* | *"Compute Module 5"*) echo pi5 ;;
        *"Raspberry Pi"*) echo pi ;;
        *) refuse "this is no Raspberry Pi: say --board pi, pi5 or none" ;;
    esac
}

packages() { # BOARD
    local wanted=(python3-venv) missing=() each
    # RPi.GPIO and evdev come as sources; lgpio has no wheel for 3.13.
    [ "$1" = none ] || wanted+=(gcc libc6-dev linux-libc-dev python3-dev swig)
    for each in "${wanted[@]}"; do
        dpkg-query -W -f '${Status}' "$each" 2>/dev/null | grep -q '^install ok installed' || missing+=("$each")
    done
    [ ${#missing[@]} = 0 ] && return
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# What a release consists of: the same sources and pins give the same name.
identity() { # LOCK
    find hal controller config pyproject.toml README.md image/requirements -type f \
        ! -name '*.pyc' ! -name '*.mo' -print0 | sort -z | xargs -0 sha256sum | sha256sum |
        cut -c1-12 | sed "s/\$/-$1/"
}

program() { # RELEASE LOCK KEY
    local pip=("$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile)
    say "installing into $1"
    rm -rf "$1" && mkdir -p "$1"
    python3 -m venv "$1"
    export PYPI=1 # lgpio builds its C part from the registry's source only when told so
    "${pip[@]}" --require-hashes -r image/requirements/build.txt
    "${pip[@]}" --require-hashes --no-build-isolation -r "image/requirements/$2.txt"
    "${pip[@]}" --no-deps --no-build-isolation --no-index .
    sign "$1" "$3"
    chmod -R go-w,a+rX "$1"
    sync -f "$1"
    touch "$1/complete"
    sync -f "$1"
}

sign() { # RELEASE KEY
    local pair
    pair=$(mktemp -d)
    "$1/bin/pozo" manifest key --out "$pair/new" >/dev/null
    if [ -n "$2" ]; then
        "$1/bin/pozo" manifest make --key "$2" --out "$1/manifest.json" >"$pair/said"
        printf 'pozo-public-key ed25519 %s\n' "$(grep -oE '[0-9a-f]{64}$' "$pair/said")" >"$1/release.pub"
    else
        "$1/bin/pozo" manifest make --key "$pair/new/release.key" --out "$1/manifest.json" >/dev/null
        cp "$pair/new/release.pub" "$1/release.pub"
    fi
    rm -rf "$pair"
}

# One step from the old program to the new one; the old one stays beside it, those before it go.
switch() { # RELEASE
    local before="" each
    [ -L /opt/pozo ] && before=$(readlink -f /opt/pozo)
    [ -e /opt/pozo ] && [ ! -L /opt/pozo ] && refuse "/opt/pozo is a directory: move it away first"
    ln -sfn "$1" /opt/pozo.new && mv -T /opt/pozo.new /opt/pozo
    mkdir -p /usr/lib/pozo /etc/pozo
    ln -sfn /opt/pozo/manifest.json /usr/lib/pozo/manifest.json
    ln -sfn /opt/pozo/release.pub /etc/pozo/release.pub
    for each in "$releases"/*; do
        case $each in "$1" | "$before") ;; *) rm -rf "$each" ;; esac
    done
}

unit_files() {
    (cd systemd && printf '%s\n' *.service *.timer *.target *.mount *.path)
}

system() {
    local each
    for each in $(unit_files); do
        command install -m 0644 "systemd/$each" "$units/$each"
    done
    command install -D -m 0644 systemd/sysusers.d/pozo.conf /etc/sysusers.d/pozo.conf
    command install -D -m 0644 systemd/tmpfiles.d/pozo.conf /etc/tmpfiles.d/pozo.conf
    command install -D -m 0644 systemd/modules-load.d/pozo.conf /etc/modules-load.d/pozo.conf
    command install -D -m 0644 systemd/udev/60-pozo.rules /etc/udev/rules.d/60-pozo.rules
    command install -D -m 0755 systemd/pozo /usr/local/sbin/pozo
    systemd-sysusers pozo.conf
    systemd-tmpfiles --create pozo.conf
    systemctl --quiet enable pozo.target pozo-table.service pozo-backup.timer pozo-errand-backup.path
    # A table changes when a person updates it, and at no other time (F102).
    mask apt-daily.timer apt-daily-upgrade.timer unattended-upgrades.service
    mkdir -p "$boot/pozo"
    [ -e "$boot/pozo/table.toml" ] || cp config/table.toml "$boot/pozo/table.toml"
    if live; then
        systemctl daemon-reload
        udevadm control --reload && udevadm trigger --subsystem-match=gpio --subsystem-match=i2c-dev
        modprobe i2c-dev || say "no module i2c-dev: the croupier's screen needs it"
    fi
}

# The header's own UART for the sign, I2C for the screen, and no console that would talk to either (F164). Only on a
# Raspberry Pi's boot partition: another machine's serial port may be its only way in, and so may a Pi 5's own connector.
firmware() {
    local header='console=(serial0|ttyAMA0|ttyS0)(,[^ ]*)?( |$)'
    if ! grep -qF "$mark" "$boot/config.txt"; then
        [ -z "$(tail -c1 "$boot/config.txt")" ] || echo >>"$boot/config.txt"
        printf '# %s\n[all]\ndtparam=i2c_arm=on\nenable_uart=1\ndtoverlay=disable-bt\n# %s, end\n' \
            "$mark" "$mark" >>"$boot/config.txt"
    fi
    if [ -e "$boot/cmdline.txt" ] && grep -qE "$header" "$boot/cmdline.txt"; then
        cp "$boot/cmdline.txt" "$boot/cmdline.txt.before-pozo"
        sed -E "s/$header//g" "$boot/cmdline.txt.before-pozo" >"$boot/cmdline.txt"
    fi
    mask serial-getty@ttyAMA0.service serial-getty@ttyS0.service serial-getty@serial0.service
}

# What somebody else has masked stays masked when this is taken out again.
mask() { # UNITS
    local each
    for each in "$@"; do
        [ "$(readlink "$units/$each")" != /dev/null ] || continue
        systemctl --quiet mask "$each"
        echo "$each" >>"$masked"
    done
}

uninstall() { # BOARD KEY, of no use here
    local each
    if live; then
        systemctl stop pozo.target || say "pozo.target was not loaded"
    fi
    for each in $(unit_files); do
        [ -e "$units/$each" ] || continue
        systemctl --quiet disable "$each" 2>/dev/null || say "$each was not enabled"
        rm -f "$units/$each"
    done
    rm -f /etc/sysusers.d/pozo.conf /etc/tmpfiles.d/pozo.conf /etc/modules-load.d/pozo.conf \
        /etc/udev/rules.d/60-pozo.rules /usr/lib/pozo/manifest.json /etc/pozo/release.pub /usr/local/sbin/pozo
    rm -rf /opt/pozo "$releases"
    if [ -e "$masked" ]; then
        xargs systemctl --quiet unmask <"$masked"
        rm "$masked"
    fi
    rmdir --ignore-fail-on-non-empty /usr/lib/pozo /etc/pozo 2>/dev/null || say "there was no program"
    if [ -e "$boot/config.txt" ]; then
        sed -i "\|^# $mark\$|,\|^# $mark, end\$|d" "$boot/config.txt"
    fi
    if [ -e "$boot/cmdline.txt.before-pozo" ]; then
        mv "$boot/cmdline.txt.before-pozo" "$boot/cmdline.txt"
    fi
    live && systemctl daemon-reload
    say "uninstalled. Kept: /var/lib/pozo (journal, keys, persons), /var/lib/pozo-witness, $boot/pozo, the users pozo*"
}

main "$@"
