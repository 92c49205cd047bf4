"""A reader of PICL traces, old (1990, compact) and new (1992), written from the tables of their reports and from nothing of magicwire. Strict: a line
that it does not understand is an error."""
import shlex


class Trace:
    def __init__(self):
        self.times = []  # microseconds, in the order of the file
        self.sends, self.receives = [], []  # node, time, other node, type, length
        self.starts, self.exits = set(), set()
        self.clock_syncs, self.texts = [], []
        self.idle_us = {}  # by node, the last value
        self.waits = []  # node, from, until


def read_old(text):
    """KEY SECONDS MICROSECONDS NODE FIELDS"""
    trace, waiting = Trace(), {}
    fields_of = {1: 3, 4: 3, 6: 3, 7: 1, 8: 3, 11: 2, 15: 1, 16: 1, 19: 1, 20: 3, 21: 3, 23: 0}
    for number, line in enumerate(text.splitlines(), 1):
        key, seconds, micros, node, *fields = shlex.split(line)
        key, node, time = int(key), int(node), int(seconds) * 1000000 + int(micros)
        assert 0 <= int(micros) < 1000000 and len(fields) == fields_of[key], f"line {number}: {line}"
        trace.times.append(time)
        if key == 1:
            trace.starts.add(node)
        elif key == 19:
            trace.exits.add(node)
        elif key == 4:
            trace.sends.append((node, time, *map(int, fields)))
        elif key in (6, 8):
            trace.receives.append((node, time, *map(int, fields)))
            if key == 8:
                trace.waits.append((node, waiting.pop((node, int(fields[1]))), time))
        elif key == 7:
            waiting[node, int(fields[0])] = time
        elif key == 11:
            trace.idle_us[node] = int(fields[0]) * 1000000 + int(fields[1])
        elif key == 16:
            trace.texts.append(fields[0])
        elif key == 23:
            trace.clock_syncs.append((node, time))
    return trace


def read_new(text):
    """RECORD-TYPE EVENT-TYPE TIME PROCESSOR TASK FIELDS [DESCRIPTOR VALUES]"""
    trace, entered = Trace(), {}
    for number, line in enumerate(text.splitlines(), 1):
        record, event, time, node, task, count, *rest = shlex.split(line)
        record, event, node, task, count = int(record), int(event), int(node), int(task), int(count)
        time = round(float(time) * 1e6)
        values = rest[1:] if count else rest
        assert len(values) == count, f"line {number}: {line}"
        if count and rest[0] == "2":
            values = list(map(int, values))
        else:
            assert not count or rest[0] == "%s", f"line {number}: descriptor {rest[0]}"
        trace.times.append(time)
        if record == -3:
            entered[node, task, event] = (time, values)
            if event == -901:
                trace.starts.add(node)
            elif event == -21:
                length, kind, to = values
                trace.sends.append((node, time, to, kind, length))
        elif record == -4 and event == -901:
            trace.exits.add(node)
        elif record == -4:
            began, _ = entered.pop((node, task, event))  # every exit has its entry
            if event in (-51, -52):
                length, kind, source = values
                trace.receives.append((node, time, source, kind, length))
                if event == -52:
                    trace.waits.append((node, began, time))
            elif event == -401:
                trace.clock_syncs.append((node, time))
        elif record == -7:
            trace.texts.append(values[0])
        elif record == -101:
            assert event == -601
            trace.idle_us[node] = values[0]
        else:
            assert record == -2, f"line {number}: {line}"
    return trace
