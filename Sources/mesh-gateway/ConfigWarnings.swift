import Configuration
import Folders
import Glibc
import MeshModel
import Notifications
import Platform
import Routes

/// What is no mistake in the configuration, but perhaps not what was meant on this machine, now.
struct ConfigWarning {
    /// Kebab-case and stable.
    let name: String
    /// Where it is; nil for what is no setting.
    let origin: Origin?
    let text: String

    /// As compilers write it.
    var line: String { (origin.map { "\($0): " } ?? "") + "warning: \(text)" }

    static func all(_ reading: Configuration.Reading) -> [ConfigWarning] {
        let settings = reading.configuration
        return ignored(reading) + hidden(reading) + database(settings)
            + each(.device, of: settings, settings.devices, device)
            + each(.listen, of: settings, settings.listen, address)
            + each(.trustedProxies, of: settings, settings.trustedProxies, proxy) + certificate(settings)
            + appleKey(settings)
            + targets(besideFile: reading.file) + toldInVain(besideFile: reading.file)
    }

    private static func ignored(_ reading: Configuration.Reading) -> [ConfigWarning] {
        reading.ignored.map {
            ConfigWarning(
                name: "ignored-file", origin: nil, text: "\($0) does not count: the name of a drop-in ends in .conf")
        }
    }

    /// What root can read and the service cannot: a start would fail.
    private static func hidden(_ reading: Configuration.Reading) -> [ConfigWarning] {
        // No other file is read by the service.
        guard reading.file == Configuration.defaultFile else { return [] }
        let files = (reading.hasFile ? [reading.file] : []) + reading.dropIns
        return ServiceUser.closed(among: files).map {
            ConfigWarning(
                name: "hidden-file", origin: nil,
                text: "\($0) cannot be read by the gateway's user; let it: sudo chmod a+rX \($0)")
        }
    }

    private static func each<Value>(
        _ key: Key, of settings: Configuration, _ values: [Value],
        _ look: (Value) -> (name: String, text: String)?
    ) -> [ConfigWarning] {
        let origins = settings.origins(of: key)
        return values.enumerated().compactMap { index, value in
            look(value).map { found in
                ConfigWarning(
                    name: found.name, origin: index < origins.count ? origins[index] : .builtIn,
                    text: "\(key.rawValue) \(found.text)")
            }
        }
    }

    /// Secrets that others can read, or the service cannot.
    private static func targets(besideFile file: String) -> [ConfigWarning] {
        let files = TargetsFolder(besideFile: file).read().files ?? []
        return files.flatMap { [$0.path] + $0.secrets }.compactMap { path in
            if let text = SecretFile.warning(path) {
                return ConfigWarning(name: "open-secret", origin: nil, text: text)
            }
            guard access(path, F_OK) == 0, ServiceUser.found != nil, !ServiceUser.may(R_OK, path) else { return nil }
            return ConfigWarning(
                name: "hidden-file", origin: nil, text: "\(path): \(SecretFile.advice(path))")
        }
    }

    /// Targets that rules tell, and that are not there or get nothing.
    private static func toldInVain(besideFile file: String) -> [ConfigWarning] {
        TargetInVain.all(besideFile: file).map {
            ConfigWarning(name: Problem.Kind.targetBroken.rawValue, origin: nil, text: $0.sentence)
        }
    }

    // MARK: keys

    private static func database(_ settings: Configuration) -> [ConfigWarning] {
        guard let path = settings.database else { return [] }
        let folder = GatewayOptions.folder(of: path)
        let origin = settings.origin(of: .database)
        let owner = ServiceUser.found?.name ?? "USER"
        var info = stat()
        guard stat(folder, &info) == 0 else {
            return [
                ConfigWarning(
                    name: "database-folder", origin: origin,
                    text: "database: its folder \(folder) is not there; make it: sudo install -d -o \(owner) \(folder)")
            ]
        }
        guard !ServiceUser.may(W_OK | X_OK, folder) else { return [] }
        return [
            ConfigWarning(
                name: "database-folder", origin: origin,
                text:
                    "database: the gateway's user may not write to \(folder); name a folder of its own: sudo install -d -o \(owner) /srv/mesh"
            )
        ]
    }

    private static func device(_ device: DeviceSetting) -> (name: String, text: String)? {
        guard case .path(let path) = device, access(path, F_OK) != 0 else { return nil }
        return ("no-device", "\(path) is not there now; it is taken when it is plugged in (mesh-gateway ports)")
    }

    /// An address of this machine is one that a socket can be bound to. Names are not looked up.
    private static func address(_ listen: ListenAddress) -> (name: String, text: String)? {
        guard case .tcp(let host, _) = listen else { return nil }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard !host.isEmpty, getaddrinfo(host, "0", &hints, &found) == 0, let info = found else {
            return nil
        }
        defer { freeaddrinfo(info) }
        let descriptor = socket(info.pointee.ai_family, info.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) != 0, errno == EADDRNOTAVAIL else {
            return nil
        }
        return ("foreign-address", "\(listen): this machine does not have this address now; a start without it fails")
    }

    private static func proxy(_ range: IPNetwork) -> (name: String, text: String)? {
        guard range.isEverybody else { return nil }
        return (
            "trusts-everybody",
            "\(range) believes whatever any client says of its address; name the proxy's own address"
        )
    }
}

/// The user that the service runs as.
enum ServiceUser {
    /// Nil where no service is installed; then it is the user of the command.
    static let found = UserAccount(name: "mesh-gateway")

    /// The files that it may not read, and the folders of files that it may not look into, by their modes.
    static func closed(among files: [String]) -> [String] {
        let folders = Set(files.map(GatewayOptions.folder)).sorted()
        return folders.filter { !may(R_OK | X_OK, $0) } + files.filter { !may(R_OK, $0) }
    }

    /// access(2) for that user; folders above are not looked at.
    static func may(_ permission: Int32, _ path: String) -> Bool {
        var info = stat()
        guard let user = found, geteuid() != user.id, stat(path, &info) == 0 else {
            return access(path, permission) == 0
        }
        let isMember = user.groups().contains(info.st_gid)
        // Owner, group, others: three bits each, of the meaning of R_OK, W_OK and X_OK.
        let bits = info.st_mode >> (info.st_uid == user.id ? 6 : isMember ? 3 : 0)
        return bits & mode_t(permission) == mode_t(permission)
    }
}
