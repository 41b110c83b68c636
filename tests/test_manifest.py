"""The signed list of the program's files: any file changed, gone or added is named before anything is touched."""

import importlib.util
import json
import marshal
import os
import py_compile
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.signing.key import PrivateKey
from controller.signing.manifest import FILES_MAX, Manifest, ManifestError, make, prove, read
from tests.helpers_cli import pozo_run
from tests.helpers_signing import FORGER, PUBLIC, SEED, public_of, signature_of

KEY = PrivateKey.from_seed(SEED)
REPOSITORY = Path(__file__).parent.parent


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A small program as it is installed."""
    files = {
        "hal/__init__.py": "",
        "hal/pins.py": "LOCKED = True\n",
        "controller/__init__.py": "",
        "controller/core/money.py": "CENTS = 100\n",
        "controller/words/es/LC_MESSAGES/pozo.mo": "\xde\x12",
        "controller/fast.so": "\x7fELF",
        "controller/shipped/games/game.toml": 'title = "x"\n',
    }
    place = tmp_path / "site"
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(content)
    (place / "other_package").mkdir()
    (place / "other_package" / "x.py").write_text("not ours\n")
    return place


@pytest.fixture
def signed(site: Path, tmp_path: Path) -> Path:
    """Its signed list."""
    (tmp_path / "manifest.json").write_bytes(make(site, "1.0", KEY))
    return tmp_path / "manifest.json"


def test_what_was_signed_is_proven(site: Path, signed: Path) -> None:
    listed = prove(signed, PUBLIC, site)
    assert sorted(listed.files) == [
        "config/games/game.toml",
        "controller/__init__.py",
        "controller/core/money.py",
        "controller/fast.so",
        "controller/words/es/LC_MESSAGES/pozo.mo",
        "hal/__init__.py",
        "hal/pins.py",
    ]
    # sha256sum of an empty file.
    assert (
        listed.files["hal/__init__.py"] == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
    assert listed.version == "1.0"


def test_a_checkout_and_an_installed_program_have_the_same_names(site: Path, signed: Path) -> None:
    shutil.move(site / "controller" / "shipped", site / "config")
    assert "config/games/game.toml" in prove(signed, PUBLIC, site).files


def test_the_signature_is_the_documented_one(signed: Path) -> None:
    text = signed.read_text()
    body = text.removeprefix('{"manifest":')[: text.index(',"signature"') - len('{"manifest":')]
    assert json.loads(text)["signature"] == signature_of(SEED, "pozo manifest 1", body)


def add(name: str, content: str = "import os\n") -> Callable[[Path], object]:
    def change(site: Path) -> None:
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(content)

    return change


def link(name: str, target: str) -> Callable[[Path], object]:
    def change(site: Path) -> None:
        path = site / name
        if path.is_dir():
            shutil.move(path, site / "moved")
        path.unlink(missing_ok=True)
        path.symlink_to(site / target)

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (add("hal/pins.py", "LOCKED = False\n"), "changed: hal/pins.py"),
        (add("controller/words/es/LC_MESSAGES/pozo.mo", "x"), "changed: controller/words/es/LC_MESSAGES/pozo.mo"),
        (add("controller/fast.so", "x"), "changed: controller/fast.so"),
        (add("controller/shipped/games/game.toml", "x"), "changed: config/games/game.toml"),
        (lambda site: (site / "hal/pins.py").unlink(), "missing: hal/pins.py"),
        (add("controller/extra.py"), "not of the release: controller/extra.py"),
        (add("hal/pins.cpython-311-x86_64-linux-gnu.so"), "not of the release: hal/pins.cpython-311"),
        (add("hal/pins/__init__.py"), "not of the release: hal/pins/__init__.py"),
        (add("controller/.hidden"), "not of the release: controller/.hidden"),
        (add("hal/__pycache__/pins.cpython-311.pyc"), "not of the release: hal/__pycache__/pins.cpython-311.pyc"),
        (add("hal/pins.pyc"), "not of the release: hal/pins.pyc"),
        (link("hal/pins.py", "controller/core/money.py"), "no plain file: hal/pins.py"),
        (link("hal/more.py", "other_package/x.py"), "no plain file: hal/more.py"),
        (link("hal/nowhere.py", "none"), "no plain file: hal/nowhere.py"),
        (link("controller/core", "moved"), "no plain file: controller/core"),
        (link("hal", "moved"), "no plain file: hal"),
        (lambda site: os.mkfifo(site / "hal/pipe"), "no plain file: hal/pipe"),
        (lambda site: (shutil.rmtree(site / "hal")), "hal cannot be read"),
    ],
)  # fmt: skip
def test_a_change_is_refused_and_the_file_named(
    site: Path, signed: Path, change: Callable[[Path], object], said: str
) -> None:
    change(site)
    with pytest.raises(ManifestError, match=said.replace("/", r"\/")):
        prove(signed, PUBLIC, site)


def test_many_files_are_counted(site: Path, signed: Path) -> None:
    for number in range(25):
        add(f"hal/more_{number:02}.py")(site)
    with pytest.raises(
        ManifestError, match=r"hal/more_09\.py and 15 more\. Nothing of the table was touched"
    ):
        prove(signed, PUBLIC, site)


def test_a_folder_full_of_files_is_no_release(site: Path, signed: Path) -> None:
    for number in range(FILES_MAX):
        (site / "hal" / str(number)).touch()
    with pytest.raises(ManifestError, match="more than 10000 files"):
        prove(signed, PUBLIC, site)


def test_what_lies_beside_the_program_is_not_its_business(site: Path, signed: Path) -> None:
    add("other_package/y.py")(site)
    prove(signed, PUBLIC, site)


def test_a_list_that_names_files_elsewhere_opens_none(site: Path, tmp_path: Path) -> None:
    """The key's holder himself cannot make the program read what is not its own."""
    (tmp_path / "secret").write_text("x")
    for name in ("../secret", "/etc/passwd", "hal/../../secret"):
        body = json.dumps({"format": "pozo manifest 1", "version": "1", "files": {name: "0" * 64}})
        signature = signature_of(SEED, "pozo manifest 1", body)
        (tmp_path / "m.json").write_text(f'{{"manifest":{body},"signature":"{signature}"}}')
        with pytest.raises(ManifestError, match="missing: "):
            prove(tmp_path / "m.json", PUBLIC, site)


