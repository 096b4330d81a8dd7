// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-0HzzE/58QW2C37OrRqpwBq5yki589dsC3dgkI6hl9PY="
#define page_script_digest "sha256-3VAG/ncHeIwsq22FJ+bi0YG7A7EDviZZgMTvQQWETSA="
#define documentation_style_digest "sha256-Vr2+UXhWzrtOOrKSWGeC/ORku1bR/tHtIrDHukdQ3Q0="
#define documentation_script_digest "sha256-DF+3yiUJLrBhUrjxjeyNMJdUzipeZ2kQeM6laBPCR4E="
