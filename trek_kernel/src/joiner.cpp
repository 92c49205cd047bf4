#include "joiner.hpp"

#include <utility>

namespace trek_kernel {

void Joiner::run(Api& api) {
    desk_.joiner = &api.port().self();
    while (true) {
        if (desk_.joins.next() == nullptr) {
            api.wait();
            continue;
        }
        const std::unique_ptr<JoinSet> set = desk_.joins.take_next();
        try {
            join(api, *set);
        } catch (const ProcessEnds&) {
            return;
        }
        // Results that can be joined together travel together; nothing waits for a task that may never be whole.
        if (travels_with_next(*set)) continue;
        results_.close([&](ItemPtr out) {
            if (desk_.room.make_room(api.calls(), *out).get()) desk_.pass_result(api.calls(), std::move(out)).get();
        });
    }
}

void Joiner::join(Api& api, const JoinSet& set) {
    auto result = std::make_unique<Item>(Item{MessageKind::Result, set.id, {}});
    Context context(api, UserProcess::Join, set.id, desk_.probes.witnesses());
    context.issued_again = set.again;
    desk_.probes.step(api.calls(), set.id, UserProcess::Join, Moment::Begin).get();
    desk_.probes.input(set.id, UserProcess::Join, set.parts, api.port().now());
    result->body = desk_.farm.application->join(context, set.parts);
    desk_.probes.step(api.calls(), set.id, UserProcess::Join, Moment::End).get();
    if (set.held > 0) desk_.room.let_go(set.held, set.held_bytes).get();
    desk_.outputs.emit(api, std::move(result), context.output, [&](ItemPtr out) { results_.add(std::move(out)); });
}

bool Joiner::travels_with_next(const JoinSet& set) const {
    const JoinSet* next = desk_.joins.next();
    const std::uint32_t granularity = desk_.config.granularity;
    return next != nullptr && next->id.task / granularity == set.id.task / granularity && next->id.subtask == set.id.subtask;
}

}  // namespace trek_kernel
