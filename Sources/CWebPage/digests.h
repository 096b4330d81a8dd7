// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-yPwLRZFwqconx3lz68h6BiFwQyG0iA0hTmc1l9KaqcM="
#define page_script_digest "sha256-ObrSsmmdBv9Py974y5mgR1T04DJLw8XdPeb76Vq/2/E="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-Ah5GPCLAG60n5H3bG+Y0jivqg/FV4dNuhyjsNyfoTzs="
