// SPDX-License-Identifier: Apache-2.0
// Reference for scripts/bench: the data phase alone in ns-3, without host, PCIe, memory or RNIC. Frames of 1080 bytes
// of client data go over a Gigabit PointToPoint link under a window of 8, each acknowledged by a 46-byte frame. With
// ns-3 (Debian: libns3-dev) both are measured on the same machine at the same time.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "testbench/bench/cpu_clock.h"

using namespace ns3;

namespace {

constexpr std::uint32_t kWindow = 8;
constexpr std::uint32_t kDataBytes = 1080;
constexpr std::uint32_t kAckBytes = 46;

/// Both ends of a window protocol; nothing is ever lost here.
class Transfer {
  public:
    Transfer(Ptr<PointToPointNetDevice> sender, Ptr<PointToPointNetDevice> receiver, std::uint64_t frames)
        : sender_(sender), receiver_(receiver), frames_(frames) {
        receiver_->SetReceiveCallback(MakeCallback(&Transfer::on_data, this));
        sender_->SetReceiveCallback(MakeCallback(&Transfer::on_ack, this));
    }
    void start() { fill_window(); }
    std::uint64_t acknowledged() const { return acknowledged_; }

  private:
    void fill_window() {
        for (; sent_ < frames_ && sent_ < acknowledged_ + kWindow; ++sent_) send(sender_, sent_, kDataBytes);
    }
    static void send(Ptr<PointToPointNetDevice> device, std::uint64_t number, std::uint32_t bytes) {
        static std::uint8_t buffer[kDataBytes];
        std::memcpy(buffer, &number, sizeof number);
        device->Send(Create<Packet>(buffer, bytes), device->GetBroadcast(), 0x0800);
    }
    bool on_data(Ptr<NetDevice>, Ptr<const Packet> packet, std::uint16_t, const Address&) {
        std::uint8_t buffer[kDataBytes];
        packet->CopyData(buffer, sizeof buffer);
        send(receiver_, ++received_, kAckBytes);
        return true;
    }
    bool on_ack(Ptr<NetDevice>, Ptr<const Packet> packet, std::uint16_t, const Address&) {
        packet->CopyData(reinterpret_cast<std::uint8_t*>(&acknowledged_), sizeof acknowledged_);
        fill_window();
        return true;
    }

    Ptr<PointToPointNetDevice> sender_;
    Ptr<PointToPointNetDevice> receiver_;
    std::uint64_t frames_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t acknowledged_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t frames = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 102'400;
    NodeContainer nodes;
    nodes.Create(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetChannelAttribute("Delay", StringValue("40ns"));
    NetDeviceContainer devices = link.Install(nodes);
    Transfer transfer(DynamicCast<PointToPointNetDevice>(devices.Get(0)),
                      DynamicCast<PointToPointNetDevice>(devices.Get(1)), frames);
    Simulator::Schedule(MicroSeconds(1), &Transfer::start, &transfer);
    const double started = cpu_seconds();
    Simulator::Run();
    const double cpu = cpu_seconds() - started;
    const std::uint64_t events = Simulator::GetEventCount();
    const bool complete = transfer.acknowledged() == frames;
    std::printf("cpu_s=%.6f data_frames=%llu events=%llu\n", cpu, static_cast<unsigned long long>(frames),
                static_cast<unsigned long long>(events));
    Simulator::Destroy();
    return complete ? 0 : 1;
}
