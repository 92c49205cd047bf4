// Images of processes hold plain addresses. So commands that make them or put them back want all that is loaded at the same
// place each time.
#pragma once

namespace cli {

// Begins this command anew without the host's randomisation of addresses, once. Where the host forbids that, it goes on: images
// then serve this command alone. Call it before anything has been done.
void fix_addresses();

}  // namespace cli
