# The program and its libraries for the image's Python: the project's own wheel, and what requirements/pi5.txt pins by hash.
# Sourced by image/build. Wheels are taken as they are; three libraries come as source only and are compiled here.
# shellcheck shell=bash

sources_only="evdev lgpio spidev"

# A Python of this machine with what builds wheels, signs and packs; kept as long as the pins are the same.
make_builder() {
    builder=$cache/builder-$(digest_of image/requirements/build.txt image/requirements/table.txt)
    [ ! -e "$builder/complete" ] || return 0
    rm -rf "$builder"
    python3 -m venv "$builder"
    local pins
    for pins in build table; do
        "$builder/bin/pip" install --quiet --disable-pip-version-check --require-hashes \
            -r "image/requirements/$pins.txt"
    done
    touch "$builder/complete"
}

# A part of a requirements file: the named projects, or all others. A project's hashes are the lines after its name.
requirements() { # only|without NAMES
    awk -v how="$1" -v names=" $2 " '
        /^[a-z]/ { split($1, word, "=="); listed = index(names, " " word[1] " ") > 0 }
        (how == "only") == listed
    ' image/requirements/pi5.txt
}

fetch_libraries() {
    local wheels=$cache/wheels-$(digest_of image/requirements/pi5.txt image/requirements/build.txt image/recipe/program.sh)
    if [ ! -e "$wheels/complete" ]; then
        mkdir -p "$wheels" "$work/sdists"
        requirements only "$sources_only" >"$work/sources.txt"
        requirements without "$sources_only" >"$work/wheels.txt"
        "$builder/bin/pip" download --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary=:all: \
            --platform manylinux_2_17_aarch64 --platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64 \
            --python-version 3.13 -d "$wheels" -r "$work/wheels.txt"
        "$builder/bin/pip" download --quiet --disable-pip-version-check --no-deps --require-hashes --no-binary=:all: \
            --no-build-isolation -d "$work/sdists" -r "$work/sources.txt"
        compile_libraries "$wheels"
        touch "$wheels/complete"
    fi
    libraries=$wheels
}

# setuptools believes it runs on the Pi: its Python's own settings and headers, a compiler for its processor.
compile_libraries() {
    local headers=$work/headers
    dpkg-deb -x "$work/parts/lib$python-dev_"*.deb "$headers"
    mkdir "$work/settings"
    cp "$work/root/usr/lib/$python/_sysconfigdata__$triplet.py" "$work/settings/"
    local sdist source flags="-I$headers/usr/include/$python -I$headers/usr/include -ffile-prefix-map=$work=."
    for sdist in "$work"/sdists/*.tar.gz; do
        tar -C "$work/sdists" -xzf "$sdist"
        source=${sdist%.tar.gz}
        name_keys "$source"
        # PYPI=1 makes lgpio's own recipe compile its library into the module.
        env PYTHONPATH="$work/settings" _PYTHON_SYSCONFIGDATA_NAME="_sysconfigdata__$triplet" \
            _PYTHON_HOST_PLATFORM=linux-aarch64 CC="$triplet-gcc" LDSHARED="$triplet-gcc -shared" CFLAGS="-O2 $flags" \
            PYPI=1 "$builder/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index \
            -w "$1" "$source" >"$work/compile.log" 2>&1 ||
            fail "${sdist##*/} does not compile: $(tail -n 20 "$work/compile.log")"
    done
}

# evdev makes its list of keys from the kernel's headers: those of the compiler, not those of the machine that builds.
name_keys() {
    local maker=$1/src/evdev/genecodes_c.py from=/usr/$triplet/include/linux
    [ -e "$maker" ] || return 0
    "$builder/bin/python" "$maker" --reproducible --ecodes "$from"/{input,input-event-codes,uinput}.h \
        >"$1/src/evdev/ecodes.c"
}

# As `python3 -m venv` would lay it out, so that the interpreter finds its libraries without being told.
install_program() {
    local home=$work/root/opt/pozo site wheel
    site=$home/lib/$python/site-packages
    mkdir -p "$site" "$home/bin"
    ln -s /usr/bin/python3 "$home/bin/python3"
    printf 'home = /usr/bin\ninclude-system-site-packages = false\nversion = %s\n' "${python#python}" >"$home/pyvenv.cfg"
    "$builder/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index \
        -w "$work/wheel" .
    for wheel in "$work"/wheel/*.whl "$libraries"/*.whl; do
        "$builder/bin/python" -m zipfile -e "$wheel" "$site"
    done
    cat >"$home/bin/pozo" <<'EOF'
#!/opt/pozo/bin/python3 -I
import sys

from controller.__main__ import main

sys.exit(main())
EOF
    chmod 755 "$home/bin/pozo"
}

# The same Python for this machine's processor: what it compiles is the same, and ten times sooner.
make_compiler() {
    local part
    for part in "$work"/native/*.deb; do dpkg-deb -x "$part" "$work/compiler"; done
    loader=$(find "$work/compiler/usr" -name 'ld-linux*' | head -n 1)
    natives=$(find "$work/compiler/usr/lib" -name 'lib[ceu]*.so.*' -printf '%h\n' | sort -u | paste -sd :)
}

# Compiles folders of the image's root; the sources' names in the result are those they have in the image.
compiled() { # invalidation mode, folders
    local mode=$1 folder
    shift
    for folder in "$@"; do
        PYTHONHOME=$work/root/usr "$loader" --library-path "$natives" "$work/compiler/usr/bin/$python" -S \
            -m compileall -q -f -s "$work/root" -p / --invalidation-mode "$mode" "$work/root$folder"
    done
}

# Without a builder's key one for tests is made and kept, so that a second build and an update are signed with it too.
choose_key() {
    [ -z "$key" ] || return 0
    key=$cache/test/release.key
    [ ! -e "$key" ] || return 0
    PYTHONPATH=. "$builder/bin/python" -m controller manifest key --out "$cache/test" >"$work/key.log" 2>&1 ||
        fail "no key: $(cat "$work/key.log")"
}

# Compiled files that hold their source's hash, so that Python never writes another; then the signed list of them all, which
# the image's own Python proves as the table will at each start.
sign_program() {
    local list=$work/root/usr/lib/pozo/manifest.json site=/opt/pozo/lib/$python/site-packages
    compiled checked-hash "$site/hal" "$site/controller"
    mkdir -p "${list%/*}" "$work/root/etc/pozo"
    PYTHONPATH=. "$builder/bin/python" image/recipe/sign.py "$work/root$site" "$version" "$key" >"$list"
    cp "${key%.key}.pub" "$work/root/etc/pozo/release.pub"
    in_image /opt/pozo/bin/python3 -IB /opt/pozo/bin/pozo manifest verify /usr/lib/pozo/manifest.json \
        --key /etc/pozo/release.pub >"$work/manifest.log" 2>&1 || fail "the program does not prove itself: $(cat "$work/manifest.log")"
}

# Everything else, modules without a folder too: compiled files that are never compared with their sources, on a root that nobody can write.
compile_python() {
    local site=/opt/pozo/lib/$python/site-packages each
    compiled unchecked-hash "/usr/lib/$python" /usr/lib/python3
    for each in "$work/root$site"/*; do
        each=$(basename "$each")
        case $each in hal | controller | *.dist-info) ;; *) compiled unchecked-hash "$site/$each" || true ;; esac
    done
}

# Python is told -B there: a compiled file with a time in it would stay, and differ in every build. With -I it reads no
# variable that says so.
in_image() { chroot "$work/root" "$@"; }
