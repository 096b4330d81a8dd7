// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-ps2eyql1ExXEoToGrsXRBSFPYneTBupq+nsJud9oPEw="
#define page_script_digest "sha256-lYwx8U8tY+nfY0CZzYBtmcYX795747c4bQAG5SXs9zI="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
