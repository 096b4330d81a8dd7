#pragma once

#include <stddef.h>

/// A file of Sources/WebPage as it stands there.
struct web_page_file {
    const unsigned char *bytes;
    size_t count;
};

/// In the order in which the page has them.
enum web_page_part { WEB_PAGE_HEAD, WEB_PAGE_STYLE, WEB_PAGE_BODY, WEB_PAGE_SCRIPT };

/// One after the other they are the part. The last one has no bytes.
const struct web_page_file *web_page_files(enum web_page_part part);

extern const struct web_page_file web_page_manifest, web_page_icon, web_page_picture;
