import Routes

/// The page that shows the OpenAPI document. Its three parts are in files of their own.
enum DocumentationPage {
    static var html: String {
        head + "<style>" + style + "</style>\n" + content + "<script>" + script + "</script>\n</body>\n</html>\n"
    }

    private static let head = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>mesh-gateway API</title>
        <link rel="icon" href="data:,">

        """

    private static let content = """
        </head>
        <body>
        <header>
        <h1>mesh-gateway API <small id="version"></small></h1>
        <p id="links"><a href="docs/openapi.json">openapi.json</a> <a href="docs/openapi.yaml">openapi.yaml</a></p>
        </header>
        <section class="bar" aria-label="Used by every request">
        <label>Token <input id="token" type="password" autocomplete="off" spellcheck="false" \
        placeholder="mm_v1_… (kept on this page only)"></label>
        <label>Source <input id="source" value="default" autocomplete="off" spellcheck="false"></label>
        <label>Find <input id="find" type="search" autocomplete="off" placeholder="path or word"></label>
        </section>
        <main id="main"><p id="notice" role="status">Reading the document …</p></main>
        <noscript><p>This page needs JavaScript; the document itself does not: see the links above.</p></noscript>

        """
}
