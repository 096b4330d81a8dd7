import MeshModel
import MeshProtocol
import Store

/// The nodes that the radio has heard over the air in the last 24 hours. Warnings about a change of its settings count how many of
/// them it affects; with none heard there is no such warning.
struct HeardMesh: Sendable {
    private let nodes: [Reader.NodeOnAir]

    init(_ nodes: [Reader.NodeOnAir] = []) { self.nodes = nodes }

    /// How a changed setting affects the nodes that were heard; nil: not at all, or none was.
    func sentence(_ row: SettingsChange.Row) -> String? {
        guard !nodes.isEmpty else { return nil }
        switch (row.path, row.old, row.new) {
        case ("lora.modem_preset", .choice(let old), .choice(let new)):
            return "\(nodesToday) \(verb("use", "uses")) \(Self.shown(preset: old)): with \(Self.shown(preset: new)) "
                + "you hear none of them."
        case ("lora.region", .choice(let old), .choice(let new)) where old != "UNSET" && new != "UNSET":
            return "\(nodesToday) \(verb("are", "is")) in \(old): in \(new) you hear none of them."
        case ("lora.hop_limit", _, .unsigned(let limit)) where limit > 3:
            let far = nodes.count { $0.hopsAway ?? 0 > 3 }
            let those =
                far == 0
                ? "no node that you heard today is"
                : "\(far) of your \(nodes.count) \(verb("nodes", "node")) \(far == 1 ? "is" : "are")"
            return "Hop limit \(limit): \(those) more than three hops away."
        default: return nil
        }
    }

    /// How many nodes lose their channel when its key or name changes, or it is removed; nil: none.
    func sentence(ofChannel index: Int) -> String? {
        let writers = nodes.count { $0.channel == index }
        guard writers > 0 else { return nil }
        let (who, them) = writers == 1 ? ("1 node writes", "it") : ("\(writers) nodes write", "they")
        return "\(who) on channel \(index): with a new name or key \(them) cannot be read."
    }

    private var nodesToday: String { "\(nodes.count) \(verb("nodes", "node")) that you heard today" }

    private func verb(_ many: String, _ one: String) -> String { nodes.count == 1 ? one : many }

    /// As channels without a name are called after it.
    private static func shown(preset name: String) -> String {
        let number = (0...16).first { EnumNames.modemPreset($0) == name }
        return number.map { ModemPreset(rawValue: $0).channelName } ?? name
    }
}

extension AttachedRadio {
    func heardMesh(of source: SourceID) -> HeardMesh {
        let (since, own) = (clock() / 1000 - 86_400, attachment.own)
        return HeardMesh((try? store.read { try $0.nodesOnAir(since: since, own: own, in: source) }) ?? [])
    }
}
