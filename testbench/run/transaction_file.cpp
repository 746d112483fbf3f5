// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/transaction_file.h"

namespace rnicsim {
namespace {

void append_hex(std::string& line, std::span<const std::uint8_t> bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    line += '"';
    for (const std::uint8_t byte : bytes) {
        line += kDigits[byte >> 4];
        line += kDigits[byte & 15];
    }
    line += '"';
}

}  // namespace

TransactionFile::TransactionFile(const std::string& name) {
    if (!name.empty()) file_.emplace(name);
}

void TransactionFile::add(const std::string& stream, const Transaction& transaction) {
    if (!file_) return;
    line_ = "{\"stream\": \"" + stream + "\", \"at_ps\": " + std::to_string(transaction.at.ps) + ", \"in\": ";
    append_hex(line_, transaction.in);
    line_ += transaction.bad ? ", \"bad\": true, \"out\": " : ", \"bad\": false, \"out\": ";
    if (transaction.out.empty()) {
        line_ += "null}\n";
    } else {
        append_hex(line_, transaction.out);
        line_ += ", \"latency\": " + std::to_string(transaction.latency) + "}\n";
    }
    file_->write(line_);
}

void TransactionFile::close() {
    if (file_) file_->close();
}

}  // namespace rnicsim
