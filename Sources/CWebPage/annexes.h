// Made by deploy/page of Sources/WebPage.

static const unsigned char annex_node[] = {
#embed "annex-node.js"
};
static const unsigned char annex_node_gz[] = {
#embed "annex-node.js.gz"
};
static const unsigned char annex_map[] = {
#embed "annex-map.js"
};
static const unsigned char annex_map_gz[] = {
#embed "annex-map.js.gz"
};
static const unsigned char annex_air[] = {
#embed "annex-air.js"
};
static const unsigned char annex_air_gz[] = {
#embed "annex-air.js.gz"
};
static const unsigned char annex_told[] = {
#embed "annex-told.js"
};
static const unsigned char annex_told_gz[] = {
#embed "annex-told.js.gz"
};
static const unsigned char annex_talks[] = {
#embed "annex-talks.js"
};
static const unsigned char annex_talks_gz[] = {
#embed "annex-talks.js.gz"
};
static const unsigned char annex_setup[] = {
#embed "annex-setup.js"
};
static const unsigned char annex_setup_gz[] = {
#embed "annex-setup.js.gz"
};
static const unsigned char annex_settings[] = {
#embed "annex-settings.js"
};
static const unsigned char annex_settings_gz[] = {
#embed "annex-settings.js.gz"
};

static const struct web_page_annex annexes[] = {
    {"/annex/node.AuMdAsXYVAPtv040Up5OVngOAbPz3dlSpp1rvpMuk.js", "sha256-AuMdAsXYVAPtv/040/Up5OVngOAbPz3dlSpp1rvpMuk=", FILE_OF(annex_node), FILE_OF(annex_node_gz)},
    {"/annex/map.suxUaWTWIYTX3hhcML9rt9lnYkVPjHHc1NJIxaj8.js", "sha256-suxUaWTW+IYTX3h/hcML9rt9lnYkVPjH+Hc1NJIxaj8=", FILE_OF(annex_map), FILE_OF(annex_map_gz)},
    {"/annex/air.LnvCLzqOJmzf7oLNMeVF6J6OdmQaeDXkUfHp0umgB8.js", "sha256-LnvCL+zqOJmzf7oLNMeVF6J6OdmQaeDXkUfHp0umgB8=", FILE_OF(annex_air), FILE_OF(annex_air_gz)},
    {"/annex/told.9Zh5rbyx4P8jwnf4P9hOTMyKTCYOxoDeirKsRik.js", "sha256-9+Zh5rbyx4P8jwnf4+P9hOTMyK/TCYOxoDe+irKsRik=", FILE_OF(annex_told), FILE_OF(annex_told_gz)},
    {"/annex/talks.MStI1tqtZHou7VrX9CtZIRjyP1Hx2OGV8v700sPI2Y.js", "sha256-MStI1tqtZHou7VrX9CtZIRjyP1Hx2OGV8v700sPI2+Y=", FILE_OF(annex_talks), FILE_OF(annex_talks_gz)},
    {"/annex/setup.BUVicEYWdJlU2QpMfIQPMjHylML3vGagd4ihzjDDY.js", "sha256-BUVicEYWdJlU2QpMfIQPMjHylML3vGagd4+ih+zjDDY=", FILE_OF(annex_setup), FILE_OF(annex_setup_gz)},
    {"/annex/settings.Gc3DKhCP9Y0hmtEd79vuj9wmofh7m8djQA6gV0U4oU.js", "sha256-Gc3DKhCP9Y0hmt+Ed79vuj9wmofh7m8djQA6gV0U4oU=", FILE_OF(annex_settings), FILE_OF(annex_settings_gz)},
};
