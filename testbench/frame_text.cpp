#include "testbench/frame_text.h"

#include "tlm/drp_header.h"
#include "tlm/ethernet_frame.h"

#include <sstream>

namespace rnicsim {

std::string frame_text(std::span<const std::uint8_t> head, std::size_t length) {
    DrpHeader header;
    const DrpError error = decode(head.subspan(kEthernetHeaderBytes), header);
    const bool drp = (head[12] << 8 | head[13]) == kDrpEtherType;
    // The head has no payload: a DATA frame's length cannot be checked here.
    if (!drp || (error != DrpError::none && error != DrpError::length)) {
        return "ordinary frame, " + std::to_string(length) + " bytes";
    }
    std::ostringstream out;
    out << (header.operation == Operation::write ? "write " : "read ")
        << (header.is_ack() ? "ACK" : type_name(header.type)) << " tid=" << raw(header.tid) << " sn=" << header.sn
        << " ackn=" << header.ackn << " len=" << header.len << (header.indirect ? " indirect" : "")
        << (header.type == DrpType::req_ack ? (header.valid ? " valid" : " invalid") : "");
    return out.str();
}

}  // namespace rnicsim
