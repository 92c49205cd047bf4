#include "splitter.hpp"

#include <utility>

#include <vocabulary/contract.hpp>

#include "recovery.hpp"

namespace trek_kernel {

void Splitter::run(Api& api) {
    desk_.split.worker = &api.port().self();
    while (true) {
        if (!desk_.split.task) {
            api.wait();
            continue;
        }
        std::vector<Bundler> branches;
        for (std::uint32_t branch = 0; branch < desk_.config.degree; ++branch) branches.emplace_back(desk_.config.granularity);
        try {
            for (const ItemPtr& task : unbundle(std::move(desk_.split.task), desk_.config.granularity))
                split(api, *task, branches);
        } catch (const ProcessEnds&) {
            return;
        }
        api.charge(desk_.costs.queue_operation);
        api.settle();
        for (std::size_t branch = 0; branch < branches.size(); ++branch)
            leave(branches[branch], desk_.children[branch % desk_.children.size()]);
        desk_.split.taken = false;
        desk_.wake(desk_.tasks.reader).get();
    }
}

void Splitter::leave(Bundler& branch, Child& child) {
    branch.close([&](ItemPtr out) {
        if (child.given_up) return desk_.recovery->issue(std::move(out));
        desk_.enqueue(child.pending, std::move(out));
    });
}

void Splitter::split(Api& api, const Item& task, std::vector<Bundler>& branches) {
    const std::size_t degree = branches.size();
    Context context(api, UserProcess::Split, task.id, desk_.probes.witnesses());
    context.issued_again = task.again;
    desk_.probes.step(api.calls(), task.id, UserProcess::Split, Moment::Begin).get();
    desk_.probes.input(task.id, UserProcess::Split, task.body, api.port().now());
    std::vector<Bytes> parts = desk_.farm.application->split(context, task.body, degree);
    desk_.probes.step(api.calls(), task.id, UserProcess::Split, Moment::End).get();
    EXPECTS(parts.size() == degree, "trek_node.split.degree");
    if (context.output.omitted) return;
    desk_.joins.open(task.id, degree, task.again);
    const auto to_branch = [&](ItemPtr out) {  // `out` may be an item that was held back
        const std::size_t branch = desk_.joins.branch_of(out->id.subtask);
        branches[branch % degree].add(std::move(out));
    };
    for (std::size_t branch = 0; branch < degree; ++branch) {
        const TaskIdentity id{task.id.task, desk_.joins.subtask_of(task.id.subtask, branch)};
        auto part = std::make_unique<Item>(Item{MessageKind::Task, id, std::move(parts[branch])});
        part->priority = task.priority;
        part->again = task.again;
        desk_.outputs.emit(api, std::move(part), context.output, to_branch);
    }
}

}  // namespace trek_kernel
