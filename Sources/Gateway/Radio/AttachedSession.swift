import Synchronization

/// The time between a radio's introduction at a link and its departure, or its next introduction. Who does something for it
/// that ends later compares: the same object is the same session, whatever link it was at.
final class AttachedSession: Sendable {
    private let over: Atomic<Bool>

    /// - Parameter isOver: no radio has been there yet.
    init(isOver: Bool = false) { over = Atomic(isOver) }

    var isOver: Bool { over.load(ordering: .acquiring) }

    /// Before anything else is closed, so that nothing opens again for it.
    func end() { over.store(true, ordering: .releasing) }
}
