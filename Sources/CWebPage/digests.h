// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-boiwpE3rg8qHEymvAHM17PJAHMEb4Vpz8D9S20VyosA="
#define page_script_digest "sha256-eNIAKfhpKzL2irhOu/UqHS0Tsct/DMmFlyqFxiXU3Xg="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
