// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-pfQxqbzSw84RZ6id6MYj4GDIwyuoK1USPJlbzORgb30="
#define page_script_digest "sha256-kH2lXWNcr6nM0wh48BZKE0YA+RrVyaPrFOBhiaF4/LM="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
