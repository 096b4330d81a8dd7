// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-S4vnOpaUvFOgvNY5mqRg4iEUKUhb6pbHEi67ugwuCfE="
#define page_script_digest "sha256-ZyxTefuTiHnxh8oRe/rrLTTSAbeDRixXgqJDxQsq3cM="
#define documentation_style_digest "sha256-Vr2+UXhWzrtOOrKSWGeC/ORku1bR/tHtIrDHukdQ3Q0="
#define documentation_script_digest "sha256-hQz2FaFK8l1cPEx8gmMVsT0+OQvW2xI04plTe0Xd9kQ="
