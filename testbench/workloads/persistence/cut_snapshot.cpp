// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/cut_snapshot.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace rnicsim {
namespace {

/// An entry into a stage that has happened.
struct Move {
    Time at;
    std::uint64_t write = 0;
    WriteStage to = WriteStage::nowhere;
};

/// A line with everything that lies above its medium.
struct Bytes {
    std::vector<std::uint64_t> iio;         // the writes in it, as they came
    std::array<std::uint64_t, 64> llc{};    // by byte, the write whose byte is there; 0: none
    std::array<std::uint64_t, 64> queue{};  // what SCM will be when the iMC has written all
    std::array<std::uint64_t, 64> scm{};
};

/// What goes from the iMC to SCM at once: of each byte the write, and all writes that go with it.
struct Parcel {
    std::array<std::uint64_t, 64> bytes{};
    std::set<std::uint64_t> writes;
};

class Replay {
  public:
    Replay(Time at, Domain domain, const CutRecords& records);
    [[nodiscard]] CutSnapshot snapshot(Time at, const std::vector<CutRecords::Message>& messages) const;

  private:
    void move(const Move& move);
    void to_imc(const LineWrite& write);
    void to_scm(std::uint64_t write);
    [[nodiscard]] std::uint64_t content(std::uint64_t line, unsigned byte) const;
    [[nodiscard]] std::uint64_t older(std::uint64_t line, unsigned byte, std::uint64_t than) const {
        return content(line, byte) < than ? 1 : 0;
    }
    [[nodiscard]] bool is_safe(const LineWrite& write) const;
    void lost(CutSnapshot& to) const;

