// The processes that call the user's functions. A process that ends early (ProcessEnds) takes nothing with it: the work it held
// is simply never finished. The analysis has to find that.
#include <vocabulary/contract.hpp>

#include "bundle.hpp"
#include "recovery.hpp"

namespace trek_kernel {

void TrekNode::computation(Api& api) {
    compute_thread_ = &api.port().self();
    while (true) {
        if (!compute_slot_) {
            api.port().wait();
            continue;
        }
        Bundler results(setup_.config.granularity);
        try {
            for (ItemPtr& task : unbundle(std::move(compute_slot_))) {
                compute_one(api, *task, results);
                spares_.put(std::move(task));
            }
        } catch (const ProcessEnds&) {
            return;
        }
        Parts made;
        results.close([&](ItemPtr out) {
            if (make_room(api, *out)) made.push_back(std::move(out));
        });
        api.charge(setup_.costs.queue_operation);
        api.port().settle();
        computing_ = false;
        if (!buffer_.empty() || (recovery_ && recovery_->waits())) wake(data_thread_);
        bool sent = false;
        for (ItemPtr& out : made) {
            if (!divides() && !sent) ++tokens_up_;  // the place is free: the result takes the token along
            out->steals = !sent && would_steal();
            sent = true;
            results_.push_back(std::move(out));
            wake(result_thread_);
        }
        if (!sent && !divides()) ask_parent(api, 1);
        if (!sent) steal_without_result();
    }
}

void TrekNode::compute_one(Api& api, const Item& task, Bundler& results) {
    Context context(api, UserProcess::Compute, task.id, setup_.witnesses);
    context.issued_again = task.again;
    api.charge(setup_.costs.execute);
    step(api, task, UserProcess::Compute, Moment::Begin);
    auto result = std::make_unique<Item>(Item{Kind::Result, task.id, {}});
    result->body = setup_.application->compute(context, task.body);
    step(api, task, UserProcess::Compute, Moment::End);
    ++computed_;
    emit(api, std::move(result), context.output, [&](ItemPtr out) { results.add(std::move(out)); });
}

void TrekNode::splitter(Api& api) {
    split_thread_ = &api.port().self();
    while (true) {
        if (!split_slot_) {
            api.port().wait();
            continue;
        }
        std::vector<Bundler> branches;
        for (std::uint32_t branch = 0; branch < setup_.config.degree; ++branch)
            branches.emplace_back(setup_.config.granularity);
        try {
            for (const ItemPtr& task : unbundle(std::move(split_slot_))) split_one(api, *task, branches);
        } catch (const ProcessEnds&) {
            return;
        }
        api.charge(setup_.costs.queue_operation);
        api.port().settle();
        for (std::size_t branch = 0; branch < branches.size(); ++branch) {
            Child& child = *children_[branch % children_.size()];
            branches[branch].close([&](ItemPtr out) {
                if (child.given_up) return recovery_->issue(std::move(out));
                enqueue(child.pending, std::move(out));
            });
        }
        splitting_ = false;
        wake(data_thread_);
    }
}

void TrekNode::split_one(Api& api, const Item& task, std::vector<Bundler>& branches) {
    const std::size_t degree = branches.size(), level = setup_.place.level;
    Context context(api, UserProcess::Split, task.id, setup_.witnesses);
    context.issued_again = task.again;
    step(api, task, UserProcess::Split, Moment::Begin);
    std::vector<Bytes> parts = setup_.application->split(context, task.body, degree);
    step(api, task, UserProcess::Split, Moment::End);
    EXPECTS(parts.size() == degree, "trek_node.split.degree");
    if (context.output.omitted) return;
    // The same sub-task twice here is a damaged number; the arriving results belong to the later one.
    joins_[{task.id.task, task.id.subtask}] =
        std::make_unique<JoinSet>(JoinSet{task.id, std::vector<Bytes>(degree), std::vector<bool>(degree), degree, task.again});
    const auto to_branch = [&](ItemPtr out) {  // `out` may be an item that was held back
        const std::size_t branch = (out->id.subtask >> (4 * (level + 1))) & 0xfU;
        branches[branch % degree].add(std::move(out));
    };
    for (std::size_t branch = 0; branch < degree; ++branch) {
        const std::uint32_t id = task.id.subtask | static_cast<std::uint32_t>(branch << (4 * (level + 1)));
        auto part = std::make_unique<Item>(Item{Kind::Task, {task.id.task, id}, std::move(parts[branch])});
        part->priority = task.priority;
        part->again = task.again;
        emit(api, std::move(part), context.output, to_branch);
    }
}

void TrekNode::joiner(Api& api) {
    join_thread_ = &api.port().self();
    const std::uint32_t granularity = setup_.config.granularity;
    const auto bundle_of = [&](const JoinSet& set) { return std::pair(set.id.task / granularity, set.id.subtask); };
    Bundler results(granularity);
    while (true) {
        if (to_join_.empty()) {
            api.port().wait();
            continue;
        }
        std::unique_ptr<JoinSet> set = std::move(to_join_.front());
        to_join_.pop_front();
        auto result = std::make_unique<Item>(Item{Kind::Result, set->id, {}});
        Context context(api, UserProcess::Join, set->id, setup_.witnesses);
        context.issued_again = set->again;
        step(api, *result, UserProcess::Join, Moment::Begin);
        try {
            result->body = setup_.application->join(context, set->parts);
        } catch (const ProcessEnds&) {
            return;
        }
        step(api, *result, UserProcess::Join, Moment::End);
        if (set->held > 0) let_go(set->held, set->held_bytes);
        emit(api, std::move(result), context.output, [&](ItemPtr out) { results.add(std::move(out)); });
        // Results that can be joined together travel together; nothing waits for a task that may never be whole.
        if (to_join_.empty() || bundle_of(*to_join_.front()) != bundle_of(*set))
            results.close([&](ItemPtr out) {
                if (make_room(api, *out)) pass_result(api, std::move(out));
            });
    }
}

}  // namespace trek_kernel