def test_another_keys_signature_is_refused(site: Path, signed: Path) -> None:
    with pytest.raises(ManifestError, match="is not signed with the key"):
        prove(signed, public_of(FORGER), site)
    signed.write_bytes(make(site, "1.0", PrivateKey.from_seed(FORGER)))
    with pytest.raises(ManifestError, match="is not signed with the key"):
        prove(signed, PUBLIC, site)


def test_no_byte_of_the_list_can_be_changed(site: Path, signed: Path) -> None:
    """But the blanks around it, and the case of the signature's digits: neither changes what is signed."""
    right = signed.read_bytes()
    listed = prove(signed, PUBLIC, site)
    draw = random.Random(7)
    refused = 0
    for _ in range(2_000):
        at = draw.randrange(len(right))
        wrong = right[:at] + bytes([right[at] ^ 1 << draw.randrange(8)]) + right[at + 1 :]
        signed.write_bytes(wrong)
        try:
            assert read(signed, PUBLIC) == listed
        except ManifestError:
            refused += 1
        else:
            assert wrong.lower().strip() == right.lower().strip()
    assert refused > 1_800


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b'{"manifest":{},"signature":""}', b"\xff", b"[" * 100_000]
)
def test_what_is_no_list_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.json").write_bytes(content)
    with pytest.raises(ManifestError):
        read(tmp_path / "m.json", PUBLIC)


def test_a_list_that_is_gone_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="install the release again"):
        read(tmp_path / "m.json", PUBLIC)


