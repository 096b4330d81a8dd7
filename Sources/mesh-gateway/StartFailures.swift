import Configuration
import Diagnostics
import Glibc
import HTTPServer
import Platform
import Store

// Why the daemon does not start, as sentences that say who or what is in the way and what to type. `systemctl status`
// shows them.

// MARK: sockets

/// Members of this group may use the local socket: those of "mesh-gateway". Nil where there is none, or the daemon's own
/// user is not in it and so cannot give a file to it (chown(2)): then only that user and root may.
let localGroup: gid_t? = {
    guard let group = groupID("mesh-gateway") else { return nil }
    return geteuid() == 0 || ownGroups().contains(group) ? group : nil
}()

/// Nil where a user's own daemon has its socket in a folder of the user's: nobody else is expected there.
func noteOnLocalGroup(_ socket: String) -> String? {
    guard localGroup == nil, GatewayOptions.environment["XDG_RUNTIME_DIR"].map({ !socket.hasPrefix($0) }) ?? true else {
        return nil
    }
    let what =
        groupID("mesh-gateway") == nil
        ? "there is no group mesh-gateway" : "\(userName) is not in the group mesh-gateway"
    return "\(what): only root\(userName == "root" ? "" : " and \(userName)") may use \(socket)"
}

/// The daemon's own user.
private let userName = ownUserName()

/// - Parameter local: the path of the local socket.
func cannotListen(_ error: HTTPServerError, local: String) -> any Error {
    switch error {
    case .portTaken(let address): portTaken(address)
    case .portNotPermitted:
        failure("\(error), or let systemd open it (listen = systemd).", .unavailable)
    case .socketInUse(let path) where path != local:
        failure("\(error); name another in the configuration: listen = unix:PATH.", .unavailable)
    case .socketDirectoryMissing(let path) where path != local:
        failure(
            "\(error); type: sudo install -d -o \(userName) -m 755 \(GatewayOptions.folder(of: path)), or name another "
                + "place: listen = unix:PATH.", .unavailable)
    case .socketNotPermitted(let path) where path != local:
        failure("\(error); name a place of the gateway's own: listen = unix:PATH.", .unavailable)
    case .socketInUse(let path):
        failure(
            "another mesh-gateway\(named(holder(ofSocket: path))) already listens on \(path); stop that one"
                + "\(stopping(holder(ofSocket: path))), or give this one its own with --socket PATH.", .unavailable)
    case .socketDirectoryMissing(let path):
        failure(
            "\(error); type: sudo install -d -o \(userName) -m 755 \(GatewayOptions.folder(of: path)), or name another "
                + "place with --socket PATH.", .unavailable)
    // The folder is somebody else's, and stays so.
    case .socketNotPermitted: failure("\(error); name a place of your own with --socket PATH.", .unavailable)
    default: failure("\(error).", .unavailable)
    }
}

private func portTaken(_ address: String) -> any Error {
    let port = address.split(whereSeparator: { $0 == ":" || $0 == " " }).last.flatMap { UInt16($0) } ?? 0
    let elsewhere =
        "or listen elsewhere: --listen '*:\(port < 65535 ? port + 1 : port - 1)', in the configuration listen"
    switch Host().listener(onTCPPort: port) {
    case .process(let process):
        return failure(
            "\(address) is already in use by \(process.name)\(named(process.id)); stop that one\(stopping(process.id)), "
                + "\(elsewhere).", .unavailable)
    case .nobody, .somebody:
        return failure(
            "\(address) is already in use by another program; stop that one (sudo ss -ltnp shows it), \(elsewhere).",
            .unavailable)
    }
}

/// " (process 12, /usr/bin/mesh-gateway)"; nothing when it is not known.
private func named(_ process: Int32?) -> String {
    guard let process else { return "" }
    return " (process \(process)\(Host().executable(of: process).map { ", \($0)" } ?? ""))"
}

private func stopping(_ process: Int32?) -> String { process.map { ": " + Host().commandToStop($0) } ?? "" }

