import Configuration
import Glibc
import Platform

/// The folder of the targets: targets.d beside the configuration file in use.
public struct TargetsFolder: Sendable {
    public static let limit = 100

    public let path: String
    private let kinds: [any Receiver.Type]

    /// - Parameter file: the configuration file.
    public init(besideFile file: String) {
        let folder = file.lastIndex(of: "/").map { file[..<$0] } ?? "."
        self.init(path: "\(folder)/targets.d")
    }

    public init(path: String) { self.init(path: path, kinds: Target.Kind.all) }

    init(path: String, kinds: [any Receiver.Type]) { (self.path, self.kinds) = (path, kinds) }

    public func file(of target: String) -> String { "\(path)/\(target).conf" }

    /// Reads all files in the order of their names, including broken ones. None if there is no folder, nil if it cannot be read.
    public func read() -> (files: [TargetFile]?, mistakes: [TargetMistake]) {
        guard let names = names(in: path) else {
            let reason = errno
            if reason == ENOENT || reason == ENOTDIR { return ([], []) }
            let advice = "let the service look into it: sudo chgrp mesh-gateway \(path) && sudo chmod 750 \(path)"
            return (nil, [TargetMistake("cannot be read: \(errorText(reason)); \(advice)", file: path)])
        }
        // Other files, such as an editor's copies or secrets, are not targets.
        let all = names.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }.sorted()
        var mistakes: [TargetMistake] = []
        if all.count > Self.limit {
            mistakes.append(
                TargetMistake(
                    "there are more than \(Self.limit) targets; those behind \(all[Self.limit - 1]) do not count",
                    file: path))
        }
        return (
            Self.checked(all.prefix(Self.limit).compactMap { TargetFile(path: "\(path)/\($0)", kinds: kinds) }),
            mistakes
        )
    }

    /// Checks what takes all files together: that each fallback exists, and that none leads back.
    static func checked(_ files: [TargetFile]) -> [TargetFile] {
        var files = files
        for index in files.indices {
            guard let fallback = files[index].fallback else { continue }
            guard let first = files.first(where: { $0.name == fallback.name }) else {
                files[index].refuse(
                    "there is no target \"\(fallback.name)\" to fall back on; name one that is there", fallback.line)
                continue
            }
            if first.isAlive {
                files[index].refuse(
                    "\"\(fallback.name)\" is told nothing: it only learns that the gateway is alive", fallback.line)
            }
            var (next, ring) = (Optional(first), [files[index].name])
            while let one = next, !ring.dropFirst().contains(one.name) {
                ring.append(one.name)
                if one.name == files[index].name {
                    files[index].refuse(
                        "the fallbacks make a ring: \(ring.joined(separator: " -> ")); take one of them out",
                        fallback.line)
                    break
                }
                next = one.fallback.flatMap { name in files.first { $0.name == name.name } }
            }
        }
        return files
    }
}
