// What mesh-gateway.conf and its drop-ins set.

import Folders
import Glibc
import Platform

enum ConfigurationFile {
    /// The settings of a file; nil when it does not exist and need not.
    static func settings(of path: String, mustExist: Bool) -> FoundSettings? {
        do throws(UnreadableFile) {
            return try SettingLines.read(path, mustExist: mustExist).map { parse($0) }
        } catch {
            return FoundSettings(mistakes: [.unreadable(path: error.path, reason: error.reason)])
        }
    }

    /// The paths of a directory's files in byte order, hidden ones aside: *.conf, and what does not count beside them.
    /// None when there is no directory.
    static func dropIns(_ directory: String) throws(ConfigurationError) -> (files: [String], ignored: [String]) {
        guard let names = names(in: directory) else {
            if errno == ENOENT || errno == ENOTDIR { return ([], []) }
            throw .unreadable(path: directory, reason: errorText(errno))
        }
        let paths = names.filter { !$0.hasPrefix(".") }.map { "\(directory)/\($0)" }
        return (paths.filter { $0.hasSuffix(".conf") }, paths.filter { !$0.hasSuffix(".conf") })
    }

    private static func parse(_ file: SettingLines) -> FoundSettings {
        var found = FoundSettings(
            mistakes: file.mistakes.map { .syntax(path: $0.file, line: $0.line ?? 0, problem: $0.text) })
        var firstLines: [Key: Int] = [:]
        for line in file.lines {
            do throws(ConfigurationError) {
                let origin = Origin.file(path: file.path, line: line.number)
                guard let key = Key(rawValue: line.key) else {
                    throw .unknownKey(line.key, nearest: nearestKey(to: line.key), origin: origin)
                }
                if let firstLine = firstLines[key] {
                    guard key.mayRepeat, let place = found.settings.firstIndex(where: { $0.key == key }) else {
                        throw .repeated(key, firstLine: firstLine, origin: origin)
                    }
                    found.settings[place].add(line.value, from: origin)
                } else {
                    firstLines[key] = line.number
                    found.settings.append(GivenSetting(key: key, values: [line.value], origin: origin))
                }
            } catch {
                found.mistakes.append(error)
            }
        }
        return found
    }
}
