"""Reads nodes and messages into pydantic models, as a web feed does: read-with-pydantic.py URL

The token is in the environment. One row that does not fit refuses its whole list. Prints what came of it, a line each:
how many nodes have a name, and for each message its name or id, its text, and the text that it answers.
"""

import json
import os
import sys
import urllib.error
import urllib.request
from typing import Optional

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """1 is no boolean and no text, and neither is true a number."""

    model_config = ConfigDict(strict=True)


class Node(Strict):
    nodeId: str
    longName: Optional[str]
    shortName: Optional[str]


class Message(Strict):
    id: str
    fromNodeId: str
    toNodeId: str
    text: str
    timestamp: int
    rxSnr: Optional[float]
    rxRssi: Optional[float]
    rxTime: Optional[int]
    hopStart: Optional[int]
    viaMqtt: Optional[bool]
    deliveryState: Optional[str]
    replyId: Optional[int]


class Nodes(Strict):
    success: bool
    count: int
    data: list[Node]


class Messages(Strict):
    success: bool
    count: int
    data: list[Message]


class One(Strict):
    data: Message


def get(path):
    request = urllib.request.Request(
        sys.argv[1] + path, headers={"Authorization": "Bearer " + os.environ["MESH_GATEWAY_TOKEN"]}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def answered(message, page):
    """The text that a message answers, from the page or by its packet id alone."""
    if not message.replyId:
        return "-"
    for other in page:
        if other.id.rsplit("_", 1)[-1] == str(message.replyId):
            return other.text
    try:
        return One(**get(f"/api/v1/messages/{message.replyId}")).data.text
    except urllib.error.HTTPError as error:
        return f"HTTP {error.code}"


names = {node.nodeId: node.longName for node in Nodes(**get("/api/v1/nodes")).data if node.longName}
page = Messages(**get("/api/v1/messages?limit=5")).data
print(len(names))
for message in page:
    print(names.get(message.fromNodeId, message.fromNodeId), message.text, answered(message, page), sep="\t")
