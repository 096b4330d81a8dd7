import Folders

/// The folder of the targets: targets.d beside the configuration file in use. Other files there may be secrets.
public typealias TargetsFolder = SettingsFolder<TargetFile>

extension SettingsFolder<TargetFile> {
    init(path: String, kinds: [any FileReceiver.Type]) {
        self.init(path: path) { TargetFile($0, kinds: kinds) }
    }
}

extension TargetFile {
    /// Checks that each fallback exists, and that none leads back.
    public static func checked(_ files: [TargetFile], kept: [String: Target]) -> [TargetFile] {
        var files = files
        // What stays in force has its fallback, too.
        func fallback(of file: TargetFile) -> String? {
            file.target == nil ? kept[file.name]?.fallback ?? file.fallback?.name : file.fallback?.name
        }
        for index in files.indices {
            guard let named = files[index].fallback else { continue }
            guard let first = files.first(where: { $0.name == named.name }) else {
                files[index].refuse(
                    "there is no target \"\(named.name)\" to fall back on; name one that is there", named.line)
                continue
            }
            if first.isAlive {
                files[index].refuse(
                    "\"\(named.name)\" is told nothing: it only learns that the gateway is alive", named.line)
            }
            var (next, ring) = (Optional(first), [files[index].name])
            while let one = next, !ring.dropFirst().contains(one.name) {
                ring.append(one.name)
                if one.name == files[index].name {
                    files[index].refuse(
                        "the fallbacks make a ring: \(ring.joined(separator: " -> ")); take one of them out",
                        named.line)
                    break
                }
                next = fallback(of: one).flatMap { name in files.first { $0.name == name } }
            }
        }
        return files
    }
}
