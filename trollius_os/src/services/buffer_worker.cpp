// Fetches the messages stored for one link and does the blocking send, so that bufferd never waits for a link.
#include <vector>

#include <trollius_os/services/bufferd.hpp>

namespace trollius_os::services {

Task<> buffer_worker(Calls& calls, LinkNo link) {
    std::vector<std::byte> body;
    const EventNo own = buffer_worker_event(link);
    while (true) {
        co_await request_from_buffers(calls, datalink_event(link), 0, {calls.pid(), 0});
        Message packet{.any_body = &body};
        co_await calls.frecv(packet, own, 0);
        packet.datalink_event = datalink_event(link);
        co_await calls.dsend(packet);
    }
}

}  // namespace trollius_os::services
