// SPDX-License-Identifier: Apache-2.0
// Oracle of the switch: the same frames through ns-3 (Debian: libns3-dev). Hosts hang by point-to-point links on one
// node that stores and forwards; tests/network/ns3_forwarder_test.py compares what comes of each frame with our switch,
// scripts/bench the speed. Usage: ns3_forwarder SCHEDULE [--speed]      SCHEDULE, in lines:
//   switch LATENCY_PS LIMIT_BYTES              of the forwarder, and of the queue of each of its ports
//   host RATE_BPS DELAY_PS                     and its link; the first one is 0, at port 0
//   frame READY_PS FROM TO BYTES               DA to FCS; those of a host in the order in which they are ready
// Says for each frame, by its number from 0: `frame NUMBER BEGIN_PS ARRIVED_PS HOST`, or `frame NUMBER BEGIN_PS
// dropped`; then for each port `queue HOST MOST_BYTES`. --speed: in place of that the processor time of the run.
//
// What ns-3 does otherwise than Ethernet, and what is done about it:
// - A point-to-point packet has no preamble but a PPP header of 2 bytes: 6 bytes behind each frame stand for the rest
// of the 8.
// - There is no gap between packets: the attribute InterframeGap, 12 bytes here.
// - A device's queue does not count the packet that is being sent, nor can it see a frame that still waits for the
// latency. A switch
//   holds a frame from its last bit in to its last bit out. So the port has an ns-3 DropTailQueue of its own, which the
//   frame enters when it has arrived and leaves with its last bit; it alone drops. The queue of the device behind it
//   has no limit.
// - Events of one instant come in the order in which they were scheduled. That is kept but for arrivals: a switch looks
// at its ports
//   in turn, so those of an instant are decided together, by port. What leaves in that instant was scheduled before: it
//   makes room first.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "testbench/bench/cpu_clock.h"

using namespace ns3;

namespace {

constexpr std::uint32_t kPreambleBytes = 8;  // with the SFD; IEEE 802.3 4.2.3.2.2
constexpr std::uint32_t kGapBytes = 12;      // IEEE 802.3 4.4.2
constexpr std::uint32_t kPppBytes = 2;
constexpr std::uint32_t kRestOfPreamble = kPreambleBytes - kPppBytes;
constexpr std::uint16_t kIpv4 = 0x0800;  // the device refuses types that PPP does not know

/// What a frame holds; the rest is padding.
struct Label {
    std::uint32_t number = 0;
    std::uint32_t to = 0;
};

Label label_of(const Ptr<const Packet>& packet, std::uint32_t at) {
    std::uint8_t bytes[kPppBytes + sizeof(Label)] = {};
    packet->CopyData(bytes, at + sizeof(Label));
    Label label;
    std::memcpy(&label, bytes + at, sizeof label);
    return label;
}

void send(const Ptr<PointToPointNetDevice>& device, const Ptr<const Packet>& frame) {
    const Ptr<Packet> packet = frame->Copy();
    packet->AddPaddingAtEnd(kRestOfPreamble);
    if (!device->Send(packet, device->GetBroadcast(), kIpv4))
        throw std::runtime_error("a device without a limit drops");
}

struct Link {
    DataRate rate;
    Time delay;
};

struct Schedule {
    struct Frame {
        Time ready;
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        std::uint32_t bytes = 0;
    };
    Time latency;
    std::uint32_t limit = 0;  // bytes
    std::vector<Link> links;
    std::vector<Frame> frames;
};

Schedule read_schedule(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file + ": cannot be read");
    Schedule schedule;
    std::string line, kind;
    for (unsigned number = 1; std::getline(in, line); ++number) {
        std::istringstream words(line);
        words >> kind;
        std::int64_t ps = 0;
        std::uint64_t rate = 0;
        bool good = true;
        if (kind == "switch") {
            words >> ps >> schedule.limit;
            schedule.latency = PicoSeconds(ps);
        } else if (kind == "host") {
            words >> rate >> ps;
            schedule.links.push_back({DataRate(rate), PicoSeconds(ps)});
        } else if (kind == "frame") {
            Schedule::Frame frame;
            words >> ps >> frame.from >> frame.to >> frame.bytes;
            frame.ready = PicoSeconds(ps);
            good =
                frame.from < schedule.links.size() && frame.to < schedule.links.size() && frame.bytes >= sizeof(Label);
            schedule.frames.push_back(frame);
        } else {
            good = false;
        }
        if (!good || words.fail())
            throw std::runtime_error(file + ":" + std::to_string(number) + ": '" + line +
                                     "', expected switch, host or frame");
    }
    return schedule;
}

