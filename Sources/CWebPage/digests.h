// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-boiwpE3rg8qHEymvAHM17PJAHMEb4Vpz8D9S20VyosA="
#define page_script_digest "sha256-Nvasp+3f8LPs03YxVrUdNmwRQ4yfF1Mj6lXmA695vg0="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
