"""The gate before writes where no process bounds the threads that wait."""


class OpenGate:
    """A gate that lets any number of threads wait to write."""

    def enter(self) -> bool:
        return True

    def leave(self) -> None:
        pass
