// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-XEL3Vf2UlAbjceXIW+Wt1mYcTArEgEWS4m07MYfW5rE="
#define page_script_digest "sha256-W75EL7lWp2u/5iwC68kNvplhsADCgSNTuIn6lJNnU5Q="
#define documentation_style_digest "sha256-Vr2+UXhWzrtOOrKSWGeC/ORku1bR/tHtIrDHukdQ3Q0="
#define documentation_script_digest "sha256-43z9R0C6GwFMpf1IS3C4VTGz4qhYXGr3/sTtJBJYRPw="
