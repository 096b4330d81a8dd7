/// What one client, and all of them together, may take from the server.
public struct Limits: Sendable {
    /// Connections open at once on one listener; more wait in the kernel's queue until one closes. One address may have all
    /// of them while nobody else needs one: from 15 of 16 on, the network with most loses one for each that comes.
    public var connections = 256
    /// Bytes for the request line and the headers of one connection. A longer line is answered 414, more headers 431.
    public var headerBytes = 32_768
    /// Bytes of a request body. A longer body is refused with `RefusalReason.bodyTooLarge`.
    public var bodyBytes = 1 << 20
    /// Bytes of a body that are kept of every client. A longer one is kept if `ClientRules.keepsBody` says so.
    public var bodyBytesOfStrangers = 4096
    /// Bytes of bodies and answers in memory, of all clients together.
    public var memoryBytes = 32 << 20
    /// The time for which a request waits for room in them, before it is refused with `RefusalReason.noMemory`.
    public var memoryTime = Duration.seconds(10)
    /// The time after which an answer is given up of which the client's kernel acknowledges no byte; the second one counts while
    /// 15 of 16 connections are taken.
    public var unreadTime = Duration.seconds(60)
    public var crowdedUnreadTime = Duration.seconds(10)
    /// Bytes of a refused body that are read and thrown away, so that the client gets to read the answer. A POST or PUT
    /// that declares too long a body, or waits for "100 Continue", is refused before it is read.
    public var discardedBytes = 16 << 20
    /// Whole seconds without a byte in either direction after which a connection is closed. Longer than the 60 s in
    /// which phones and proxies reuse a connection; MeshMonitor has 65 s.
    public var idleSeconds = 65
    /// The time within which a request must be complete, counted from its first line. libmicrohttpd's own timeout
    /// starts over with each byte, so it never ends a client that sends one byte a second.
    public var requestTime = Duration.seconds(60)
    /// The time within which an answer that comes later (`Response.Body.later`) must be there.
    public var answerTime = Duration.seconds(60)
    /// Bodies that go on for ever (`Response.Body.live`) at once on all listeners but the local socket.
    public var liveBodies = 12
    /// The same on the local socket.
    public var localLiveBodies = 4
    /// The time that `stop()` leaves to answers that are under way.
    public var stopTime = Duration.seconds(1)

    public init() {}
}
