// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-3qwCvu0icF6BtE+4KZwLyPluGdiXAfEglo60fK8yqdI="
#define page_script_digest "sha256-IxSd27F3Xf9GD/kbRYQmq0UMP1G8RiESITNFwzdBha0="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
