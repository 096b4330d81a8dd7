// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-ORfLxShNFjuHDY0cYKCVWxWhoiIT0elFrwxWj14uiDE="
#define page_script_digest "sha256-VEDYQQgtDS0WHoH8U+C8EKnLXnoRRL7bpy9DNdisYoI="
#define documentation_style_digest "sha256-Vr2+UXhWzrtOOrKSWGeC/ORku1bR/tHtIrDHukdQ3Q0="
#define documentation_script_digest "sha256-HVlpUZiq4PUDSEkFuuFd+/vi9/HME67WC7zj25Wbr+0="
