# SPDX-License-Identifier: GPL-2.0-only
"""A small fleet for tests: three servers with TLS, real agents and a real collector.

Each host has a list of the incidents that the test has dropped there. verify() compares it
with what the collector has, and with what the hosts report as lost.
"""
import filecmp
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from nats_client import Nats

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
CLUSTER = os.path.join(HERE, "cluster")
LEAKS = os.path.join(HERE, "leaks")
FLEET = os.environ.get("RBMAP_FLEET", "build/fleet/rbmap-fleet")
# The agents and the collector run with sanitizers.
FLEET_ASAN = os.environ.get("RBMAP_FLEET_ASAN", "build/tests/fleet/asan/rbmap-fleet")
MAKE_INCIDENT = os.environ.get("MAKE_INCIDENT", "build/tests/fleet/fleet_make_incident")
# Nothing may wait longer: a HELLO comes each minute, and a permit ends after two.
SETTLE_SECONDS = 400


def wait_for(condition, seconds=120.0, pause=0.1):
    """Wait until the condition is true, unless that is hopeless. Return its last value."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(pause)
    return value


class Program:
    """A program that the test starts, kills and ends."""

    def __init__(self, name, command, log, environment=None):
        self.name, self.command, self.log = name, command, log
        self.environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=1",
                                LSAN_OPTIONS=f"print_suppressions=0:suppressions={LEAKS}",
                                **(environment or {}))
        self.process = None
        self.accidents = []

    def start(self):
        """Start it, unless it runs."""
        if self.process:
            return
        with open(self.log, "ab") as log:
            # Each has a group of its own: Ctrl-C is for the test, which ends them.
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, env=self.environment,
                                            start_new_session=True)

    def look(self):
        """Note if the program has ended by itself."""
        if self.process and self.process.poll() is not None:
            self.accidents.append(f"{self.name} ended with {self.process.returncode}")
            self.process = None

    def _catches(self, number):
        """Return whether it has a handler of the signal."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii", errors="replace") as file:
            caught = next((line.split()[1] for line in file if line.startswith("SigCgt:")), "0")
        return int(caught, 16) >> (number - 1) & 1

    def end(self, how, wanted):
        """End it by a signal. Any other status than the wanted one is an accident."""
        self.look()
        if not self.process:
            return
        self.process.send_signal(how)
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = "no end after 30 s"
        if status != wanted:
            self.accidents.append(f"{self.name} ended with {status} after {how.name}")
        self.process = None

    def kill(self):
        """Kill it, as a loss of power would."""
        self.end(signal.SIGKILL, -signal.SIGKILL)

    def stop(self):
        """Ask it to end. It may have just begun."""
        self.look()
        if self.process:
            wait_for(lambda: self.process.poll() is not None or self._catches(signal.SIGTERM))
        self.end(signal.SIGTERM, 0)

    def signal(self, number):
        """Send a signal: SIGSTOP or SIGCONT."""
        self.process.send_signal(number)

    def said(self):
        """Return what it has printed."""
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()


