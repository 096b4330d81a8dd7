// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-bplIVf3+BTmbGg1V8pN/4Q1/yn4R5lsJkQU8FON9RSc="
#define page_script_digest "sha256-0nt0h2O636lvoU4vmMPZUShRDZe2Sr5VD8/9c/Vt+Bw="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
