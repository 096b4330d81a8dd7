"""The document is OpenAPI 3.1, and its JSON and its YAML say the same: validate.py URL-WITHOUT-SUFFIX"""

import json
import sys
import urllib.request

import yaml
from openapi_spec_validator import OpenAPIV31SpecValidator


def read(suffix):
    with urllib.request.urlopen(sys.argv[1] + suffix) as answer:
        return answer.read().decode()


document = json.loads(read(".json"))
mistakes = [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in
            OpenAPIV31SpecValidator(document).iter_errors()]
if yaml.safe_load(read(".yaml")) != document:
    mistakes.append("the JSON and the YAML differ")
print("\n".join(mistakes) or f"the document is valid OpenAPI 3.1 with {len(document['paths'])} paths")
sys.exit(1 if mistakes else 0)
