#include <trollius_os/services/kenyad.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include <trollius_os/services.hpp>

#include "argument_block.hpp"
#include "body_text.hpp"

namespace trollius_os {

namespace services {

constexpr std::byte no_route{0xff};

StateRecord encode_state(const ProcessLine& line) {
    StateRecord record{line.index,   line.pid,   line.priority, static_cast<std::uint16_t>(line.state),
                       line.pending, line.event, line.type,     {}};
    line.name.copy(record.name.data(), record.name.size() - 1);
    return record;
}

std::vector<ProcessLine> decode_state(std::span<const std::byte> body) {
    std::vector<ProcessLine> lines(body.size() / sizeof(StateRecord));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        StateRecord r;
        std::memcpy(&r, body.data() + i * sizeof r, sizeof r);
        lines[i] = {r.index,
                    r.pid,
                    r.priority,
                    r.state,
                    r.event,
                    r.type,
                    std::string(r.name.begin(), std::find(r.name.begin(), r.name.end(), '\0')),
                    r.pending};
    }
    return lines;
}

std::vector<std::byte> encode_routes(const RouteTable& routes) {
    std::vector<std::byte> body;
    body.reserve(routes.size());
    for (std::size_t node = 0; node < routes.size(); ++node) {
        const auto link = routes[node];
        body.push_back(link ? std::byte{link->value()} : no_route);
    }
    return body;
}

std::optional<RouteTable> decode_routes(std::span<const std::byte> body, std::size_t nodes) {
    if (body.size() != nodes) return std::nullopt;
    RouteTable routes(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
        const LinkNo link(std::to_integer<LinkNo::value_type>(body[i]));
        if (link.value() < 4) routes.set(i, link);
    }
    return routes;
}

namespace {

// Tells kenyad that a process has come to its end: mostly the caller, for which no signal counts any more.
Task<> tell_end(Calls& calls, vocabulary::ProcessId pid, std::int32_t status) {
    if (pid == calls.pid()) calls.process().signals().blocked = all_signals;
    const EventNo reply(-static_cast<std::int32_t>(pid.value()));  // of the process that ends
    Message ended =
        request_to(calls.node(), events::kenyad, EndedRequest{.caller = {calls.node(), reply}, .pid = pid, .status = status});
    co_await calls.nsend(ended);
}

ProcessCode and_tell(std::function<void(Api&)> code) {
    return [code = std::move(code)](Api& api) {
        api.calls().set_farewell(tell_end);
        code(api);
        tell_end(api.calls(), api.process().pid(), api.process().exit_status()).get();
    };
}
ProcessCode and_tell(std::function<Task<>(Calls&)> code) {
    return [code = std::move(code)](Calls& calls) -> Task<> {
        calls.set_farewell(tell_end);
        co_await code(calls);
        co_await tell_end(calls, calls.pid(), calls.process().exit_status());
    };
}

// The bytes of a program without content mean nothing. The real kenyad sees a wrong magic number only.
bool is_damaged(const FlatBlock& module, const Program& program) {
    if (program.content.empty()) return false;
    const auto last =
        std::find_if(program.content.rbegin(), program.content.rend(), [](std::byte b) { return b != std::byte{}; });
    return !std::equal(module.content.begin(), module.content.end(), program.content.begin(), last.base());
}

std::vector<StateRecord> process_table(Calls& calls) {
    std::vector<StateRecord> table;
    std::uint32_t index = 0;
    for (const auto& p : calls.kernel().processes()) {
        ++index;
        if (p->state() == ProcessState::Ended) continue;
        const ProcessStatus status = calls.kernel().status(*p);
        table.push_back(encode_state({index, p->pid(), status.priority, static_cast<std::int32_t>(status.state), status.event,
                                      status.type, p->name(), status.pending}));
    }
    return table;
}

class Kenya {
public:
    Kenya(Calls& calls, NodeServices& services) : calls_(calls), services_(services) {}

