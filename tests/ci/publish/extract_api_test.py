#!/usr/bin/env python3
"""extract_api.py on a description of one's own: extract_api_test.py FOLDER_OF_THE_SCRIPT

The description is made of the committed extract, with what a service's has beside: descriptions, members that nobody
reads, references. The extract is what such a description says, and is not where a bound differs; where it may say less,
a bound that it leaves out is none, and a member that it does not have is.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.abspath(sys.argv[1])


def description_of(extract):
    document = {"paths": {}, "components": {"schemas": {}}}
    for number, operation in enumerate(extract["operations"]):
        if "source" in operation:  # described elsewhere
            continue
        described = {"description": "what it does", "parameters": [], "responses": {}}
        for name, schema in operation["parameters"].items():
            schema = copy.deepcopy(schema)
            described["parameters"].append({"name": name, "in": schema.pop("in"), "schema": schema})
        if "body" in operation:
            described["requestBody"] = {"content": {"application/json": {"schema": copy.deepcopy(operation["body"])}}}
        for status, schema in operation["responses"].items():
            described["responses"][status] = {"description": "an answer"}
            if schema is None:
                continue
            name = f"answer-{number}-{status}"
            more = dict(copy.deepcopy(schema), description="what it is")
            if "properties" in more:
                more["properties"]["unread"] = {"type": "string"}
                more["required"] = more.get("required", []) + ["unread"]
            document["components"]["schemas"][name] = more
            reference = {"$ref": f"#/components/schemas/{name}"}
            described["responses"][status]["content"] = {"application/json": {"schema": reference}}
        document["paths"].setdefault(operation["path"], {})[operation["method"].lower()] = described
    return document


def run(work, extract, document, *options):
    for name, value in (("extract.json", extract), ("description.json", document)):
        with open(os.path.join(work, name), "w") as file:
            json.dump(value, file)
    done = subprocess.run([sys.executable, os.path.join(HERE, "extract_api.py"), "extract.json", "description.json",
                           *options], cwd=work, stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout


with tempfile.TemporaryDirectory() as folder:
    for service in ("github", "gitlab"):
        with open(os.path.join(HERE, f"{service}_api.json")) as committed:
            kept = json.load(committed)
        status, said = run(folder, kept, description_of(kept))
        assert status == 0, said
        changed = description_of(kept)
        bodies = [one["requestBody"]["content"]["application/json"]["schema"]["properties"]
                  for path in changed["paths"].values() for one in path.values() if "requestBody" in one]
        next(iter(bodies[0].values()))["maxLength"] = 7
        status, said = run(folder, kept, changed)
        assert status == 1 and "maxLength: the description has 7, the extract" in said, said
        less = description_of(kept)
        for answer in less["components"]["schemas"].values():
            answer.pop("required", None)
        assert run(folder, kept, less)[0] == 1
        status, said = run(folder, kept, less, "--may-say-less")
        assert status == 0, said
        answer = next(one for one in less["components"]["schemas"].values() if len(one.get("properties", {})) > 1)
        member = next(iter(answer["properties"]))
        answer["properties"][member]["type"] = "null"
        status, said = run(folder, kept, less, "--may-say-less")
        assert status == 1 and f"properties.{member}.type: the description has \"null\"" in said, said
print("ok")
