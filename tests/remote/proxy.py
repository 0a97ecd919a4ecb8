"""A proxy for TCP on loopback that delays what goes through it, splits it, and cuts it off."""

import random
import selectors
import socket
import threading
import time


class Proxy:
    """Connections to `port` go on to `target`, (host, port). `delay_s`: each way. Of two connections, and of the two directions of
    one, what was sent first may come last: each piece has a delay of its own, up to `jitter_s` longer. As in TCP, nothing of one
    direction of one connection overtakes anything of that."""

    def __init__(self, target, delay_s=0.0, jitter_s=0.0, seed=0):
        self.target, self.delay_s, self.jitter_s = target, delay_s, jitter_s
        self.random = random.Random(seed)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ, None)
        self.lock = threading.Lock()
        self.pairs = {}  # socket: (its other end, pieces on their way there: [time, bytes])
        self.is_open = True
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def address(self):
        return f"127.0.0.1:{self.port}"

    def cut(self):
        """Every connection that there is ends, as when a cable is cut and found to be."""
        with self.lock:
            for one in list(self.pairs):
                self._drop(one)

    def close(self):
        self.is_open = False
        self.thread.join()
        self.cut()
        self.listener.close()

    def _drop(self, one):
        other = self.pairs.pop(one, (None,))[0]
        for end in (one, other):
            if end is not None:
                self.pairs.pop(end, None)
                try:
                    self.selector.unregister(end)
                except (KeyError, ValueError):
                    pass
                end.close()

    def _accept(self):
        near, _ = self.listener.accept()
        try:
            far = socket.create_connection(self.target, timeout=1)
        except OSError:
            near.close()
            return
        for end in near, far:
            end.setblocking(False)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.selector.register(end, selectors.EVENT_READ, end)
        self.pairs[near], self.pairs[far] = (far, []), (near, [])

    def _read(self, one):
        try:
            data = one.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop(one)
            return
        pieces = self.pairs[one][1]
        while data:
            size = self.random.randint(1, len(data))
            due = time.monotonic() + self.delay_s + self.random.uniform(0, self.jitter_s)
            pieces.append([max(due, pieces[-1][0] if pieces else 0), data[:size]])
            data = data[size:]

    def _send(self, now):
        for one in list(self.pairs):
            if one not in self.pairs:
                continue
            other, pieces = self.pairs[one]
            while pieces and pieces[0][0] <= now:
                try:
                    sent = other.send(pieces[0][1])
                except BlockingIOError:
                    break
                except OSError:
                    self._drop(one)
                    break
                pieces[0][1] = pieces[0][1][sent:]
                if not pieces[0][1]:
                    pieces.pop(0)

    def _run(self):
        while self.is_open:
            with self.lock:
                waits = min((pieces[0][0] for _, pieces in self.pairs.values() if pieces), default=time.monotonic() + 0.05)
            events = self.selector.select(max(0.0, min(0.05, waits - time.monotonic())))
            with self.lock:
                for key, _ in events:
                    if key.data is None:
                        self._accept()
                    elif key.data in self.pairs:
                        self._read(key.data)
                self._send(time.monotonic())
