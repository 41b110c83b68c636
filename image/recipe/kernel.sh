# The kernel, the modules a table can use, the first file system and the firmware's files. Sourced by image/build.
# shellcheck shell=bash

# What a table's board and an emulator are made of; what a module needs itself is found by its own record.
modules="
    fixed gpio-regulator clk-raspberrypi bcm2835-dma reset-raspberrypi reset-brcmstb reset-brcmstb-rescal
    sdhci-iproc bcm2835 sdhci-brcmstb sdhci-of-arasan mmc_block bcm2835_wdt bcm2835-rng iproc-rng200
    i2c-bcm2835 i2c-dev i2c-designware-platform spi-bcm2835 spi-bcm2835aux spidev raspberrypi-cpufreq
    bcm2835_thermal bcm2711_thermal pinctrl-rp1 rp1-pci clk-rp1 macb dwc2 dwc3
    xhci-plat-hcd xhci-pci genet broadcom bcm7xxx smsc95xx lan78xx microchip
    autofs4 ext4 vfat nls_ascii nls_cp437 nls_iso8859-1 nls_utf8 usb_storage uas sd_mod
    ftdi_sio pl2303 cp210x ch341 cdc-acm usblp usbhid hid-generic rtc-ds1307 nf_tables
    virtio_blk virtio_pci virtio_mmio virtio_net virtio_console virtio-rng gpio-sim i2c-tiny-usb i6300esb
"
# Of these, what must be there before the root is.
early="
    fixed gpio-regulator clk-raspberrypi bcm2835-dma reset-raspberrypi virtio_pci virtio_mmio virtio_blk virtio_console
    sdhci-iproc bcm2835 sdhci-brcmstb sdhci-of-arasan mmc_block ext4
"
boards="
    bcm2837-rpi-3-a-plus bcm2837-rpi-3-b bcm2837-rpi-3-b-plus bcm2837-rpi-zero-2-w
    bcm2711-rpi-4-b bcm2711-rpi-400 bcm2711-rpi-cm4-io bcm2712-rpi-5-b bcm2712-d-rpi-5-b
"

unpack_kernel() {
    tree=$work/kernel
    mkdir -p "$tree/usr/lib"
    local part
    for part in "$work"/parts/linux-*.deb "$work"/parts/raspi-firmware_*.deb "$work"/parts/busybox-static_*.deb; do
        dpkg-deb -x "$part" "$tree"
    done
    [ -e "$tree/lib" ] || ln -s usr/lib "$tree/lib"
    depmod -b "$tree" "$kernel"
}

# Prints the files of these modules and of all they need, in the order they load.
files_of() {
    local module
    for module in $1; do
        modprobe -d "$tree" -S "$kernel" --show-depends "$module" || fail "kernel $kernel has no module $module"
    done | awk '$1 == "insmod" && !seen[$2]++ {print $2}'
}

install_modules() {
    local from=$tree/usr/lib/modules/$kernel to=$work/root/usr/lib/modules/$kernel file inside
    mkdir -p "$to"
    cp "$from"/modules.{builtin,builtin.modinfo,order} "$to/"
    files_of "$modules" | while read -r file; do
        inside=${file##*"/modules/$kernel/"}
        mkdir -p "$to/${inside%/*}"
        cp "$from/$inside" "$to/$inside"
    done
    depmod -b "$work/root" "$kernel"
}

# A busybox, the early modules unpacked, image/init and image/grow.
make_initrd() {
    local root=$work/initrd file name
    mkdir -p "$root"/{bin,dev,modules,proc,root,run,sys}
    install -m 755 "$tree/usr/bin/busybox" "$root/bin/busybox"
    install -m 755 image/init image/grow "$root/"
    files_of "$early" | while read -r file; do
        name=$(basename "${file%.xz}")
        case $file in *.xz) xz -dc "$file" ;; *) cat "$file" ;; esac >"$root/modules/$name"
        echo "$name"
    done >"$root/order"
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$root" && find . | sort | cpio -o -H newc --reproducible --owner=0:0 --quiet) | zstd -q -19 -T2 >"$1"
}

# The boards' device trees, with the header's UART for the sign where the kernel knows it.
make_trees() {
    local from=$tree/usr/lib/modules/$kernel/dtb/broadcom to=$work/trees board
    mkdir -p "$to"
    dtc -q -@ -I dts -O dtb -o "$work/header-uart.dtbo" image/boot/header-uart.dts
    for board in $boards; do
        case $board in
        bcm2712*) cp "$from/$board.dtb" "$to/" ;;
        *) fdtoverlay -i "$from/$board.dtb" -o "$to/$board.dtb" "$work/header-uart.dtbo" ;;
        esac
    done
}

# One slot's boot partition: what the firmware loads, and the kernel. $1: a or b.
make_boot_files() {
    local to=$work/boot-$1 firmware=$tree/usr/lib/raspi-firmware board
    mkdir -p "$to"
    cp "$firmware"/{start.elf,fixup.dat,start4.elf,fixup4.dat} "$to/"
    cp "$tree/usr/lib/modules/$kernel/vmlinuz" "$work/initrd.img" "$to/"
    cp "$work"/trees/*.dtb "$to/"
    cp image/boot/config.txt "$to/"
    sed "s/@slot@/$1/" image/boot/cmdline.txt >"$to/cmdline.txt"
}

# The partition that the board's first boot loader reads, and the technician: it only says which slot is started.
make_front_files() {
    local to=$work/boot
    mkdir -p "$to/pozo"
    cp "$tree/usr/lib/raspi-firmware/bootcode.bin" "$to/"
    cp image/boot/autoboot.txt image/boot/LEEME.txt "$to/"
    cp config/table.toml "$to/pozo/table.toml"
}
