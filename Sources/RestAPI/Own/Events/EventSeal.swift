import Glibc
import Nettle

/// Makes the ids of events for one token, and reads those that come back.
///
/// An id has a nonce and a place, sealed for the token by a key of the database: it tells nothing, it is of use to nobody
/// else, and it is good after a restart. The nonce is drawn: from the same place come other ids, so that they do not even
/// tell whether something has happened that a token may not see.
struct EventSeal: Sendable {
    private static let nonceSize = MemoryLayout<UInt64>.size
    /// While the disk does not allow to keep one: ids are good until the process ends.
    private static let keyOfTheProcess: [UInt8] = {
        var key = [UInt8](repeating: 0, count: AESSIV.keySize)
        precondition(getentropy(&key, key.count) == 0, "getentropy(3) must work")
        return key
    }()

    private let cipher: AESSIV
    private let owner: [UInt8]

    /// - Parameters:
    ///   - key: the database's, if it has one.
    ///   - token: nil: a user of this machine.
    init(key: [UInt8]?, token: Int64?) {
        cipher = AESSIV(key: key ?? Self.keyOfTheProcess)
        owner = withUnsafeBytes(of: (token ?? 0).bigEndian) { Array($0) }
    }

    /// 86 characters, whatever the place.
    func id(of place: EventPlace) -> String {
        let nonce = withUnsafeBytes(of: UInt64.random(in: 0 ... .max)) { Array($0) }
        return Base64.linkEncoded(nonce + cipher.seal(place.bytes, nonce: nonce, for: owner))
    }

    /// Nil: an id of ours for this token it is not.
    func place(_ id: String) -> EventPlace? {
        guard id.utf8.count <= 100, let bytes = Base64.decodedLeniently(id), bytes.count > Self.nonceSize else {
            return nil
        }
        let nonce = Array(bytes.prefix(Self.nonceSize))
        return cipher.open(Array(bytes.dropFirst(Self.nonceSize)), nonce: nonce, for: owner)
            .flatMap { EventPlace(bytes: $0) }
    }
}
