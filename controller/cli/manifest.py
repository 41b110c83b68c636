"""`pozo manifest`: sign the list of a release's files, and prove an installed program against it."""

from compileall import compile_dir
from importlib.metadata import version
from pathlib import Path
from py_compile import PycInvalidationMode

import click

from controller.cli.errors import told_plainly
from controller.cli.journal_verify import KeyType
from controller.signing.key import KeyProblemError, PrivateKey, public_line, read_private, write_private
from controller.signing.manifest import ManifestError, make, own_site, prove

_ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where `hal` and `controller` lie, on a mounted card; this program's own place without it.",
)


@click.group()
def manifest() -> None:
    """Sign what a release consists of, and prove that an installed program is that release."""


@manifest.command(name="key")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A new directory.")
def key_command(out: Path) -> None:
    """Make a pair of keys for releases: OUT/release.key signs and stays with the builder, OUT/release.pub goes out."""
    with told_plainly():
        out.mkdir(mode=0o700, parents=True)
        pair = PrivateKey.new()
        write_private(out / "release.key", pair)
        (out / "release.pub").write_text(public_line(pair.public), encoding="ascii")
    click.echo(
        f"{out / 'release.key'} signs releases: keep it off every table\n{out / 'release.pub'}: {pair.public}"
    )


@manifest.command(name="make")
@click.option(
    "--key", "private", type=click.Path(path_type=Path), required=True, help="The file of the private key."
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The list that is written.")
@_ROOT
def make_command(private: Path, out: Path, root: Path | None) -> None:
    """Compile the program's files and sign the list of all of them, as the last step of a build."""
    with told_plainly():
        key = read_private(private)
        if key is None:
            raise KeyProblemError(f"there is no {private}: `pozo manifest key` makes a pair")
        site = root or own_site()
        _compile_ahead(site)
        out.write_bytes(make(site, version("pozo"), key))
    click.echo(f"{out} is signed with the key {key.public}")


@manifest.command(name="verify")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--key", "public", type=KeyType(), required=True, help="The public key of the release.")
@_ROOT
def verify_command(file: Path, public: str, root: Path | None) -> None:
    """Prove that every file is as FILE lists it, none is missing and none is there besides. Exit code 1 if not."""
    with told_plainly():
        listed = prove(file, public, root or own_site())
    click.echo(f"good: {len(listed.files)} files of {listed.version}, as signed")


def _compile_ahead(site: Path) -> None:
    """Compile all sources so that each compiled file holds its source's hash, and Python never writes another one.

    Raises `ManifestError` where a source does not compile or nothing can be written.
    """
    for name in ("hal", "controller"):
        done = compile_dir(
            site / name, quiet=2, force=True, invalidation_mode=PycInvalidationMode.CHECKED_HASH, workers=1
        )
        if not done:
            raise ManifestError(f"not every file of {site / name} could be compiled: can it be written to?")
