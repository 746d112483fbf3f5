// SPDX-License-Identifier: Apache-2.0
// Oracle of streams: the same messages by ns-3's TCP (Debian: libns3-dev), from one host to another and an answer back.
// tests/network/ns3_stream_test.py compares frames and bytes with ours. Usage: ns3_stream MTU WINDOW ANSWER SIZE...
// bytes. Says `DIRECTION segments bytes` for frames with payload, DIRECTION being asks or answers: bytes of IPv4
// packets. What is said to ns-3: MSS of the MTU with timestamps, no SACK, no delay of small segments, buffers of WINDOW
// bytes. Its slow start is its own: when segments leave is not compared, nor are frames without payload.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

namespace {

constexpr std::uint32_t kIpHeader = 20, kTcpHeader = 32;  // with the option of timestamps
constexpr std::uint16_t kPort = 5000;

struct Count {
    std::uint64_t segments = 0, bytes = 0;
};

/// One end: sends so many bytes as the socket takes them, and hears of those that come.
struct End {
    Ptr<Socket> socket;
    std::uint64_t to_send = 0, has_come = 0;
    void send() {
        while (to_send != 0) {
            const std::uint32_t room = socket->GetTxAvailable();
            const auto bytes = static_cast<std::uint32_t>(to_send < room ? to_send : room);
            if (bytes == 0) return;
            const int sent = socket->Send(Create<Packet>(bytes));
            if (sent <= 0) return;
            to_send -= static_cast<std::uint64_t>(sent);
        }
    }
    void take() {
        while (const Ptr<Packet> packet = socket->Recv()) {
            if (packet->GetSize() == 0) return;
            has_come += packet->GetSize();
        }
    }
};

struct Talk {
    std::vector<std::uint64_t> sizes;
    std::uint64_t answer = 0;
    std::size_t at = 0;
    End asks, answers;
    Count of_asks, of_answers;

    void ask() {
        if (at == sizes.size()) return;
        asks.to_send = sizes[at];
        asks.send();
    }
    void came_to_answerer(Ptr<Socket>) {
        answers.take();
        if (answers.has_come < sizes[at]) return;
        answers.has_come = 0;
        answers.to_send = answer;
        answers.send();
    }
    void came_to_asker(Ptr<Socket>) {
        asks.take();
        if (asks.has_come < answer) return;
        asks.has_come = 0;
        ++at;
        ask();
    }
};

/// Frames with payload.
void count(Count* of, Ptr<const Packet> packet, Ptr<Ipv4>, std::uint32_t) {
    const Ptr<Packet> copy = packet->Copy();
    Ipv4Header ip;
    TcpHeader tcp;
    copy->RemoveHeader(ip);
    copy->RemoveHeader(tcp);
    if (copy->GetSize() == 0) return;
    ++of->segments;
    of->bytes += packet->GetSize();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    const auto number = [argv](int i) { return static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10)); };
    const std::uint32_t mtu = number(1), window = number(2);
    Talk talk;
    talk.answer = number(3);
    for (int i = 4; i < argc; ++i) talk.sizes.push_back(number(i));

    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mtu - kIpHeader - kTcpHeader));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocket::TcpNoDelay", BooleanValue(true));

    NodeContainer nodes;
    nodes.Create(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    link.SetDeviceAttribute("Mtu", UintegerValue(mtu));
    link.SetChannelAttribute("Delay", StringValue("1us"));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));  // nothing is lost
    const NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.0.0", "255.255.255.0");
    const Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    nodes.Get(0)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext("Tx",
                                                                          MakeBoundCallback(&count, &talk.of_asks));
    nodes.Get(1)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext("Tx",
                                                                          MakeBoundCallback(&count, &talk.of_answers));

    const Ptr<Socket> listens = Socket::CreateSocket(nodes.Get(1), TcpSocketFactory::GetTypeId());
    listens->Bind(InetSocketAddress(Ipv4Address::GetAny(), kPort));
    listens->Listen();
    listens->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                               Callback<void, Ptr<Socket>, const Address&>([&talk](Ptr<Socket> socket, const Address&) {
                                   talk.answers.socket = socket;
                                   socket->SetRecvCallback(MakeCallback(&Talk::came_to_answerer, &talk));
                                   socket->SetSendCallback(Callback<void, Ptr<Socket>, std::uint32_t>(
                                       [&talk](Ptr<Socket>, std::uint32_t) { talk.answers.send(); }));
                               }));
    talk.asks.socket = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    talk.asks.socket->SetConnectCallback(
        Callback<void, Ptr<Socket>>([&talk](Ptr<Socket>) { Simulator::ScheduleNow(&Talk::ask, &talk); }),
        MakeNullCallback<void, Ptr<Socket>>());
    talk.asks.socket->SetRecvCallback(MakeCallback(&Talk::came_to_asker, &talk));
    talk.asks.socket->SetSendCallback(
        Callback<void, Ptr<Socket>, std::uint32_t>([&talk](Ptr<Socket>, std::uint32_t) { talk.asks.send(); }));
    const InetSocketAddress there(interfaces.GetAddress(1), kPort);
    Simulator::ScheduleNow([&] { talk.asks.socket->Connect(there); });  // nodes are initialised by then

    Simulator::Stop(Seconds(100));
    Simulator::Run();
    Simulator::Destroy();
    if (talk.at != talk.sizes.size()) {
        std::fprintf(stderr, "ns3_stream: %zu of %zu messages were answered\n", talk.at, talk.sizes.size());
        return 1;
    }
    std::printf("asks %llu %llu\nanswers %llu %llu\n", static_cast<unsigned long long>(talk.of_asks.segments),
                static_cast<unsigned long long>(talk.of_asks.bytes),
                static_cast<unsigned long long>(talk.of_answers.segments),
                static_cast<unsigned long long>(talk.of_answers.bytes));
    return 0;
}
