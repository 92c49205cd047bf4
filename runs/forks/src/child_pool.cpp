#include <forks/child_pool.hpp>

#include <vocabulary/contract.hpp>

namespace forks {

std::vector<ChildAnswer> run_children(std::size_t count, const std::function<std::string(std::size_t)>& work,
                                      const std::function<bool(std::size_t)>& go_on, std::size_t at_once) {
    constexpr int look_ms = 100;
    EXPECTS(at_once > 0, "child_pool.at_once");
    Forks forks(ProcessGroup::Own);
    std::size_t next = 0;
    while (forks.ended() < count && go_on(forks.ended())) {
        for (; next < count && forks.running() < at_once; ++next)
            if (forks.start()) forks.deliver_result([&] { return work(next); });
        forks.listen(look_ms);
    }
    if (count > 0) go_on(forks.ended());
    std::vector<ChildAnswer> answers = forks.take_answers();
    answers.resize(count);
    return answers;
}

}  // namespace forks
