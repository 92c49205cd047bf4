// The working parts of the causal sorter. Streams and their ends are in causal_sorter.cpp. Figure 2 and the final times are in
// sorter_nodes.cpp. Messages from one record to another are in sorter_messages.cpp. Collectives and casts are in
// sorter_joints.cpp, and sorter_members.cpp knows their members. All of this begins with the first record that is more than
// a message in its place (sorter_window.cpp). Later communications of a channel are evidence
// (sorter_channels.cpp), and so are circles of waits (sorter_deadlocks.cpp).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include <tmon_order/causal_sorter.hpp>

#include "key_table.hpp"
#include "message_window.hpp"
#include "sorter_graph.hpp"
#include "stream_numbers.hpp"

namespace tmon_order {

struct CausalSorter::State {
    struct Stream {
        StreamNumbers numbers;
        std::int64_t drift_ns = 0;
        std::optional<RecordId> forced_by;
        std::optional<std::uint64_t> total;
        std::uint32_t frontier = none;  // its first record that is not reported, when all before it are
        bool lossy = false;             // lost records that may have been ends
        bool ended = false;
        Assumed why_ended = Assumed::StreamEnded;
        std::uint32_t first_alone = none, last_alone = none;         // ends that wait for one of this stream
        std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks;  // channels of its groups, and its ranks there
    };

    State(std::uint32_t count, SortedOutput& out, Options chosen) : streams(count), output(out), options(chosen) {
        if (chosen.release == Release::AtOnce) window = std::make_unique<MessageWindow>(count, output, counts, options);
    }
    // From here on there is a graph.
    void need_graph() {
        if (window) leave_window();
    }

    // causal_sorter.cpp: streams
    Stream& stream_of(std::uint32_t stream);
    void come_late(std::uint32_t node, bool was_lost);
    void lose(std::uint32_t stream, StreamNumbers::Range range, std::uint64_t payload, bool has_ends);
    void end_when_whole(std::uint32_t stream);
    void end(std::uint32_t stream, StreamEnding how);
    void give_up_before(std::uint64_t step);
    void remember_given_up(const Key& key);

    // sorter_deadlocks.cpp: streams that wait for each other
    bool break_deadlocks();

    // sorter_nodes.cpp: figure 2
    std::uint32_t make_node(SortedRecord::Kind kind, RecordId id, std::uint64_t last, std::uint64_t payload);
    void connect(std::uint32_t node);
    void connect_end(std::uint32_t node);
    void no_longer_waits(std::uint32_t node);
    void settle();
    void measure();
    bool report_earliest();
    void break_cycle();

    void attach(std::uint32_t node, const End& end);
    void stream_ended(std::uint32_t stream);

    // sorter_channels.cpp: ends that cannot come any more
    void see_in_order(std::uint32_t stream, std::uint64_t number, const End& end);
    void see_kept(std::uint32_t stream);

    std::vector<Stream> streams;
    SortedOutput& output;
    Options options;
    SorterCounts counts;
    Pool<Node> nodes;
    Pool<Alone> alones;
    Pool<Joint> joints;
    Pool<Link> links;
    Pool<SharedCauses> shared_causes;
    Pool<FurtherCause> further_causes;
    std::uint64_t shared_so_far = 0, joints_so_far = 0;
    std::uint32_t given_shared = none;  // in use by the record that was reported last
    std::vector<Cause> gathered;        // likewise
    std::vector<Channel> channels;
    std::deque<std::uint32_t> casts;  // whose source is reported, the oldest first
    KeyTable alone_of, joint_of, channel_of;
    KeyTable given_up;                         // keys of communications whose targets were released without their source
    std::vector<std::uint32_t> freed, fading;  // nodes to report, nodes that may be deleted
    struct Free {
        std::int64_t final_ns;
        RecordId id;
        std::uint32_t node;
        friend bool operator<(const Free& a, const Free& b) {  // the earliest is on top of a heap
            return std::tie(a.final_ns, a.id.stream, a.id.number) > std::tie(b.final_ns, b.id.stream, b.id.number);
        }
    };
    std::vector<Free> free;                 // OneByOne
    std::uint64_t pending = 0;              // nodes of all kinds that are not reported
    std::unique_ptr<MessageWindow> window;  // as long as there is no graph

private:
    // sorter_window.cpp
    void leave_window();
    std::uint32_t make_again(const MessageWindow::Stream& of, RecordId id, const MessageWindow::Record& record, bool reported);
    void follow_again(std::uint32_t index, const MessageWindow::Stream& of, std::span<const std::uint32_t> waiting);
    void tie_again(const MessageWindow& of, std::uint32_t node, const MessageWindow::Message& message,
                   std::span<const std::uint32_t> source_nodes);

