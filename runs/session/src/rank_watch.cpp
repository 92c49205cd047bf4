#include "rank_watch.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <lam_mpi/lam_start.h>
#include <trollius_os/message.hpp>

namespace session {

using trek_kernel::Moment;
using trollius_os::KernelAct;
using trollius_os::KernelEvent;
using trollius_os::Process;
using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

std::uint64_t key(NodeId node, std::uint32_t pid) {
    return std::uint64_t{node.value()} << 32U | pid;
}

}  // namespace

class RankWatch::OfNode final : public trollius_os::Witness {
public:
    // `ranks`: of this node, in the order in which they are loaded.
    OfNode(RankWatch& all, NodeId node, std::vector<std::uint32_t> ranks) : all_(all), node_(node), ranks_(std::move(ranks)) {}

    void on_event(const KernelEvent& what, const Process& process, SimTime when) override {
        if (what.act == KernelAct::ProcessStart) return begin(process, when);
        const bool message = what.act == KernelAct::MessageSend || what.act == KernelAct::MessageReceive;
        if (!message && what.act != KernelAct::ProcessEnd) return;
        const auto rank = all_.rank_of(node_, process.pid().value());
        if (!rank) return;
        ++all_.steps_;
        all_.last_ = when;
        message ? moved(what, *rank, when) : end(*rank, when);
    }
    bool has_begun() const { return begun_ > 0; }

private:
    void begin(const Process& process, SimTime when) {
        if (process.owner() != nullptr || process.name() != all_.program_ || begun_ == ranks_.size()) return;
        all_.ranks_.emplace(key(node_, process.pid().value()), ranks_[begun_++]);
        ++all_.steps_;
        all_.last_ = when;
    }
    // It knows the others now. Before, it waited until all of them were loaded.
    void start(std::uint32_t rank, SimTime when) {
        if (!started_.insert(rank).second) return;
        all_.first_ = std::min(all_.first_, when);
        step(rank, Moment::Begin, when);
    }
    void end(std::uint32_t rank, SimTime when) {
        start(rank, when);  // a program without MPI_Init()
        step(rank, Moment::End, when);
        if (++ended_ < ranks_.size()) return;
        for (trek_kernel::Witness* witness : all_.witnesses_) witness->on_finished(node_, when);
    }
    void step(std::uint32_t rank, Moment moment, SimTime when) const {
        const trek_kernel::TaskStep what{node_, trek_kernel::UserProcess::Compute, moment, rank, 0};
        for (trek_kernel::Witness* witness : all_.witnesses_) witness->on_step(what, when);
    }
    // Tells messages between ranks. The others, as to files, only show that the program goes on.
    void moved(const KernelEvent& what, std::uint32_t own, SimTime when) {
        if (what.message == nullptr || what.event.value() < LAM_FIRST_EVENT) return;
        if (what.message->type == LAM_START_TYPE) return start(own, when);
        if (what.message->type != LAM_PACKET_TYPE) return;
        const bool sent = what.act == KernelAct::MessageSend;
        const auto from = static_cast<std::uint32_t>(what.message->data[LAM_WORD_SENDER]);
        if (from >= all_.places_.size() || (sent && !what.peer)) return;  // damaged
        const NodeId peer = sent ? *what.peer : all_.places_[from];
        const auto receiver = sent ? all_.rank_of(peer, static_cast<std::uint32_t>(what.event.value() - LAM_FIRST_EVENT)) : own;
        if (!receiver) return;
        const trek_kernel::TaskMoved message{node_, peer, sent, false, *receiver, from, what.bytes};
        for (trek_kernel::Witness* witness : all_.witnesses_) witness->on_moved(message, when);
    }

    RankWatch& all_;
    const NodeId node_;
    const std::vector<std::uint32_t> ranks_;
    std::size_t begun_ = 0, ended_ = 0;
    std::set<std::uint32_t> started_;
};

RankWatch::RankWatch(trollius_hosted::Multicomputer& box, const scenario::MpiSettings& mpi,
                     std::vector<trek_kernel::Witness*> witnesses)
    : places_(mpi.places), program_(mpi.program), witnesses_(std::move(witnesses)) {
    const std::size_t nodes = std::max_element(places_.begin(), places_.end())->value() + std::size_t{1};
    std::vector<std::vector<std::uint32_t>> of_node(nodes);
    for (std::uint32_t rank = 0; rank < places_.size(); ++rank) of_node[places_[rank].value()].push_back(rank);
    for (std::size_t i = 0; i < nodes; ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        nodes_.push_back(std::make_unique<OfNode>(*this, node, std::move(of_node[i])));
        box.kernel(node).add_witness(*nodes_.back());
    }
}
RankWatch::~RankWatch() = default;

std::optional<std::uint32_t> RankWatch::rank_of(NodeId node, std::uint32_t pid) const {
    const auto found = ranks_.find(key(node, pid));
    return found == ranks_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t RankWatch::started_nodes() const {
    return static_cast<std::size_t>(
        std::count_if(nodes_.begin(), nodes_.end(), [](const auto& one) { return one->has_begun(); }));
}

}  // namespace session
