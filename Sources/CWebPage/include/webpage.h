#pragma once

#include <stddef.h>

/// A file as it is sent.
struct web_page_file {
    const unsigned char *bytes;
    size_t count;
};

/// An HTML document as it is and packed (gzip), and the digests by which its policy names its style and its script.
struct web_page_document {
    struct web_page_file plain, packed;
    const char *style_digest, *script_digest;
};

/// A script as it is and packed.
struct web_page_script {
    struct web_page_file plain, packed;
};

/// A script that the page fetches, as it is and packed: its path, and the digest by which the page's policy names it.
struct web_page_annex {
    const char *path, *digest;
    struct web_page_file plain, packed;
};

extern const struct web_page_document web_page, web_page_documentation;
/// The page's service worker.
extern const struct web_page_script web_page_worker;
extern const struct web_page_file web_page_manifest, web_page_icon, web_page_picture;
/// The description of the API; RestAPI unpacks it.
extern const struct web_page_file web_page_openapi;

/// The annexes from 0 on; NULL behind the last.
const struct web_page_annex *web_page_annex(size_t place);