    Domain domain_;
    std::map<std::uint64_t, LineWrite> writes_;
    std::map<std::uint64_t, std::vector<std::uint64_t>> of_message_;
    std::map<std::uint64_t, Bytes> lines_;
    std::map<std::uint64_t, WriteStage> stages_;                  // of the writes that have been posted
    std::map<std::uint64_t, std::vector<std::uint64_t>> in_llc_;  // by line, in the order in which they came into it
    std::map<std::uint64_t, Parcel> parcels_;
};

bool writes_byte(const LineWrite& write, unsigned byte) { return (write.mask >> byte & 1U) != 0; }

Replay::Replay(Time at, Domain domain, const CutRecords& records) : domain_(domain) {
    std::vector<Move> moves;
    for (const auto& record : records.lines) {
        if (const auto* const w = std::get_if<CutRecords::Write>(&record)) {
            writes_[w->write.number] = w->write;
            of_message_[w->message].push_back(w->write.number);
            moves.push_back({w->write.posted, w->write.number, WriteStage::iio});
            moves.push_back({w->write.llc, w->write.number, WriteStage::llc});
            moves.push_back({w->write.adr, w->write.number, WriteStage::imc});
            moves.push_back({w->write.scm_done, w->write.number, WriteStage::scm});
        } else {
            const auto& back = std::get<LineWriteBack>(record);
            moves.push_back({back.adr, back.number, WriteStage::imc});
            moves.push_back({back.scm_done, back.number, WriteStage::scm});
        }
    }
    std::erase_if(moves, [at](const Move& one) { return one.at >= at; });
    std::ranges::stable_sort(moves, {}, &Move::at);
    for (const Move& one : moves) move(one);
}

void Replay::move(const Move& move) {
    const LineWrite& write = writes_.at(move.write);
    Bytes& line = lines_[write.line];
    switch (move.to) {
        case WriteStage::nowhere: break;
        case WriteStage::iio:
            line.iio.push_back(write.number);
            stages_[write.number] = WriteStage::iio;
            break;
        case WriteStage::llc:
            std::erase(line.iio, write.number);
            for (unsigned b = 0; b < 64; ++b) {
                if (writes_byte(write, b)) line.llc.at(b) = write.number;
            }
            in_llc_[write.line].push_back(write.number);
            stages_[write.number] = WriteStage::llc;
            break;
        case WriteStage::imc: to_imc(write); break;
        case WriteStage::scm: to_scm(write.number); break;
    }
}

void Replay::to_imc(const LineWrite& write) {
    Bytes& line = lines_[write.line];
    Parcel parcel;
    if (stages_[write.number] == WriteStage::iio) {
        std::erase(line.iio, write.number);
        for (unsigned b = 0; b < 64; ++b) {
            if (writes_byte(write, b)) line.llc.at(b) = 0;  // the copy is invalid
        }
        parcel.writes.insert(write.number);
    } else if (stages_[write.number] == WriteStage::llc) {
        std::vector<std::uint64_t>& there = in_llc_.at(write.line);
        const auto behind = std::next(std::ranges::find(there, write.number));
        parcel.writes.insert(there.begin(), behind);
        there.erase(there.begin(), behind);
        for (unsigned b = 0; b < 64; ++b) {
            if (!parcel.writes.contains(line.llc.at(b))) continue;
            parcel.bytes.at(b) = std::exchange(line.llc.at(b), 0);
        }
    } else {
        return;  // it is in the iMC already
    }
    for (unsigned b = 0; b < 64; ++b) {
        if (writes_byte(write, b)) parcel.bytes.at(b) = write.number;
        if (parcel.bytes.at(b) != 0) line.queue.at(b) = parcel.bytes.at(b);
    }
    for (const std::uint64_t number : parcel.writes) stages_[number] = WriteStage::imc;
    parcels_[write.number] = parcel;
}

void Replay::to_scm(std::uint64_t write) {
    const auto parcel = parcels_.find(write);
    if (parcel == parcels_.end()) return;
    Bytes& line = lines_[writes_.at(write).line];
    for (unsigned b = 0; b < 64; ++b) {
        if (parcel->second.bytes.at(b) != 0) line.scm.at(b) = parcel->second.bytes.at(b);
    }
    for (const std::uint64_t number : parcel->second.writes) stages_[number] = WriteStage::scm;
    parcels_.erase(parcel);
}

/// SCM gets what the iMC has, then what the LLC has, then what the IIO has, as far as the domain has them.
std::uint64_t Replay::content(std::uint64_t line, unsigned byte) const {
    const Bytes& bytes = lines_.at(line);
    std::uint64_t is = bytes.scm.at(byte);
    if (survives(WriteStage::imc, domain_)) is = bytes.queue.at(byte);
    if (survives(WriteStage::llc, domain_) && bytes.llc.at(byte) != 0) is = bytes.llc.at(byte);
    if (!survives(WriteStage::iio, domain_)) return is;
    for (const std::uint64_t number : bytes.iio) {
        if (writes_byte(writes_.at(number), byte)) is = number;
    }
    return is;
}

bool Replay::is_safe(const LineWrite& write) const {
    if (!stages_.contains(write.number)) return false;
    for (unsigned b = 0; b < 64; ++b) {
        if (writes_byte(write, b) && older(write.line, b, write.number) != 0) return false;
    }
    return true;
}

void Replay::lost(CutSnapshot& to) const {
    for (const auto& [address, line] : lines_) {
        for (unsigned b = 0; b < 64; ++b) {
            if (!survives(WriteStage::iio, domain_)) {
                for (const std::uint64_t number : line.iio) {
                    if (writes_byte(writes_.at(number), b)) to.iio_bytes += older(address, b, number);
                }
            }
            if (!survives(WriteStage::llc, domain_)) to.llc_bytes += older(address, b, line.llc.at(b));
        }
    }
    if (survives(WriteStage::imc, domain_)) return;
    for (const auto& [write, parcel] : parcels_) {
        for (unsigned b = 0; b < 64; ++b) to.imc_bytes += older(writes_.at(write).line, b, parcel.bytes.at(b));
    }
}

CutSnapshot Replay::snapshot(Time at, const std::vector<CutRecords::Message>& messages) const {
    CutSnapshot result;
    for (const auto& [address, line] : lines_) {
        for (unsigned b = 0; b < 64; ++b) result.content[address].at(b) = content(address, b);
    }
    lost(result);
    for (const auto& [number, stage] : stages_) {
        if (!is_safe(writes_.at(number))) result.lost_writes.push_back({number, stage});
    }
    for (const CutRecords::Message& message : messages) {
        std::uint64_t bytes = 0;
        std::size_t safe_writes = 0, all = 0;
        const auto writes = of_message_.find(message.id);
        for (std::size_t i = 0; writes != of_message_.end() && i < writes->second.size(); ++i) {
            const LineWrite& write = writes_.at(writes->second[i]);
            ++all;
            if (!is_safe(write)) continue;
            ++safe_writes;
            bytes += static_cast<std::uint64_t>(std::popcount(write.mask));
        }
        const bool is_whole = safe_writes == all && bytes == message.bytes;
        const bool written = message.told_written < at, persisted = message.told_persisted < at;
        if (is_whole) result.safe.push_back(message.id);
        if (written && !is_whole) result.vulnerable.push_back(message.id);
        if (written && !persisted) result.unproven.push_back(message.id);
        if (safe_writes > 0 && !is_whole) result.torn.push_back(message.id);
        if (persisted && !is_whole) result.false_persistence.push_back(message.id);
    }
    const auto is_safe_message = [&](const CutRecords::Message& m) {
        return std::ranges::count(result.safe, m.id) != 0;
    };
    for (const CutRecords::Message& later : messages) {
        if (!is_safe_message(later)) continue;
        if (std::ranges::any_of(messages, [&](const CutRecords::Message& one) {
                return one.connection == later.connection && one.order < later.order && !is_safe_message(one);
            }))
            result.inverted.push_back(later.id);
    }
    return result;
}

}  // namespace

CutSnapshot cut_at(Time at, Domain domain, const CutRecords& records) {
    return Replay(at, domain, records).snapshot(at, records.messages);
}

}  // namespace rnicsim
