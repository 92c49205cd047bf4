"""Sources in Python for causal_filter_test.py: one that says what its steps say, and one whose events have a field of every kind."""
import bt2


class Slow:
    """The steps of a stream: "again", "begin", "end", ("idle", time), or (event, time, key)."""

    def __init__(self, steps):
        self.steps = steps


class SlowIterator(bt2._UserMessageIterator):
    def __init__(self, config, port):
        slow, self._stream, self._event_class, self._clock = port.user_data
        self._made = iter(slow.steps)

    def __next__(self):
        step = next(self._made, None)
        if step is None:
            raise StopIteration
        if step == "again":
            raise bt2.TryAgain
        if step == "begin":
            return self._create_stream_beginning_message(self._stream)
        if step == "end":
            return self._create_stream_end_message(self._stream)
        if step[0] == "idle":
            return self._create_message_iterator_inactivity_message(self._clock, step[1])
        message = self._create_event_message(self._event_class[step[0]], self._stream, default_clock_snapshot=step[1])
        message.event.payload_field["key"] = step[2]
        return message


class SlowSource(bt2._UserSourceComponent, message_iterator_class=SlowIterator):
    def __init__(self, config, params, slows):
        trace_class = self._create_trace_class()
        clock = self._create_clock_class()
        stream_class = trace_class.create_stream_class(default_clock_class=clock)
        classes = {}
        for name in ("send", "receive"):
            fields = trace_class.create_structure_field_class()
            fields.append_member("key", trace_class.create_unsigned_integer_field_class())
            classes[name] = stream_class.create_event_class(name=name, payload_field_class=fields)
        trace = trace_class()
        for number, slow in enumerate(slows):
            self._add_output_port(f"out{number}", (slow, trace.create_stream(stream_class), classes, clock))


def every_kind(tc):
    """A structure with a field of each class of trace_class `tc`."""
    fields = tc.create_structure_field_class()
    inner = tc.create_structure_field_class()
    inner.append_member("deep", tc.create_string_field_class())
    enumeration = tc.create_unsigned_enumeration_field_class()
    enumeration.add_mapping("few", bt2.UnsignedIntegerRangeSet([(0, 3), (9, 9)]))
    negative = tc.create_signed_enumeration_field_class()
    negative.add_mapping("below", bt2.SignedIntegerRangeSet([(-8, -1)]))
    selector = tc.create_unsigned_integer_field_class(8)
    length = tc.create_unsigned_integer_field_class(8)
    variant = tc.create_variant_field_class(selector_fc=selector)
    variant.append_option("number", tc.create_signed_integer_field_class(), bt2.UnsignedIntegerRangeSet([(0, 0)]))
    variant.append_option("text", tc.create_string_field_class(), bt2.UnsignedIntegerRangeSet([(1, 1)]))
    flag = tc.create_bool_field_class()
    members = [("key", tc.create_unsigned_integer_field_class()), ("flag", flag), ("bits", tc.create_bit_array_field_class(17)),
               ("small", tc.create_signed_integer_field_class(8)), ("enumeration", enumeration), ("negative", negative),
               ("single", tc.create_single_precision_real_field_class()), ("double", tc.create_double_precision_real_field_class()),
               ("text", tc.create_string_field_class()), ("inner", inner), ("three", tc.create_static_array_field_class(tc.create_signed_integer_field_class(), 3)),
               ("length", length), ("counted", tc.create_dynamic_array_field_class(tc.create_string_field_class(), length_fc=length)),
               ("free", tc.create_dynamic_array_field_class(tc.create_double_precision_real_field_class())),
               ("option", tc.create_option_without_selector_field_class(tc.create_unsigned_integer_field_class())),
               ("chosen", tc.create_option_with_bool_selector_field_class(tc.create_string_field_class(), flag)), ("selector", selector), ("variant", variant)]
    for name, field_class in members:
        fields.append_member(name, field_class)
    return fields


def fill(field, number):
    """Values that depend on the number; returns them as graphs.plain() reads them."""
    flag, selector, texts = number % 2 == 0, number % 2, ["", "a", "ä\n" * number][:number % 4]
    plain = {"key": number, "flag": flag, "bits": number * 257 % (1 << 17), "small": number % 256 - 128, "enumeration": number, "negative": -number - 1,
             "single": number / 4, "double": number / 3, "text": "t" * number, "inner": {"deep": f"d{number}"}, "three": [number, -number, 0],
             "length": len(texts), "counted": texts, "free": [number / 7] * (number % 3)}
    for name, value in plain.items():
        if name == "inner":
            field["inner"]["deep"] = value["deep"]
        elif name in ("three", "counted", "free"):
            if name != "three":
                field[name].length = len(value)
            for i, element in enumerate(value):
                field[name][i] = element
        elif name == "bits":
            field[name].value_as_integer = value
        else:
            field[name] = value
    plain["option"] = number if number % 3 else None
    field["option"].has_field = number % 3 != 0
    if number % 3:
        field["option"].value = number
    plain["chosen"] = f"c{number}" if flag else None
    field["chosen"].has_field = flag
    if flag:
        field["chosen"].value = plain["chosen"]
    plain["selector"], plain["variant"] = selector, [-number, f"v{number}"][selector]
    field["selector"] = selector
    field["variant"].selected_option_index = selector
    field["variant"].value = plain["variant"]
    return plain


class EveryKindIterator(bt2._UserMessageIterator):
    def __init__(self, config, port):
        self._stream, self._event_class, self._told = port.user_data
        self._made = self._messages()

    def _messages(self):
        yield self._create_stream_beginning_message(self._stream)
        for number in range(20):
            message = self._create_event_message(self._event_class, self._stream, default_clock_snapshot=100 * number)
            event = message.event
            self._told.append((fill(event.payload_field, number), fill(event.specific_context_field, number + 1), fill(event.common_context_field, number + 2)))
            yield message
        yield self._create_stream_end_message(self._stream)

    def __next__(self):
        return next(self._made)


class EveryKindSource(bt2._UserSourceComponent, message_iterator_class=EveryKindIterator):
    def __init__(self, config, params, told):
        trace_class = self._create_trace_class()
        stream_class = trace_class.create_stream_class(default_clock_class=self._create_clock_class(), event_common_context_field_class=every_kind(trace_class))
        event_class = stream_class.create_event_class(name="all", payload_field_class=every_kind(trace_class), specific_context_field_class=every_kind(trace_class),
                                                      log_level=bt2.EventClassLogLevel.WARNING)
        self._add_output_port("out", (trace_class(environment={"host": "h", "n": -3}).create_stream(stream_class, name="the stream"), event_class, told))
