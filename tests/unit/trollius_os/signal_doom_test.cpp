// Signals to processes of other nodes, and what `state` shows of them.
#include <gmock/gmock.h>

#include <algorithm>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::Doomed;
using trollius_os::EventNo;
using trollius_os::mask_of;
using trollius_os::Message;
using trollius_os::ProcessLine;
using trollius_os::Signal;
using trollius_os::SignalAction;

namespace {
constexpr EventNo no_mail{77};

struct SignalByMessage : TestMulticomputer {
    SignalByMessage() : TestMulticomputer(topologies::chain(3)) {
        box.programs()["waits"] = {4'000, 1024, [](Api& api, const trollius_os::Arguments&) {
                                       Message never{.event = no_mail};
                                       api.nrecv(never);
                                   }};
        box.programs()["handles"] = {4'000, 1024, [this](Api& api, const trollius_os::Arguments&) {
                                         for (const Signal signal : trollius_os::every_signal) {
                                             api.ksignal(signal, SignalAction::handle([this](Api&, Signal which) {
                                                             handled.push_back(static_cast<int>(which));
                                                         }));
                                         }
                                         while (true) api.kpause();
                                     }};
        box.programs()["busy"] = {4'000, 1024, [](Api& api, const trollius_os::Arguments&) {
                                      api.ksigblock(mask_of(Signal::Die));
                                      api.compute(SimTime::ms(100));
                                      api.ksigsetmask(0);
                                  }};
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    void on_host(const std::function<void(Api&)>& code) {
        bool done = false;
        box.host().create({"user", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                               code(api);
                               done = true;
                           }});
        run_for(SimTime::s(1));
        EXPECT_TRUE(done);
    }
    vocabulary::ProcessId start(Api& api, const char* program, std::int32_t flags = 0) {
        return trollius_os::loadgo(api, NodeId(2), box.host_id(), program, {}, flags).pid;
    }
    static std::optional<ProcessLine> line_of(Api& api, vocabulary::ProcessId pid) {
        const auto lines = trollius_os::state(api, NodeId(2));
        const auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.pid == pid; });
        return line == lines.end() ? std::nullopt : std::optional(*line);
    }
    static std::string text_of(Api& api, vocabulary::ProcessId pid) {
        const auto line = line_of(api, pid);
        return line ? trollius_os::state_text(line->status()) : "not there";
    }

    std::vector<int> handled;
};

}  // namespace

// Behaviour 5 of the thesis' system.
TEST(SignalByKenyad, ArrestShowsStoppedAndReleaseResumes) {
    SignalByMessage bench;
    bench.on_host([&](Api& api) {
        const auto pid = bench.start(api, "waits");
        EXPECT_EQ(bench.text_of(api, pid), "BR (77, 0)");
        EXPECT_EQ(trollius_os::doom(api, NodeId(2), pid, 5), Doomed::Done);
        EXPECT_EQ(bench.text_of(api, pid), "<stopped>");
        EXPECT_EQ(trollius_os::doom(api, NodeId(2), pid, 6), Doomed::Done);
        EXPECT_EQ(bench.text_of(api, pid), "BR (77, 0)");
    });
}

TEST(SignalByKenyad, ReachesHandlersAndPausedProcesses) {
    SignalByMessage bench;
    bench.on_host([&](Api& api) {
        const auto pid = bench.start(api, "handles");
        for (const int number : {2, 7, 8, 1, 6, 4, 5}) EXPECT_EQ(trollius_os::doom(api, NodeId(2), pid, number), Doomed::Done);
        EXPECT_EQ(bench.text_of(api, pid), "<paused>");
    });
    EXPECT_THAT(bench.handled, testing::ElementsAre(2, 7, 8, 1, 6, 4, 5));
}

