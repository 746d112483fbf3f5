#include "testbench/frame_text.h"

#include "tlm/ethernet/frame.h"

#include <sstream>

namespace rnicsim {

std::optional<DrpHeader> drp_header(std::span<const std::uint8_t> head) {
    if ((head[12] << 8 | head[13]) != kDrpEtherType) return std::nullopt;
    DrpHeader header;
    const DrpError error = decode(head.subspan(kEthernetHeaderBytes), header);
    if (error != DrpError::none && error != DrpError::length) return std::nullopt;
    return header;
}

std::string frame_text(const std::optional<DrpHeader>& header, std::size_t length) {
    return header ? frame_text(*header) : "ordinary frame, " + std::to_string(length) + " bytes";
}

std::string frame_text(const DrpHeader& header) {
    std::ostringstream out;
    out << (header.operation == Operation::write ? "write " : "read ")
        << (header.is_ack() ? "ACK" : type_name(header.type)) << " tid=" << raw(header.tid) << " sn=" << header.sn
        << " ackn=" << header.ackn << " len=" << header.len << (header.indirect ? " indirect" : "")
        << (header.type == DrpType::req_ack ? (header.valid ? " valid" : " invalid") : "");
    return out.str();
}

}  // namespace rnicsim