    Task<> serve() {
        Message message{.event = events::kenyad, .any_body = &room_};
        co_await calls_.nrecv(message);
        if (const auto ended = decode<EndedRequest>(message); ended && ended->caller.node == NodeWord(calls_.node())) {
            co_await notify(ended->pid, ended->status);
        } else if (const auto asked = decode<DoomRequest>(message)) {
            co_await doom(*asked);
        } else if (auto answer = obey(message)) {
            // A table makes a dumb router smart.
            if (decode<RoutesRequest>(message) && !services_.router.smart) co_await ask_router(calls_, smart);
            co_await calls_.answer(*answer);
        } else {
            calls_.kernel().drop("kenyad", "an unreadable request");
        }
    }

private:
    static constexpr RouteQuestion smart{.call = RouterCall::SetSmart, .type = 1};
    // A request that can be read, obeyed: its answer. Empty: no request. `table_` holds the answer's body.
    std::optional<Message> obey(const Message& message) {
        const auto body = message.body.first(message.length);
        if (const auto request = decode<CreateRequest>(message))
            return answer_to(request->caller, create(*request, text_in(body)));
        if (const auto routes = decode<RoutesRequest>(message)) {
            if (auto taken = decode_routes(body, services_.routes.size())) {
                services_.routes = std::move(*taken);
                calls_.kernel().forget_routes();
            }
            return answer_to(routes->caller, RoutesAnswer{calls_.node(), routes->tag});
        }
        if (const auto state = decode<StateRequest>(message)) {
            table_ = process_table(calls_);
            const StateAnswer answer{static_cast<std::uint32_t>(calls_.kernel().dropped_damaged())};
            return answer_to(state->caller, answer, std::as_writable_bytes(std::span(table_)));
        }
        return std::nullopt;
    }

    // Creates a process of the program of that name.
    CreateAnswer create(const CreateRequest& request, const std::string& name) {
        FlatBlock module, arguments;
        const bool has_module = take(request.module, module);
        const bool has_arguments = take({request.caller.node, request.arguments}, arguments);
        const auto program = services_.programs->find(name);
        CreateAnswer answer;
        if (program == services_.programs->end()) {
            calls_.kernel().drop("kenyad", "a request for an unknown program");
            answer.error = CreateError::UnknownProgram;
        } else if (!has_module || !has_arguments) {
            answer.error = CreateError::NoBlock;
        } else if (is_damaged(module, program->second)) {
            answer.error = CreateError::Damaged;
        } else {
            answer = start(request, *program, module.bytes + arguments.bytes, words_in(arguments.content));
        }
        if (answer.error != CreateError::None) calls_.port().give_back_memory(module.bytes + arguments.bytes);
        return answer;
    }

    // Tag 0: nothing to take.
    bool take(FlatTag name, FlatBlock& block) {
        if (name.tag == 0) return true;
        auto taken = take_block(services_.blocks, name);
        if (taken) block = std::move(*taken);
        return taken.has_value();
    }

    CreateAnswer start(const CreateRequest& request, const ProgramRegistry::value_type& program, std::uint32_t bytes,
                       Arguments arguments) {
        calls_.charge(calls_.kernel().costs().create_process);
        const bool waits = (request.flags & rtf_wait) != 0;
        ProcessCode code = program.second.code(std::move(arguments));
        if (waits) code = std::visit([](auto& its) { return and_tell(std::move(its)); }, code);
        const Process* process = calls_.kernel().create({.name = program.first,
                                                         .priority = Priority::Low,
                                                         .kernel_priority = 0,
                                                         .stack_bytes = program.second.stack_bytes,
                                                         .code = std::move(code),
                                                         .taken_bytes = bytes});
        if (process == nullptr) {
            const bool memory = calls_.kernel().refusal() == Error::NoMemory;
            return {.error = memory ? CreateError::NoMemory : CreateError::TableFull};
        }
        if (waits) waiters_[process->pid()] = request.caller;
        return {.pid = process->pid(), .index = index_of(*process)};
    }

    std::uint32_t index_of(const Process& process) const {
        const auto& table = calls_.kernel().processes();
        const auto place = std::find_if(table.begin(), table.end(), [&](const auto& p) { return p.get() == &process; });
        return static_cast<std::uint32_t>(place - table.begin()) + 1;
    }

    Task<> doom(const DoomRequest& request) {
        const vocabulary::ProcessId pid = request.pid;
        const std::int32_t signal = request.signal;
        co_await calls_.settle();
        Process* process = calls_.kernel().find(pid);
        const Doomed outcome = send_signal(process, signal);
        const bool ended = outcome == Doomed::Done && process->state() == ProcessState::Ended;
        Message answer = answer_to(request.caller, DoomAnswer{outcome});
        co_await calls_.answer(answer);
        if (ended) co_await notify(pid, -signal);
    }

