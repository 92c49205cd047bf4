"""Writes small CTF 1.8 traces, as LTTng does: a stream a file, packets with begin and end times, and counters of discarded events. Of nothing of
magicwire."""
import struct
from pathlib import Path

HEAD = """/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le;
  packet.header := struct { integer { size = 32; align = 8; } magic; integer { size = 32; align = 8; } stream_id;
    integer { size = 64; align = 8; } stream_instance_id; };
};
env { hostname = "made"; version = 3; };
clock { name = mono; freq = %(frequency)d; offset_s = %(offset)d; absolute = %(absolute)s; };
typealias integer { size = 64; align = 8; signed = false; map = clock.mono.value; } := time_t;
stream { id = 0;
  packet.context := struct { time_t timestamp_begin; time_t timestamp_end; integer { size = 64; align = 8; } content_size;
    integer { size = 64; align = 8; } packet_size; integer { size = 64; align = 8; } events_discarded; integer { size = 32; align = 8; } cpu_id; };
  event.header := struct { integer { size = 16; align = 8; } id; time_t timestamp; };
};
"""
TYPES = {"u64": "integer { size = 64; align = 8; signed = false; }", "i64": "integer { size = 64; align = 8; signed = true; }",
         "u32": "integer { size = 32; align = 8; signed = false; }", "string": "string"}
CODES = {"u64": "Q", "i64": "q", "u32": "I"}


def fields_text(fields):
    text, codes = "", []
    for name, kind in fields:
        if kind.startswith("array "):  # of u64, with its length before it
            text += f" {TYPES['u32']} _{name}_length; {TYPES['u64']} {name}[_{name}_length];"
        else:
            text += f" {TYPES[kind]} {name};"
        codes.append(kind)
    return text, codes


def packed(kinds, values):
    data = b""
    for kind, value in zip(kinds, values):
        if kind == "string":
            data += value.encode() + b"\0"
        elif kind.startswith("array "):
            data += struct.pack(f"<I{len(value)}Q", len(value), *value)
        else:
            data += struct.pack("<" + CODES[kind], value)
    return data


def write(folder, events, streams, frequency=1000000000, offset=0, packet_events=100, absolute=False):
    """`events`: {name: [(field, kind), ...]}. `streams`: {id: [(time, name, values) or ("lost", count), ...]}, times by the stream's clock."""
    folder = Path(folder)
    folder.mkdir(parents=True)
    metadata = HEAD % {"frequency": frequency, "offset": offset, "absolute": "TRUE" if absolute else "FALSE"}
    numbers, codes = {}, {}
    for number, (name, fields) in enumerate(events.items()):
        text, codes[name] = fields_text(fields)
        metadata += f'event {{ id = {number}; name = "{name}"; stream_id = 0; fields := struct {{{text} }}; }};\n'
        numbers[name] = number
    (folder / "metadata").write_text(metadata, encoding="utf-8")
    for instance, rows in streams.items():
        with open(folder / f"stream_{instance}", "wb") as file:
            lost, packet, first, last = 0, [], None, 0

            def close():
                nonlocal packet, first
                body = b"".join(packet)
                size = (60 + len(body)) * 8
                begin = first if first is not None else last
                file.write(struct.pack("<IIQQQQQQI", 0xC1FC1FC1, 0, instance, begin, last, size, size, lost, instance) + body)
                packet, first = [], None

            for row in rows:
                if row[0] == "lost":
                    if packet:
                        close()
                    lost += row[1]
                    continue
                time, name, values = row
                first = time if first is None else first
                last = time
                packet.append(struct.pack("<HQ", numbers[name], time) + packed(codes[name], values))
                if len(packet) == packet_events:
                    close()
            if packet or not rows or rows[-1][0] == "lost":
                close()
    return folder
