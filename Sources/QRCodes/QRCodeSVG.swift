extension QRCode {
    /// As an SVG document: black on white whatever is around it, a unit for each module, the quiet zone around them.
    public var svg: String {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while isDark(row, column) { column += 1 }
                if column > start {
                    path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(column - start)v1h-\(column - start)z"
                }
                column += 1
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(columns) \(columns)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(columns)v\(columns)h-\(columns)z"/><path d="\(path)"/></svg>

            """
    }
}
