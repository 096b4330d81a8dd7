// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-CJtbT5qRkholiXiR8pnR6L5uJGWldmoJnW5iUq6UMS8="
#define page_script_digest "sha256-vCx0tBIo9ge3mIgRfk6Vi3l2tz41mDQPg2gp8Deo0gQ="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
