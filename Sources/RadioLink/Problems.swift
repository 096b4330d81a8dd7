import MeshModel

/// What can go wrong with a radio, in words: what happened, why probably, what to do.
extension Problem {
    static let notResponding = Self(
        .notResponding,
        "The radio has stopped answering. It is asked again and again; if that does not help, press its reset "
            + "button or replug it.")

    static let wrongDevice = Self(
        .wrongDevice,
        "Nothing on this port answers like a Meshtastic radio. Is it the right port (mesh-gateway ports), and "
            + "does the device run Meshtastic firmware?",
        command: "mesh-gateway ports")

    static let serialAPIDisabled = Self(
        .serialAPIDisabled,
        "The device prints Meshtastic log lines but does not answer. Switch on \"Serial enabled\" in its "
            + "security settings with the phone app.")

    static let radioLocked = Self(
        .radioLocked,
        "The radio is locked and shows nothing of itself. Unlock it with the app that locked it.")

    static let regionUnset = Self(
        .regionUnset,
        "The radio has no region set and neither sends nor receives. Set the region of your country: "
            + "mesh-gateway radio config set lora.region=EU_868",
        command: "mesh-gateway radio config set lora.region=EU_868")

    static let factoryReset = Self(
        .factoryReset,
        "The radio was reset to its factory settings: its region, channels and NodeDB are gone. "
            + "What was received is kept here. Set its region and channels again.")

    static let packetsWithheld = Self(
        .packetsWithheld,
        "The radio answers but passes on no packets, although it was asked for its settings again. It is asked "
            + "again every few minutes; if that does not help, press its reset button or replug it.")

    static let hostClockUnset = Self(
        .hostClockUnset,
        "This computer's clock is not set: times are wrong, and the radio's clock is left alone. Is there a "
            + "network for NTP (timedatectl), or a clock with a battery?",
        command: "timedatectl")

    static func keepsRestarting(_ times: Int) -> Self {
        Self(
            .keepsRestarting,
            "The radio has restarted or dropped off its port \(times) times within ten minutes. A weak power "
                + "supply, a bad cable or broken firmware does that.")
    }

    static func nodeNumberChanged(from old: NodeNumber, to new: NodeNumber) -> Self {
        Self(
            .nodeNumberChanged,
            "The radio is the same, but its node number, \(old) before, is \(new) now: its key has changed. "
                + "What was received is kept. Other nodes see a new one and need its key before they can write to it.")
    }

    static func handshakeIncomplete(_ missing: [String]) -> Self {
        Self(
            .handshakeIncomplete,
            "The radio keeps leaving out parts of its settings (\(missing.joined(separator: ", "))). Log text "
                + "in the midst of its answers does that; switching on its debug log API helps.")
    }

    static func unplugged(_ path: String) -> Self {
        Self(.unplugged, "The radio at \(path) was unplugged or has reset its port. Plug it in again.")
    }

    static func connectionClosed(_ name: String) -> Self {
        Self(
            .connectionClosed,
            "\(name) closed the connection. A radio serves one program over the network: a newer one takes the "
                + "place of the older. Point the other ones at this gateway.")
    }

    /// Over the network, where a closed connection is all that is seen of a restart.
    public static let restartOrdered = Self(
        .restartOrdered,
        "The radio restarts, as it was told to. It is connected again as soon as it is back.")

    static func connectionFailed(_ name: String, _ reason: String) -> Self {
        Self(
            .connectionFailed,
            "No connection to \(name): \(reason). Is the radio on, in this network, and is its network API "
                + "enabled?")
    }
}
