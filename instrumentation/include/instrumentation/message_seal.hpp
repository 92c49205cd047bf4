// MessageSeal: how the monitor's own messages are known to be as they were sent. The links have no error detection, and a
// record that is believed though a bit of it is wrong makes an analysis certain and wrong. Two check sums (CRC-32) travel in
// words of the pouch that nothing else uses: one of the body, one of the pouch itself, so that with a damaged body it is still
// known which records are gone. Tmon-de had nothing of the kind; the pouch travels with every header anyway, so the seal takes
// no byte of a link and no modelled time.
#pragma once

#include <trollius_os/message.hpp>

namespace instrumentation {

// Words 0 to 4 are the sender's; 5 to 7 belong to the seal.
void seal(trollius_os::Message& message);

enum class Seal { Whole, BodyDamaged, Damaged };       // Damaged: not even the pouch can be believed
Seal check_seal(const trollius_os::Message& message);  // message.body is what was received, message.length of it

}  // namespace instrumentation
