"""The gate before writes for a process that does not limit how many threads wait to write."""


class OpenGate:
    """A gate that lets any number of threads wait to write."""

    def enter(self) -> bool:
        return True

    def leave(self) -> None:
        pass
