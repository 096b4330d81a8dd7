// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-xAAIEIiad/MLEcnjLpFzWvu1yizpFGIZNGzmVFNpnQs="
#define page_script_digest "sha256-WpKNrSp3BYdQN8pSWYyrWNJYIztgXLliyYkVMkfaifw="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-Ah5GPCLAG60n5H3bG+Y0jivqg/FV4dNuhyjsNyfoTzs="
