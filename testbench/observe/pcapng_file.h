// SPDX-License-Identifier: Apache-2.0
// A capture file as Wireshark reads it: pcapng (draft-ietf-opsawg-pcapng), one section, little endian, times in ns.
#pragma once

#include "testbench/records/output_file.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

class PcapngFile {
  public:
    enum class LinkType : std::uint16_t { ethernet = 1, user0 = 147 };

    // epb_flags, draft section 4.3.1
    static constexpr std::uint32_t kInbound = 1, kOutbound = 2;

    struct Packet {
        std::uint32_t interface = 0;
        std::int64_t ns = 0;
        std::uint32_t flags = 0;
        std::uint32_t bytes_on_wire = 0;  ///< at least bytes.size(): what is missing was not captured
        std::string comment;              ///< empty = none
        std::vector<std::uint8_t> bytes;
    };

    /// Creates the file. Throws RequestError; all others throw RunError.
    explicit PcapngFile(std::string name);

    /// Interfaces are numbered from 0 in the order of these calls, which come before the packets.
    void add_interface(LinkType type, std::string_view name, std::string_view description);
    void write(const Packet& packet);
    void close() { file_.close(); }

  private:
    void begin(std::uint32_t type);
    void end();
    void put(std::uint64_t value, unsigned bytes);
    void put_padded(std::span<const std::byte> bytes);
    void option(std::uint16_t code, std::span<const std::byte> value);
    void option(std::uint16_t code, std::string_view value) { option(code, std::as_bytes(std::span(value))); }
    void option(std::uint16_t code, std::uint64_t value, unsigned bytes);
    void end_of_options() { option(0, std::string_view()); }

    OutputFile file_;
    std::vector<std::byte> block_;  // the one in hand
};

}  // namespace rnicsim
