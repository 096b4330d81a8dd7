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
    {"/annex/air.LsIDkoPTETtklfKHHTqb9ddbimMF4eCL1HbRgfkl7Qw.js", "sha256-LsIDkoPTETtklfKHHTqb9ddbimMF4eCL1HbRgfkl7Qw=", FILE_OF(annex_air), FILE_OF(annex_air_gz)},
    {"/annex/told.F5uIk4mzOCTnrCe3tblVqHBNtaKgNyHKgHeNqeyUZE.js", "sha256-F+5uIk4mzOCTnrCe3tblVqHBNtaKgNyHKgHeNqeyUZE=", FILE_OF(annex_told), FILE_OF(annex_told_gz)},
    {"/annex/setup.NXKQTCqB6y2ZyfEdPht9bQkuYBLspy7NIIVSGmZPsi0.js", "sha256-NXKQTCqB6y2ZyfEdPht9bQkuYBLspy7NIIVSGmZPsi0=", FILE_OF(annex_setup), FILE_OF(annex_setup_gz)},
    {"/annex/settings.Gc3DKhCP9Y0hmtEd79vuj9wmofh7m8djQA6gV0U4oU.js", "sha256-Gc3DKhCP9Y0hmt+Ed79vuj9wmofh7m8djQA6gV0U4oU=", FILE_OF(annex_settings), FILE_OF(annex_settings_gz)},
};
