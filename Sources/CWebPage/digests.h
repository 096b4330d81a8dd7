// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-ps2eyql1ExXEoToGrsXRBSFPYneTBupq+nsJud9oPEw="
#define page_script_digest "sha256-ssccLCaudKJaXHr5+wHFkDdJ+KaCoiLIgXzowAUeRN4="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
