# The card: partitions in a row, their table, and what goes with the image. Sourced by image/build.
# shellcheck shell=bash

front_mib=40 slot_mib=96 root_mib=448 witness_mib=512 data_mib=64
# Partitions begin at whole MiB; each logical one has a MiB before it for its own table.

# Appends a partition: number, type, what fills it, MiB. `at` is where the next one begins.
place() {
    echo "$1 : start=$((at * 2048)), size=$(($4 * 2048)), type=$2" >>"$work/partitions"
    [ -z "$3" ] || dd if="$3" of="$image" bs=1M seek="$at" conv=notrunc,sparse status=none
    at=$((at + $4))
}

make_disk() {
    local at=4 inside
    inside=$((2 * root_mib + witness_mib + data_mib + 4))
    truncate -s "$((at + front_mib + 2 * slot_mib + inside))M" "$image"
    printf 'label: dos\nlabel-id: 0x504f5a4f\n' >"$work/partitions"
    place 1 c "$work/boot.fat" "$front_mib"
    place 2 c "$work/boot-a.fat" "$slot_mib"
    place 3 c "$work/boot-b.fat" "$slot_mib"
    echo "4 : start=$((at * 2048)), size=$((inside * 2048)), type=5" >>"$work/partitions"
    at=$((at + 1)) && place 5 83 "$work/root.ext4" "$root_mib"
    at=$((at + 1)) && place 6 83 "$work/root.ext4" "$root_mib"
    at=$((at + 1)) && place 7 83 "$work/witness.ext4" "$witness_mib"
    at=$((at + 1)) && place 8 83 "$work/data.ext4" "$data_mib"
    sfdisk --quiet --wipe never --wipe-partitions never "$image" <"$work/partitions"
}

# Compressed, with the map of its blocks for bmaptool, and the checksums of both and of what is inside.
pack_image() {
    local name=${image##*/}
    bmaptool create "$image" -o "$image.bmap"
    zstd --quiet --force -10 --long=27 -T2 "$image" -o "$image.zst"
    (cd "${image%/*}" && sha256sum "$name" "$name.zst" "$name.bmap" "${name%.img}.update" >"$name.sha256")
}

# The same slot as an update for tables that have a card already.
make_update() {
    PYTHONPATH=. "$builder/bin/python" -m controller update make --boot "$work/boot-a.fat" --root "$work/root.ext4" \
        --version "$version" --built "$SOURCE_DATE_EPOCH" --key "$key" --out "${image%.img}.update"
}
