import Platform
import Synchronization

/// Which serial ports belong to which of several links of one program, so that none takes another's radio: a port belongs
/// to the link that is named for it; a radio on a port that nobody is named for, to the link that has spoken to it last.
public final class PortClaims: Sendable {
    private struct Claim {
        var path: String?
        var device: USBIdentity?
    }

    private let claims = Mutex<[Claim]>([])

    public init() {}

    /// - Returns: the number of the link that is to be found at this address.
    func add(_ address: RadioAddress) -> Int {
        claims.withLock { claims in
            claims.append(Claim(path: address.devicePath))
            return claims.count - 1
        }
    }

    /// A link has opened the port of this device; nil: one that says nothing of itself.
    func note(_ device: USBIdentity?, by link: Int) {
        claims.withLock { claims in
            for other in claims.indices {
                if let device, claims[other].device?.isSameDevice(as: device) == true { claims[other].device = nil }
            }
            claims[link].device = device?.ownSerialNumber == nil ? nil : device
        }
    }

    /// Whether no other link has a claim to this port.
    func leave(_ port: SerialPort, to link: Int) -> Bool {
        let all = claims.withLock { $0 }
        let others = all.indices.filter { $0 != link }.map { all[$0] }
        if others.contains(where: { $0.path.flatMap(realPath) == port.path }) { return false }
        guard let device = port.usb else { return true }
        return !others.contains { $0.device?.isSameDevice(as: device) == true }
    }
}
