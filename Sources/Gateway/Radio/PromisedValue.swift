import Platform

/// A value that one thread waits for and another one brings.
final class PromisedValue<Value: Sendable>: Sendable {
    private let value = Monitor<Value?>(nil)

    func bring(_ value: Value) { self.value.notify { $0 = value } }

    /// Nil: it did not come in time.
    func wait(seconds: Int) -> Value? { value.wait(seconds: seconds) { $0 } }
}
