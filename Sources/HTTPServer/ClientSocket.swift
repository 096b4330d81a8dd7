import CGnuTLS
import CShims
import Glibc

/// The socket of one connection: what is set, asked and said past libmicrohttpd, which owns it. Usable while it is open.
struct ClientSocket {
    let descriptor: Int32

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Bounds what the kernel takes of answers before it has sent them. A client that asks and asks, and never reads, would
    /// get megabytes of them made while others wait for the processor; what is on its way to one that reads does not count.
    /// A client that has asked for little keeps the kernel's room: a long answer to a slow client then lies there and not
    /// here.
    func limitUnsent() {
        // A Unix socket has no such option, and little room.
        set(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, 8192)
    }

    /// A phone that goes out of reach closes nothing: the kernel asks for it, and gives up what nobody acknowledges. Of TCP only.
    func noticeVanishedClient() {
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
        set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
        set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 120_000)
    }

    /// To be called before libmicrohttpd closes a connection on which the client may still be sending: closed with unread
    /// bytes, the kernel resets it, and the client's kernel may throw our answer away. What comes later still does that;
    /// a client that reads while it sends has the answer by then.
    func discardReceived() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        for _ in 0..<32 {
            guard recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 else { return }
        }
    }

    /// Sends what libmicrohttpd shall not send, and ends the connection: what libmicrohttpd writes after it fails.
    /// Only for a short answer, and on the connection's thread.
    func sendLast(_ bytes: [UInt8], over session: OpaquePointer?) {
        if let session {
            gnutls_record_send(session, bytes, bytes.count)
            gnutls_bye(session, GNUTLS_SHUT_WR)
        } else {
            send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        shutdown(descriptor, Int32(SHUT_WR))
        discardReceived()
    }

    /// Lets libmicrohttpd read the end of the stream, behind what has come already.
    func endReading() { shutdown(descriptor, Int32(SHUT_RD)) }

    /// The same, and nothing more is sent.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The same: the client's kernel gets no more of what is under way, and ours keeps nothing for it.
    func cut() {
        mg_reset_when_closed(descriptor)
        end()
    }
}

/// How an answer is read: by what the client's kernel acknowledges, for ours takes megabytes of it.
struct AnswerReading {
    /// When it was last seen to go on; nanoseconds of `MonotonicClock`.
    var since: UInt64
    private var acknowledged: UInt64?
    /// When it is looked at next.
    var check: UInt64

    init(since: UInt64, check: UInt64) { (self.since, self.check) = (since, check) }

    /// Whether the client has taken something lately, or nothing is there for it to take: an answer that is still being made
    /// is no fault of its own.
    mutating func goesOn(on socket: ClientSocket, now: UInt64, pause: UInt64, unreadTime: UInt64) -> Bool {
        var acknowledged: UInt64 = 0
        let isUnread = mg_unread(socket.descriptor, &acknowledged) == 1
        if !isUnread || acknowledged != self.acknowledged { since = now }
        self.acknowledged = acknowledged
        check = now + pause
        return now - since < unreadTime
    }
}