/// What came of a frame, ps.
struct Outcome {
    std::int64_t begin = 0;
    std::int64_t arrived = 0;
    std::int64_t host = -1;  // where it arrived; -1: dropped
};

std::int64_t now() { return Simulator::Now().GetPicoSeconds(); }

/// Sends its frames in turn, and notes what it gets.
class Host {
  public:
    Host(std::uint32_t number, Ptr<PointToPointNetDevice> device, const Schedule& schedule,
         std::vector<Outcome>& outcomes)
        : number_(number), device_(std::move(device)), schedule_(schedule), outcomes_(outcomes) {
        for (std::uint32_t i = 0; i < schedule.frames.size(); ++i) {
            if (schedule.frames[i].from == number) own_.push_back(i);
        }
        device_->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Host::begins, this));
        device_->SetReceiveCallback(MakeCallback(&Host::receives, this));
        if (!own_.empty()) Simulator::Schedule(schedule.frames[own_[0]].ready, &Host::is_ready, this);
    }

  private:
    void is_ready() {
        const std::uint32_t number = own_[next_++];
        const Schedule::Frame& frame = schedule_.frames[number];
        const Label label{number, frame.to};
        const Ptr<Packet> packet = Create<Packet>(reinterpret_cast<const std::uint8_t*>(&label), sizeof label);
        packet->AddPaddingAtEnd(frame.bytes - static_cast<std::uint32_t>(sizeof label));
        send(device_, packet);
        if (next_ < own_.size())
            Simulator::Schedule(schedule_.frames[own_[next_]].ready - Simulator::Now(), &Host::is_ready, this);
    }
    void begins(Ptr<const Packet> packet) { outcomes_[label_of(packet, kPppBytes).number].begin = now(); }
    bool receives(Ptr<NetDevice>, Ptr<const Packet> packet, std::uint16_t, const Address&) {
        Outcome& outcome = outcomes_[label_of(packet, 0).number];
        outcome.arrived = now();
        outcome.host = number_;
        return true;
    }

    std::uint32_t number_;
    Ptr<PointToPointNetDevice> device_;
    const Schedule& schedule_;
    std::vector<Outcome>& outcomes_;
    std::vector<std::uint32_t> own_;
    std::size_t next_ = 0;
};

/// Egress of the forwarder.
class Port {
  public:
    Port(Ptr<PointToPointNetDevice> device, const DataRate& rate, std::uint32_t limit)
        : device_(std::move(device)), rate_(rate), memory_(CreateObject<DropTailQueue<Packet>>()) {
        memory_->SetMaxSize(QueueSize(QueueSizeUnit::BYTES, limit));
        device_->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Port::begins, this));
    }
    bool admit(const Ptr<Packet>& frame) {
        const bool fits = memory_->Enqueue(frame);
        most_bytes_ = std::max(most_bytes_, memory_->GetNBytes());
        return fits;
    }
    void is_ready(Ptr<Packet> frame) { send(device_, frame); }
    std::uint32_t most_bytes() const { return most_bytes_; }

  private:
    void begins(Ptr<const Packet> packet) {
        Simulator::Schedule(rate_.CalculateBytesTxTime(packet->GetSize()), &Port::has_left, this);
    }
    void has_left() { memory_->Dequeue(); }  // the first one: devices send in order

    Ptr<PointToPointNetDevice> device_;
    DataRate rate_;
    Ptr<DropTailQueue<Packet>> memory_;
    std::uint32_t most_bytes_ = 0;
};

