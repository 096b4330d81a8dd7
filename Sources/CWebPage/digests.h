// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-W9T6yXuOFzt4bWRb9Hj+X8HnK1maRIGPReUkW5hffGg="
#define page_script_digest "sha256-o5rCuRy4VT8TQVypdBvvDtI8qABUBK0m65H2ej3n3tA="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-Ah5GPCLAG60n5H3bG+Y0jivqg/FV4dNuhyjsNyfoTzs="
