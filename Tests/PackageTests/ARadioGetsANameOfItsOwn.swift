import Testing

/// What udev/70-mesh-gateway.rules make of a device.
@Suite struct ARadioGetsANameOfItsOwn {
    let rules: UdevRules
    let path = "meshtastic-pci-0000:00:14.0-usb-0:2:1.0"

    init() throws { rules = try UdevRules(Repository.text("udev/70-mesh-gateway.rules")) }

    private var radio: UdevDevice { UdevDevice(0x303A, 0x1001, serial: "34:85:18:AB:CD:EF") }

    @Test func aKnownOneIsNamedAndOpenedAndNoModem() {
        let outcome = rules.apply(to: radio)
        #expect(outcome.links == ["meshtastic-34:85:18:AB:CD:EF"])
        #expect(outcome.group == "dialout")
        #expect(outcome.mode == "0660")
        #expect(outcome.tags == ["uaccess", "systemd"])
        #expect(
            outcome.properties == [
                "ID_MM_DEVICE_IGNORE": "1", "ID_MM_PORT_IGNORE": "1", "SYSTEMD_WANTS": "mesh-gateway.service",
            ])
        #expect(outcome.runs == [])
    }

    @Test func whatOthersWantIsStartedToo() {
        var device = radio
        device.properties["SYSTEMD_WANTS"] = "other.service"
        #expect(rules.apply(to: device).properties["SYSTEMD_WANTS"] == "other.service mesh-gateway.service")
    }

    /// ModemManager asks the USB device, which is no port: it gets no name and starts nothing.
    @Test func itsUSBDeviceIsNoModemEither() {
        var device = radio
        (device.subsystem, device.kernel) = ("usb", "1-2")
        #expect(rules.apply(to: device) == UdevDevice.Outcome(properties: ["ID_MM_DEVICE_IGNORE": "1"]))
    }

    @Test func anUnplugDoesNothing() {
        var device = radio
        device.action = "remove"
        #expect(rules.apply(to: device) == UdevDevice.Outcome())
    }

    @Test func aSecondInterfaceHasANameOfItsOwn() {
        var device = radio
        device.properties["ID_USB_INTERFACE_NUM"] = "02"
        #expect(rules.apply(to: device).links == ["meshtastic-34:85:18:AB:CD:EF-if02"])
    }

    /// Chips that share their number are told apart by where they are plugged in.
    @Test(arguments: [nil, "", "1", "0001", "123456", "0123456789ABCDEF", "000000000000"])
    func aSharedNumberIsNoName(serial: String?) {
        #expect(rules.apply(to: UdevDevice(0x239A, 0x8029, serial: serial)).links == [path])
    }

    @Test func theFirstOfTwoWithOneNumberKeepsTheName() {
        var second = radio
        second.kernel = "ttyACM1"
        second.links = ["/dev/meshtastic-34:85:18:AB:CD:EF": "/dev/ttyACM0"]
        let outcome = rules.apply(to: second)
        #expect(outcome.links == [path])
        #expect(outcome.runs.count == 1)
        #expect(outcome.runs.first?.hasPrefix("/usr/bin/logger ") == true)
        // The first one's next event.
        second.kernel = "ttyACM0"
        #expect(rules.apply(to: second).links == ["meshtastic-34:85:18:AB:CD:EF"])
    }

    @Test func aBridgeIsARadioWhenItsOwnerSaysSo() {
        var bridge = UdevDevice(0x10C4, 0xEA60, serial: "01A2B3C4", model: "CP2102N_USB_to_UART_Bridge_Controller")
        bridge.kernel = "ttyUSB0"
        #expect(rules.apply(to: bridge) == UdevDevice.Outcome())
        bridge.properties["MESH_GATEWAY_RADIO"] = "1"
        #expect(rules.apply(to: bridge).links == ["meshtastic-01A2B3C4"])
    }

    @Test func itsOwnerMaySayThatItIsNone() {
        var device = radio
        device.properties["MESH_GATEWAY_RADIO"] = "0"
        #expect(rules.apply(to: device) == UdevDevice.Outcome())
    }

    @Test(arguments: [(0x239A, 0x0029), (0x1366, 0x0105), (0x10C4, 0xEA60), (0x2E8A, 0x000A)] as [(UInt16, UInt16)])
    func aNameAloneMakesNoRadio(vendor: UInt16, product: UInt16) {
        let device = UdevDevice(vendor, product, model: "Meshtastic_Radio")
        #expect(rules.apply(to: device) == UdevDevice.Outcome())
    }

    @Test(arguments: [
        #"SUBSYSTEM=="tty" KERNEL=="a""#, #"SUBSYSTEMS=="usb""#, #"GOTO="nowhere""#, #"SYMLINK="a""#, #"ENV="a""#,
    ])
    func aMistakeInTheRulesIsFound(line: String) {
        #expect(throws: UdevRules.Mistake.self) { try UdevRules(line) }
    }
}
