import CSerialPort
import Glibc
import MeshModel
import Platform

// Opening a serial port without doing harm (SerialReference 1.6):
//
//  1. ESP32 boards reset when DTR and RTS differ, be it for a moment. The kernel raises both at open; nobody touches
//     them afterwards. HUPCL goes off, so that closing the port does not drop them either.
//  2. Two readers on one port each get half of the bytes. We take the same flock that pyserial's `exclusive` takes, before
//     libserialport touches any setting, and TIOCEXCL against those who do not ask.
//  3. libserialport 0.1.1 resolves no symbolic links, sets HUPCL, locks nothing, sets no close-on-exec, and refuses what
//     is not in /sys/class/tty or does not answer TIOCMGET: a pseudo terminal is opened with plain termios instead.
//  4. 115200 baud always. Opening at 1200 starts the bootloader of many boards.

enum OpenFailure: Error, Equatable {
    case absent
    case permissionDenied
    case busy
    case notATerminal
    case system(Int32)
}

/// Opens a device node, a link to one, or a pseudo terminal.
func openSerialPort(_ path: String) throws(OpenFailure) -> Port {
    guard let node = realPath(path) else { throw .absent }
    let descriptor = retrying { open(node, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }
    guard descriptor >= 0 else { throw openFailure(errno) }
    guard isatty(descriptor) == 1 else {
        close(descriptor)
        throw .notATerminal
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let error = errno
        close(descriptor)
        throw error == EWOULDBLOCK ? .busy : .system(error)
    }
    do {
        if let port = try openLibrarySerialPort(node, lock: descriptor) { return port }
        try prepareTerminal(descriptor)
    } catch {
        close(descriptor)
        throw error
    }
    return Port(descriptor: descriptor, kind: .terminal)
}

private func openFailure(_ error: Int32) -> OpenFailure {
    switch error {
    case ENOENT, ENODEV, ENXIO: .absent
    case EACCES, EPERM: .permissionDenied
    case EBUSY: .busy
    default: .system(error)
    }
}

/// sp_get_port_by_name, sp_open and what sp_open leaves undone.
///
/// - Returns: nil when this is no serial port for the library, but a terminal all the same.
private func openLibrarySerialPort(_ node: String, lock: Int32) throws(OpenFailure) -> Port? {
    var found: OpaquePointer?
    guard sp_get_port_by_name(node, &found) == SP_OK, let port = found else { return nil }
    guard sp_open(port, SP_MODE_READ_WRITE) == SP_OK else {
        let error = errno
        sp_free_port(port)
        if error == ENOTTY { return nil }
        throw openFailure(error)
    }
    var descriptor: Int32 = -1
    guard sp_get_port_handle(port, &descriptor) == SP_OK, configure(port) else {
        sp_close(port)
        sp_free_port(port)
        throw .system(errno)
    }
    setCloseOnExec(descriptor)
    keepOthersOut(descriptor)
    clearHangUpOnClose(descriptor)
    return Port(descriptor: descriptor, kind: .serial(port, lock: lock))
}

/// 115200 8N1 without flow control in one sp_set_config. What is not named here, DTR and RTS above all, stays as it is.
private func configure(_ port: OpaquePointer) -> Bool {
    var made: OpaquePointer?
    guard sp_new_config(&made) == SP_OK, let config = made else { return false }
    defer { sp_free_config(config) }
    sp_set_config_baudrate(config, 115200)
    sp_set_config_bits(config, 8)
    sp_set_config_parity(config, SP_PARITY_NONE)
    sp_set_config_stopbits(config, 1)
    sp_set_config_xon_xoff(config, SP_XONXOFF_DISABLED)
    sp_set_config_cts(config, SP_CTS_IGNORE)
    sp_set_config_dsr(config, SP_DSR_IGNORE)
    return sp_set_config(port, config) == SP_OK
}

private func clearHangUpOnClose(_ descriptor: Int32) {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { return }
    settings.c_cflag &= ~tcflag_t(HUPCL)
    tcsetattr(descriptor, TCSANOW, &settings)
}

/// The same settings by plain termios, for what libserialport cannot open.
private func prepareTerminal(_ descriptor: Int32) throws(OpenFailure) {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { throw .system(errno) }
    cfmakeraw(&settings)
    cfsetspeed(&settings, speed_t(B115200))
    settings.c_cflag |= tcflag_t(CLOCAL) | tcflag_t(CREAD)
    settings.c_cflag &= ~tcflag_t(HUPCL)
    guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else { throw .system(errno) }
    keepOthersOut(descriptor)
}

/// Programs that do not look for a lock cannot open the port while we have it. A pseudo terminal stays without: it would keep
/// that after we were killed, for as long as its other end is open, and only root could open it again.
private func keepOthersOut(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, !(136...143).contains(status.st_rdev >> 8 & 0xfff) else { return }
    _ = ioctl(descriptor, UInt(TIOCEXCL))
}

extension OpenFailure {
    /// What to tell about this failure on this path.
    func problem(opening path: String) -> Problem {
        switch self {
        case .absent:
            Problem(
                .deviceAbsent,
                "There is no \(path). Plug the radio in, or name its port (mesh-gateway "
                    + "ports lists them).",
                command: "mesh-gateway ports")
        case .permissionDenied: permissionProblem(path)
        case .busy: busyProblem(path)
        case .notATerminal:
            Problem(
                .notASerialPort,
                "\(path) is not a serial port. mesh-gateway ports lists those that "
                    + "are.",
                command: "mesh-gateway ports")
        case .system(let error):
            Problem(.cannotOpen, "\(path) could not be opened: \(errorText(error)).")
        }
    }

    private func permissionProblem(_ path: String) -> Problem {
        var status = stat()
        var advice = "No permission to open \(path)."
        var command: String?
        if stat(path, &status) == 0, status.st_mode & 0o060 == 0o060, ownGroups().contains(status.st_gid) {
            // The unit's DevicePolicy=closed. A link's target is what it goes by.
            let node = realPath(path)
            command = "sudo systemctl edit mesh-gateway"
            advice +=
                " As a service it may open ttyACM, ttyUSB and ttyAMA only. To let it: sudo systemctl edit mesh-gateway, and in "
            advice += "it [Service] and DeviceAllow=\(node ?? path) rw"
        } else if let group = groupName(status.st_gid) {
            let user = UserAccount(id: geteuid())?.name ?? "$USER"
            command = "sudo usermod -aG \(group) \(user)"
            advice += " It belongs to the group \(group); type: sudo usermod -aG \(group) \(user), then log in again "
            advice += "or restart the service."
        }
        return Problem(.permissionDenied, advice, command: command)
    }

    private func busyProblem(_ path: String) -> Problem {
        let holder = PortHolder.holder(of: path)
        let who = holder.map { "\($0.name) (process \($0.process))" } ?? "another program"
        return Problem(
            .portBusy,
            "\(path) is in use by \(who). A radio can have one program on its port: stop that one.")
    }
}
