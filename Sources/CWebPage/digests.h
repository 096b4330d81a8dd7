// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-9KeoHJGVg1ugGlT62bOBwQGtabJmRJUP5/0PgkrmWrc="
#define page_script_digest "sha256-4OzXF0UIumlF8X8/fRBgCGcTWUUOi5HRoYClC9Je4p4="
#define documentation_style_digest "sha256-Vr2+UXhWzrtOOrKSWGeC/ORku1bR/tHtIrDHukdQ3Q0="
#define documentation_script_digest "sha256-MpMLIL8WuDJFClB1Oo4KuntBvBCyvliZPlZYP0whJO4="