/// Who has called listen(2) on a Unix socket (SO_PEERCRED: struct ucred, which begins with the process).
private func holder(ofSocket path: String) -> Int32? {
    guard let descriptor = try? LocalClient(path: path).connected() else { return nil }
    defer { close(descriptor) }
    var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0, credentials.0 > 0 else {
        return nil
    }
    return credentials.0
}

// MARK: the database

func cannotOpen(_ error: StoreError, _ path: String) -> any Error {
    let folder = GatewayOptions.folder(of: path)
    switch error {
    case .inUse(_, let process):
        return failure(
            "\(error)\(process.flatMap { Host().executable(of: $0) }.map { ", which is \($0)" } ?? "")"
                + "; stop that one\(stopping(process)).", error.exitStatus)
    case .permissionDenied, .readOnly:
        if let state = GatewayOptions.stateDirectory, isOutsideOfState(path), isReadOnly(folder) {
            return failure(
                "\(path): the service may write into \(state) only; \(writingElsewhere(folder)).", .cannotCreate)
        }
        if isReadOnly(folder) {
            return failure(
                "\(path): the disk is mounted read-only, as the kernel does with a damaged one, and nothing could be "
                    + "stored; sudo dmesg | tail says why, and sudo mount -o remount,rw \(mountPoint(of: folder)) makes it "
                    + "writable.", .cannotCreate)
        }
        guard access(folder, W_OK) != 0 else { break }
        return failure("\(path): \(userName) may not write into \(folder); \(beingLetIn(folder)).", error.exitStatus)
    case .failed where Health.Cause(error) == .full:
        return failure(
            "\(path): there is no room on the disk for the database; make some (df -h \(folder) shows it), or name a file "
                + "on another disk with --database.", error.exitStatus)
    default: break
    }
    return failure("\(error).", error.exitStatus)
}

/// Where a service may not write, although the disk may be well: that does not mend itself.
func isOutsideOfState(_ path: String) -> Bool {
    GatewayOptions.stateDirectory.map { !"\(path)/".hasPrefix("\($0)/") } ?? false
}

/// What makes the unit's own user write to a folder outside of its state directory.
private func writingElsewhere(_ folder: String) -> String {
    // ProtectHome= shuts these, and what is in a shut folder cannot be opened by itself.
    if ["/home/", "/root/", "/run/user/"].contains(where: "\(folder)/".hasPrefix) {
        return
            "it does not see the folders of people at all: put the database there, or into another place such as /srv/mesh"
    }
    let making = access(folder, F_OK) == 0 ? "" : "sudo install -d -o \(userName) \(folder), then "
    return "put the database there, or let it write here: \(making)sudo systemctl edit mesh-gateway, and in it "
        + "[Service] and ReadWritePaths=\(folder)"
}

/// Only the service's own folder is given to the service; a folder of somebody else stays whose it is.
private func beingLetIn(_ folder: String) -> String {
    if folder == GatewayOptions.stateDirectory { return "type: sudo chown -R \(userName): \(folder)" }
    if folder == GatewayOptions.folder(of: Paths.databaseCandidates([:])[0]) {
        return "it is the service's; put sudo before the command, or name a file of your own with --database"
    }
    return "name a file in a folder of your own with --database"
}

/// statvfs(3); of the nearest folder that is there.
private func isReadOnly(_ folder: String) -> Bool {
    var system = statvfs()
    var place = folder
    while access(place, F_OK) != 0, place.count > 1 { place = GatewayOptions.folder(of: place) }
    return statvfs(place.isEmpty ? "/" : place, &system) == 0 && system.f_flag & UInt(ST_RDONLY) != 0
}

/// The topmost folder on the same file system.
private func mountPoint(of folder: String) -> String {
    func device(_ path: String) -> dev_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_dev : nil
    }
    var place = folder
    while place.count > 1 {
        let above = GatewayOptions.folder(of: place)
        let parent = above.isEmpty ? "/" : above
        if let here = device(place), here != device(parent) { return place }
        place = parent
    }
    return "/"
}
