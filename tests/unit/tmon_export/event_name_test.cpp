// The export knows the numbers of the kernel and of the monitor by heart, since it may not depend on them.
#include <gtest/gtest.h>

#include <instrumentation/interrupt_master.hpp>
#include <instrumentation/node_monitor.hpp>
#include <trollius_os/message.hpp>

#include "exporter.hpp"

namespace {

using tmon_export::event_name;
using vocabulary::LinkNo;

std::string name_of(vocabulary::EventNo event) {
    return event_name(event.value());
}

}  // namespace

TEST(EventName, IsThatOfTheServiceTheLinkOrTheMonitor) {
    namespace services = trollius_os::events;
    EXPECT_EQ(name_of(services::router), "router");
    EXPECT_EQ(name_of(services::boot), "boot");
    EXPECT_EQ(name_of(services::filed), "filed");
    EXPECT_EQ(name_of(services::loadd), "loadd");
    EXPECT_EQ(name_of(services::kenyad), "kenyad");
    EXPECT_EQ(name_of(services::echod), "echod");
    EXPECT_EQ(name_of(services::bufferd), "bufferd");
    EXPECT_EQ(name_of(services::flatd), "flatd");
    EXPECT_EQ(name_of(trollius_os::datalink_event(LinkNo(3))), "link 3");
    EXPECT_EQ(name_of(trollius_os::buffer_worker_event(LinkNo(0))), "buffers of link 0");
    EXPECT_EQ(name_of(instrumentation::events::nodemon), "nodemon");
    EXPECT_EQ(name_of(instrumentation::events::collector), "hostmon");
    EXPECT_EQ(name_of(instrumentation::events::monmaster), "monmaster");
}

TEST(EventName, OfAProgramIsItsNumber) {
    EXPECT_EQ(event_name(42), "event 42");
    EXPECT_EQ(event_name(-12), "reply to process 12");
    EXPECT_EQ(event_name(-2'000'000), "event -2000000");
}