TEST(SignalByKenyad, IsRefusedByNumberAndByProcess) {
    SignalByMessage bench;
    bench.on_host([&](Api& api) {
        const auto pid = bench.start(api, "waits");
        for (const int number : {-1, 0, 3, 9, 10, 99})
            EXPECT_EQ(trollius_os::doom(api, NodeId(2), pid, number), Doomed::NoSignal);
        EXPECT_EQ(trollius_os::doom(api, NodeId(2), vocabulary::ProcessId(12345), 2), Doomed::NoProcess);
        for (const auto& line : trollius_os::state(api, NodeId(2))) {
            if (line.pid == pid) continue;
            EXPECT_EQ(trollius_os::doom(api, NodeId(2), line.pid, 5), Doomed::Service) << line.name;
        }
        EXPECT_EQ(trollius_os::doom(api, NodeId(2), pid, 4), Doomed::Done);
        EXPECT_EQ(trollius_os::doom(api, NodeId(2), pid, 2), Doomed::NoProcess);
    });
}

TEST(SignalByKenyad, EndsAnArrestedProcess) {
    SignalByMessage bench;
    bench.on_host([&](Api& api) {
        const auto pid = bench.start(api, "waits", trollius_os::services::rtf_wait);
        EXPECT_EQ(trollius_os::doom(api, NodeId(2), pid, 5), Doomed::Done);
        EXPECT_EQ(trollius_os::doom(api, NodeId(2), pid, 4), Doomed::Done);
        EXPECT_EQ(bench.text_of(api, pid), "not there");
        const auto end = trollius_os::wait_for_child(api);
        EXPECT_EQ(end.pid, pid);
        EXPECT_EQ(end.status, -4);
    });
}

TEST(SignalByKenyad, ShowsWhatIsPendingAndTellsTheEndThatComesLater) {
    SignalByMessage bench;
    bench.on_host([&](Api& api) {
        const auto pid = bench.start(api, "busy", trollius_os::services::rtf_wait);
        EXPECT_EQ(trollius_os::doom(api, NodeId(2), pid, 4), Doomed::Done);
        EXPECT_EQ(trollius_os::doom(api, NodeId(2), pid, 7), Doomed::Done);
        const auto line = bench.line_of(api, pid);
        ASSERT_TRUE(line);
        EXPECT_EQ(line->pending, mask_of(Signal::Die) | mask_of(Signal::A));
        EXPECT_EQ(trollius_os::signal_numbers(line->pending), "4,7");
        EXPECT_EQ(line->state, 0);
        const auto end = trollius_os::wait_for_child(api);
        EXPECT_EQ(end.pid, pid);
        EXPECT_EQ(end.status, -4);
        EXPECT_EQ(bench.text_of(api, pid), "not there");
    });
}

TEST(SignalByKenyad, WakesNobodyWhoWaitsForAnotherEnd) {
    SignalByMessage bench;
    vocabulary::ProcessId child;
    std::optional<trollius_os::ChildEnd> end;
    trollius_os::Process* parent = bench.box.host().create({"parent", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                                                                child =
                                                                    bench.start(api, "waits", trollius_os::services::rtf_wait);
                                                                end = trollius_os::wait_for_child(api);
                                                            }});
    bench.run_for(SimTime::ms(200));
    bench.box.host().signal(*parent, Signal::Release);
    bench.run_for(SimTime::ms(20));
    EXPECT_FALSE(end);
    bench.on_host([&](Api& api) { EXPECT_EQ(trollius_os::doom(api, NodeId(2), child), Doomed::Done); });
    ASSERT_TRUE(end);
    EXPECT_EQ(end->pid, child);
}

// The index is the slot plus one, here and in the kernel's table.
TEST(SignalByKenyad, StateNumbersProcessesByTheirSlots) {
    SignalByMessage bench;
    bench.on_host([&](Api& api) {
        const auto first = bench.start(api, "waits"), second = bench.start(api, "waits");
        const auto index = bench.line_of(api, first)->index;
        EXPECT_EQ(bench.line_of(api, second)->index, index + 1);
        EXPECT_EQ(bench.box.kernel(NodeId(2)).processes()[index]->pid(), second);
        EXPECT_EQ(trollius_os::doom(api, NodeId(2), first), Doomed::Done);
        EXPECT_EQ(bench.line_of(api, second)->index, index + 1) << "it keeps its slot";
        EXPECT_EQ(bench.line_of(api, bench.start(api, "waits"))->index, index) << "the lowest free slot";
    });
}
