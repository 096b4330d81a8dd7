/// The pair without a process, for programs that invent what the other side writes.
public enum CarriedPair {
    /// What a daemon, or a process, reads of bytes that come in pieces of some size, written again: frames, of which each has one form.
    ///
    /// - Returns: nil when it would end the connection.
    public static func callsAgain(_ bytes: [UInt8], by size: Int) -> [UInt8]? {
        again(bytes, by: size, as: ConnectionCall.self)
    }

    public static func eventsAgain(_ bytes: [UInt8], by size: Int) -> [UInt8]? {
        again(bytes, by: size, as: ConnectionEvent.self)
    }

    private static func again<Value: PairValue>(_ bytes: [UInt8], by size: Int, as kind: Value.Type) -> [UInt8]? {
        var (stream, written) = (FrameStream(), [UInt8]())
        do throws(MalformedFrame) {
            for start in stride(from: 0, to: bytes.count, by: max(1, size)) {
                stream.take(bytes[start..<min(bytes.count, start + max(1, size))])
                while let value = try stream.next(kind) { written += FrameWriter.frame(value) }
            }
        } catch {
            return nil
        }
        return written
    }
}
