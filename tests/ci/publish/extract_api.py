#!/usr/bin/env python3
"""Makes github_api.json or gitlab_api.json anew from the description that the service publishes, given as a file.

    tests/ci/publish/extract_api.py EXTRACT DESCRIPTION [--may-say-less] [--write SOURCE]

The extract says itself which operations are called, and which members of their answers are read and may be null; all
else comes from the description: parameters, bodies, types, bounds, statuses. Status 0: it is what the description says;
1: it differs, and how is told. --write: it is written anew, and SOURCE says what the description is, with its version.
GitHub's is generated/api.github.com.deref.json of npm's @octokit/openapi (npm pack @octokit/openapi@23.0.2); GitLab's
is doc/api/openapi/openapi_v3.yaml of its repository, which says of no answer's member that it is always there and
leaves bounds out that its pages name: --may-say-less lets the extract be stricter there. A version is in the extract's
"source"; an operation that is of another document has a source of its own, and is left alone.
"""
import argparse
import json
import sys

STRICTER = ("required", "maximum", "enum", "format")  # what an extract may say where the description says nothing
KEPT = ("type", "nullable", "enum", "maximum", "maxLength", "maxItems")
BASES = ("", "/api/v4")  # of paths, in the extract without


def of_reference(schema, document):
    while "$ref" in schema:
        target = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        schema = target
    return schema


def one_of(variants, document):
    """What holds of every variant: a member is there where each has it, and may be null where it may in one."""
    variants = [of_reference(variant, document) for variant in variants]
    made = dict(variants[0], properties={})
    for variant in variants:
        for name, schema in variant.get("properties", {}).items():
            known = made["properties"].setdefault(name, dict(of_reference(schema, document)))
            if of_reference(schema, document).get("nullable"):
                known["nullable"] = True
    made["required"] = [name for name in variants[0].get("required", [])
                        if all(name in variant.get("required", []) for variant in variants)]
    return made


def shortened(schema, document, wanted=None):
    """Without descriptions; `wanted`: of objects the members that this extract has, and no others."""
    schema = of_reference(schema, document)
    for kind in ("allOf", "anyOf", "oneOf"):
        if kind in schema and "type" not in schema and "properties" not in schema:
            may_be_null = {"nullable": True} if schema.get("nullable") else {}
            schema = dict(one_of(schema[kind], document), **may_be_null)
    made = {name: schema[name] for name in KEPT if name in schema}
    if wanted and wanted.get("nullable"):  # accounts that are gone: not every description says it of each
        made["nullable"] = True
    if schema.get("format") == "date-time" and wanted is None:
        made["format"] = schema["format"]
    if schema.get("properties"):
        chosen = schema["properties"] if wanted is None else wanted.get("properties", {})
        made["properties"] = {name: shortened(schema["properties"][name], document, wanted and chosen[name])
                              for name in chosen}
    required = [name for name in schema.get("required", []) if wanted is None or name in made.get("properties", {})]
    if required:
        made["required"] = required
    if "items" in schema:
        made["items"] = shortened(schema["items"], document, wanted and wanted.get("items", {}))
    if "anyOf" in schema and wanted is None:
        made["anyOf"] = [shortened(variant, document) for variant in schema["anyOf"]]
    return made


def schema_of(described):
    """Of a body or an answer; Swagger 2.0 has it without a content."""
    content = described.get("content", {"application/json": described})
    return content.get("application/json", {}).get("schema")


def operation_of(kept, document):
    """None: the description has no such operation."""
    if "source" in kept:
        return kept
    paths = [document["paths"][base + kept["path"]] for base in BASES if base + kept["path"] in document["paths"]]
    described = paths[0].get(kept["method"].lower()) if paths else None
    if described is None:
        return None
    made = {"method": kept["method"], "path": kept["path"], "parameters": {}, "responses": {}}
    for parameter in described.get("parameters", []):
        parameter = of_reference(parameter, document)
        plain = {name: value for name, value in parameter.items() if name != "required"}  # of Swagger 2.0
        schema = shortened(parameter.get("schema", plain), document)
        if parameter["in"] == "body":
            made["body"] = schema
        else:
            made["parameters"][parameter["name"]] = dict(schema, **{"in": parameter["in"]})
    if "requestBody" in described:
        made["body"] = shortened(schema_of(described["requestBody"]), document)
    for status, answer in described["responses"].items():
        schema = schema_of(of_reference(answer, document))
        wanted = kept["responses"].get(status)
        made["responses"][status] = shortened(schema, document, wanted) if schema and wanted else None
    return made


def differences(made, kept, where, may_say_less):
    if isinstance(made, dict) and isinstance(kept, dict):
        for name in sorted(made.keys() | kept.keys()):
            if may_say_less and name in STRICTER and name not in made:
                continue
            yield from differences(made.get(name, "nothing"), kept.get(name, "nothing"), f"{where}.{name}",
                                   may_say_less)
    elif made != kept and not (where.endswith(".required") and sorted(made) == sorted(kept)):
        yield f"{where}: the description has {json.dumps(made)}, the extract {json.dumps(kept)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("extract")
    parser.add_argument("description")
    parser.add_argument("--may-say-less", action="store_true")
    parser.add_argument("--write", metavar="SOURCE")
    arguments = parser.parse_args()
    with open(arguments.extract) as file:
        kept = json.load(file)
    with open(arguments.description) as file:
        if arguments.description.endswith((".yaml", ".yml")):
            import yaml
            document = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        else:
            document = json.load(file)
    found, operations = [], []
    for old in kept["operations"]:
        name = f"{old['method']} {old['path']}"
        new = operation_of(old, document)
        operations.append(new or old)
        if new is None:
            found.append(f"{name}: the description does not have it")
        else:
            found += differences(new, old, name, arguments.may_say_less)
    print("\n".join(found) or f"{arguments.extract}: as the description has it")
    if arguments.write:
        with open(arguments.extract, "w") as file:
            file.write(json.dumps({"source": arguments.write, "operations": operations}, indent=1) + "\n")
        return 0
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
