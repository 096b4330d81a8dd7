// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-9KeoHJGVg1ugGlT62bOBwQGtabJmRJUP5/0PgkrmWrc="
#define page_script_digest "sha256-A0WD68b9pjlTAP5oZPAu1R6Q3QeFE0+vrkXfDT6Jivg="
#define documentation_style_digest "sha256-Vr2+UXhWzrtOOrKSWGeC/ORku1bR/tHtIrDHukdQ3Q0="
#define documentation_script_digest "sha256-MpMLIL8WuDJFClB1Oo4KuntBvBCyvliZPlZYP0whJO4="
