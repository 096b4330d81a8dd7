import Glibc

/// The rules file as udevd reads it, as far as ours goes (udev(7)): what it does not know is an error.
///
/// A line is read from left to right; when all of its comparisons hold, its assignments happen, and GOTO skips to a later
/// LABEL. Comparisons take shell patterns with | between alternatives, and an unknown property is empty.
struct UdevRules {
    struct Token: Equatable {
        var key: String
        var attribute: String?
        var operation: String
        var value: String

        var isComparison: Bool { operation == "==" || operation == "!=" }
    }

    struct Mistake: Error { var line: Int, text: String }

    private(set) var lines: [[Token]] = []

    init(_ text: String) throws {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let first = line.first(where: { $0 != " " }), first != "#" else { continue }
            do { lines.append(try Self.tokens(line)) } catch { throw Mistake(line: index + 1, text: String(line)) }
        }
        for (index, line) in lines.enumerated() {
            for token in line where token.key == "GOTO" && position(ofLabel: token.value, after: index) == nil {
                throw Mistake(line: 0, text: "no LABEL after GOTO \(token.value)")
            }
        }
    }

    private static func tokens(_ line: Substring) throws -> [Token] {
        let one = /\s*([A-Z]+)(?:\{([^}]+)\})?\s*(==|!=|\+=|=)\s*"([^"]*)"\s*(,|$)/
        var tokens: [Token] = []
        var rest = line
        while !rest.isEmpty {
            guard let match = rest.prefixMatch(of: one) else { throw Mistake(line: 0, text: String(rest)) }
            let token = Token(
                key: String(match.1), attribute: match.2.map(String.init), operation: String(match.3),
                value: String(match.4))
            guard isKnown(token) else { throw Mistake(line: 0, text: String(rest)) }
            tokens.append(token)
            rest = rest[match.range.upperBound...]
        }
        return tokens
    }

    private static func isKnown(_ token: Token) -> Bool {
        switch token.key {
        case "ACTION", "SUBSYSTEM", "KERNEL", "TEST", "PROGRAM": token.isComparison && token.attribute == nil
        case "ENV": token.attribute != nil
        case "GROUP", "MODE", "GOTO", "LABEL": token.operation == "=" && token.attribute == nil
        case "TAG", "SYMLINK", "RUN": token.operation == "+=" && token.attribute == nil
        default: false
        }
    }

    private func position(ofLabel name: String, after line: Int) -> Int? {
        lines.indices.first { $0 > line && lines[$0].contains { $0.key == "LABEL" && $0.value == name } }
    }

    /// What becomes of an event.
    func apply(to device: UdevDevice) -> UdevDevice.Outcome {
        var state = UdevDevice.State(device: device)
        var next = 0
        while next < lines.count {
            let line = lines[next]
            next += 1
            guard line.allSatisfy({ !$0.isComparison || state.holds($0) }) else { continue }
            for token in line where !token.isComparison { state.assign(token) }
            if let jump = line.first(where: { $0.key == "GOTO" }) {
                next = position(ofLabel: jump.value, after: next - 1) ?? lines.count
            }
        }
        return state.outcome
    }
}

/// A device as the rules before ours leave it.
struct UdevDevice {
    var action = "add"
    var subsystem = "tty"
    var kernel = "ttyACM0"
    var properties: [String: String]
    /// The links in /dev that are there already, with what they point to.
    var links: [String: String] = [:]

    /// 60-serial.rules' properties of a port; nil: the device has none.
    init(_ vendor: UInt16, _ product: UInt16, serial: String? = "84B2DC61", model: String = "Board") {
        properties = [
            "DEVTYPE": "usb_device", "ID_BUS": "usb", "ID_VENDOR_ID": Self.hex(vendor),
            "ID_MODEL_ID": Self.hex(product),
            "ID_USB_INTERFACE_NUM": "00", "ID_PATH": "pci-0000:00:14.0-usb-0:2:1.0", "ID_MODEL": model,
        ]
        properties["ID_SERIAL_SHORT"] = serial
    }

    static func hex(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    struct Outcome: Equatable {
        var links: [String] = []
        var group: String?
        var mode: String?
        var tags: [String] = []
        var runs: [String] = []
        /// Those that the rules set, but for their own.
        var properties: [String: String] = [:]
    }

    fileprivate struct State {
        var device: UdevDevice
        var outcome = Outcome()

        func holds(_ token: UdevRules.Token) -> Bool {
            let value = substituted(token.value)
            let isTrue =
                switch token.key {
                case "ACTION": Self.matches(device.action, value)
                case "SUBSYSTEM": Self.matches(device.subsystem, value)
                case "KERNEL": Self.matches(device.kernel, value)
                case "ENV": Self.matches(device.properties[token.attribute ?? ""] ?? "", value)
                case "TEST": device.links[value] != nil
                default: succeeds(value)
                }
            return isTrue == (token.operation == "==")
        }

        /// The one program that the rules may call: test LINK -ef NODE.
        private func succeeds(_ command: String) -> Bool {
            let words = command.split(separator: " ").map(String.init)
            guard words.count == 4, words[0] == "/usr/bin/test", words[2] == "-ef" else { return false }
            return device.links[words[1]] == words[3]
        }

        mutating func assign(_ token: UdevRules.Token) {
            let value = substituted(token.value)
            switch token.key {
            case "ENV":
                let name = token.attribute ?? ""
                let old = device.properties[name] ?? ""
                device.properties[name] = token.operation == "+=" && !old.isEmpty ? "\(old) \(value)" : value
                if !name.hasPrefix(".") { outcome.properties[name] = device.properties[name] }
            case "GROUP": outcome.group = value
            case "MODE": outcome.mode = value
            case "TAG": outcome.tags.append(value)
            case "SYMLINK": outcome.links.append(value)
            case "RUN": outcome.runs.append(value)
            default: break
            }
        }

        private func substituted(_ text: String) -> String {
            text.replacing(/\$env\{([^}]+)\}/) { device.properties[String($0.1)] ?? "" }
                .replacing("$devnode", with: "/dev/\(device.kernel)")
        }

        private static func matches(_ text: String, _ patterns: String) -> Bool {
            patterns.split(separator: "|", omittingEmptySubsequences: false).contains {
                fnmatch(String($0), text, 0) == 0
            }
        }
    }
}
