"""docs/schemas, as tests hold documents to them: there, a key that no schema names is an error, too."""

import functools
import json
import os

import jsonschema


def closed(node):
    """A part of a schema, whose objects have no other keys than those that it names."""
    if isinstance(node, list):
        return [closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {**({"additionalProperties": False} if "properties" in node else {}), **{key: closed(value) for key, value in node.items()}}


@functools.cache
def published(folder):
    """The schemas by their file names."""
    schemas = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            schemas[name] = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schemas[name])
    return schemas


def problems(folder, kind, document):
    """What keeps a document from being one of that kind, a line each."""
    store = {name: closed(schema) for name, schema in published(folder).items()}
    schema = store[kind + ".json"]
    checker = jsonschema.Draft202012Validator(schema, resolver=jsonschema.RefResolver(schema["$id"], schema, store))
    return [f"{error.json_path}: {error.message}" for error in checker.iter_errors(document)]
