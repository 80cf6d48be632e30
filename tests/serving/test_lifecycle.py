"""Where a server stands in its life."""

from admission.serving.lifecycle import Lifecycle


def test_a_server_is_ready_between_its_start_and_its_drain() -> None:
    lifecycle = Lifecycle()
    assert (lifecycle.ready, lifecycle.draining) == (False, False)
    lifecycle.serve()
    assert (lifecycle.ready, lifecycle.draining) == (True, False)
    lifecycle.drain()
    assert (lifecycle.ready, lifecycle.draining) == (False, True)
