// Made by deploy/page of Sources/WebPage.

#define page_style_digest "sha256-GFq9DKKa/yYO31CQDiAFlJmw59fUDBcSWZGcId2ozr4="
#define page_script_digest "sha256-1Qqxr5DSnWqWdemXJaLK8H7sAQ8KTxV0ZOUL3rM0s20="
#define documentation_style_digest "sha256-04J177+kGN9GsYi/JJb3ZSEZvU1EjKsiXaIGnynsNac="
#define documentation_script_digest "sha256-Ah5GPCLAG60n5H3bG+Y0jivqg/FV4dNuhyjsNyfoTzs="