    static void after(Node& node, std::int64_t final_ns, RecordId cause);
    bool follow(std::uint32_t before, std::uint32_t node);
    void set_time(Node& node);
    void free_node(std::uint32_t node);
    void report(std::uint32_t node);
    void give(Node& node);
    void gather_sources(Node& node, SortedRecord& record);
    void try_delete(std::uint32_t node);

    // sorter_messages.cpp
    void attach_message(std::uint32_t node, const End& end);
    bool is_elsewhere(const Alone& alone, std::uint32_t node, const End& end) const;
    void stand_alone(std::uint32_t node, const End& end);
    void join(std::uint32_t alone, std::uint32_t node, const End& end);
    void tie(std::uint32_t source, std::uint32_t target, bool target_waits);
    void remove(std::uint32_t alone);
    void list_by_stream(std::uint32_t alone);
    void unlist_by_stream(const Alone& alone);
    void partner_gone(std::uint32_t alone, Assumed why);
    void take_cause(Node& target, const Cause& cause);
    void take_latest(Node& target, const Cause& cause) const;
    void add_cause(Node& target, const Cause& cause);
    void release_effects(std::uint32_t source);
    void messages_of_ended(std::uint32_t stream);
    void give_up_messages(std::uint64_t before_step);

    // sorter_joints.cpp
    void attach_joint(std::uint32_t node, const End& end);
    std::uint32_t open_joint(const End& end);
    void refuse(std::uint32_t node);
    bool take_place(std::uint32_t joint, std::uint32_t node, const End& end);
    void take_waiting(std::uint32_t joint);
    void attach_source(std::uint32_t joint, std::uint32_t node, const End& end);
    void attach_target(std::uint32_t joint, std::uint32_t node, std::uint32_t rank);
    void take_causes(const Joint& joint, Node& target, std::uint32_t rank);
    void take_each_cause(const Joint& joint, Node& target);
    void keep_cause(Joint& joint, const Cause& cause);
    void no_longer_uses(std::uint32_t& shared);
    void source_reported(std::uint32_t joint, const Node& source);
    void release(std::uint32_t joint);
    void tell_sources(std::uint32_t joint);
    void tell_source_of_last_target(Joint& joint);
    void close_when_done(std::uint32_t joint);
    void close(std::uint32_t joint);
    void keep_cast(std::uint32_t joint);
    void give_up_joints(std::uint64_t before_step);
    // The node waits for no source any more; it learns of one that it should have waited for.
    void leave_causes(std::uint32_t node);

    // sorter_members.cpp: which members may still come
    Members& members_of(std::uint32_t channel, const End& end);
    bool may_come(const Joint& joint, Role role, std::uint32_t rank) const;
    bool has_come(std::uint32_t joint, Role role, std::uint32_t rank);
    void await_members(std::uint32_t joint, Role role);
    void look_at(std::uint32_t joint, Role role);
    void look_at_irregular(Members& members, Role role);
    void decide(std::uint32_t joint, Role role);
    void find_missing(Joint& joint);
    Assumed why_missing(const Joint& joint, std::uint32_t rank) const;
    void see_member(std::uint32_t channel, const End& end, bool lossy);
    void raise(Members& members, Role role, std::uint32_t rank, std::uint64_t number);
    void look_at_passed(JointWaits& waits, Role role, std::uint64_t least);
    void members_ended(std::uint32_t stream);

    // sorter_deadlocks.cpp
    struct Wait {
        std::uint32_t stream;  // of the record that is waited for
        std::uint32_t alone;   // the end whose source is missing, or none: it is here
    };
    std::vector<std::vector<Wait>> waits_of_frontiers() const;
    bool break_circle(std::span<const std::uint32_t> circle, std::span<const Wait> waits);

    // sorter_channels.cpp
    std::uint32_t open_channel(const Key& key);
    void list(std::uint32_t alone);
    void unlist(std::uint32_t alone);
    void give_room(std::uint32_t channel);
    void see_joined(const Alone& alone, std::uint64_t source, std::uint64_t target);
    void see(const End& end, bool lossy);
    void give_away(std::uint32_t channel, std::size_t which, std::uint64_t order, Assumed why);

    void push(std::uint32_t& list, std::uint32_t what, std::uint32_t rank = 0);
    void drop_list(std::uint32_t& list);
    void drop_from(std::uint32_t& list, std::uint32_t what);
};

}  // namespace tmon_order