class Forwarder {
  public:
    explicit Forwarder(Time latency) : latency_(latency) {}
    void attach(Ptr<PointToPointNetDevice> device, const DataRate& rate, std::uint32_t limit) {
        ports_.emplace_back(device, rate, limit);
        device->SetReceiveCallback(MakeCallback(&Forwarder::receives, this));
    }
    const std::deque<Port>& ports() const { return ports_; }

  private:
    bool receives(Ptr<NetDevice> device, Ptr<const Packet> packet, std::uint16_t, const Address&) {
        if (arrived_.empty())
            Simulator::ScheduleNow(&Forwarder::decide, this);  // behind the other arrivals of this instant
        const Ptr<Packet> frame = packet->Copy();
        frame->RemoveAtEnd(kRestOfPreamble);
        arrived_.emplace_back(device->GetIfIndex(), frame);
        return true;
    }
    void decide() {
        std::sort(arrived_.begin(), arrived_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [ingress, frame] : arrived_) {
            Port& egress = ports_[label_of(frame, 0).to];  // the static table: host i is at port i
            if (egress.admit(frame)) Simulator::Schedule(latency_, &Port::is_ready, &egress, frame);
        }
        arrived_.clear();
    }

    Time latency_;
    std::deque<Port> ports_;                                      // callbacks point to them
    std::vector<std::pair<std::uint32_t, Ptr<Packet>>> arrived_;  // in this instant, with their ports
};

void simulate(const Schedule& schedule, bool speed) {
    std::vector<Outcome> outcomes(schedule.frames.size());
    const Ptr<Node> node = CreateObject<Node>();
    Forwarder forwarder(schedule.latency);
    std::deque<Host> hosts;
    for (std::uint32_t i = 0; i < schedule.links.size(); ++i) {
        const Link& link = schedule.links[i];
        PointToPointHelper helper;
        helper.DisableFlowControl();  // of a traffic control layer, which is not there
        helper.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("4000000000p"));
        helper.SetDeviceAttribute("DataRate", DataRateValue(link.rate));
        helper.SetDeviceAttribute("InterframeGap", TimeValue(link.rate.CalculateBytesTxTime(kGapBytes)));
        helper.SetChannelAttribute("Delay", TimeValue(link.delay));
        const NetDeviceContainer ends = helper.Install(CreateObject<Node>(), node);
        hosts.emplace_back(i, DynamicCast<PointToPointNetDevice>(ends.Get(0)), schedule, outcomes);
        forwarder.attach(DynamicCast<PointToPointNetDevice>(ends.Get(1)), link.rate, schedule.limit);
    }
    const double started = cpu_seconds();
    Simulator::Run();
    if (speed) {
        std::printf("cpu_s=%.6f frames=%zu events=%llu\n", cpu_seconds() - started, schedule.frames.size(),
                    static_cast<unsigned long long>(Simulator::GetEventCount()));
    } else {
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const Outcome& of = outcomes[i];
            std::cout << "frame " << i << ' ' << of.begin << ' ';
            of.host < 0 ? std::cout << "dropped\n" : std::cout << of.arrived << ' ' << of.host << '\n';
        }
        for (std::size_t i = 0; i < forwarder.ports().size(); ++i)
            std::cout << "queue " << i << ' ' << forwarder.ports()[i].most_bytes() << '\n';
    }
    Simulator::Destroy();
}

}  // namespace

int main(int argc, char** argv) {
    const bool speed = argc == 3 && std::string(argv[2]) == "--speed";
    if (argc != 2 && !speed) {
        std::cerr << "ns3_forwarder: expected SCHEDULE [--speed]\n";
        return 2;
    }
    Time::SetResolution(Time::PS);  // as ours: at all rates of Ethernet a byte is a whole number of them
    try {
        simulate(read_schedule(argv[1]), speed);
    } catch (const std::exception& error) {
        std::cerr << "ns3_forwarder: " << error.what() << '\n';
        return 2;
    }
    return 0;
}
