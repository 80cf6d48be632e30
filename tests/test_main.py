"""``python -m admission`` is the command."""

import subprocess
import sys

from admission import __version__


def test_the_module_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "admission", "version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"statuscap {__version__} ")


def test_an_import_of_it_runs_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", "import admission.__main__"], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


INTERRUPTED = """\
import sys

class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == "typer":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
from admission.cli import main
main()
"""


def test_an_interrupt_while_it_starts_ends_it_quietly() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, "version"], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
