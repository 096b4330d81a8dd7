import Configuration
import Diagnostics
import Glibc
import HTTPServer
import Platform

extension ConfigWarning {
    /// What can be said of the certificate beside the mistakes (``ConfigCommand.Check``).
    static func certificate(_ settings: Configuration) -> [ConfigWarning] {
        guard let files = CertificateFiles(settings) else { return [] }
        func warning(_ name: String, _ key: Key, _ text: String) -> ConfigWarning {
            ConfigWarning(name: name, origin: settings.origin(of: key), text: "\(key.rawValue): \(text)")
        }
        var found: [ConfigWarning] = []
        do {
            let certificate = try ServerCertificate(files)
            let doubt = certificate.doubt(at: Int64(time(nil)))
            if let doubt { found.append(warning("certificate-time", .certificate, doubt)) }
        } catch  where error.isForbidden {
            // The user of the command may not look at it; the gateway's user is asked below.
            found.append(warning("hidden-certificate", error.setting(of: files), "\(error)"))
        } catch {}
        if let note = noteOnKey(files) { found.append(warning("open-key", .certificateKey, note)) }
        guard let user = ServiceUser.found, geteuid() != user.id else { return found }
        for (key, path) in [(Key.certificate, files.certificate), (.certificateKey, files.key)] {
            guard access(path, R_OK) == 0, let closed = closed(onTheWayTo: path) else { continue }
            let right = closed.isFolder ? "g+rx" : "g+r"
            let place = shellWord(closed.path)
            let advice = "sudo chgrp \(user.name) \(place) && sudo chmod \(right) \(place)"
            let what = "\(path) cannot be read by the gateway's user, who may not open \(closed.path)"
            found.append(warning("hidden-certificate", key, "\(what); let it: \(advice)"))
        }
        return found
    }

    /// The first thing that keeps the service's user from a file: a folder before a link or behind it, or the file.
    static func closed(onTheWayTo path: String) -> (path: String, isFolder: Bool)? {
        guard let target = realPath(path) else { return nil }
        for way in [path, target] {
            let folders = way.indices.dropFirst().filter { way[$0] == "/" }.map { String(way[..<$0]) }
            if let folder = folders.first(where: { !ServiceUser.may(X_OK, $0) }) { return (folder, true) }
        }
        return ServiceUser.may(R_OK, target) ? nil : (target, false)
    }
}
