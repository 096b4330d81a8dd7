import Terminal

// The nodes of the mesh, and what the radio knows of them.

let nodeChecks = [
    Check("favorites", ofEachRadio(favorites)), Check("renumbered-nodes", ofEachRadio(renumberedNodes)),
    Check("quiet-nodes", ofEachRadio(quietNodes)),
]

private func favorites(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard radio.missingFavorites.count > 0 else { return .ok("The radio has every favourite.") }
    return .warning(
        "Favourites that the radio does not have: \(radio.missingFavorites.text). Its list of favourites and ignored nodes is "
            + "full, or it has forgotten them: it may forget these nodes and their keys.", fix: nil)
}

private func renumberedNodes(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard let numbers = radio.renumberedNodes.ids.first?.split(separator: " "), numbers.count == 2 else {
        return .ok("No node seems to have another number now.")
    }
    let count = radio.renumberedNodes.count
    let more = count > 1 ? ", and \(count - 1) more" : ""
    return .warning(
        "\(numbers[1]) is the number that firmware 2.8 makes of the key of \(numbers[0])\(more). Where that is one device, its "
            + "history can be joined, while the daemon is stopped.",
        fix: "mesh-gateway node merge \(shellWord(String(numbers[0]))) \(shellWord(String(numbers[1]))) --dry-run")
}

/// Fewer nodes tell nothing about a mesh.
private let fewNodes = 3

private func quietNodes(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    let (heard, quiet) = (radio.heardNodes, radio.quietNodes.count)
    let words = "Of \(heard) nodes that were heard in the last week \(quiet) have sent no telemetry"
    guard heard >= fewNodes, quiet * 2 >= heard else { return .ok("\(words).") }
    return .warning(
        "\(words): \(radio.quietNodes.text). Firmware 2.8 sends none to the mesh unless it is told to; lists show no battery of "
            + "these.", fix: nil)
}
