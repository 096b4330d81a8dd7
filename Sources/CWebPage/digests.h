// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-jHEEDLZBnFeIHKsKtfhtyoPoMCqBh6T3kqZRPxxXXOk="
#define page_script_digest "sha256-BU8pPrFjqQFGcWZwfnFS2cNsLtYAZVJsAHumAukGy+A="
#define documentation_style_digest "sha256-Vr2+UXhWzrtOOrKSWGeC/ORku1bR/tHtIrDHukdQ3Q0="
#define documentation_script_digest "sha256-43z9R0C6GwFMpf1IS3C4VTGz4qhYXGr3/sTtJBJYRPw="
