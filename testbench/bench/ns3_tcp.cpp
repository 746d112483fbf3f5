// SPDX-License-Identifier: Apache-2.0
// Reference for scripts/bench: what a network simulator needs for reliable transfers. ns-3's TCP carries transfers of
// 128 KiB, one after another over one connection, on a Gigabit PointToPoint link in segments of 1024 bytes. There is no
// host, PCIe or memory behind it, nothing is compared, and payload is not even stored.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "testbench/bench/cpu_clock.h"

using namespace ns3;

namespace {

constexpr std::uint32_t kTransferBytes = 128 * 1024;
constexpr std::uint32_t kSegmentBytes = 1024;
constexpr std::uint16_t kPort = 4791;

/// Sends a transfer; the far end answers with one byte when all of it is there, and the next one begins.
class Transfers {
  public:
    Transfers(const NodeContainer& nodes, const Ipv4Address& server, std::uint64_t transfers) : transfers_(transfers) {
        listener_ = Socket::CreateSocket(nodes.Get(1), TcpSocketFactory::GetTypeId());
        listener_->Bind(InetSocketAddress(Ipv4Address::GetAny(), kPort));
        listener_->Listen();
        listener_->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                     MakeCallback(&Transfers::accepted, this));
        client_ = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
        client_->Bind();
        client_->SetConnectCallback(MakeCallback(&Transfers::connected, this), MakeNullCallback<void, Ptr<Socket>>());
        client_->SetSendCallback(MakeCallback(&Transfers::room, this));
        client_->SetRecvCallback(MakeCallback(&Transfers::answered, this));
        Simulator::Schedule(MicroSeconds(10), [this, server] { client_->Connect(InetSocketAddress(server, kPort)); });
    }
    std::uint64_t ended() const { return ended_; }

  private:
    void connected(Ptr<Socket>) { begin(); }
    void begin() {
        left_ = kTransferBytes;
        room(client_, 0);
    }
    void room(Ptr<Socket>, std::uint32_t) {
        while (left_ != 0) {
            const int sent = client_->Send(Create<Packet>(std::min(left_, client_->GetTxAvailable())));
            if (sent <= 0) return;
            left_ -= static_cast<std::uint32_t>(sent);
        }
    }
    void accepted(Ptr<Socket> server, const Address&) {
        server->SetRecvCallback(MakeCallback(&Transfers::received, this));
    }
    void received(Ptr<Socket> server) {
        while (const Ptr<Packet> packet = server->Recv()) {
            if (packet->GetSize() == 0) return;
            received_ += packet->GetSize();
            if (received_ % kTransferBytes == 0) server->Send(Create<Packet>(1));
        }
    }
    void answered(Ptr<Socket>) {
        while (const Ptr<Packet> packet = client_->Recv()) {
            if (packet->GetSize() == 0) return;
            if (++ended_ == transfers_) return Simulator::Stop();
            begin();
        }
    }

    Ptr<Socket> listener_, client_;
    std::uint64_t transfers_;
    std::uint64_t ended_ = 0;
    std::uint64_t received_ = 0;  // bytes
    std::uint32_t left_ = 0;      // bytes of this transfer that TCP has not taken yet
};

std::uint64_t data_frames = 0;
void count_frame(Ptr<const Packet> packet) { data_frames += packet->GetSize() > kSegmentBytes ? 1 : 0; }

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t transfers = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 800;
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kSegmentBytes));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
    NodeContainer nodes;
    nodes.Create(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetChannelAttribute("Delay", StringValue("40ns"));
    const NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper internet;
    internet.Install(nodes);
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.0.0", "255.255.255.0");
    const Ipv4InterfaceContainer ends = addresses.Assign(devices);
    devices.Get(0)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&count_frame));
    Transfers all(nodes, ends.GetAddress(1), transfers);
    const double started = cpu_seconds();
    Simulator::Run();
    std::printf("cpu_s=%.6f data_frames=%llu events=%llu\n", cpu_seconds() - started,
                static_cast<unsigned long long>(data_frames),
                static_cast<unsigned long long>(Simulator::GetEventCount()));
    Simulator::Destroy();
    return all.ended() == transfers ? 0 : 1;
}
