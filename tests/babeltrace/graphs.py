"""Graphs of babeltrace2 around the filter: the messages that leave it, as plain tuples."""
import bt2

KINDS = {bt2._StreamBeginningMessageConst: "begin", bt2._StreamEndMessageConst: "end", bt2._PacketBeginningMessageConst: "packet",
         bt2._PacketEndMessageConst: "packet-end", bt2._DiscardedEventsMessageConst: "lost", bt2._DiscardedPacketsMessageConst: "lost-packets",
         bt2._EventMessageConst: "event", bt2._MessageIteratorInactivityMessageConst: "inactive"}


def plain(value):
    if isinstance(value, bt2._StructureFieldConst):
        return {name: plain(value[name]) for name in value}
    if isinstance(value, bt2._ArrayFieldConst):
        return [plain(element) for element in value]
    if isinstance(value, bt2._OptionFieldConst):
        return plain(value.field) if value.has_field else None
    if isinstance(value, bt2._VariantFieldConst):
        return plain(value.selected_option)
    if isinstance(value, bt2._BoolFieldConst):
        return bool(value)
    if isinstance(value, bt2._BitArrayFieldConst):
        return value.value_as_integer
    if isinstance(value, bt2._StringFieldConst):
        return str(value)
    if isinstance(value, bt2._RealFieldConst):
        return float(value)
    return int(value)


def first_of(fields, *names):
    return next(fields[name] for name in names if name in fields)


def plain_value(value):
    return str(value) if isinstance(value, bt2._StringValueConst) else int(value)


def time_of(message):
    """Nanoseconds from the origin, or None."""
    snapshot = None
    if isinstance(message, (bt2._StreamBeginningMessageConst, bt2._StreamEndMessageConst, bt2._EventMessageConst, bt2._PacketBeginningMessageConst,
                            bt2._PacketEndMessageConst)):
        snapshot = message.default_clock_snapshot
    elif isinstance(message, bt2._MessageIteratorInactivityMessageConst):
        snapshot = message.clock_snapshot
    elif isinstance(message, (bt2._DiscardedEventsMessageConst, bt2._DiscardedPacketsMessageConst)):
        snapshot = message.beginning_default_clock_snapshot
    return snapshot.ns_from_origin if hasattr(snapshot, "ns_from_origin") else None


class Message:
    def __init__(self, message):
        self.kind, self.time, self.name, self.fields, self.count = KINDS[type(message)], time_of(message), None, None, None
        self.stream = None
        if self.kind == "event":
            self.name, self.stream = message.event.name, message.event.stream.id
            self.fields = plain(message.event.payload_field) if message.event.payload_field is not None else {}
            self.specific, self.common = (plain(part) if part is not None else None for part in (message.event.specific_context_field, message.event.common_context_field))
            self.stream_name, self.level = message.event.stream.name, message.event.cls.log_level
            self.environment = {name: plain_value(value) for name, value in message.event.stream.trace.environment.items()}
            self.cpu = first_of(plain(message.event.packet.context_field), "cpu_id", "node") if message.event.cls.stream_class.supports_packets else None
        elif self.kind in ("packet", "packet-end"):
            self.stream = message.packet.stream.id
        elif self.kind != "inactive":
            self.stream = message.stream.id
        if self.kind in ("lost", "lost-packets"):
            self.count = message.count


class Collect(bt2._UserSinkComponent):
    def __init__(self, config, params, obj):
        self._port, self._to = self._add_input_port("in"), obj

    def _user_graph_is_configured(self):
        self._iterator = self._create_message_iterator(self._port)
        self._to.iterator = self._iterator

    def _user_consume(self):
        message = next(self._iterator)
        if self._to.plain:
            self._to.messages.append(Message(message))
        else:
            self._to.seen += 1
        if self._to.seek_after is not None and len(self._to.messages) == self._to.seek_after:
            self._to.seek_after, self._to.first = None, self._to.messages
            self._to.messages = []
            self._iterator.seek_beginning()


class Result:
    def __init__(self, seek_after=None, plain=True):
        self.messages, self.seek_after, self.first, self.plain, self.seen = [], seek_after, None, plain, 0


def filter_class(plugins):
    for plugin in bt2.find_plugins_in_path(str(plugins)):
        if plugin.name == "magicwire":
            return plugin.filter_component_classes["causal"]
    raise AssertionError(f"no plugin magicwire in {plugins}")


def run(plugins, sources, params, muxed=False, seek_after=None):
    """`sources`: folders of traces, or (class, object) of a source in Python. Every port of theirs goes to a port of the filter, or to a muxer first."""
    graph, result = bt2.Graph(), Result(seek_after)
    causal = graph.add_component(filter_class(plugins), "causal", params)
    sink = graph.add_component(Collect, "sink", obj=result)
    muxer = graph.add_component(bt2.find_plugin("utils").filter_component_classes["muxer"], "muxer") if muxed else None
    ctf = bt2.find_plugin("ctf").source_component_classes["fs"]
    for number, source in enumerate(sources):
        if isinstance(source, tuple):
            component = graph.add_component(source[0], f"source{number}", obj=source[1])
        else:
            component = graph.add_component(ctf, f"source{number}", {"inputs": [str(source)]})
        for port in list(component.output_ports.values()):
            to = muxer if muxed else causal
            graph.connect_ports(port, list(to.input_ports.values())[-1])
    if muxed:
        graph.connect_ports(muxer.output_ports["out"], list(causal.input_ports.values())[0])
    graph.connect_ports(causal.output_ports["out"], sink.input_ports["in"])
    graph.run()
    return result
