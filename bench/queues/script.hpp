// Script: everything that the queue of one real run was given, in order: which event fired, and what was posted until the next
// one. ScriptRecorder takes it from a Timeline. Events that never fired are left out, since nobody learns when they were due.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include <hw_model/timeline.hpp>

namespace queues {

using hw_model::SimTime;
using hw_model::Timeline;
using hw_model::TimelineHistory;

struct Script {
    struct Post {
        SimTime when;
        std::uint32_t node = 0;
    };
    struct Fire {
        std::uint32_t post = 0;   // index of the event that fires
        std::uint32_t posts = 0;  // how many follow before the next one fires
    };
    std::uint32_t posts_at_first = 0;  // before anything fires
    std::vector<Post> posts;
    std::vector<Fire> fires;
    std::uint32_t left_out = 0;
};

class ScriptRecorder final : public Timeline::Witness {
public:
    void fires(SimTime when, std::uint64_t order, std::uint64_t posted) override { fired_.push_back({when, order, posted}); }

    Script script() const {
        constexpr std::uint32_t never = 0xffffffff;
        std::vector<std::uint32_t> index_of(fired_.empty() ? 0 : index(fired_.back().posted) + 1, never);
        for (const Fired& one : fired_) index_of[index(one.order)] = 0;
        Script script;
        std::uint32_t next = 0;
        for (std::uint32_t& one : index_of) one == never ? ++script.left_out : one = next++;
        script.posts.resize(next);
        std::uint32_t posted = 0;
        for (const Fired& one : fired_) {
            const std::uint32_t post = index_of[index(one.order)];
            script.posts[post] = {one.when, TimelineHistory::node_of(one.order)};
            std::uint32_t& since = script.fires.empty() ? script.posts_at_first : script.fires.back().posts;
            for (; posted <= index(one.posted); ++posted) since += index_of[posted] == never ? 0 : 1;
            script.fires.push_back({post, 0});
        }
        return script;
    }

private:
    struct Fired {
        SimTime when;
        std::uint64_t order, posted;
    };
    // A Timeline counts its posts in steps of two.
    static std::uint32_t index(std::uint64_t order_or_number) {
        const std::uint64_t number = order_or_number & TimelineHistory::order(0, ~std::uint64_t{0});
        if (number % 2 != 0 || number == 0) std::abort();  // post_as(): a run with Laggards
        return static_cast<std::uint32_t>(number / 2 - 1);
    }
    std::vector<Fired> fired_;
};

}  // namespace queues
