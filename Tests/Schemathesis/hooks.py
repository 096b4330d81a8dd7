"""What Schemathesis is told beyond the document itself."""

import json
import os
import urllib.request

import schemathesis

GATEWAY = os.environ["MESH_GATEWAY_URL"]


def get(path):
    request = urllib.request.Request(
        GATEWAY + path, headers={"Authorization": "Bearer " + os.environ["MESH_GATEWAY_TOKEN"]})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """The prefixes of an endpoint have one handler: one of them is enough. Names of things that there are lead further.

    A stream of events has no end that could be waited for: RestAPITests holds it against its schema.
    """
    for path, operations in list(raw_schema["paths"].items()):
        for method, operation in list(operations.items()):
            if "x-canonical" in operation or is_stream(operation):
                del operations[method]
        if not operations:
            del raw_schema["paths"][path]
    close(raw_schema["components"]["schemas"])
    for path, operations in raw_schema["paths"].items():
        for operation in operations.values():
            close(operation["responses"])
            for parameter in operation.get("parameters", []):
                name = parameter["name"]
                known = KNOWN.get(path.split("/{id}")[0] if name == "id" else name)
                if known:
                    parameter["schema"] = {"anyOf": [{"enum": known}, parameter["schema"]]}
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            for name, schema in body.get("properties", {}).items():
                if name in KNOWN:
                    body["properties"][name] = {"anyOf": [{"enum": KNOWN[name]}, schema]}


def is_stream(operation):
    return "text/event-stream" in operation["responses"].get("200", {}).get("content", {})


def close(part):
    """An answer has no key that the document does not name. Clients must not count on that, so it does not say so."""
    if isinstance(part, dict):
        if part.get("type") in ("object", ["object", "null"]) and part.get("properties"):
            part.setdefault("additionalProperties", False)
        for value in part.values():
            close(value)
    elif isinstance(part, list):
        for value in part:
            close(value)


nodes = get("/api/v1/nodes")["data"]
sources = [source["id"] for source in get("/api/v1/sources")["data"]]
# Something of which there is data: random names would all be unknown ones.
KNOWN = {
    "sourceId": ["default", *sources],
    "/api/sources": ["default", *sources],
    "/api/v1/channel-database": [1, 2, 3],
    "nodeId": [node["nodeId"] for node in nodes],
    "fromNodeId": [node["nodeId"] for node in nodes],
    "toNodeId": [node["nodeId"] for node in nodes],
    "nodeNum": [node["nodeNum"] for node in nodes],
    "fromNum": [node["nodeNum"] for node in nodes],
    "toNum": [node["nodeNum"] for node in nodes],
    "destination": [node["nodeId"] for node in nodes],
    "fromSourceId": ["default", *sources],
    "toSourceId": ["default", *sources],
}
