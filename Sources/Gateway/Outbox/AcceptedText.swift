import MeshModel
import Store

// A text is sent in two steps. Its rows are made inside a transaction, which may be another room's, together with the
// reason for which that room sends it. After the commit it is queued for the radio; when that does not come about, because
// the process was killed in between, the rows are found at the next start, and it is sent then.

/// A text that has its rows.
public struct AcceptedText: Sendable {
    /// One a part, in order.
    public var messages: [Message] { rows.messages }

    let source: SourceID
    let rows: AcceptedTexts
}

extension Writer {
    /// Makes the messages of a text and its rows of the outbox. When the transaction is on disk, ``Gateway/queue(_:)`` follows.
    ///
    /// - Parameter sender: is kept with the messages, and takes turns with others.
    /// - Throws: a ``SendRefusal``, of which nothing is left in the database, or what the database throws. It is thrown before
    ///   the first row is made, unless that is the database's.
    public func accept(
        _ text: OutgoingText, by sender: Sender, to source: SourceID, of gateway: Gateway
    ) throws -> AcceptedText {
        try gateway.checkLength(of: text)
        let radio = gateway.keeper(of: source)
        return AcceptedText(source: source, rows: try radio.accept(text, by: sender, self, in: source))
    }
}

extension Gateway {
    /// A text whose rows are on disk waits for the radio from now on, or leaves at once.
    public func queue(_ text: AcceptedText) { keeper(of: text.source).release(text.rows, to: text.source) }
}
