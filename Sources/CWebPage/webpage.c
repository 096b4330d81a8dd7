#include "webpage.h"

// The files of Sources/WebPage, each as it stands there. A part is its files one after the other, in this order.

static const unsigned char head_html[] = {
#embed "../WebPage/head.html"
};
static const unsigned char style_css[] = {
#embed "../WebPage/style.css"
};
static const unsigned char body_html[] = {
#embed "../WebPage/body.html"
};
static const unsigned char core_js[] = {
#embed "../WebPage/core.js"
};
static const unsigned char texts_js[] = {
#embed "../WebPage/texts.js"
};
static const unsigned char api_js[] = {
#embed "../WebPage/api.js"
};
static const unsigned char live_js[] = {
#embed "../WebPage/live.js"
};
static const unsigned char door_js[] = {
#embed "../WebPage/door.js"
};
static const unsigned char views_js[] = {
#embed "../WebPage/views.js"
};
static const unsigned char chats_js[] = {
#embed "../WebPage/chats.js"
};
static const unsigned char chat_js[] = {
#embed "../WebPage/chat.js"
};
static const unsigned char message_js[] = {
#embed "../WebPage/message.js"
};
static const unsigned char composer_js[] = {
#embed "../WebPage/composer.js"
};
static const unsigned char search_js[] = {
#embed "../WebPage/search.js"
};
static const unsigned char nodes_js[] = {
#embed "../WebPage/nodes.js"
};
static const unsigned char node_js[] = {
#embed "../WebPage/node.js"
};
static const unsigned char chart_js[] = {
#embed "../WebPage/chart.js"
};
static const unsigned char qr_js[] = {
#embed "../WebPage/qr.js"
};
static const unsigned char map_js[] = {
#embed "../WebPage/map.js"
};
static const unsigned char waypoints_js[] = {
#embed "../WebPage/waypoints.js"
};
static const unsigned char links_js[] = {
#embed "../WebPage/links.js"
};
static const unsigned char packets_js[] = {
#embed "../WebPage/packets.js"
};
static const unsigned char radio_js[] = {
#embed "../WebPage/radio.js"
};
static const unsigned char more_js[] = {
#embed "../WebPage/more.js"
};
static const unsigned char boot_js[] = {
#embed "../WebPage/boot.js"
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

#define FILE_OF(name) {name, sizeof name}

static const struct web_page_file head[] = {
    FILE_OF(head_html),
    {0, 0},
};
static const struct web_page_file style[] = {
    FILE_OF(style_css),
    {0, 0},
};
static const struct web_page_file body[] = {
    FILE_OF(body_html),
    {0, 0},
};
static const struct web_page_file script[] = {
    FILE_OF(core_js),
    FILE_OF(texts_js),
    FILE_OF(api_js),
    FILE_OF(live_js),
    FILE_OF(door_js),
    FILE_OF(views_js),
    FILE_OF(chats_js),
    FILE_OF(chat_js),
    FILE_OF(message_js),
    FILE_OF(composer_js),
    FILE_OF(search_js),
    FILE_OF(nodes_js),
    FILE_OF(node_js),
    FILE_OF(chart_js),
    FILE_OF(qr_js),
    FILE_OF(map_js),
    FILE_OF(waypoints_js),
    FILE_OF(links_js),
    FILE_OF(packets_js),
    FILE_OF(radio_js),
    FILE_OF(more_js),
    FILE_OF(boot_js),
    {0, 0},
};

const struct web_page_file *web_page_files(enum web_page_part part) {
    switch (part) {
    case WEB_PAGE_HEAD: return head;
    case WEB_PAGE_STYLE: return style;
    case WEB_PAGE_BODY: return body;
    case WEB_PAGE_SCRIPT: return script;
    }
    return 0;
}

const struct web_page_file web_page_manifest = FILE_OF(manifest_webmanifest);
const struct web_page_file web_page_icon = FILE_OF(icon_svg);
const struct web_page_file web_page_picture = FILE_OF(icon_png);
