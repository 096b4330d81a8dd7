import Folders
import Foundation
import Nettle
import Testing

@testable import Notifications

/// Files that openssl makes, and what is said of them.
@Suite struct AKeyFileIsOneOfApples {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("p8-\(UUID().uuidString)").path

    private func openssl(_ words: String...) throws -> [UInt8] {
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/openssl")
        program.arguments = words
        program.currentDirectoryURL = URL(filePath: folder)
        program.standardError = FileHandle.nullDevice
        let output = Pipe()
        program.standardOutput = output
        try program.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        program.waitUntilExit()
        try #require(program.terminationStatus == 0, "\(words)")
        return [UInt8](bytes)
    }

    private func key(of file: String) throws -> AppleKey { try AppleKey(file: "\(folder)/\(file)") }

    /// Without the public half as Apple writes it, and with it; whatever is around it.
    @Test func aKeyIsRead() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "ec.pem")
        _ = try openssl("pkcs8", "-topk8", "-nocrypt", "-in", "ec.pem", "-out", "key.p8")
        let publicKey = try openssl("pkey", "-in", "key.p8", "-pubout", "-outform", "DER").suffix(65)
        let key = try key(of: "key.p8")
        #expect(P256.publicKey(of: key.scalar) == Array(publicKey))
        try PlayedApple.pem(of: key.scalar).write(toFile: "\(folder)/short.p8", atomically: true, encoding: .utf8)
        #expect(try self.key(of: "short.p8") == key)
        let text = try String(contentsOfFile: "\(folder)/key.p8", encoding: .utf8)
        #expect(try AppleKey(pem: "# of the app\r\n\n" + text.replacing("\n", with: "\r\n") + "\n\n") == key)
    }

    @Test func whatIsNoneSaysWhatToDo() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "sec1.pem")
        _ = try openssl("pkcs8", "-topk8", "-nocrypt", "-in", "sec1.pem", "-out", "good.p8")
        _ = try openssl("pkcs8", "-topk8", "-passout", "pass:x", "-in", "sec1.pem", "-out", "locked.p8")
        _ = try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384", "-out", "p384.p8")
        _ = try openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "rsa.p8")
        _ = try openssl("genpkey", "-algorithm", "ED25519", "-out", "ed.p8")
        _ = try openssl("req", "-x509", "-key", "good.p8", "-subj", "/CN=a", "-days", "9", "-out", "certificate.p8")
        _ = try openssl("pkey", "-in", "good.p8", "-pubout", "-out", "public.p8")
        _ = try openssl("pkcs8", "-topk8", "-nocrypt", "-in", "sec1.pem", "-outform", "DER", "-out", "binary.p8")
        let good = try String(contentsOfFile: "\(folder)/good.p8", encoding: .utf8)
        let lines = good.split(separator: "\n")
        let files: [String: String] = [
            "empty.p8": "", "blank.p8": " \n\n", "text.p8": "hello", "cut.p8": lines.dropLast().joined(separator: "\n"),
            "half.p8": ([lines[0], lines[1], lines[lines.count - 1]]).joined(separator: "\n"),
            "letters.p8": good.replacing(lines[1], with: "????"),
            "zero.p8": try PlayedApple.pem(of: [UInt8](repeating: 0, count: 32)),
            "shorter.p8": try PlayedApple.pem(of: [UInt8](repeating: 1, count: 31)),
            "large.p8": String(repeating: "x", count: 70_000),
        ]
        for (name, text) in files { try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8) }
        let advice = "take the file AuthKey_....p8 that Apple gives once for a key"
        let cases: [(file: String, words: String)] = [
            ("none.p8", "is not there; put the key file of Apple there"), ("empty.p8", "is empty; \(advice)"),
            ("blank.p8", "is empty; \(advice)"), ("text.p8", "is no key file; \(advice)"),
            ("cut.p8", "is no key file; \(advice)"), ("half.p8", "is damaged; \(advice)"),
            ("letters.p8", "is damaged; \(advice)"), ("zero.p8", "is damaged; \(advice)"),
            ("shorter.p8", "is damaged; \(advice)"), ("large.p8", "is no text of at most 64 kB; \(advice)"),
            ("binary.p8", "is no text of at most 64 kB; \(advice)"),
            ("certificate.p8", "holds a certificate in place of a private key; \(advice)"),
            ("public.p8", "holds a public key in place of a private key; \(advice)"),
            ("locked.p8", "is locked with a password; \(advice)"),
            ("sec1.pem", "holds a key of another form; \(advice)"),
            ("p384.p8", "holds a key that is not of the curve P-256; \(advice)"),
            ("rsa.p8", "holds a key that is not of the curve P-256; \(advice)"),
            ("ed.p8", "holds a key that is not of the curve P-256; \(advice)"), (".", "is no file; \(advice)"),
        ]
        for (file, words) in cases {
            let error = #expect(throws: BadValue.self) { try key(of: file) }
            #expect(error?.text.hasPrefix("\(folder)/\(file) \(words)") == true, "\(file): \(error?.text ?? "")")
        }
    }

    /// However it was changed, it is a key or none.
    @Test func noByteBreaksIt() throws {
        let scalar = [UInt8](1...32)
        let lines = try PlayedApple.pem(of: scalar).split(separator: "\n").map(String.init)
        let bytes = try #require(Base64.decoded(lines[1]))
        for place in bytes.indices {
            for value: UInt8 in [0, 1, 0x30, 0x7F, 0x80, 0x81, 0x82, 0x84, 0xFF] {
                var changed = bytes
                changed[place] = value
                let text = [lines[0], Base64.encoded(changed), lines[2]].joined(separator: "\n")
                let key = try? AppleKey(pem: text)
                #expect(key.map { $0.scalar.count == 32 } ?? true)
            }
            let cut = [lines[0], Base64.encoded(Array(bytes.prefix(place))), lines[2]].joined(separator: "\n")
            #expect((try? AppleKey(pem: cut)) == nil)
        }
    }
}