class Host:
    """A host: its agent, its directory of incidents, and what was dropped there."""

    def __init__(self, lab, name, spool_size="1G", arguments=(), program=None, environment=None,
                 certificate=None):
        self.name = name
        self.directory = f"{lab.directory}/hosts/{name}"
        self.incidents, self.spool = f"{self.directory}/incidents", f"{self.directory}/spool"
        self.kept, self.making = f"{self.directory}/kept", f"{self.directory}/making"
        for path in (self.incidents, self.kept, self.making):
            os.makedirs(path)
        # Incidents of this host by their ids; and ids that the test has invented for it
        self.dropped, self.invented = {}, set()
        self.agent = Program(
            f"the agent of {name}",
            [program or FLEET_ASAN, "ship", "-t", lab.url,
             *lab.certificate(certificate or f"hosts/{name}"), "--host", name, "--incidents",
             self.incidents, "--spool", self.spool, "--spool-size", spool_size, *arguments],
            f"{self.directory}/log", environment)

    def drop(self, events, lost=0):
        """Let a new incident appear, as the flight recorder does. Return its id."""
        name = self._next_name()
        subprocess.run([MAKE_INCIDENT, f"{self.making}/{name}.dat", str(events), str(lost), name],
                       check=True)
        return self._add(name, events, lost)

    def drop_noise(self, size):
        """Let a file appear that is not a recording and does not compress. Return its id."""
        name = self._next_name()
        with open(f"{self.making}/{name}.dat", "wb") as file:
            file.write(os.urandom(size))
        return self._add(name, None, None)

    def _next_name(self):
        name = f"2026-11-26T{len(self.dropped) // 3600:02}.{len(self.dropped) // 60 % 60:02}." \
               f"{len(self.dropped) % 60:02}"
        return name

    def _add(self, name, events, lost):
        making = f"{self.making}/{name}.dat"
        with open(making, "rb") as file:
            digits = hashlib.file_digest(file, "sha256").hexdigest()
        source = f"{name}-{digits[:8]}"
        os.link(making, f"{self.kept}/{source}")
        self.dropped[source] = (os.stat(making).st_size, events, lost)
        os.rename(making, f"{self.incidents}/{name}.dat")
        return source

    def forget(self):
        """Remove the names that the spool has taken, as the flight recorder does."""
        if not os.path.exists(f"{self.spool}/taken"):
            return
        with open(f"{self.spool}/taken", encoding="utf-8") as file:
            for line in filter(str.strip, file):
                name = line.rstrip("\n").split(" ", 3)[3]
                if os.path.exists(f"{self.incidents}/{name}"):
                    os.unlink(f"{self.incidents}/{name}")

    def status(self):
        """Return what `rbmap ship status` says; {}: it has no spool yet."""
        done = subprocess.run([FLEET, "ship", "status", "--spool", self.spool, "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        return json.loads(done.stdout) if not done.returncode else {}

    def leftovers(self):
        """Return files of the spool that belong to incidents, losses and answers."""
        left = []
        for folder in ("taking", "data", "state", "permits", "losses", "answers"):
            left += [f"{folder}/{name}" for name in os.listdir(f"{self.spool}/{folder}")]
        return left + [name for name in os.listdir(self.spool) if name.startswith(".new")]

    def is_settled(self):
        """Return whether all is taken from the directory, and nothing waits."""
        if not os.path.isdir(f"{self.spool}/answers"):
            return False
        return not self.leftovers()


class Lab:
    """The servers, the collector and the hosts."""

    def __init__(self, tap, hosts, size="1G", extra=""):
        self.tap = tap
        self.directory = tempfile.mkdtemp(prefix="rbmap-fleet-")
        self.servers = f"{self.directory}/servers"
        self.collection = f"{self.directory}/collection"
        self.hosts, self.down = {}, set()
        try:
            self._begin(hosts, size, extra)
        except BaseException:
            self._cluster("stop")
            raise

    def _begin(self, hosts, size, extra):
        self._cluster("start", "3", "tls", ",".join(hosts), EXTRA=extra)
        with open(f"{self.servers}/url", encoding="ascii") as file:
            self.url = file.read().strip()
        self._cluster("streams", "--size", size, *self.certificate("administrator"))
        self.collector = Program("the collector", [
            FLEET_ASAN, "collect", "-t", self.url, *self.certificate("collector"), "-d",
            self.collection], f"{self.directory}/collector.log")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        for program in self.programs():
            program.kill()
        self._cluster("stop")
        if kind or self.tap.failed:
            self.tap.diag(f"files and logs are kept in {self.directory}")
        else:
            shutil.rmtree(self.directory)

    def _cluster(self, command, *arguments, **environment):
        done = subprocess.run([CLUSTER, command, self.servers, *arguments], check=True, text=True,
                              stdout=subprocess.PIPE, env=dict(os.environ, **environment))
        return done.stdout.strip()

    def certificate(self, folder):
        """Return the options with the certificate of a role."""
        path = f"{self.servers}/setup/{folder}"
        return ["--certificate", f"{path}/client.crt", "--key", f"{path}/client.key", "--ca",
                f"{path}/ca.crt"]

    def client(self, folder="administrator", inbox="_INBOX.administrator"):
        """Connect as the administrator, or by another certificate."""
        return Nats(self.url, f"{self.servers}/setup/{folder}", inbox)

    def add_host(self, name, **options):
        """Add a host, which has a certificate already. Its agent does not run yet."""
        self.hosts[name] = Host(self, name, **options)
        return self.hosts[name]

    def programs(self):
        """Return the programs that the test starts."""
        return [self.collector] + [host.agent for host in self.hosts.values()]

    def start(self):
        """Start the collector and all agents that do not run."""
        for program in self.programs():
            program.start()

    def leader(self):
        """Return the server that leads the stream; '': none."""
        return self._cluster("leader")

    def waiting(self):
        """Return the number of messages in the stream."""
        return int(self._cluster("waiting") or -1)

    def kill_server(self, name):
        """Kill a server."""
        self._cluster("kill", name)
        self.down.add(name)

    def run_servers(self):
        """Start the servers that were killed."""
        for name in sorted(self.down):
            self._cluster("run", name)
        self.down.clear()

    def query(self, sql):
        """Return the rows of a query of the index."""
        index = f"{self.collection}/index.sqlite"
        if not os.path.exists(index):
            return []
        database = sqlite3.connect(f"file:{index}?mode=ro", uri=True, timeout=10)
        try:
            # The collector may be making the tables.
            made = database.execute("PRAGMA user_version").fetchone()[0]
            return database.execute(sql).fetchall() if made else []
        finally:
            database.close()

    def fleet(self, *arguments):
        """Run `rbmap fleet`. Return its exit status and its output."""
        done = subprocess.run([FLEET, "fleet", *arguments, "-d", self.collection], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout

    def is_settled(self, with_stream=True):
        """Return whether nothing is on its way."""
        for program in self.programs():
            program.look()
        rows = dict(self.query("SELECT host.name || '/' || incident.name, state FROM incident "
                               "JOIN host ON host.id = incident.host"))
        for host in self.hosts.values():
            for source in host.dropped:
                if rows.get(f"{host.name}/{source}") not in ("stored", "lost"):
                    return False
            if not host.is_settled():
                return False
        return not with_stream or self.waiting() == 0

    def settle(self, seconds=SETTLE_SECONDS, with_stream=True):
        """Wait until nothing is on its way. Return whether that came."""
        begun = time.monotonic()
        settled = wait_for(lambda: self.is_settled(with_stream), seconds, 0.5)
        self.tap.diag(f"settled after {time.monotonic() - begun:.1f} s" if settled
                      else f"not settled after {seconds} s")
        return settled

    def differences(self, host):
        """Compare what a host has dropped with the collection. Return what is wrong."""
        folder = f"{self.collection}/incidents/{host.name}"
        files = set(os.listdir(folder)) if os.path.isdir(folder) else set()
        rows = self.query(
            "SELECT incident.name, state, size, incident.events, incident.lost, cause FROM incident JOIN host "
            f"ON host.id = incident.host WHERE host.name = '{host.name}'")
        wrong = [f"{name}: two rows" for name in {row[0] for row in rows}
                 if [row[0] for row in rows].count(name) > 1]
        states = {row[0]: row[1:] for row in rows}
        for source, wanted in host.dropped.items():
            state, *sums, cause = states.pop(source, ("missing", None))
            if state == "stored":
                if f"{source}.dat" not in files:
                    wrong.append(f"{source}: no file")
                elif not filecmp.cmp(f"{host.kept}/{source}", f"{folder}/{source}.dat", False):
                    wrong.append(f"{source}: other bytes")
            elif state != "lost" or not cause or f"{source}.dat" in files:
                wrong.append(f"{source}: {state}, cause {cause}")
            if tuple(sums) != wanted:
                wrong.append(f"{source}: sums {sums}, not {wanted}")
            files.discard(f"{source}.dat")
        unknown = {*states, *files} - host.invented
        return [f"{host.name}: {what}" for what in wrong + [f"{name}: unknown" for name in unknown]]

    def sums(self):
        """Return [incidents, bytes, events, lost events] dropped, stored and reported as lost."""
        result = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
        for host in self.hosts.values():
            for values in host.dropped.values():
                result[0] = [a + b for a, b in zip(result[0], (1, *(value or 0 for value in values)))]
        for state, *values in self.query(
                "SELECT state, count(*), total(size), total(events), total(lost) FROM incident "
                "WHERE state IN ('stored', 'lost') GROUP BY state"):
            result[1 if state == "stored" else 2] = [int(value) for value in values]
        return result

    def verify(self, what=""):
        """Check all that must hold when the fleet has settled."""
        tap, prefix = self.tap, f"{what}: " if what else ""
        wrong = [line for host in self.hosts.values() for line in self.differences(host)]
        tap.ok(not wrong, f"{prefix}each incident is there byte for byte, or listed as lost", *wrong)
        dropped, stored, lost = self.sums()
        tap.diag(f"incidents, bytes, events, lost events: dropped {dropped}, stored {stored}, "
                 f"reported as lost {lost}")
        tap.equal([a + b for a, b in zip(stored, lost)], dropped,
                  f"{prefix}received and reported lost are what was emitted")
        left = [f"{host.name}: {name}" for host in self.hosts.values() for name in host.leftovers()]
        invented = {source for host in self.hosts.values() for source in host.invented}
        left += [f"incoming: {name}" for _, _, names in os.walk(f"{self.collection}/incoming")
                 for name in names if name.removesuffix(".part") not in invented]
        left += [f"row of incoming: {name}" for name, in self.query(
            "SELECT name FROM incoming JOIN incident ON incident.id = incoming.incident")
            if name not in invented]
        tap.ok(not left, f"{prefix}nothing is left in spools and in the collector", *left)

    def verify_no_refusals(self, what=""):
        """Check that no message was refused."""
        rows = self.query("SELECT host, cause, number FROM refused")
        said = [line for host in self.hosts.values() for line in host.agent.said().splitlines()
                if "refused: " in line]
        self.tap.ok(not rows and not said, f"{what}{': ' if what else ''}no message was refused",
                    *rows, *said)

    def end(self, what=""):
        """End all programs, and check how they have ended."""
        prefix = f"{what}: " if what else ""
        for program in self.programs():
            program.stop()
        accidents = [text for program in self.programs() for text in program.accidents]
        for program in self.programs():
            if os.path.exists(program.log):
                accidents += [f"{program.name}: {line}" for line in program.said().splitlines()
                              if "ERROR: " in line or "runtime error" in line]
        for name in ("s1", "s2", "s3"):
            with open(f"{self.servers}/{name}.log", encoding="utf-8", errors="replace") as log:
                accidents += [f"{name}: {line}" for line in log if line.startswith("panic:")]
        self.tap.ok(not accidents, f"{prefix}no program has crashed", *accidents)
        check = self.query("PRAGMA integrity_check")
        self.tap.equal(check, [("ok",)], f"{prefix}the index is sound")


def seed_of(argument):
    """Return a seed, and use it: @argument, else RBMAP_TEST_SEED."""
    seed = argument
    if seed is None:
        seed = int(os.environ.get("RBMAP_TEST_SEED") or random.randrange(1 << 32))
    random.seed(seed)
    return seed


def main(function):
    """Run a test. A signal ends it as an error does, so that it stops its programs."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(function())
