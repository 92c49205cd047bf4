// Probes: calls the farm's witnesses and probe points for one node (witness.hpp, probe_point.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <farm_spec/farm_spec.hpp>
#include <trek_kernel/application.hpp>
#include <trek_kernel/probe_point.hpp>
#include <trek_kernel/witness.hpp>
#include <trollius_os/api.hpp>

#include "bundle.hpp"

namespace trek_kernel {

// The probe points may charge, and may make the process wait.
class Probes {
public:
    Probes(vocabulary::NodeId node, const std::vector<Witness*>& witnesses, const std::vector<ProbePoint*>& probes,
           std::uint32_t granularity)
        : witnesses_(witnesses), probes_(probes), node_(node), granularity_(granularity) {}

    // A task or a result has moved over a link.
    coroutines::Task<> moved(trollius_os::Calls& calls, const Item& item, vocabulary::NodeId peer, bool sent) {
        const TaskMoved what{node_,
                             peer,
                             sent,
                             item.kind == MessageKind::Result,
                             item.id.task,
                             item.id.subtask,
                             static_cast<std::uint32_t>(item.body.size()),
                             tasks_in(item, granularity_)};
        for (Witness* witness : witnesses_) witness->on_moved(what, calls.port().now());
        return probes_.empty() ? coroutines::Task<>() : probe_moved(what, calls);
    }
    // A user's function begins or ends.
    coroutines::Task<> step(trollius_os::Calls& calls, const TaskIdentity& task, UserProcess process, Moment moment) {
        const TaskStep what{node_, process, moment, task.task, task.subtask};
        at_work_[static_cast<std::size_t>(process)] = moment == Moment::Begin ? std::optional(task) : std::nullopt;
        for (Witness* witness : witnesses_) witness->on_step(what, calls.port().now());
        return probes_.empty() ? coroutines::Task<>() : probe_step(what, calls);
    }
    // A user's function is given a task, or parts.
    void input(const TaskIdentity& task, UserProcess process, std::span<const std::byte> message, vocabulary::SimTime now) {
        tell_input({node_, process, task.task, task.subtask, std::span(&message, 1)}, now);
    }
    void input(const TaskIdentity& task, UserProcess process, const std::vector<Bytes>& parts, vocabulary::SimTime now) {
        std::array<std::span<const std::byte>, farm_spec::most_degree> messages;
        const std::size_t count = std::min(parts.size(), messages.size());
        std::copy_n(parts.begin(), count, messages.begin());
        tell_input({node_, process, task.task, task.subtask, std::span(messages).first(count)}, now);
    }
    // The task that a user's function works on.
    const std::optional<TaskIdentity>& at_work(UserProcess process) const {
        return at_work_[static_cast<std::size_t>(process)];
    }
    // The farm is stopping, and this node holds no task any more.
    coroutines::Task<> finished(trollius_os::Calls& calls) {
        for (Witness* witness : witnesses_) witness->on_finished(node_, calls.port().now());
        for (ProbePoint* probe : probes_) co_await probe->on_finished(calls);
    }
    const std::vector<Witness*>& witnesses() const { return witnesses_; }

private:
    void tell_input(const FunctionInput& what, vocabulary::SimTime now) {
        for (Witness* witness : witnesses_) witness->on_input(what, now);
    }
    coroutines::Task<> probe_step(TaskStep what, trollius_os::Calls& calls) {
        for (ProbePoint* probe : probes_) co_await probe->on_step(what, calls);
    }
    coroutines::Task<> probe_moved(TaskMoved what, trollius_os::Calls& calls) {
        for (ProbePoint* probe : probes_) co_await probe->on_moved(what, calls);
    }

    const std::vector<Witness*>& witnesses_;
    const std::vector<ProbePoint*>& probes_;
    vocabulary::NodeId node_;
    std::uint32_t granularity_;
    std::array<std::optional<TaskIdentity>, 5> at_work_;  // index: UserProcess
};

}  // namespace trek_kernel
