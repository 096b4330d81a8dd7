import MeshModel
import Store

/// What the channels of a source are called, the radio's and those that only the gateway can read.
public struct ChannelNames: Sendable {
    private var names: [Int: String] = [:]

    public init(_ source: FoundSource, _ reader: Reader, lora: LoRaSettings? = nil) throws {
        let lora = lora ?? source.source.lora
        for channel in try reader.channels(in: source.id) where channel.isInUse {
            names[channel.index] = channel.shownName(lora)
        }
        for entry in try reader.channelEntries() { names[ChannelEntry.channel(of: entry.id)] = entry.name }
    }

    public subscript(index: Int) -> String? { names[index] }

    /// The channel of this very name; nil: there is none. Of several the first.
    public func index(called name: String) -> Int? { names.filter { $0.value == name }.keys.min() }

    /// The channel that a person means: by its number, or its name in any letter case.
    public func index(named word: String) throws(APIError) -> Int {
        if let number = Int(word), (0...7).contains(number) || names[number] != nil { return number }
        let wanted = word.hasPrefix("#") ? word.dropFirst().lowercased() : word.lowercased()
        let found = names.filter { $0.value.lowercased() == wanted }.keys.sorted()
        guard found.count != 1 else { return found[0] }
        let list = names.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
        throw found.isEmpty
            ? .notFound("There is no channel \"\(word)\"; there are \(list.isEmpty ? "none yet" : list)")
            : .conflict("Several channels are called \"\(word)\", name one by its number: \(list)")
    }
}
