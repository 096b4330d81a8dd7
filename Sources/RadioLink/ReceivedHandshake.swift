import MeshModel
import MeshProtocol

/// The parts of a radio's settings and node list as they come in, whatever their order.
///
/// On firmware 2.7 log text lands inside frames and takes parts with it, even config_complete_id (SerialReference
/// 14.21), so that a handshake can end with holes. What was heard in an earlier run is kept: the runs together become
/// complete sooner than any one of them.
struct ReceivedHandshake {
    private(set) var myInfo: MyNodeInfo?
    private(set) var metadata: DeviceMetadata?
    private(set) var ownNode: NodeInfo?
    private(set) var lockdown: LockdownStatus?
    private var channels: [Int: Channel] = [:]
    private var configTags: Set<UInt32> = []
    private var lora: LoRaSettings?
    private var deviceRole: UInt32?
    private var security: SecuritySettings?
    private var networkProtocols: UInt32?
    private var isStoreForwardServer: Bool?
    private var hearsNeighbors: Bool?
    private var allowedPresets: AllowedPresets?
    private var rawFrames: [Part: [UInt8]] = [:]
    private var namelessParts: UInt32 = 0
    /// Frames of variants that are not known here, such as those of a later firmware, and what each came behind.
    private var unknownFrames: [(after: Part?, raw: [UInt8])] = []
    private var lastPart: Part?

    private static let mostUnknownFrames = 32
    /// Config's field numbers in firmware 2.7 and 2.8.
    private static let expectedConfigTags: ClosedRange<UInt32> = 1...10

    /// A part's place in the order in which firmware sends a handshake (SerialReference 2.3).
    private struct Part: Hashable, Comparable {
        enum Kind: Int { case myInfo, deviceUI, metadata, regionPresets, channel, config, moduleConfig, node, file }
        var kind: Kind
        var index: UInt32 = 0

        static func < (a: Part, b: Part) -> Bool { (a.kind.rawValue, a.index) < (b.kind.rawValue, b.index) }
    }

    /// Takes a message in if handshakes consist of such ones.
    ///
    /// - Returns: whether it was a part of a handshake.
    mutating func add(_ message: FromRadio, raw: [UInt8]) -> Bool {
        guard let part = keep(message, raw) else { return addUnknown(message, raw) }
        rawFrames[part] = raw
        lastPart = part
        return true
    }

    /// A program for which the radio has such a frame is to have it where the radio has put it.
    private mutating func addUnknown(_ message: FromRadio, _ raw: [UInt8]) -> Bool {
        guard message == .empty, FromRadio.variant(of: raw) != 0 else { return false }
        let isNew = !unknownFrames.contains { $0.raw == raw }
        if isNew, unknownFrames.count < Self.mostUnknownFrames { unknownFrames.append((lastPart, raw)) }
        return true
    }

    private mutating func keep(_ message: FromRadio, _ raw: [UInt8]) -> Part? {
        switch message {
        case .myInfo(let info):
            if let myInfo, myInfo.number != info.number { self = ReceivedHandshake() }
            myInfo = info
            namelessParts = 0
            unknownFrames = []
            return Part(kind: .myInfo)
        case .nodeInfo(let node):
            if node.number == myInfo?.number { ownNode = node }
            return Part(kind: .node, index: node.number.rawValue)
        case .metadata(let value):
            metadata = value
            return Part(kind: .metadata)
        case .channel(let channel):
            guard (0...7).contains(channel.index) else { return nil }
            channels[channel.index] = channel
            return Part(kind: .channel, index: UInt32(channel.index))
        case .config(let section):
            keep(section)
            return section.tag == 0 ? namelessPart(.config) : Part(kind: .config, index: section.tag)
        case .moduleConfig(let section):
            if section.tag == ModuleConfigSection.storeForward { isStoreForwardServer = section.isStoreForwardServer }
            if section.tag == ModuleConfigSection.neighborInfo { hearsNeighbors = section.hearsNeighbors }
            // A module that the build leaves out comes without its variant.
            return section.tag == 0 ? namelessPart(.moduleConfig) : Part(kind: .moduleConfig, index: section.tag)
        case .other(variant: 15): return namelessPart(.file)
        case .other(variant: 17): return Part(kind: .deviceUI)
        case .other(variant: 19):
            allowedPresets = AllowedPresets(frame: raw)
            return Part(kind: .regionPresets)
        case .lockdownStatus(let status):
            lockdown = status
            return nil
        default: return nil
        }
    }

    private mutating func keep(_ section: ConfigSection) {
        configTags.insert(section.tag)
        switch section {
        case .device(let role): deviceRole = role
        case .network(let protocols): networkProtocols = protocols
        case .lora(let settings): lora = settings
        case .security(let settings): security = settings
        case .other: break
        }
    }

    private mutating func namelessPart(_ kind: Part.Kind) -> Part {
        namelessParts += 1
        return Part(kind: kind, index: 1000 + namelessParts)
    }

    /// What a complete handshake would have besides; more than this may come, and less is a damaged one.
    var missing: [String] {
        guard let myInfo else { return ["my_info"] }
        var missing: [String] = []
        if metadata == nil { missing.append("metadata") }
        missing += (0...7).filter { channels[$0] == nil }.map { "channel \($0)" }
        missing += Self.expectedConfigTags.filter { !configTags.contains($0) }.map { "config \($0)" }
        if ownNode == nil { missing.append("node \(myInfo.number)") }
        return missing
    }

    /// A hardened radio that is locked sends its settings zeroed: they must not overwrite what we know.
    var isBlank: Bool {
        if let lockdown, lockdown.isLocked { return true }
        let isWithoutPrimary = channels.count == 8 && !channels.values.contains { $0.role == .primary }
        return metadata?.firmwareVersion == "" && isWithoutPrimary
    }

    var snapshot: RadioSnapshot? {
        guard let myInfo else { return nil }
        return RadioSnapshot(
            myInfo: myInfo, metadata: metadata, channels: channels.values.sorted { $0.index < $1.index }, lora: lora,
            deviceRole: deviceRole, security: security, networkProtocols: networkProtocols,
            isStoreForwardServer: isStoreForwardServer, hearsNeighbors: hearsNeighbors, allowedPresets: allowedPresets,
            ownNode: ownNode,
            missing: missing)
    }

    /// The raw payloads in the order in which a radio would send them: its own node before the metadata.
    var frames: [[UInt8]] {
        var parts = rawFrames.keys.sorted()
        if let myInfo, let own = parts.firstIndex(of: Part(kind: .node, index: myInfo.number.rawValue)) {
            let part = parts.remove(at: own)
            parts.insert(part, at: parts.firstIndex { $0.kind.rawValue >= Part.Kind.metadata.rawValue } ?? 0)
        }
        let unknown = { (part: Part?) in unknownFrames.filter { $0.after == part }.map(\.raw) }
        return unknown(nil) + parts.flatMap { part in (rawFrames[part].map { [$0] } ?? []) + unknown(part) }
    }
}
