import FakeSerial
import Foundation
import MeshModel
import RadioLink
import Testing

@Test func aBusyPortNamesItsHolder() throws {
    let device = FakeRadioDevice()
    try device.plug()
    let terminal = try FileManager.default.destinationOfSymbolicLink(atPath: "\(FakeRadioDevice.root)\(device.path)")
    // Another program that holds the port and its lock, and says when it has it.
    let holder = Process()
    holder.executableURL = URL(filePath: "/bin/sh")
    holder.arguments = ["-c", "exec 9<>\(terminal); flock 9; echo locked; cat >/dev/null"]
    let (input, output) = (Pipe(), Pipe())
    holder.standardInput = input
    holder.standardOutput = output
    try holder.run()
    #expect(output.fileHandleForReading.availableData == Data("locked\n".utf8))

    #expect(PortHolder.holder(of: device.path)?.process == holder.processIdentifier)
    let radio = ScriptedRadio(on: device.controller)
    let listener = Listener()
    let link = RadioLink(address: .path(device.path), delegate: listener)
    link.start()
    #expect(listener.waitForProblem("port-busy"))
    let advice = try #require(link.state.problem?.advice)
    #expect(advice.contains("sh (process \(holder.processIdentifier))"))
    #expect(radio.received.isEmpty)

    try input.fileHandleForWriting.close()
    holder.waitUntilExit()
    #expect(listener.waitUntilLive())
    link.stop()
    radio.stop()
    #expect(PortHolder.holder(of: device.path) == nil)
}

@Test func aSecondLinkDoesNotGetThePort() throws {
    let device = FakeRadioDevice()
    try device.plug()
    let radio = ScriptedRadio(on: device.controller)
    let (first, second) = (Listener(), Listener())
    let link = RadioLink(address: .path(device.path), delegate: first)
    link.start()
    #expect(first.waitUntilLive())
    let late = RadioLink(address: .path(device.stablePath), delegate: second)
    late.start()
    #expect(second.waitForProblem("port-busy"))
    late.stop()
    link.stop()
    radio.stop()
}

/// TIOCEXCL would outlive a killed gateway for as long as the other end is open, and only root could open the terminal again.
@Test func aPseudoTerminalStaysOpenForOthers() throws {
    let device = FakeRadioDevice()
    try device.plug()
    let radio = ScriptedRadio(on: device.controller)
    let listener = Listener()
    let link = RadioLink(address: .path(device.path), delegate: listener)
    link.start()
    #expect(listener.waitUntilLive())
    let other = open("\(FakeRadioDevice.root)\(device.path)", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    defer { close(other) }
    var isExclusive: Int32 = -1
    // TIOCGEXCL, a macro with an argument.
    #expect(ioctl(other, 0x8004_5440, &isExclusive) == 0 && isExclusive == 0)
    link.stop()
    radio.stop()
}
