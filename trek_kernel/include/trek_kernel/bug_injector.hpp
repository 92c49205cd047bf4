// BugInjector: plants bugs in an application from outside its functions, be they the simulated ones or a program in C. Before
// each call of a user's function it decides which bugs strike there. They act on the function's output, its process, or its
// node. The tasks that a probability hits, and the inverted bytes, depend only on the seed, the entry and the task. So no
// change of timing changes them. Cost: one pass over the bugs of the process a call.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <trek_kernel/application.hpp>
#include <trek_kernel/bug_list.hpp>

namespace trek_kernel {

class BugInjector final : public Application {
public:
    // It leaves bugs of a .dat file up to last_bug_by_application to the simulated application. Witnesses learn of a strike
    // with the bug's index in `bugs`.
    BugInjector(std::unique_ptr<Application> application, std::vector<PlannedBug> bugs, std::uint64_t seed);
    ~BugInjector() override;

    void init_master(Master& master) override { application_->init_master(master); }
    void data_generator(Master& master) override;
    void result_receiver(Master& master) override;
    Bytes compute(Context& context, std::span<const std::byte> task) override;
    std::vector<Bytes> split(Context& context, std::span<const std::byte> task, std::size_t degree) override;
    Bytes join(Context& context, const std::vector<Bytes>& results) override;
    bool starts(vocabulary::NodeId node, UserProcess process) override;
    void set_seed(std::uint64_t seed) override { seed_ = seed; }

private:
    struct Planted {
        PlannedBug bug;
        int index = 0;
        std::uint32_t met = 0;  // number of chances to strike so far
    };
    using Due = std::vector<const Planted*>;
    class Generator;
    class Receiver;
    class WildWriter;

    Due due(vocabulary::NodeId node, UserProcess process, const TaskIdentity& what);
    std::uint64_t random(const Planted& planted, UserProcess process, const TaskIdentity& what) const;
    void finish(Context& context, const Due& due, vocabulary::SimTime began, std::span<Bytes> made);
    void strike(Context& context, const Planted& planted, vocabulary::SimTime began, std::span<Bytes> made);
    std::string invert(std::span<std::byte> bytes, std::uint32_t count, std::uint64_t where) const;
    void write_wildly(Context& context, const Planted& planted) const;

    std::unique_ptr<Application> application_;
    std::array<std::vector<Planted>, 5> planted_;  // index: UserProcess
    std::uint64_t seed_;
};

}  // namespace trek_kernel
