// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-ngvb63rC70JEQQcK15VBmB3TFVjTgV/INFG8mdX7Rgo="
#define page_script_digest "sha256-D8ifDdffgB+MD0mGDfkFmHt3AMNsRQz1N/vrNOqjcHc="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
