# SPDX-License-Identifier: MIT
# What gdb runs in a replay: attaches to the program, whose threads stand at the bug, names them, hides
# the runtime's frames, and adds the commands `norn ...`. `norn replay` puts NORN, what it knows, before this.
import itertools
import mmap
import os
import signal
import struct
import threading
import time

import gdb

RUNTIME = "norn-runtime/"  # the directory of the runtime's sources, in debug information
RUNS, WAITS, AT_STOP, HELD, BLOCKED, ENDED = range(6)


def map_file(path):
    with open(path, "r+b") as file:
        return mmap.mmap(file.fileno(), 0)


STATE, PLAN = map_file(NORN["state"]), map_file(NORN["plan"])


def word(at):
    return struct.unpack_from("<I", STATE, at)[0]


def say(text):
    """Names come from the trace: nothing in them may control a terminal."""
    gdb.write("".join(c if c.isprintable() else "?" for c in text) + "\n")


def quietly(command):
    return gdb.execute(command, to_string=True)


class Silence:
    """What gdb says when the program stops is in the runtime, and not for people."""

    def __enter__(self):
        self.set("on")

    def __exit__(self, *unused):
        self.set("off")

    def set(self, value):
        try:
            quietly("set suppress-cli-notifications " + value)
        except gdb.error:
            pass  # before gdb 13


class Thread:
    """A thread of the program, as the runtime tells of it."""

    def __init__(self, number):
        self.number = number
        self.at = NORN["threads_at"] + number * NORN["thread_size"]
        self.name = NORN["names"][number]

    def get(self, member, width="I"):
        return struct.unpack_from("<" + width, STATE, self.at + NORN["thread"][member])[0]

    def where(self):
        return self.get("where")

    def stack(self):
        """Return addresses, from the program's frame on, if the thread stands or is blocked."""
        if self.where() not in (AT_STOP, BLOCKED):
            return ()
        return struct.unpack_from("<%dQ" % self.get("depth"), STATE, self.at + NORN["thread"]["stack"])

    def gdbs(self):
        """The same thread as gdb has it, or None."""
        for thread in gdb.selected_inferior().threads():
            if thread.ptid[1] == self.get("tid"):
                return thread
        return None


THREADS = [Thread(i) for i in range(min(word(NORN["count_at"]), len(NORN["names"])))]


def article(text):
    return ("an " if text[0] in "aeiou" else "a ") + text


def name_address(address):
    """A symbol of the program and how far behind it, else the address alone."""
    symbol = quietly("info symbol %d" % address)
    plain = "0x%x" % address
    if " in section " not in symbol:
        return plain
    return "%s (%s)" % (symbol.split(" in section ")[0].replace(" + ", "+"), plain)


def read_value(address, size):
    try:
        value = gdb.selected_inferior().read_memory(address, size).tobytes()
    except gdb.MemoryError:
        return None
    if size > 8:
        return None
    number = int.from_bytes(value, "little")
    return str(number) if number < 1 << 31 else hex(number)


def owner_of(mutex):
    """The thread that holds a mutex of glibc, or None."""
    owner = read_value(mutex + 8, 4)
    for thread in THREADS:
        if thread.get("tid") and str(thread.get("tid")) == owner:
            return thread
    return None


def describe_step(thread):
    """What it is about to do, or waits in: "a write of 4 bytes at message (0x4010), which is 0"."""
    text = article(NORN["kinds"].get(str(thread.get("kind")), "step"))
    address, size, locked = thread.get("address", "Q"), thread.get("size", "Q"), thread.get("object", "Q")
    if address:
        text += " of %d byte%s at %s" % (size, "" if size == 1 else "s", name_address(address))
        value = read_value(address, size)
        if value is not None and thread.where() == AT_STOP and not thread.get("performed"):
            text += ", which is %s" % value
    elif locked:
        text += " of " + name_address(locked)
        holder = owner_of(locked)
        if holder and holder is not thread:
            text += ", which %s holds" % holder.name
    return text


def describe(thread):
    where = thread.where()
    if where == AT_STOP:
        return ("stands behind " if thread.get("performed") else "stands before ") + describe_step(thread)
    if where == BLOCKED:
        return "is blocked in " + describe_step(thread)
    return {WAITS: "waits for its turn", HELD: "is held until the bug has happened", ENDED: "has ended"}.get(
        where, "runs")


