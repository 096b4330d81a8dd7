import CSQLite
import Nettle

extension DatabaseConnection {
    /// What JSON and SQLite do not have in common: bytes, and numbers with all their digits
    /// (`sqlite3_create_function_v2`).
    func addArchiveFunctions() throws(StoreError) {
        try add("base64_text") { value in
            guard let bytes = value.blob else { return .null }
            return .text(Base64.encoded(bytes))
        }
        try add("base64_bytes") { value in
            guard let text = value.text else { return .null }
            return text.withBytes(Base64.decoded).map { .bytes($0) } ?? .failure("these are no bytes in base64")
        }
        try add("exact_text") { value in
            // JSON has no infinity.
            guard let number = value.real, number.isFinite else { return .text("null") }
            return .text("\(number)")
        }
        try add("exact_real") { value in
            guard let text = value.text, text != "null" else { return .null }
            return Double(text).map { .real($0) } ?? .failure("this is no number")
        }
    }

    private func add(_ name: String, _ function: @escaping (SQLiteValue) -> SQLiteResult) throws(StoreError) {
        let held = Unmanaged.passRetained(FunctionBox(function))
        let code = sqlite3_create_function_v2(
            handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, held.toOpaque(),
            { context, _, values in
                let box = Unmanaged<FunctionBox>.fromOpaque(sqlite3_user_data(context)!).takeUnretainedValue()
                box.function(SQLiteValue(handle: values![0]!)).set(on: context!)
            }, nil, nil, { Unmanaged<FunctionBox>.fromOpaque($0!).release() })
        guard code == SQLITE_OK else { throw .report(code, on: handle, during: "add \(name)") }
    }
}

private final class FunctionBox {
    let function: (SQLiteValue) -> SQLiteResult
    init(_ function: @escaping (SQLiteValue) -> SQLiteResult) { self.function = function }
}

/// `sqlite3_value`: an argument, valid during the call.
private struct SQLiteValue {
    let handle: OpaquePointer

    /// Nil for NULL.
    var blob: UnsafeRawBufferPointer? {
        guard sqlite3_value_type(handle) != SQLITE_NULL else { return nil }
        return UnsafeRawBufferPointer(start: sqlite3_value_blob(handle), count: Int(sqlite3_value_bytes(handle)))
    }

    var text: String? {
        guard sqlite3_value_type(handle) != SQLITE_NULL else { return nil }
        let start = sqlite3_value_text(handle)
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(handle))), as: UTF8.self)
    }

    var real: Double? {
        sqlite3_value_type(handle) == SQLITE_NULL ? nil : sqlite3_value_double(handle)
    }
}

private enum SQLiteResult {
    case null
    case real(Double)
    case text(String)
    case bytes([UInt8])
    case failure(String)

    /// `sqlite3_result_…`, which copies (SQLITE_TRANSIENT).
    func set(on context: OpaquePointer) {
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch self {
        case .null: sqlite3_result_null(context)
        case .real(let number): sqlite3_result_double(context, number)
        case .text(let text): sqlite3_result_text(context, text, -1, copied)
        case .bytes(let bytes) where bytes.isEmpty: sqlite3_result_zeroblob(context, 0)
        case .bytes(let bytes): sqlite3_result_blob(context, bytes, Int32(bytes.count), copied)
        case .failure(let message): sqlite3_result_error(context, message, -1)
        }
    }
}

extension String {
    fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = self
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
