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
static const unsigned char annex_push[] = {
#embed "annex-push.js"
};
static const unsigned char annex_push_gz[] = {
#embed "annex-push.js.gz"
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
    {"/annex/node.xNRwSK5wSUAoFMZLvtQc75ExWFWlPxHNb5b19eCq5A.js", "sha256-xNRwSK5wSUAoFMZLvtQc75ExWFWlPxHNb5/b19eCq5A=", FILE_OF(annex_node), FILE_OF(annex_node_gz)},
    {"/annex/map.VjADdvyhhK5FWyOP5W4cYE4pZUwse6xLOpK684KC11Q.js", "sha256-VjADdvyhhK5FWyOP5W4cYE4pZUwse6xLOpK684KC11Q=", FILE_OF(annex_map), FILE_OF(annex_map_gz)},
    {"/annex/air.sQueTcl9MEcPuyC5TTtvLJdjfjOaUrwEaGGFpmTE1A.js", "sha256-sQueTcl9MEcPuy/C5TTtvLJdjfjOaUrwEaGGFpmTE1A=", FILE_OF(annex_air), FILE_OF(annex_air_gz)},
    {"/annex/told.U7f85ee6geEm2ZBXtkV41ilvFmgU1PUp2AY4XX7g.js", "sha256-U7f85e+e6geEm2ZBXtk+V41ilvFmgU1PUp2A+Y4XX7g=", FILE_OF(annex_told), FILE_OF(annex_told_gz)},
    {"/annex/push.WjwCNl1DdSHj7bK2bOVbTJPoThlkY8uxnfoSlpXWx8.js", "sha256-WjwCNl1DdSHj7bK2bOVbTJPoThlk/Y8uxnfoSlpXWx8=", FILE_OF(annex_push), FILE_OF(annex_push_gz)},
    {"/annex/talks.dzdm29tQpCgT5PGRPNKYshnZSzevRG8kXsUajUtkJQk.js", "sha256-dzdm29tQpCgT5PGRPNKYshnZSzevRG8kXsUajUtkJQk=", FILE_OF(annex_talks), FILE_OF(annex_talks_gz)},
    {"/annex/setup.TV3Y20SHrzJ5dD0EMSrYLZzxLYvApfMUJOGkgO19EY.js", "sha256-TV3Y20SHrzJ5dD0EMSrYLZzxLYvApfMU+JOGkgO19EY=", FILE_OF(annex_setup), FILE_OF(annex_setup_gz)},
    {"/annex/settings.wdB03SvHH1xdwFsPd0APWAjhlG4RTpTc9U7OnCew.js", "sha256-wdB03SvHH1xdwFsPd0/APWAjhlG4RTpTc9U7On+Ce+w=", FILE_OF(annex_settings), FILE_OF(annex_settings_gz)},
};
