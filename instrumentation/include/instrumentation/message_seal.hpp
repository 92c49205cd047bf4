// MessageSeal: shows whether the monitor's own messages are as they were sent. The links have no error detection. A record that
// is believed though one of its bits is wrong makes an analysis certain and wrong. Two check sums (CRC-32) travel in words of
// the pouch that nothing else uses: one of the body, one of the pouch itself. So it is known even with a damaged body which
// records are gone. Tmon-de had nothing of the kind. The pouch travels with every header anyway, so the seal takes no byte of a
// link and no modelled time.
#pragma once

#include <trollius_os/message.hpp>

namespace instrumentation {

// Words 0 to 4 are the sender's; 5 to 7 belong to the seal.
void seal(trollius_os::Message& message);

enum class Seal { Whole, BodyDamaged, Damaged };       // Damaged: even the pouch cannot be trusted
Seal check_seal(const trollius_os::Message& message);  // message.body is the part received, message.length its length

}  // namespace instrumentation
