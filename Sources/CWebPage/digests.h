// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-2v71BP6NlNYrr9lec8ngBVfQsWACxk//M+ARiW6PQkI="
#define page_script_digest "sha256-kvUNDdGBSYJrgEDAJv+LgxN5OvcBuV0uwabjjTCNB4Q="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
