import Foundation
import JSON
import Store
import Testing

@testable import MQTTBridge

/// What deploy/CONVERSATIONS.md gives to those who write a reader of their own.
struct SealedVector {
    static let key = ConversationKey("meshgw-key:1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")!

    let topic: String
    let nonce: [UInt8]
    let content: String
    let payload: [UInt8]

    static func onThePage() throws -> [SealedVector] {
        let page = try String(contentsOf: repository.appending(path: "deploy/CONVERSATIONS.md"), encoding: .utf8)
        try #require(page.contains("`\(key.text)`") && page.contains("`\(key.id)`"))
        let lines = page.matches(of: /(?m)^(topic|nonce|sealed|payload) +(.+)$/).map { match in
            (name: String(match.1), value: String(match.2))
        }
        try #require(lines.count % 4 == 0)
        return try stride(from: 0, to: lines.count, by: 4).map { start in
            let four = lines[start..<start + 4]
            try #require(four.map(\.name) == ["topic", "nonce", "sealed", "payload"])
            let values = four.map(\.value)
            return SealedVector(
                topic: values[0], nonce: try #require(bytes(hexadecimal: values[1])), content: values[2],
                payload: [UInt8](try #require(Data(base64Encoded: values[3]))))
        }
    }
}
