#include "webpage.h"
#include "digests.h"

// Documents and digests are what deploy/page has made of Sources/WebPage; the rest stands there as it is.

static const unsigned char page_html[] = {
#embed "page.html"
};
static const unsigned char page_html_gz[] = {
#embed "page.html.gz"
};
static const unsigned char documentation_html[] = {
#embed "documentation.html"
};
static const unsigned char documentation_html_gz[] = {
#embed "documentation.html.gz"
};
static const unsigned char sw_js[] = {
#embed "sw.js"
};
static const unsigned char sw_js_gz[] = {
#embed "sw.js.gz"
};
static const unsigned char manifest_webmanifest[] = {
#embed "../WebPage/manifest.webmanifest"
};
static const unsigned char icon_svg[] = {
#embed "../WebPage/icon.svg"
};
static const unsigned char icon_png[] = {
#embed "../WebPage/icon.png"
};

// The description of the API, which deploy/golden makes of Sources/OpenAPI.
static const unsigned char openapi_json_packed[] = {
#embed "openapi.json.packed"
};

#define FILE_OF(name) {name, sizeof name}

const struct web_page_document web_page = {
    FILE_OF(page_html), FILE_OF(page_html_gz), page_style_digest, page_script_digest,
};
const struct web_page_document web_page_documentation = {
    FILE_OF(documentation_html), FILE_OF(documentation_html_gz), documentation_style_digest, documentation_script_digest,
};
const struct web_page_script web_page_worker = {FILE_OF(sw_js), FILE_OF(sw_js_gz)};
const struct web_page_file web_page_manifest = FILE_OF(manifest_webmanifest);
const struct web_page_file web_page_icon = FILE_OF(icon_svg);
const struct web_page_file web_page_picture = FILE_OF(icon_png);
const struct web_page_file web_page_openapi = FILE_OF(openapi_json_packed);

#include "annexes.h"

const struct web_page_annex *web_page_annex(size_t place) {
    return place < sizeof annexes / sizeof *annexes ? &annexes[place] : NULL;
}
