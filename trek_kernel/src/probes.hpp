// Probes: calls the farm's witnesses and probe points for one node (witness.hpp, probe_point.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <trek_kernel/application.hpp>
#include <trek_kernel/probe_point.hpp>
#include <trek_kernel/witness.hpp>
#include <trollius_os/api.hpp>

#include "bundle.hpp"

namespace trek_kernel {

class Probes {
public:
    Probes(vocabulary::NodeId node, const std::vector<Witness*>& witnesses, const std::vector<ProbePoint*>& probes,
           std::uint32_t granularity)
        : witnesses_(witnesses), probes_(probes), node_(node), granularity_(granularity) {}

    // A task or a result has moved over a link. The probe points may charge.
    void moved(trollius_os::Api& api, const Item& item, vocabulary::NodeId peer, bool sent) {
        const TaskMoved what{node_,
                             peer,
                             sent,
                             item.kind == MessageKind::Result,
                             item.id.task,
                             item.id.subtask,
                             static_cast<std::uint32_t>(item.body.size()),
                             tasks_in(item, granularity_)};
        for (Witness* witness : witnesses_) witness->on_moved(what, api.port().now());
        for (ProbePoint* probe : probes_) probe->on_moved(what, api);
    }
    // A user's function begins or ends.
    void step(trollius_os::Api& api, const TaskIdentity& task, UserProcess process, Moment moment) {
        const TaskStep what{node_, process, moment, task.task, task.subtask};
        at_work_[static_cast<std::size_t>(process)] = moment == Moment::Begin ? std::optional(task) : std::nullopt;
        for (Witness* witness : witnesses_) witness->on_step(what, api.port().now());
        for (ProbePoint* probe : probes_) probe->on_step(what, api);
    }
    // The task that a user's function works on.
    const std::optional<TaskIdentity>& at_work(UserProcess process) const {
        return at_work_[static_cast<std::size_t>(process)];
    }
    // The farm is stopping, and this node holds no task any more.
    void finished(trollius_os::Api& api) {
        for (Witness* witness : witnesses_) witness->on_finished(node_, api.port().now());
        for (ProbePoint* probe : probes_) probe->on_finished(api);
    }
    const std::vector<Witness*>& witnesses() const { return witnesses_; }

private:
    const std::vector<Witness*>& witnesses_;
    const std::vector<ProbePoint*>& probes_;
    vocabulary::NodeId node_;
    std::uint32_t granularity_;
    std::array<std::optional<TaskIdentity>, 5> at_work_;  // index: UserProcess
};

}  // namespace trek_kernel
