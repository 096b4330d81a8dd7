/// A small tape archive, put together in memory.
public struct Archive: Sendable {
    public private(set) var names: [String] = []
    private var blocks: [UInt8] = []
    /// Seconds since 1970, of every file in it.
    private let time: Int64

    public init(time: Int64) { self.time = time }

    /// - Parameter name: ASCII, at most 100 bytes.
    public mutating func add(_ name: String, _ content: [UInt8]) {
        names.append(name)
        blocks += TarHeader.make(name, size: Int64(content.count), time: time)
        blocks += content
        blocks += [UInt8](repeating: 0, count: TarHeader.padding(behind: Int64(content.count)))
    }

    public mutating func add(_ name: String, _ text: String) { add(name, Array(text.utf8)) }

    /// Two empty blocks are the end.
    public var bytes: [UInt8] { blocks + [UInt8](repeating: 0, count: 2 * TarHeader.blockSize) }
}
