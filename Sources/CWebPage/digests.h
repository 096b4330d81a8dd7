// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-yPwLRZFwqconx3lz68h6BiFwQyG0iA0hTmc1l9KaqcM="
#define page_script_digest "sha256-0afK2V0AWjI8DiXr/mzyj5DrCZH0yPPKxmEsz5E9rYc="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-Ah5GPCLAG60n5H3bG+Y0jivqg/FV4dNuhyjsNyfoTzs="
