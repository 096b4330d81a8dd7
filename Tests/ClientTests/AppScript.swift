import Foundation
import MeshModel
import MeshProtocol
import Testing

@testable import ServedProgram

/// A phone app as far as its radio sees it: what it writes first, byte for byte, what it insists on, and when it gives up.
final class AppScript {
    enum Kind: CaseIterable { case android, apple }

    let kind: Kind
    private(set) var host: ScriptedHost
    /// Names of the channels of the last handshake, by index.
    private(set) var channels: [Int: String] = [:]
    private(set) var own: NodeNumber?
    private var beats: UInt8 = 0
    /// Frames that it has looked at.
    private var mark = 0

    init(_ kind: Kind, port: UInt16) throws {
        self.kind = kind
        host = try ScriptedHost(port: port)
    }

    /// Comes back as an app does, again and again.
    func reconnect(port: UInt16) throws {
        let end = Date(timeIntervalSinceNow: Program.patience)
        while true {
            do {
                host = try ScriptedHost(port: port)
                mark = 0
                return
            } catch {
                try #require(Date() < end, "\(error)")
                usleep(200_000)
            }
        }
    }

    /// Until it says "connected".
    func connect(sourceLocation: SourceLocation = #_sourceLocation) throws {
        if kind == .android { host.write([0x94, 0x94, 0x94, 0x94]) }
        try readSettings(sourceLocation: sourceLocation)
        try readNodes(sourceLocation: sourceLocation)
    }

    // MARK: The two stages

    private func readSettings(sourceLocation: SourceLocation) throws {
        beat()
        // want_config_id 69420
        host.write([0x94, 0xC3, 0x00, 0x04, 0x18, 0xAC, 0x9E, 0x04])
        let frames = try stage(ending: 69420, sourceLocation: sourceLocation)
        let first = frames.first.flatMap { if case .myInfo(let info) = $0 { info } else { nil } }
        let info = try #require(first, "it does not begin with my_info", sourceLocation: sourceLocation)
        own = info.number
        let isOwn = { (frame: FromRadio) in
            if case .nodeInfo(let node) = frame { node.number == info.number } else { false }
        }
        let isConfig = { (frame: FromRadio) in
            switch frame {
            case .config, .moduleConfig, .channel: true
            default: false
            }
        }
        let (ownPlace, configPlace) = (frames.firstIndex(where: isOwn), frames.firstIndex(where: isConfig))
        #expect(ownPlace != nil && configPlace != nil, sourceLocation: sourceLocation)
        // Apple drops all settings of a radio whose name it does not know yet.
        if let ownPlace, let configPlace { #expect(ownPlace < configPlace, sourceLocation: sourceLocation) }
        #expect(frames.contains { if case .metadata = $0 { true } else { false } }, sourceLocation: sourceLocation)
        let channels = frames.compactMap { if case .channel(let channel) = $0 { channel } else { nil } }
        #expect(channels.map(\.index) == Array(0..<8), sourceLocation: sourceLocation)
        self.channels = Dictionary(channels.map { ($0.index, $0.name) }, uniquingKeysWith: { $1 })
    }

    private func readNodes(sourceLocation: SourceLocation) throws {
        beat()
        // want_config_id 69421
        host.write([0x94, 0xC3, 0x00, 0x04, 0x18, 0xAD, 0x9E, 0x04])
        let frames = try stage(ending: 69421, sourceLocation: sourceLocation)
        for frame in frames {
            guard case .nodeInfo(let node) = frame else {
                Issue.record("\(frame) among the nodes", sourceLocation: sourceLocation)
                continue
            }
            #expect(node.number.rawValue != 0 && !node.number.isBroadcast, sourceLocation: sourceLocation)
        }
    }

    /// The frames of a stage, without the answers that came before it.
    private func stage(ending nonce: UInt32, sourceLocation: SourceLocation) throws -> [FromRadio] {
        // Android waits 12 s for the next frame, Apple 30 s for the whole of the first stage.
        let found = host.wait(since: mark, within: Program.patience) { $0 == .configComplete(nonce) ? true : nil }
        try #require(found == true, "\(kind) waits for \(nonce): \(host.frames.count)", sourceLocation: sourceLocation)
        let end = try #require(host.frames[mark...].firstIndex(of: .configComplete(nonce)))
        let start = host.frames[mark..<end].firstIndex { Self.isOfHandshake($0) } ?? end
        let frames = Array(host.frames[start..<end])
        for frame in frames where !Self.isOfHandshake(frame) {
            Issue.record("\(frame) in the middle of a handshake", sourceLocation: sourceLocation)
        }
        mark = end + 1
        return frames
    }

    private static func isOfHandshake(_ frame: FromRadio) -> Bool {
        switch frame {
        case .myInfo, .nodeInfo, .config, .moduleConfig, .channel, .metadata, .other: true
        default: false
        }
    }

    /// Android counts from 1, Apple draws a number above 1.
    private func beat() {
        beats += 1
        let nonce = kind == .android ? beats : 100 + beats
        host.write([0x94, 0xC3, 0x00, 0x04, 0x3A, 0x02, 0x08, nonce])
    }

    // MARK: Afterwards

    /// Waits for a text, and reads the settings anew where it is told to meanwhile.
    func waitForText(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            host.wait(since: mark) { $0.text == text ? true : nil } == true, "\(kind): \(text)",
            sourceLocation: sourceLocation)
    }

    /// The settings are others now: Android reads everything, Apple the settings alone, both on the same connection.
    func waitForRebooted(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = host.wait(since: mark) { $0 == .rebooted ? true : nil }
        try #require(found == true, "\(kind)", sourceLocation: sourceLocation)
        mark = try #require(host.frames[mark...].firstIndex(of: .rebooted)) + 1
        try readSettings(sourceLocation: sourceLocation)
        if kind == .android { try readNodes(sourceLocation: sourceLocation) }
    }
}