def test_a_list_of_another_format_is_refused(tmp_path: Path) -> None:
    body = json.dumps({"format": "pozo manifest 2", "version": "1", "files": {}})
    signature = signature_of(SEED, "pozo manifest 1", body)
    (tmp_path / "m.json").write_text(f'{{"manifest":{body},"signature":"{signature}"}}')
    with pytest.raises(ManifestError, match="pozo manifest 2"):
        read(tmp_path / "m.json", PUBLIC)


def test_a_list_is_a_struct_of_names_and_digests() -> None:
    assert Manifest.__struct_fields__ == ("format", "version", "files")


# A compiled file runs in place of its source, which stays as it was: the attack, and that it is refused.


def doctored(site: Path) -> Path:
    """A cache for hal/pins.py whose code says something else, under a header that says that it belongs to it."""
    source = site / "hal" / "pins.py"
    cache = Path(py_compile.compile(str(source), doraise=True) or "")
    header = cache.read_bytes()[:16]
    cache.write_bytes(header + marshal.dumps(compile("LOCKED = False\n", "pins.py", "exec")))
    return cache


def test_a_doctored_cache_really_runs(site: Path) -> None:
    doctored(site)
    said = subprocess.run(
        [sys.executable, "-c", "import hal.pins; print(hal.pins.LOCKED)"],
        cwd=site,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == "False\n"
    assert (site / "hal" / "pins.py").read_text() == "LOCKED = True\n"


def test_a_doctored_cache_is_refused(site: Path, signed: Path) -> None:
    cache = doctored(site)
    with pytest.raises(ManifestError, match=rf"not of the release: hal/__pycache__/{cache.name}"):
        prove(signed, PUBLIC, site)


def test_a_doctored_cache_of_a_compiled_release_is_refused(site: Path, tmp_path: Path) -> None:
    key, out = tmp_path / "keys", tmp_path / "m.json"
    assert pozo_run("manifest", "key", "--out", key).exit_code == 0
    assert (
        pozo_run("manifest", "make", "--key", key / "release.key", "--out", out, "--root", site).exit_code
        == 0
    )
    verify = ("manifest", "verify", out, "--key", key / "release.pub", "--root", site)
    assert pozo_run(*verify).exit_code == 0
    cache = doctored(site)
    done = pozo_run(*verify)
    assert done.exit_code == 1
    assert f"changed: hal/__pycache__/{cache.name}" in done.output


def test_a_compiled_release_stays_as_it_is_when_it_runs(site: Path, tmp_path: Path) -> None:
    """Its caches hold their source's hash: no later date of a copied file makes Python write another one."""
    key, out = tmp_path / "keys", tmp_path / "m.json"
    pozo_run("manifest", "key", "--out", key)
    pozo_run("manifest", "make", "--key", key / "release.key", "--out", out, "--root", site)
    os.utime(site / "hal" / "pins.py", (0, 0))
    command = [sys.executable, "-c", "import hal.pins, controller.core.money"]
    subprocess.run(command, cwd=site, check=True)
    done = pozo_run("manifest", "verify", out, "--key", key / "release.pub", "--root", site)
    assert done.exit_code == 0, done.output
    assert Path(importlib.util.cache_from_source(str(site / "hal" / "pins.py"))).exists()


def test_a_pair_of_keys_is_new_and_the_private_one_is_kept_from_others(tmp_path: Path) -> None:
    assert pozo_run("manifest", "key", "--out", tmp_path / "keys").exit_code == 0
    assert (tmp_path / "keys" / "release.key").stat().st_mode & 0o777 == 0o600
    again = pozo_run("manifest", "key", "--out", tmp_path / "keys")
    assert again.exit_code == 1


def test_a_private_key_that_is_not_there_says_how_one_is_made(site: Path, tmp_path: Path) -> None:
    done = pozo_run("manifest", "make", "--key", tmp_path / "k", "--out", tmp_path / "m", "--root", site)
    assert done.exit_code == 1
    assert "pozo manifest key" in done.output
