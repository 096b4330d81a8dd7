"""Holds what commands print as JSON against the published schemas.

Standard input: one JSON object a line, {"command", "schema", "output"}; the schema is a file's name below the folder
that is the argument. Each line of an output is a document of its own. What does not fit is printed.
"""

import json
import pathlib
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(3)


def objects(schema):
    """Every schema within that describes an object."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


validators = {}
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    schema = json.loads(path.read_text())
    Draft202012Validator.check_schema(schema)
    for part in objects(schema):
        if part.get("additionalProperties") is not False:
            print(f"{path.name}: open to other members: {list(part['properties'])}")
        if set(part["properties"]) != set(part.get("required", [])):
            print(f"{path.name}: not all required: {list(part['properties'])}")
    validators[path.stem] = Draft202012Validator(schema)

for line in sys.stdin:
    case = json.loads(line)
    documents = case["output"].splitlines()
    if not documents:
        print(f"{case['command']}: printed nothing")
    for document in documents:
        try:
            value = json.loads(document)
        except ValueError as error:
            print(f"{case['command']}: {error}: {document[:200]}")
            continue
        for error in validators[case["schema"]].iter_errors(value):
            print(f"{case['command']}: {error.json_path}: {error.message[:300]}")
print("read", len(validators), "schemas")
