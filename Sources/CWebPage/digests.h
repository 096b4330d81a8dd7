// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-ngvb63rC70JEQQcK15VBmB3TFVjTgV/INFG8mdX7Rgo="
#define page_script_digest "sha256-SMEOUOXacNruAVk+8XH9MYdfNVn5BwKjaAZEnf0jvf0="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
