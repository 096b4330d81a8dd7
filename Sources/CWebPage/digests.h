// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-ZefyBbgVoP4IYruccspR+TNQLS6XAUlFcUmmJYHgpCs="
#define page_script_digest "sha256-licHuWHDEwtJ1NjzIQEDvPgmMwBcGHwar32bACm+QYY="
#define documentation_style_digest "sha256-Vr2+UXhWzrtOOrKSWGeC/ORku1bR/tHtIrDHukdQ3Q0="
#define documentation_script_digest "sha256-DF+3yiUJLrBhUrjxjeyNMJdUzipeZ2kQeM6laBPCR4E="
