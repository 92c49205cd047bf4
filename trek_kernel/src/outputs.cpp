// What a user process made, on its way out: where a planted bug of the message-passing class acts (Lin 1993, section 3.4.1).
#include "trek_node_parts.hpp"

namespace trek_kernel {

void TrekNode::emit(Api&, ItemPtr item, const Output& how, const std::function<void(ItemPtr)>& send) {
    if (!how.omitted) send(std::move(item));
}

}  // namespace trek_kernel
