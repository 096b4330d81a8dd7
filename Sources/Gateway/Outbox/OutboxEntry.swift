import MeshModel
import MeshProtocol
import RadioLink
import Store

extension OutboxQueue {
    /// One own packet and how far it has come.
    struct Entry {
        enum State: Equatable {
            case waiting
            /// The note that it goes out is on its way to the disk.
            case noting
            /// The note is on disk.
            case noted(at: MonotonicTime)
            /// The link has it.
            case offered(at: MonotonicTime)
            /// Written to the radio.
            case handed(at: MonotonicTime)
            case accepted
        }

        var packet: MeshPacket
        /// Who had it sent; nil: the gateway itself.
        var sender: Sender?
        /// What goes to the radio in place of ``packet``, as its client wrote it, with all that this program does not know.
        /// It is in memory alone: a text that is read from its row again, after a restart, goes out as the row has it, which
        /// says all that a text is made of.
        var bytes: ClientPacket?
        /// No row has it.
        var isVolatile = false
        var state = State.waiting
        var hold: OutboxItem.Hold?
        /// How often it was noted under this packet id.
        var attempts = 0
        /// The radio may have it, under this packet id.
        var mayHaveLeft = false
        /// How often it was taken up again by itself, under other ids.
        var resends = 0
        var notBefore: MonotonicTime = 0
        /// While it waits: when nobody wants it any more. Afterwards: when no word is to be expected any more.
        var deadline: MonotonicTime = .max
        var patienceEnds: MonotonicTime?

        /// Its client's bytes, unless something has been decided since that they do not say: another key, or number of the
        /// radio.
        var bytesToSend: ClientPacket? {
            guard let bytes else { return nil }
            let isSame =
                bytes.from == packet.from && bytes.to == packet.to && bytes.id == packet.id
                && bytes.channel == packet.channel && bytes.publicKey == packet.publicKey
                && bytes.isPKIEncrypted == packet.pkiEncrypted
            return isVolatile || isSame ? bytes : nil
        }

        /// Whose turn it is when it goes out.
        var turn: Sender? { sender?.kind == .rule ? Sender(.rule) : sender }

        var isUnwritten: Bool {
            switch state {
            case .waiting, .noting, .noted, .offered: true
            case .handed, .accepted: false
            }
        }

        /// What the link is about to write is out of our hands.
        var mayExpire: Bool { if case .offered = state { false } else { true } }

        /// It was given to the radio once, and may be a second time.
        var mayRepeat: Bool { packet.port.isText && attempts < 2 }

        var awaitsQueueStatus: MonotonicTime? {
            switch state {
            case .offered(let time), .handed(let time): time
            case .waiting, .noting, .noted, .accepted: nil
            }
        }
    }
}

extension MeshPacket {
    var port: PortNumber { decoded?.port ?? .unknown }
}

extension PortNumber {
    /// What is a message here, and is kept until the mesh has said what became of it.
    var isText: Bool { self == .textMessage || self == .alert }
    /// Asking twice does no harm; saying something twice does.
    var needsNote: Bool { isText }
}
