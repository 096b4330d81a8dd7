// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-HVHrWJRW5X+vTt65kIz5gK+JhSASmuIYwaPbBGIWFEA="
#define page_script_digest "sha256-VSWJWIZXUnlug71Gt5lbmKZddPZwgD+9lGDBfwMd2Y4="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
