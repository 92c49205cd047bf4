// Askers: the requests that bufferd has not served yet, oldest first. Nobody tells it of a process that is doomed. So it drops
// such requests itself, before there are more than a node has processes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <trollius_os/services/bufferd.hpp>

namespace trollius_os::services {

class Askers {
public:
    struct Waiting {
        EventNo event;
        std::int32_t type;
        BufferAsker asker;  // request 0: a link's worker
    };
    static constexpr std::size_t most_old = 128;  // more than the processes of a node

    void add(const Waiting& waiting, const std::function<bool(const BufferAsker&)>& still_asks) {
        if (waiting_.size() >= most_old)
            std::erase_if(waiting_, [&](const Waiting& w) { return w.asker.request != 0 && !still_asks(w.asker); });
        waiting_.push_back(waiting);
    }
    // The first that wants such a message.
    std::optional<BufferAsker> take(EventNo event, std::int32_t type) {
        const auto asked = std::find_if(waiting_.begin(), waiting_.end(),
                                        [&](const Waiting& w) { return w.event == event && types_meet(w.type, type); });
        if (asked == waiting_.end()) return std::nullopt;
        const BufferAsker asker = asked->asker;
        waiting_.erase(asked);
        return asker;
    }
    bool any_at(EventNo event) const {
        return std::any_of(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.event == event; });
    }
    void forget(vocabulary::ProcessId pid) {
        std::erase_if(waiting_, [&](const Waiting& w) { return w.asker.pid == pid; });
    }
    std::size_t size() const { return waiting_.size(); }

private:
    std::vector<Waiting> waiting_;
};

}  // namespace trollius_os::services
