"""What Home Assistant's events say, one after the other, as its automations hear them."""

import contextlib
import threading

from house import eventually


class Listener:
    """Hears `event` entities while it is open: with Listener(home) as heard."""

    def __init__(self, home):
        self.heard, self.socket = [], home.socket()
        self.socket.command("subscribe_events", event_type="state_changed")
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        with contextlib.suppress(AssertionError, OSError, ValueError):
            while True:
                data = self.socket.event()["event"]["data"]
                state = data["new_state"]
                if not data["entity_id"].startswith("event.") or state is None or state["state"] in ("unknown", "unavailable"):
                    continue
                # One that comes back after a restart shows its last event again; that is none.
                before = data["old_state"]
                if before is not None and before["state"] != "unavailable":
                    self.heard.append((data["entity_id"], state["attributes"]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def events(self, entity, **words):
        """Those of an entity whose attributes have these words."""
        return [had for name, had in list(self.heard) if name == entity and words.items() <= had.items()]

    def one(self, entity, **words):
        """Waits for such an event, of which there is one; its attributes."""
        found = eventually(f"{entity} tells {words}", lambda: self.events(entity, **words))
        assert len(found) == 1, f"{entity} told it {len(found)} times: {found}"
        return found[0]
