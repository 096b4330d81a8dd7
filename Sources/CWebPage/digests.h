// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-l+JRxqwWFTlGhyRff2U0fg6cwlxWH7nX+G7dfEId/+0="
#define page_script_digest "sha256-GNYzZV5OEh9ilf1ghpKhHAUDYX9HdarDtA2K2mm/hIQ="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
