import JSON

extension JSONWriter {
    /// The member `mistakes` of a folder's page, or of a row in it.
    ///
    /// - Parameter showsFiles: with the whole path of a file, for users of this machine.
    public mutating func mistakes(_ mistakes: [Mistake], showsFiles: Bool) {
        key("mistakes")
        array { json in
            for mistake in mistakes {
                let file = showsFiles ? mistake.file : mistake.file.split(separator: "/").last.map(String.init)
                json.object { json in
                    json.member("file", file)
                    json.member("line", mistake.line)
                    json.member("message", mistake.text)
                }
            }
        }
    }
}