def is_runtime(frame):
    table = frame.find_sal().symtab
    if table:
        return table.filename.startswith(RUNTIME)
    return (frame.name() or "").startswith(("norn_", "__norn_"))


def find_frame(fits):
    frame = gdb.newest_frame()
    while frame and (is_runtime(frame) or not fits(frame)):
        frame = frame.older()
    return frame


def select_frame(thread):
    """The innermost frame of the program, not one of a library; False: the thread is gone, or has none."""
    known = thread.gdbs()
    if not known:
        return False
    known.switch()
    calls = thread.stack()
    frame = find_frame(lambda frame: frame.pc() in calls) or find_frame(lambda frame: True)
    if frame:
        frame.select()
    return bool(frame)


def source_line(sal):
    """As gdb lists it; None: the file is not there."""
    try:
        with open(sal.symtab.fullname(), errors="replace") as file:
            text = next(itertools.islice(file, sal.line - 1, None), None)
    except OSError:
        return None
    return None if text is None else "%d\t%s" % (sal.line, text.rstrip("\n"))


def put_thread(thread):
    say("  thread %s %s" % (thread.name, describe(thread)))
    if not select_frame(thread):
        return
    frame = gdb.selected_frame()
    sal = frame.find_sal()
    if not sal.symtab:
        return
    say("    %s at %s:%d" % (frame.name() or "?", sal.symtab.filename, sal.line))
    line = source_line(sal)
    if line:
        say("    " + line.replace("\t", "  "))


class Stay:
    """Leaves thread and frame selected as they were."""

    def __enter__(self):
        self.thread = gdb.selected_thread()
        self.frame = gdb.selected_frame() if self.thread else None

    def __exit__(self, *unused):
        if self.thread and self.thread.is_valid():
            self.thread.switch()
            if self.frame and self.frame.is_valid():
                self.frame.select()


class Bug:
    """The threads that stand at the bug, in the order in which they go."""

    def __init__(self):
        self.taken = 0  # of the stops
        self.left = False  # they went

    def stops(self):
        stops = [THREADS[i] for i in NORN["stops"]]
        backwards = struct.unpack_from("<I", PLAN, NORN["order_at"])[0] == NORN["ba"]
        return stops[::-1] if NORN["pair"] and backwards else stops

    def next(self):
        return self.stops()[self.taken:]


BUG = Bug()


def check_stops():
    if not NORN["stops"]:
        raise gdb.GdbError("This is a schedule without a bug: no thread stands before one.")


def put_next():
    stops = BUG.next()
    if NORN["blocks"]:
        say("next: nothing; they wait for ever." if BUG.left else "next: they go on, and wait for ever.")
        return
    for thread in stops:
        with Stay():
            place = ""
            if select_frame(thread):
                sal = gdb.selected_frame().find_sal()
                place = " at %s:%d" % (sal.symtab.filename, sal.line) if sal.symtab else ""
        say("next: thread %s%s: %s" % (thread.name, place, describe_step(thread)))
    if not stops:
        say("next: nothing; the bug has happened, and all threads go on.")


def start():
    """Threads may leave their stops; also when somebody says `continue`."""
    struct.pack_into("<I", STATE, NORN["go_at"], 1)


def stop_program(tid):
    """SIGSTOP, which cannot be blocked; gdb keeps it."""
    try:
        os.kill(tid, signal.SIGSTOP)
    except ProcessLookupError:
        pass


def watch(done, tid, rest, most, over):
    """Stops the program when it is done and has had some rest, or much later."""
    begin = time.monotonic()
    since = None
    while not over.wait(0.01):
        now = time.monotonic()
        since = (since or now) if done() else None
        if (since and now - since >= rest) or now - begin >= most:
            stop_program(tid)
            return


def go_until(done, tid, rest):
    """Continues, until a breakpoint or `done`."""
    over = threading.Event()
    watcher = threading.Thread(target=watch, args=(done, tid, rest, NORN["seconds"], over))
    watcher.start()
    try:
        with Silence():
            quietly("continue")
    finally:
        over.set()
        watcher.join()


def break_behind_step(thread):
    """Where the hook returns to: in the frame that is selected."""
    frame = gdb.selected_frame()
    if frame != gdb.newest_frame():
        quietly("tbreak *%d thread %d" % (frame.pc(), thread.gdbs().num))


