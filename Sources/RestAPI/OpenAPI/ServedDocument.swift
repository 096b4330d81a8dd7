import CWebPage
import JSON
import Routes
import Search

// The description of the API, half a megabyte that hardly anybody ever reads. The room OpenAPI makes it of tables, and it is
// embedded as JSON in which what is repeated stands once (a tenth of it). A test holds it against the tables. Unpacking it takes
// some milliseconds: it is kept while somebody reads it, and no longer (KeptDocuments).

/// The description in OpenAPI 3.1, as it is served.
struct ServedDocument {
    /// The server's.
    let version: String
    /// What stands before every path for the client; empty: nothing.
    var base = ""

    /// Texts of the embedded document in whose places the two stand.
    package static let places = (version: "@version@", base: "@base@")

    var json: [UInt8] {
        Repetitions.unpacked(UnsafeBufferPointer(start: web_page_openapi.bytes, count: web_page_openapi.count))
            .replacing(Self.text(Self.places.version), with: Self.text(version))
            .replacing(Self.text(Self.places.base), with: Self.text(base.isEmpty ? "/" : base))
    }

    var yaml: [UInt8] { YAMLWriter(json: json).bytes }

    /// With its quotation marks.
    private static func text(_ text: String) -> [UInt8] {
        var json = JSONWriter(capacity: 64)
        json.value(text)
        return json.bytes
    }
}
