# The root made ready to be read-only, and the file systems of the card. Sourced by image/build.
# shellcheck shell=bash

units="pozo.target pozo-console.service pozo-backup.timer pozo-link@floor.service pozo-link@webhook.service
    pozo-link@folder.service pozo-link@mqtt.service pozo-again.timer pozo-ssh.service pozo-confirm.service
    pozo-update.service pozo-errand-update.path pozo-errand-backup.path systemd-networkd.service
    systemd-resolved.service systemd-timesyncd.service"
masked="getty@.service serial-getty@.service autovt@.service ssh.service ssh.socket sshd-unix-local.socket
    systemd-networkd-wait-online.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer
    e2scrub_all.timer e2scrub_reap.service systemd-update-done.service systemd-journal-catalog-update.service
    proc-sys-fs-binfmt_misc.automount proc-sys-fs-binfmt_misc.mount systemd-binfmt.service"

finish_root() {
    local root=$work/root unit
    install_units
    cp -r image/rootfs/. "$root/"
    in_image systemd-sysusers 2>"$work/sysusers.log"
    mkdir -p "$root"/{dev,data,boot/firmware,media/pozo}
    for unit in $masked; do ln -sf /dev/null "$root/etc/systemd/system/$unit"; done
    # shellcheck disable=SC2086  # a list
    systemctl --root="$root" --quiet enable $units
    echo pozo >"$root/etc/hostname"
    echo "127.0.0.1 localhost pozo" >"$root/etc/hosts"
    ln -sf /run/systemd/resolve/stub-resolv.conf "$root/etc/resolv.conf"
    write_release
    forget_identity
}

# The project's own units and what goes with them, as systemd/install.sh puts them on any Debian.
install_units() {
    local root=$work/root
    install -m 644 -D -t "$root/usr/lib/systemd/system" systemd/*.{service,target,timer,mount,path}
    install -m 644 -D -t "$root/usr/lib/sysusers.d" systemd/sysusers.d/*.conf
    install -m 644 -D -t "$root/usr/lib/tmpfiles.d" systemd/tmpfiles.d/*.conf
    install -m 644 -D -t "$root/usr/lib/modules-load.d" systemd/modules-load.d/*.conf
    install -m 644 -D -t "$root/usr/lib/udev/rules.d" systemd/udev/*.rules
    install -m 755 -D -t "$root/usr/local/sbin" systemd/pozo
}

# What this root is; the update compares it with what it is offered.
write_release() {
    cat >"$work/root/usr/lib/pozo/release.json" <<EOF
{"version":"$version","built":$SOURCE_DATE_EPOCH,"commit":"$commit","kernel":"$kernel"}
EOF
}

# No keys, no number of a machine, no password, no log: each table makes its own.
forget_identity() {
    local root=$work/root
    : >"$root/etc/machine-id"
    rm -rf "$root"/etc/ssh/ssh_host_* "$root"/var/lib/dbus "$root"/var/lib/systemd/random-seed \
        "$root"/var/cache/* "$root"/var/log/* "$root"/var/lib/apt "$root"/var/lib/dpkg/*-old "$root"/etc/*- \
        "$root"/etc/.pwd.lock "$root"/etc/.updated "$root"/var/.updated "$root"/tmp/* "$root"/run/* "$root"/root/.cache
    sed -i 's/^root:[^:]*:/root:!:/' "$root/etc/shadow"
}

# No later than the source's own time (Debian's files keep theirs), and read at no time at all.
settle_times() {
    find "$1" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    find "$1" -exec touch -h -a -d "@$SOURCE_DATE_EPOCH" {} +
}

# $1 file, $2 label, $3 UUID, $4 MiB, $5 folder.
make_ext4() {
    settle_times "$5"
    MKE2FS_CONFIG=$work/compiler/etc/mke2fs.conf "$loader" --library-path "$natives" \
        "$work/compiler/usr/sbin/mke2fs" -qF -t ext4 -L "$2" -U "$3" -m 0 -O ^metadata_csum_seed,^orphan_file \
        -E "hash_seed=$3,lazy_itable_init=0,lazy_journal_init=0" -d "$5" "$1" "${4}M" >/dev/null
}

# $1 file, $2 label, $3 number, $4 MiB, $5 folder.
make_fat() {
    find "$5" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    truncate -s "${4}M" "$1"
    mkfs.vfat -F 32 -s 1 -n "$2" -i "$3" --invariant "$1" >/dev/null
    mcopy -s -m -i "$1" "$5"/* ::/
}

make_slots() {
    local slot
    make_ext4 "$work/root.ext4" pozo-root 504f5a4f-0000-4000-8000-000000000001 "$root_mib" "$work/root"
    for slot in a b; do
        make_boot_files "$slot"
        make_fat "$work/boot-$slot.fat" "POZO-${slot^^}" "504f000${slot}" "$slot_mib" "$work/boot-$slot"
    done
    make_front_files
    make_fat "$work/boot.fat" POZO-BOOT 504f0001 "$front_mib" "$work/boot"
    mkdir -p "$work"/data/{pozo,pozo-console,ssh,timesync} "$work/witness"
    chown 900:900 "$work"/data/pozo "$work/witness"
    chown 901:901 "$work"/data/pozo-console
    chown --reference="$work/root/root" "$work"/data/{ssh,timesync}
    chmod 750 "$work"/data/{pozo,pozo-console} "$work/witness"
    chmod 700 "$work/data/ssh"
    make_ext4 "$work/data.ext4" pozo-data 504f5a4f-0000-4000-8000-000000000003 "$data_mib" "$work/data"
    make_ext4 "$work/witness.ext4" pozo-witness 504f5a4f-0000-4000-8000-000000000004 "$witness_mib" "$work/witness"
}
