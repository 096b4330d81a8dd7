// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-XEL3Vf2UlAbjceXIW+Wt1mYcTArEgEWS4m07MYfW5rE="
#define page_script_digest "sha256-hH9xQK29ZDQitWmY75SK1lpgY9gF99eJXdPKhaqPlRY="
#define documentation_style_digest "sha256-Vr2+UXhWzrtOOrKSWGeC/ORku1bR/tHtIrDHukdQ3Q0="
#define documentation_script_digest "sha256-HVlpUZiq4PUDSEkFuuFd+/vi9/HME67WC7zj25Wbr+0="
