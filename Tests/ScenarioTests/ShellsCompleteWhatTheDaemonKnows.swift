import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// What bash offers for the last word of a line.
private func offered(_ line: String, in folders: Folders) throws -> (words: [String], said: String) {
    let script = """
        set -u
        PATH=\(((Program.path) as NSString).deletingLastPathComponent):$PATH
        source <(mesh-gateway completions bash)
        COMP_LINE=$1 COMP_POINT=${#1}
        read -ra COMP_WORDS <<< "$1"
        [[ $1 = *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        COMPREPLY=()
        set +u
        _mesh-gateway mesh-gateway "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """
    let bash = try Program(["-c", script, "bash", line], in: folders, executable: "bash")
    #expect(try bash.exitCode() == 0, "\(bash.errors.text)")
    return (bash.output.text.split(separator: "\n").map(String.init), bash.errors.text)
}

@Test func shellsCompleteWhatTheDaemonKnows() throws {
    let here = try RadioHere()
    let folders = try Folders()
    let (hiker, stranger) = (here.radio.nodes[0], here.radio.nodes[1])
    #expect(try offered("mesh-gateway no", in: folders).words == ["nodes", "node"])
    #expect(try offered("mesh-gateway config show keep-m", in: folders).words == ["keep-messages"])
    let alone = try offered("mesh-gateway node ", in: folders)
    #expect(
        alone.words.allSatisfy { $0.hasPrefix("-") || ["show", "merge"].contains($0) } && alone.said.isEmpty,
        "silent without a daemon: \(alone)")

    let gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    // A name that a shell would obey: bash expands what it is offered.
    let trap = "$(touch \(folders.root)/trap)"
    var user = try #require(stranger.user)
    (user.longName, user.shortName) = (trap, "`id`")
    here.radio.inject(
        MeshPacket(
            from: stranger.number, to: .broadcast, id: 4711,
            payload: .decoded(MeshData(port: .nodeInfo, payload: user.encoded(), bitfield: 1)), rxSNR: 5, rxRSSI: -80,
            hopLimit: 3, hopStart: 3, transport: .lora))
    try gateway.eventually("the trap is set") {
        try Program.run("nodes", "--json", in: folders).output.contains("touch \(folders.root)")
    }

    let nodes = try offered("mesh-gateway node ", in: folders).words
    for node in here.radio.nodes { #expect(nodes.contains(node.number.id)) }
    #expect(nodes.contains(hiker.longName))
    #expect(!nodes.contains { $0.contains("trap") || $0.contains("id`") })
    #expect(!FileManager.default.fileExists(atPath: "\(folders.root)/trap"))
    #expect(
        try offered("mesh-gateway keys verify \(hiker.number.id.prefix(7))", in: folders).words
            == here.radio.nodes.map(\.number.id).filter { $0.hasPrefix(hiker.number.id.prefix(7)) })
    #expect(try offered("mesh-gateway nodes --source D", in: folders).words == ["Default"])
    #expect(try offered("mesh-gateway nodes --sort sn", in: folders).words == ["snr"])
    #expect(try offered("mesh-gateway serve --device sim", in: folders).words == ["simulated"])
    #expect(try Program.run("token", "create", "phone", in: folders).code == 0)
    #expect(try offered("mesh-gateway token revoke ph", in: folders).words == ["phone"])
    try gateway.program.stop()
}

@Test(arguments: ["bash", "zsh", "fish"])
func eachShellHasAScript(shell: String) throws {
    let script = try Program.run("completions", shell, in: Folders())
    #expect(script.code == 0 && script.output.contains("---complete \(shell)"))
    // It asks the program for every word.
    #expect(!script.output.contains("nodes") && script.output.split(separator: "\n").count < 40)
}
