"""Histories of messages with skewed clocks for causal_filter_test.py, and the judge of what the filter makes of them."""
import random


def history(streams, events, seed, skew=1000000, lost=0.0, step=1000):
    """({id: rows}, [(sender, its place), (receiver, its place)]): true times, shifted by each stream's own skew. A lost row leaves no other trace of it."""
    numbers, rows, joins, under_way = random.Random(seed), {i: [] for i in range(streams)}, [], []
    shift = [numbers.randrange(0, skew) for _ in range(streams)]
    drop = lambda: numbers.random() < lost
    for i in range(events):
        time, stream = 10000 + i * step, numbers.randrange(streams)
        mine = [message for message in under_way if message[1] == stream]
        if mine and numbers.random() < 0.5:
            message = mine[0]
            under_way.remove(message)
            if drop():
                rows[stream].append(("lost", 1))
                continue
            if message[3] is not None:
                joins.append((message[3], (stream, message[2])))
            rows[stream].append((time + shift[stream], "net_recv", [f"c{message[0]}-{stream}", message[2], message[0]]))
        elif numbers.random() < 0.6:
            to = numbers.choice([other for other in range(streams) if other != stream])
            lost_send = drop()
            under_way.append((stream, to, i, None if lost_send else (stream, i)))
            rows[stream].append(("lost", 1) if lost_send else (time + shift[stream], "net_send", [f"c{stream}-{to}", i, to]))
        else:
            rows[stream].append((time + shift[stream], "sched", [i]))
    return rows, joins


def check_messages(messages, rows, joins, frequency=1000000000, offset_ns=0):
    """Times never run backwards; each stream has its own events in its own order; joined sends stand before their receives."""
    last, order, place, begun, packet = None, {}, {}, set(), {}
    for at, message in enumerate(messages):
        if message.time is not None:
            assert last is None or message.time >= last, (at, message.kind, message.time, last)
            last = message.time
        if message.kind == "begin":
            begun.add(message.stream)
        elif message.kind == "packet":
            assert message.stream in begun and not packet.get(message.stream), at
            packet[message.stream] = True
        elif message.kind == "packet-end":
            assert packet.get(message.stream), at
            packet[message.stream] = False
        elif message.kind == "end":
            assert not packet.get(message.stream), at
            begun.remove(message.stream)
        elif message.kind == "event":
            assert packet[message.stream] and message.cpu == message.stream, at
            order.setdefault(message.stream, []).append(message)
            if message.name in ("net_send", "net_recv"):
                place[message.name, message.fields["seq"]] = at
    assert not begun, begun
    for stream, of in rows.items():
        kept = [row for row in of if row[0] != "lost"]
        got = order.get(stream, [])
        assert len(got) == len(kept), (stream, len(got), len(kept))
        for message, (time, name, values) in zip(got, kept):
            assert message.name == name and list(message.fields.values())[:len(values)] == values, (message.fields, values)
            raw = time * 1000000000 // frequency + offset_ns
            assert abs(message.fields["magicwire_raw_ns"] - raw) <= 1 and message.time >= message.fields["magicwire_raw_ns"], (message.fields, raw)
    for (_, sent), (_, received) in joins:
        assert place["net_send", sent] < place["net_recv", received], (sent, received)


def backwards(rows):
    sent = {row[2][1]: row[0] for of in rows.values() for row in of if row[0] != "lost" and row[1] == "net_send"}
    return sum(1 for of in rows.values() for row in of if row[0] != "lost" and row[1] == "net_recv" and sent.get(row[2][1], 0) > row[0])