    Doomed send_signal(Process* process, std::int32_t number) {
        if (process == nullptr || process->state() == ProcessState::Ended) return Doomed::NoProcess;
        if (process->kernel_priority() > 0) return Doomed::Service;
        const auto signal = signal_of(number);
        if (!signal) return Doomed::NoSignal;
        calls_.kernel().signal(*process, *signal);
        return Doomed::Done;
    }

    // To the creator of a process, once.
    Task<> notify(vocabulary::ProcessId pid, std::int32_t status) {
        const auto waiter = waiters_.find(pid);
        if (waiter == waiters_.end()) co_return;
        const Caller to = waiter->second;
        waiters_.erase(waiter);
        Message notice = request_to(to.node.id(), notice_event(to.reply), ExitNotice{calls_.node(), pid, status});
        notice.type = notice_type;
        co_await calls_.answer(notice);
    }

    Calls& calls_;
    NodeServices& services_;
    std::vector<std::byte> room_;
    std::vector<StateRecord> table_;
    std::map<vocabulary::ProcessId, Caller> waiters_;  // by process
};

}  // namespace

Task<> kenyad(Calls& calls, NodeServices& services) {
    Kenya kenya(calls, services);
    while (true) co_await kenya.serve();
}

}  // namespace services

Created create_process(Api& api, NodeId node, const std::string& program, services::FlatTag module, const Arguments& arguments,
                       std::int32_t flags) {
    services::CreateRequest wanted{.caller = services::caller(api), .module = module, .flags = flags};
    if (!arguments.empty()) {
        const std::vector<std::byte> block = services::block_of(arguments);
        wanted.arguments = static_cast<std::int32_t>(api.pid().value());  // the caller waits, so it ships one block at a time
        const auto bytes = static_cast<std::uint32_t>(block.size());
        if (ship_block(api, node, wanted.arguments, bytes, block) != Shipped::Whole) {
            if (module.tag != 0) forget_block(api, node, module);
            return {.error = CreateError::NoMemory};
        }
    }
    std::vector<std::byte> name = services::bytes_of(program);
    Message request = services::request_to(node, events::kenyad, wanted, name);
    api.nsend(request);
    const auto answer = decode<services::CreateAnswer>(services::await_answer(api));
    return {answer.pid, answer.error, answer.index};
}

Doomed doom(Api& api, NodeId node, vocabulary::ProcessId pid, std::int32_t signal) {
    const Conversation undisturbed(api.calls());
    Message request = services::request_to(
        node, events::kenyad, services::DoomRequest{.caller = services::caller(api), .pid = pid, .signal = signal});
    api.nsend(request);
    return decode<services::DoomAnswer>(services::await_answer(api)).outcome;
}

ChildEnd wait_for_child(Api& api) {
    std::optional<services::ExitNotice> notice;
    while (!notice) {
        Message message{.event = services::notice_event(api.process().reply_event()), .type = services::notice_type};
        if (api.nrecv(message) == Outcome::Interrupted) continue;
        notice = decode<services::ExitNotice>(message);
        if (!notice) api.kernel().drop("wait_for_child", "an unreadable notice");
    }
    return {notice->node.id(), notice->pid, notice->status};
}

std::vector<ProcessLine> state(Api& api, NodeId node, std::uint32_t* dropped) {
    std::vector<std::byte> room(std::size_t{288} * sizeof(services::StateRecord));
    const Conversation undisturbed(api.calls());
    Message request = services::request_to(node, events::kenyad, services::StateRequest{.caller = services::caller(api)});
    api.nsend(request);
    const Message answer = services::await_answer(api, room);
    if (dropped != nullptr) *dropped = decode<services::StateAnswer>(answer).dropped;
    return services::decode_state(std::span(room).first(answer.length));
}

void send_routes(Api& api, NodeId node, const RouteTable& routes, EventNo reply, std::int32_t tag) {
    std::vector<std::byte> body = services::encode_routes(routes);
    Message request =
        services::request_to(node, events::kenyad, services::RoutesRequest{.caller = {api.node(), reply}, .tag = tag}, body);
    api.nsend(request);
}

}  // namespace trollius_os