def delete_breakpoints(before):
    for b in gdb.breakpoints():
        if b.number not in before:
            b.delete()


def take_step(thread):
    """The thread alone, until it has done what it stands before."""
    turn = word(NORN["turn_at"])
    address, size = thread.get("address", "Q"), thread.get("size", "Q")
    before = read_value(address, size) if address else None
    text, tid = describe_step(thread).split(", which is")[0], thread.get("tid")
    known = {b.number for b in gdb.breakpoints()}
    locking = gdb.parameter("scheduler-locking")

    def done():
        return word(NORN["turn_at"]) > turn or (not NORN["pair"] and thread.where() != AT_STOP)

    if not select_frame(thread):
        raise gdb.GdbError("Thread %s is gone." % thread.name)
    start()
    quietly("set scheduler-locking on")
    try:
        break_behind_step(thread)
        go_until(done, tid, 0.5)
    finally:
        quietly("set scheduler-locking " + locking)
        delete_breakpoints(known)
    BUG.taken += 1
    select_frame(thread)
    after = read_value(address, size) if address else None
    changed = "" if after is None else ": it is %s" % after
    if before not in (None, after):
        changed += ", and was %s" % before
    say("thread %s: %s is done%s" % (thread.name, text, changed))


def block():
    """All threads, until those of the bug are blocked."""
    stops = BUG.stops()
    start()
    go_until(lambda: all(t.where() == BLOCKED for t in stops), NORN["program"], 0.3)
    BUG.left = True
    for thread in stops:
        put_thread(thread)
    select_frame(stops[0])


class Norn(gdb.Command):
    """Commands for a program whose threads stand at a bug."""

    def __init__(self):
        super().__init__("norn", gdb.COMMAND_RUNNING, prefix=True)


class Threads(gdb.Command):
    """Show where each thread is, and what it is about to do."""

    def __init__(self):
        super().__init__("norn threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        with Stay():
            for thread in THREADS:
                if thread.get("tid"):
                    put_thread(thread)


class Next(gdb.Command):
    """Show what comes next, in its order."""

    def __init__(self):
        super().__init__("norn next", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        check_stops()
        put_next()


class StepEvent(gdb.Command):
    """Let the thread that is next do what it stands before, while all others stand.
Threads that will wait for each other do so all at once."""

    def __init__(self):
        super().__init__("norn step-event", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        check_stops()
        if NORN["blocks"] and not BUG.left:
            block()
        elif not NORN["blocks"] and BUG.next():
            take_step(BUG.next()[0])
        put_next()


class Order(gdb.Command):
    """Choose which access of a race goes first: norn order ab, or norn order ba."""

    def __init__(self):
        super().__init__("norn order", gdb.COMMAND_RUNNING)

    def complete(self, text, rest):
        return [order for order in ("ab", "ba") if order.startswith(rest)]

    def invoke(self, argument, from_tty):
        if not NORN["pair"]:
            raise gdb.GdbError("Only a race has two orders.")
        if argument not in ("ab", "ba"):
            raise gdb.GdbError("norn order ab, or norn order ba")
        if word(NORN["go_at"]):
            raise gdb.GdbError("The first access has been made.")
        struct.pack_into("<I", PLAN, NORN["order_at"], NORN[argument])
        put_next()


class Frames:
    """Backtraces without the runtime."""

    def __init__(self):
        self.name, self.priority, self.enabled = "norn", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (f for f in frames if not is_runtime(f.inferior_frame()))


def begin():
    quietly("set pagination off") if NORN["batch"] else None
    with Silence():
        quietly("attach %d" % NORN["program"])
    quietly("handle SIGSTOP nopass noprint stop")
    quietly("define hook-continue\npython start()\nend")
    for command in (Norn, Threads, Next, StepEvent, Order, Frames):
        command()
    for thread in THREADS:
        if thread.gdbs():
            thread.gdbs().name = thread.name
    say("Norn: %s" % NORN["title"])
    shown = BUG.stops()
    for thread in shown:
        put_thread(thread)
    if shown:
        put_next()
        select_frame(shown[0])
    say("norn threads, norn next, norn step-event%s: see help norn" % (", norn order" if NORN["pair"] else ""))


begin()
