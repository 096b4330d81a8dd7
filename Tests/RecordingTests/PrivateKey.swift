import CMeshtastic
import Foundation
import Recordings

extension Recording {
    /// The radio's private keys, as its handshakes carry them (Config.security).
    var privateKeys: Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        for segment in segments {
            for case .frame(let payload) in Piece.cut(segment.handshake) {
                if let key = RecordedFrame(payload)?.privateKey { keys.insert(key) }
            }
        }
        return keys
    }
}

extension PlayedRecording {
    /// Everything that the gateway has written.
    var storedFiles: [(name: String, bytes: Data)] {
        get throws {
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map {
                ($0.lastPathComponent, try Data(contentsOf: $0))
            }
        }
    }
}

/// The forms in which a key could be written down.
func spellings(of key: [UInt8]) -> [Data] {
    let hex = key.map { String(format: "%02x", $0) }.joined()
    // Without the last characters, which depend on what follows.
    let base64 = Data(key).base64EncodedString().prefix(40)
    return [Data(key), Data(hex.utf8), Data(hex.uppercased().utf8), Data(base64.utf8)]
}
