# SPDX-License-Identifier: GPL-2.0-only
"""A client of NATS with TLS, and messages of rbmap that can be wrong.

A test does by it what no command of rbmap does: change a stream's window, publish damaged
bytes, or lie.
"""
import base64
import json
import socket
import ssl
import struct
import zlib

PART, MANIFEST, LOSS, HELLO, ANSWER = 1, 2, 3, 4, 5
BOOT = "0123456789abcdef" * 2


def message(kind, host, source="", seq=0, payload=b"", lost=0):
    """Encode a message, as userspace/fleet/message/message.h describes it."""
    names = (host + BOOT + source).encode()
    rest = struct.pack("<HHIIBBBBQQ", 1, kind, len(payload), len(payload), len(host), len(BOOT),
                       len(source), 0, seq, lost) + names + payload
    return b"rbFL" + struct.pack("<I", zlib.crc32(rest)) + rest


def text(**values):
    """Encode a payload of lines NAME = VALUE; an underscore of a name is a dash."""
    return "".join(f"{name.replace('_', '-')} = {value}\n" for name, value in values.items()).encode()


class Nats:
    """A connection with the certificate in a folder of `rbmap fleet setup nats`."""

    def __init__(self, url, folder, inbox):
        address = url.split(",", maxsplit=1)[0].rsplit(":", 1)
        raw = socket.create_connection((address[0].removeprefix("nats://"), int(address[1])), 10)
        self.buffer = b""
        self.socket = raw
        self._line()
        context = ssl.create_default_context(cafile=f"{folder}/ca.crt")
        context.load_cert_chain(f"{folder}/client.crt", f"{folder}/client.key")
        self.socket = context.wrap_socket(raw, server_hostname=address[0].removeprefix("nats://"))
        self.inbox = f"{inbox}.test"
        self._send(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\n')
        self._send(f"SUB {self.inbox} 1\r\nPING\r\n".encode())
        while self._line() != b"PONG":
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _send(self, data):
        self.socket.sendall(data)

    def _fill(self):
        got = self.socket.recv(1 << 16)
        if not got:
            raise ConnectionError("the server has ended the connection")
        self.buffer += got

    def _line(self):
        while b"\r\n" not in self.buffer:
            self._fill()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        if line.startswith(b"-ERR"):
            raise PermissionError(line.decode())
        return line

    def _message(self):
        """Return the payload of the next message."""
        while True:
            line = self._line()
            if line == b"PING":
                self._send(b"PONG\r\n")
            if line[:4] not in (b"MSG ", b"HMSG"):
                continue
            words = line.split()
            size = int(words[-1])
            headers = int(words[-2]) if words[0] == b"HMSG" else 0
            while len(self.buffer) < size + 2:
                self._fill()
            data, self.buffer = self.buffer[headers:size], self.buffer[size + 2:]
            return data

    def publish(self, subject, data, name=None):
        """Publish with the id @name. Return the answer of the stream."""
        headers = b"NATS/1.0\r\n" + (f"Nats-Msg-Id: {name}\r\n".encode() if name else b"") + b"\r\n"
        self._send(f"HPUB {subject} {self.inbox} {len(headers)} {len(headers) + len(data)}\r\n".encode()
                   + headers + data + b"\r\n")
        return json.loads(self._message() or b"{}")

    def request(self, subject, **values):
        """Ask the API of JetStream. Return its answer."""
        data = json.dumps(values).encode() if values else b""
        self._send(f"PUB $JS.API.{subject} {self.inbox} {len(data)}\r\n".encode() + data + b"\r\n")
        answer = json.loads(self._message())
        if "error" in answer:
            raise RuntimeError(f"{subject}: {answer['error']}")
        return answer

    def change_stream(self, **values):
        """Change the configuration of the stream of the hosts."""
        config = self.request("STREAM.INFO.RBMAP_DATA")["config"]
        config.update(values)
        return self.request("STREAM.UPDATE.RBMAP_DATA", **config)

    def change_consumer(self, **values):
        """Change the configuration of the collector's consumer."""
        config = self.request("CONSUMER.INFO.RBMAP_DATA.collector")["config"]
        config.update(values)
        return self.request("CONSUMER.DURABLE.CREATE.RBMAP_DATA.collector",
                            stream_name="RBMAP_DATA", config=config)

    def stored(self):
        """Return (subject, id, bytes) of all messages in the stream of the hosts."""
        state = self.request("STREAM.INFO.RBMAP_DATA")["state"]
        messages = []
        for seq in range(state["first_seq"], state["last_seq"] + 1):
            try:
                one = self.request("STREAM.MSG.GET.RBMAP_DATA", seq=seq)["message"]
            except RuntimeError:
                continue
            headers = base64.b64decode(one.get("hdrs", "")).decode()
            name = next((line.split(": ", 1)[1] for line in headers.split("\r\n")
                         if line.startswith("Nats-Msg-Id: ")), None)
            messages.append((one["subject"], name, base64.b64decode(one.get("data", ""))))
        return messages
