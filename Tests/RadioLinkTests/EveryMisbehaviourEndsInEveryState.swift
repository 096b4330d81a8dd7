import MeshModel
import MeshProtocol
import Testing

@testable import RadioLink
@testable import RadioSimulator

// Every misbehaviour of the simulator strikes in every state of a session, and each time there is a way out within so
// many virtual seconds:
//
//  - works: the radio serves us, although it goes on misbehaving;
//  - else: that problem is named. When the radio is repaired then, it serves us as soon as it is asked again, and
//    what was wrong is over;
//  - a dash, while it is locked: nothing changes before it is unlocked.
//
// At the end a packet is given, and the radio gets it exactly once.
//
// The seconds follow from the rules: 30 without any part of a handshake are a stall, three stalls end an attempt; a
// heartbeat every 60 s, and two answers that are missing for 30 s each; a probe after 240 s without a packet; a locked
// radio is asked once in 60 s; boot text of six seconds at most.

private enum State: CaseIterable { case settings, nodes, live, starting, locked }

private enum End { case works, problem(String) }

struct Row: Sendable, CustomTestStringConvertible {
    fileprivate var name: String
    fileprivate var end: End
    fileprivate var limits: [Double?]

    fileprivate init(_ line: Substring) {
        let words = line.split(separator: " ")
        name = String(words[0])
        end = words[1] == "works" ? .works : .problem(String(words[1]))
        limits = words[2...].map { Double($0) }
    }

    var testDescription: String { name }
}

private let table = """
    fault                      end                  settings  nodes  live  starting  locked
    debug-text-between-frames  works                       5      5     1        10       -
    debug-text-inside-frames   works                      30     30     1        30       -
    truncated-frames           works                      30     30     1        30       -
    stalls                     works                      60     60     1        60       -
    duplicate-frames           works                       5      5     1        10       -
    reboots                    works                      10     10    10        10       -
    silent-reboots             works                      40     40   300        10       -
    wrong-nonce                works                      40     40     1        40       -
    cut-handshakes             works                      40     40     1        40       -
    full-queue                 works                       5      5     1        10       -
    reordered-statuses         works                       5      5     1        10       -
    withheld-packets           packets-withheld          600    600   600       600       -
    silence                    not-responding            100    100   220       100     160
    serial-disabled            serial-api-disabled       200    200   220       100     160
    locked                     radio-locked                5      5     5        10       -
    region-unset               region-unset               10     10    10        10       -
    factory-reset              factory-reset              10     10    10        10       -
    number-change              node-number-changed        10     10    10        10       -
    live-number-change         node-number-changed        40     40    10        10       -
    full-favorites             works                       5      5     1        10       -
    barren-nodes               works                       5      5     1        10       -
    """.split(separator: "\n").dropFirst().map { Row($0) }

@Test func theTableHasEveryMisbehaviour() {
    #expect(table.map(\.name).sorted() == Misbehaviour.all.map(\.name).sorted())
    #expect(table.allSatisfy { $0.limits.count == State.allCases.count })
}

@Test(arguments: table, SimulatorOptions.Firmware.allCases)
func everyMisbehaviourEndsInEveryState(row: Row, firmware: SimulatorOptions.Firmware) throws {
    let fault = try #require(Misbehaviour.all.first { $0.name == row.name }?.value)
    for (state, limit) in zip(State.allCases, row.limits) {
        let place = Comment(rawValue: "\(row.name), \(state), \(firmware)")
        var link = try liveLink(firmware)
        try bring(&link, to: state, place)
        link.radio.misbehave(state == .locked ? [.locked, fault] : fault)
        link.forget()

        switch limit == nil ? .problem("radio-locked") : row.end {
        case .works: #expect(link.run(seconds: limit ?? 1, until: \.isLive) != nil, place)
        case .problem(let problem):
            let isNamed = { (link: SimulatedLink) in
                link.problems.contains(problem) || link.reopened.contains(problem)
            }
            if limit == nil { link.run(seconds: 200) }
            #expect(link.run(seconds: limit ?? 1, until: isNamed) != nil, place)
            link.radio.misbehave([])
            #expect(link.run(seconds: 310) { $0.isLive && isOver($0) } != nil, place)
        }

        link.run(seconds: 1)
        link.offer(packet(1234, from: link.radio.number))
        link.run(seconds: 60)
        #expect(link.deliveries(of: 1234) == 1, place)
        #expect(isOver(link), place)
    }
}

/// Notices are shown for their time; all else that is wrong ends with its cause.
private func isOver(_ link: SimulatedLink) -> Bool {
    Set(link.problems).isSubset(of: ["node-number-changed", "keeps-restarting"])
}

private func liveLink(_ firmware: SimulatorOptions.Firmware) throws -> SimulatedLink {
    var options = SimulatorOptions()
    options.firmware = firmware
    var link = SimulatedLink(options)
    try #require(link.run(seconds: 5, until: \.isLive) != nil)
    link.run(seconds: 20)
    return link
}

private func bring(_ link: inout SimulatedLink, to state: State, _ place: Comment) throws {
    switch state {
    case .live: return
    case .settings, .nodes: link.reopen()
    case .starting: link.radio.reboot(silently: false)
    case .locked: link.radio.misbehave(.locked)
    }
    let time = link.run(seconds: 30) { link in
        switch (state, link.session.phase) {
        case (.settings, .configuring(let request)): request.scope == .settings && request.sawMyInfo
        case (.nodes, .configuring(let request)): request.scope == .nodes && request.sawOwnNode
        case (.starting, .rebooting): true
        case (.locked, .locked): true
        default: false
        }
    }
    try #require(time != nil, place)
}

private func packet(_ id: PacketID, from number: NodeNumber) -> MeshPacket {
    MeshPacket(
        from: number, to: .broadcast, id: id,
        payload: .decoded(MeshData(port: .textMessage, payload: Array("still here".utf8))), hopLimit: 3)
}
