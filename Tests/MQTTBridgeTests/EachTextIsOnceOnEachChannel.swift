import MeshModel
import Testing

@testable import MQTTBridge

/// Two gateways in one mesh, a third in another, and a client at the broker that they share: a thousand texts.
@Suite struct EachTextIsOnceOnEachChannel {
    /// What a text of each kind is on a channel.
    private func heard(_ texts: [(mesh: Int?, writer: String, text: String)], in mesh: Int) -> [String] {
        texts.map { $0.mesh == mesh ? $0.text : "\($0.writer): \($0.text)" }
    }

    private func talk(
        _ valleys: inout FakeValleys, count: Int, seed: UInt64
    ) -> [(mesh: Int?, writer: String, text: String)] {
        var random = Seeded(state: seed)
        var texts: [(mesh: Int?, writer: String, text: String)] = []
        for number in 0..<count {
            let mesh = [0, 1, nil].randomElement(using: &random)!
            let (writer, text) = (["Anna", "Bert", "Cleo"].randomElement(using: &random)!, "text \(number)")
            texts.append((mesh, writer, text))
            if let mesh {
                valleys.say(text, by: writer, in: mesh)
            } else {
                valleys.write(text, by: writer, id: "client-\(number)")
            }
            valleys.pass(Int64.random(in: 0...20_000, using: &random))
        }
        valleys.pass()
        return texts
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>) func andInEachConversation(seed: UInt64) {
        var valleys = FakeValleys([0, 0, 1], seed: seed)
        let texts = talk(&valleys, count: 1_000, seed: seed)
        for mesh in 0...1 {
            let said = valleys.channels[mesh] ?? []
            #expect(said.count == 1_000 && Set(said) == Set(heard(texts, in: mesh)), "seed \(seed), mesh \(mesh)")
        }
        for gateway in valleys.gateways {
            #expect(gateway.conversation.count == 1_000 && Set(gateway.conversation).count == 1_000, "seed \(seed)")
            #expect(gateway.bridge.dropped == 0 && gateway.bridge.alarm(upsFrom: 0) == nil)
        }
        // Two gateways may publish one text at the same time, under one id.
        #expect(Set(valleys.published).count == 1_000)
    }

    /// Both say the same at once now and then, because neither hears the other while it speaks. It ends there.
    @Test func aDoubledOneGoesNoFurther() {
        var valleys = FakeValleys([0, 0, 1], airtime: 700, seed: 7)
        let texts = talk(&valleys, count: 1_000, seed: 7)
        for mesh in 0...1 {
            let said = valleys.channels[mesh] ?? []
            #expect(Set(said) == Set(heard(texts, in: mesh)))
            // Of waits between 2 and 10 seconds one pair in six is that close.
            #expect(said.count - 1_000 < (mesh == 0 ? 250 : 1), "\(said.count)")
        }
        #expect(valleys.gateways.allSatisfy { $0.conversation.count == 1_000 })
    }

    /// Two meshes, five, and two of which one has three gateways.
    @Test(arguments: [[0, 1], [0, 1, 2, 3, 4], [0, 0, 0, 1, 1]]) func inEachOfSeveralMeshes(_ meshes: [Int]) {
        var valleys = FakeValleys(meshes, seed: 11)
        for number in 0..<100 {
            valleys.say("text \(number)", by: "Anna", in: number % 2)
            valleys.pass(20_000)
        }
        valleys.pass()
        for mesh in Set(meshes) {
            let wanted = (0..<100).map { $0 % 2 == mesh ? "text \($0)" : "Anna: text \($0)" }
            #expect(valleys.channels[mesh]?.sorted() == wanted.sorted(), "mesh \(mesh)")
        }
        #expect(valleys.gateways.allSatisfy { $0.conversation.count == 100 })
    }

    /// Who says the same word ten times has said it ten times.
    @Test func theSameWordsAreSaidAgain() {
        var valleys = FakeValleys([0, 0, 1], seed: 3)
        for number in 0..<10 {
            valleys.write("ok", by: "Anna", id: "client-\(number)")
            valleys.pass(30_000)
        }
        valleys.pass()
        for mesh in 0...1 { #expect(valleys.channels[mesh] == [String](repeating: "Anna: ok", count: 10)) }
    }

    /// The parts of a long text stay in their order, whoever sends them.
    @Test func partsStayInTheirOrder() {
        var valleys = FakeValleys([0, 0, 1, 1], seed: 5)
        for part in 1...6 { valleys.say("part \(part)", by: "Anna", in: 0) }
        valleys.pass()
        #expect(valleys.channels[1] == (1...6).map { "Anna: part \($0)" })
    }

    /// Texts that themselves look as if a bridge had said them.
    @Test func whatLooksBridgedGoesItsWay() {
        var valleys = FakeValleys([0, 1], seed: 13)
        valleys.say("Anna: Anna: hello", by: "Anna", in: 0)
        valleys.pass()
        #expect(valleys.channels[1] == ["Anna: Anna: Anna: hello"])
        valleys.write("Anna: hello", by: "Anna", id: "a-1")
        valleys.pass()
        #expect(valleys.channels[0] == ["Anna: Anna: hello"], "it is there already")
        #expect(valleys.channels[1] == ["Anna: Anna: Anna: hello", "Anna: Anna: hello"])
    }
}
