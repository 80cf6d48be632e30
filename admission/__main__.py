"""``python -m admission`` is the command ``statuscap``."""

from admission.cli import main

if __name__ == "__main__":
    main()
