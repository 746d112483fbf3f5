// SPDX-License-Identifier: Apache-2.0
#include "model/host/memory.h"

#include "tlm/pcie/pcie_tlp.h"
#include "tlm/wakeup.h"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

namespace rnicsim {
namespace {

std::uint8_t* map_zeroed(std::uint64_t bytes) {
    void* const pointer =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pointer == MAP_FAILED) throw std::bad_alloc();
    return static_cast<std::uint8_t*>(pointer);
}

}  // namespace

void Memory::Unmap::operator()(std::uint8_t* pointer) const { ::munmap(pointer, bytes); }

Memory::Memory(sc_core::sc_module_name name, const MemoryConfig& config, const Clock& clock, std::uint64_t bytes)
    : sc_module(name),
      bytes_per_second_(config.bytes_per_second),
      latency_(clock.time(config.latency)),
      size_(bytes),
      bytes_(map_zeroed(bytes), Unmap{bytes}) {
    port.register_b_transport(this, &Memory::access);
}

std::span<std::uint8_t> Memory::at(std::uint64_t address, std::uint64_t bytes) {
    assert(address <= size_ && bytes <= size_ - address);
    return {bytes_.get() + address, bytes};
}

/// False: there is no such memory.
inline bool Memory::copy(tlm::tlm_generic_payload& transaction, Time visible) {
    const std::uint64_t address = transaction.get_address();
    const std::uint64_t bytes = transaction.get_data_length();
    std::uint8_t* const data = transaction.get_data_ptr();
    if (address > size_ || bytes > size_ - address) {
        if (outside_ == nullptr) return false;
        return transaction.is_read() ? outside_->read(address, {data, bytes})
                                     : outside_->write(address, {data, bytes}, visible);
    }
    if (transaction.is_read()) {
        std::memcpy(data, bytes_.get() + address, bytes);
    } else {
        std::memcpy(bytes_.get() + address, data, bytes);
    }
    return true;
}

void Memory::set_persistence(PersistencePath* path) {
    path_ = path;
    path_->set_held_bytes_target(this);
}

void Memory::seen(std::uint64_t address, std::uint64_t bytes, Time at) {
    if (watcher_ != nullptr) watcher_->written(address, bytes, at);
}

/// Returns when DRAM's controller has done so many bytes.
Time Memory::take(Time from, std::uint64_t bytes) {
    const Time length = time_of(static_cast<std::int64_t>(bytes), bytes_per_second_);
    const Time begin = busy_.free(from, length);
    busy_.book(begin, length);
    return begin + length;
}

/// Bytes can be seen when they have left the IIO for the LLC or the iMC.
Memory::Times Memory::times_through(PersistencePath& path, const tlm::tlm_generic_payload& transaction, Time now) {
    const std::uint64_t address = transaction.get_address(), bytes = transaction.get_data_length();
    const bool is_scm = path.is_scm(address);
    path.pass(current_time());
    busy_.forget(current_time());
    if (transaction.is_read()) {
        const Time done =
            is_scm ? path.read_scm(now, address, static_cast<std::int64_t>(bytes)) : take(now, bytes) + latency_;
        return {done, done};
    }
    const TlpExtension& extension = *transaction.get_extension<TlpExtension>();
    Time visible = extension.left;
    if (visible == kEndOfTime) visible = path.left(extension.last_line, address, bytes);
    if (visible == kEndOfTime) return {visible, now};
    visible = std::max(visible, now);
    if (!is_scm && path.passes_llc(extension.attributes)) visible = take(visible, bytes);
    return {visible, visible};
}

void Memory::access_through(PersistencePath& path, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    const Time now = current_time() + to_time(delay);
    const Times times = times_through(path, transaction, now);
    if (!copy(transaction, times.visible)) {
        transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    delay += to_sc_time(times.answered - now);
    if (transaction.is_write() && times.visible != kEndOfTime)
        seen(transaction.get_address(), transaction.get_data_length(), times.visible);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Memory::access(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    if (path_ != nullptr) return access_through(*path_, transaction, delay);
    const std::uint64_t bytes = transaction.get_data_length();
    const Time now = current_time() + to_time(delay);
    const Time done = std::max(now, free_at_) + time_of(static_cast<std::int64_t>(bytes), bytes_per_second_);
    if (!copy(transaction, done)) {
        transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    free_at_ = done;
    delay += to_sc_time(free_at_ - now + latency_);
    // The latency is that of reads: what is written can be seen as soon as the controller has it.
    if (watcher_ != nullptr && transaction.is_write()) watcher_->written(transaction.get_address(), bytes, free_at_);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace rnicsim
