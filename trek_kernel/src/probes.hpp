// Probes: the places in a node's code where the farm's observers are called (trek_observer.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <trek_kernel/application.hpp>
#include <trollius_os/api.hpp>

#include "bundle.hpp"

namespace trek_kernel {

class Probes {
public:
    Probes(vocabulary::NodeId node, const std::vector<TrekObserver*>& observers, std::uint32_t granularity)
        : observers_(observers), node_(node), granularity_(granularity) {}

    // A task or a result has moved over a link. Charges what the observers ask for.
    void moved(trollius_os::Api& api, const Item& item, vocabulary::NodeId peer, bool sent) {
        const TaskMoved what{node_,
                             peer,
                             sent,
                             item.kind == MessageKind::Result,
                             item.id.task,
                             item.id.subtask,
                             static_cast<std::uint32_t>(item.body.size()),
                             tasks_in(item, granularity_)};
        for (TrekObserver* observer : observers_) api.port().charge(observer->on(what, api));
    }
    // A user's function begins or ends. Charges likewise.
    void step(trollius_os::Api& api, const TaskIdentity& task, UserProcess process, Moment moment) {
        const TaskStep what{node_, process, moment, task.task, task.subtask};
        at_work_[static_cast<std::size_t>(process)] = moment == Moment::Begin ? std::optional(task) : std::nullopt;
        for (TrekObserver* observer : observers_) api.port().charge(observer->on(what, api));
    }
    // The task that a user's function has been called for and has not returned from.
    const std::optional<TaskIdentity>& at_work(UserProcess process) const {
        return at_work_[static_cast<std::size_t>(process)];
    }
    const std::vector<TrekObserver*>& observers() const { return observers_; }

private:
    const std::vector<TrekObserver*>& observers_;
    vocabulary::NodeId node_;
    std::uint32_t granularity_;
    std::array<std::optional<TaskIdentity>, 5> at_work_;  // index: UserProcess
};

}  // namespace trek_kernel
