// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-29bn0fF7Qfi/VSBKAQ1QA4dFVg2DDBz20cBLocLD/LM="
#define page_script_digest "sha256-ZDufDraB/12I1UrD3fPssAAMvgxqdvnJTMZ6xoHkWgg="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-6lS+fdbDiML2ZmqKZuNGxZZPmJOrt5MPZsCKzmyZALw="
