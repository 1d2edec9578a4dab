"""A job of GitHub Actions on this machine: reusable workflows, composite actions, expressions, inputs, outputs, `if`.

    runner = GithubRunner(work, source, program, github, repository, token)
    runner.run_workflow(text_of_the_file)
    runner.failed, runner.outputs["gate"]["status"], runner.artifacts, runner.summary

As far as our own files go; what they do not use is refused, so that a file which begins to use it fails. `github` is
the context of that name; its token is given to no step but by an expression. Actions of others are imitated by what
they leave: a checkout, an empty cache, an artifact.
"""
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess

import yaml

TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>\d+)|(?P<name>[A-Za-z_][\w-]*)|"
                   r"(?P<sign>&&|\|\||==|!=|[!().,>]))")
IN_TEXT = re.compile(r"\$\{\{(.*?)\}\}", re.S)
STATUS_FUNCTIONS = re.compile(r"\b(success|failure|cancelled|always)\(\)")
OUR_WORKFLOW = re.compile(r"steelyard/steelyard/(\.github/workflows/[a-z]+\.yml)@v0")
OUR_ACTION = re.compile(r"steelyard/steelyard/(ci/github(?:/report)?)@v0")


def read_yaml(text):
    """Every scalar as the text that stands there: `on` is no boolean."""
    return yaml.load(text, Loader=yaml.BaseLoader)


def as_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


class Expression:
    """One expression of GitHub's language; what is not there is null."""

    def __init__(self, text, context, failed):
        self.context, self.failed = context, failed
        self.tokens, at = [], 0
        text = text.strip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise ValueError(f"expression {text!r}: what is at {text[at:]!r}?")
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()
        self.at = 0

    def value(self):
        value = self.any_of()
        if self.at != len(self.tokens):
            raise ValueError(f"expression: {self.tokens[self.at:]} is left over")
        return value

    def takes(self, sign):
        if self.at < len(self.tokens) and self.tokens[self.at] == ("sign", sign):
            self.at += 1
            return True
        return False

    def wants(self, sign):
        if not self.takes(sign):
            raise ValueError(f"expression: wanted {sign} at {self.tokens[self.at:]}")

    def any_of(self):
        value = self.all_of()
        while self.takes("||"):
            other = self.all_of()
            value = value or other
        return value

    def all_of(self):
        value = self.compared()
        while self.takes("&&"):
            other = self.compared()
            value = value and other
        return value

    def compared(self):
        value = self.single()
        for sign in ("==", "!=", ">"):
            if not self.takes(sign):
                continue
            other = self.single()
            if sign == ">":
                return float(as_text(value) or 0) > float(as_text(other) or 0)
            return (as_text(value).lower() == as_text(other).lower()) == (sign == "==")
        return value

    def single(self):
        if self.takes("!"):
            return not self.single()
        if self.takes("("):
            value = self.any_of()
            self.wants(")")
            return value
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "text":
            return text[1:-1].replace("''", "'")
        if kind == "number":
            return int(text)
        if kind != "name":
            raise ValueError(f"expression: {text!r} is no value")
        if self.takes("("):
            return self.called(text)
        value = self.context.get(text)
        while self.takes("."):
            name = self.tokens[self.at][1]
            self.at += 1
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def called(self, name):
        arguments = []
        while not self.takes(")"):
            arguments.append(self.any_of())
            self.takes(",")
        functions = {
            "success": lambda: not self.failed,
            "failure": lambda: self.failed,
            "cancelled": lambda: False,
            "always": lambda: True,
            "contains": lambda where, what: what in where,
            "fromJSON": json.loads,
            "format": lambda text, *values: text.format(*map(as_text, values)),
        }
        return functions[name](*arguments)


class GithubRunner:
    def __init__(self, work, source, program, github, repository, token, machine, secrets=None):
        """`machine`: what the environment of every step has beside GitHub's own; PATH is among it."""
        self.work, self.source, self.program, self.repository = work, source, program, repository
        self.token, self.machine, self.secrets = token, machine, secrets or {}
        self.workspace, self.temp = os.path.join(work, "shop", "shop"), os.path.join(work, "temp")
        os.makedirs(os.path.join(work, "home"))
        self.event = os.path.join(work, "event.json")
        with open(self.event, "w") as file:
            json.dump(github["event"], file)
        self.github = dict(github, token=token, workspace=self.workspace, event_path=self.event)
        self.failed, self.summary, self.log = False, "", ""
        self.outputs, self.artifacts, self.told_the_token, self.ran = {}, {}, [], []

    # The file and what it calls.

    def run_workflow(self, text):
        workflow = read_yaml(text)
        on = workflow["on"]
        if self.github["event_name"] not in (on if isinstance(on, (dict, list)) else [on]):
            raise ValueError(f"the workflow is not started by {self.github['event_name']}")
        failed = {}
        for name, job in workflow["jobs"].items():
            needs = job.get("needs", [])
            self.failed = any(failed[one] for one in ([needs] if isinstance(needs, str) else needs))
            failed[name] = not self.holds(job.get("if", "success()"), self.context({}))
            if failed[name]:
                continue
            self.failed = False
            given = job.get("permissions", workflow.get("permissions", {}))
            if "uses" in job:
                called, inputs = self.called_workflow(job)
                self.run_called(called, inputs, given)
            else:
                self.run_machine(job["steps"], self.context({}))
            failed[name] = self.failed
        self.failed = any(failed.values())

    def run_called(self, called, inputs, given):
        """Its jobs in their order; of a matrix one after the other."""
        failed, left_out = {}, set()
        for name, job in called["jobs"].items():
            wanted = job.get("permissions", called.get("permissions", {}))
            more = {right: level for right, level in wanted.items() if given.get(right) not in (level, "write")}
            if more:
                raise ValueError(f"GitHub refuses a called job that wants more than its caller has: {more}")
            needs = job.get("needs", [])
            self.failed = any(one in left_out or failed[one] for one in ([needs] if isinstance(needs, str) else needs))
            failed[name] = False
            if not self.holds(job.get("if", "success()"), self.context(inputs)):
                left_out.add(name)
                continue
            matrix = job.get("strategy", {}).get("matrix", {})
            if len(matrix) > 1:
                raise ValueError(f"a matrix of {sorted(matrix)}")
            values = [{}]
            for word, text in matrix.items():
                match = IN_TEXT.fullmatch(text)
                values = [{word: value} for value in Expression(match.group(1), self.context(inputs), False).value()]
            for number, value in enumerate(values):
                self.failed = False
                strategy = {"job-index": number, "job-total": len(values)}
                self.run_machine(job["steps"], dict(self.context(inputs), matrix=value, strategy=strategy))
                failed[name] = failed[name] or self.failed
        self.failed = any(failed.values())

    def run_machine(self, steps, context):
        for folder in (self.workspace, self.temp):  # a machine of its own
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
        self.run_steps(steps, context, {}, None)

    def holds(self, condition, context):
        """An `if`, which wants that nothing has failed where it does not ask for that itself."""
        condition = condition.strip()
        if condition.startswith("${{"):
            condition = condition[3:-2]
        if not STATUS_FUNCTIONS.search(condition):
            condition = f"success() && ({condition})"
        return Expression(condition, context, self.failed).value()

    def called_workflow(self, job):
        match = OUR_WORKFLOW.fullmatch(job["uses"])
        if not match:
            raise ValueError(f"uses: {job['uses']}")
        with open(os.path.join(self.source, match.group(1))) as file:
            called = read_yaml(file.read())
        return called, self.inputs_of(called["on"]["workflow_call"]["inputs"], job.get("with", {}), self.context({}))

    def inputs_of(self, declared, given, context):
        unknown = set(given) - set(declared)
        if unknown:
            raise ValueError(f"no such inputs: {sorted(unknown)}")
        inputs = {}
        for name, about in declared.items():
            if name not in given and about.get("required") == "true":
                raise ValueError(f"the input {name} is missing")
            inputs[name] = self.filled(given.get(name, about.get("default", "")), context)
        return inputs

    def context(self, inputs):
        return {"github": self.github, "inputs": inputs, "runner": {"temp": self.temp, "os": "Linux"}, "steps": {},
                "strategy": {"job-index": 0, "job-total": 1}, "matrix": {}, "secrets": self.secrets,
                "job": {"workflow_sha": "0" * 40, "workflow_repository": "steelyard/steelyard"}}

    def filled(self, text, context):
        return IN_TEXT.sub(lambda match: as_text(Expression(match.group(1), context, self.failed).value()), text)

    # Steps, of a job or of a composite action.

    def run_steps(self, steps, context, env, action):
        for number, step in enumerate(steps):
            if not self.holds(step.get("if", "success()"), context):
                continue
            name = step.get("name") or step.get("uses") or f"step {number}"
            own = dict(env, **{key: self.filled(value, context) for key, value in step.get("env", {}).items()})
            place = os.path.join(self.workspace, self.filled(step.get("working-directory", "."), context))
            if "uses" in step:
                outputs = self.run_action(step, context, own)
            else:
                outputs = self.run_script(name, step["run"], step.get("shell"), place, own, action)
            self.ran.append(name)
            if "id" in step:
                context["steps"][step["id"]] = {"outputs": outputs}
                self.outputs[step["id"]] = outputs

    def run_action(self, step, context, env):
        uses, given = step["uses"].split("  #")[0], step.get("with", {})
        ours = OUR_ACTION.fullmatch(uses)
        if uses.startswith("./") or ours:
            if ours:
                self.lay_action(os.path.join(self.work, "actions"))
            folder = os.path.join(self.work, "actions", ours.group(1)) if ours else os.path.join(self.workspace, uses)
            with open(os.path.join(folder, "action.yml")) as file:
                action = read_yaml(file.read())
            inner = dict(self.context(self.inputs_of(action["inputs"], given, context)), matrix=context["matrix"],
                         strategy=context["strategy"])
            self.run_steps(action["runs"]["steps"], inner, env, folder)
            return {name: self.filled(about["value"], inner) for name, about in action.get("outputs", {}).items()}
        given = {name: self.filled(value, context) for name, value in given.items()}
        name = uses.split("@")[0]
        if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", uses):
            raise ValueError(f"uses: {uses}")
        if name == "actions/checkout":
            self.check_out(given)
        elif name == "actions/upload-artifact":
            files = [file for pattern in given["path"].split() 
                     for file in glob.glob(os.path.join(self.workspace, pattern))]
            self.artifacts[given["name"]] = sorted(os.path.basename(file) for file in files)
            kept = os.path.join(self.work, "artifacts", given["name"])
            shutil.rmtree(kept, ignore_errors=True)
            os.makedirs(kept)
            for file in files:
                shutil.copy(file, kept)
        elif name == "actions/download-artifact":
            for one in fnmatch.filter(sorted(self.artifacts), given["pattern"]):
                to = os.path.join(self.workspace, given["path"])
                shutil.copytree(os.path.join(self.work, "artifacts", one),
                                to if given.get("merge-multiple") == "true" else os.path.join(to, one))
        elif name not in ("actions/cache", "actions/cache/restore", "actions/cache/save"):
            raise ValueError(f"uses: {uses}")
        return {}

    def check_out(self, given):
        if given.get("persist-credentials") != "false":
            raise ValueError("a checkout that keeps its credentials")
        if "repository" in given:
            self.lay_action(os.path.join(self.workspace, given["path"]))
            return
        depth = ["--depth", "1"] if given.get("fetch-depth", "1") != "0" else []
        for command in (["init", "-q"], ["remote", "add", "origin", f"file://{self.repository}"],
                        ["fetch", "-q", *depth, "origin", self.github["ref"]], ["checkout", "-q", "FETCH_HEAD"]):
            subprocess.run(["git", *command], cwd=self.workspace, check=True, env=self.environment({}))

    def lay_action(self, folder):
        """The checkout of Steelyard, with the program as it was built already in place of a release."""
        if os.path.exists(folder):
            return
        shutil.copytree(os.path.join(self.source, "ci"), os.path.join(folder, "ci"))
        for name in ("cmake", "bench", "regress", "storage", "build/release/bin"):
            os.makedirs(os.path.join(folder, name))
        for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE"):
            open(os.path.join(folder, name), "w").close()
        program = os.path.join(folder, "build/release/bin/steelyard")
        with open(program, "w") as script:
            script.write(f'#!/bin/sh\nexec "{self.program}" "$@"\n')
        os.chmod(program, 0o755)

    def environment(self, env):
        of_github = {"GITHUB_" + name.upper(): as_text(value) for name, value in self.github.items()
                     if name not in ("event", "token")}
        return {"HOME": os.path.join(self.work, "home"), "LANG": "C.UTF-8", "CI": "true", "GIT_CONFIG_NOSYSTEM": "1",
                "GITHUB_ACTIONS": "true", "RUNNER_TEMP": self.temp, **self.machine, **of_github, **env}

    def run_script(self, name, script, shell, place, env, action):
        commands = os.path.join(self.temp, "_runner_file_commands")
        os.makedirs(commands, exist_ok=True)
        files = {}
        for word in ("OUTPUT", "ENV", "PATH", "STATE", "STEP_SUMMARY"):
            files["GITHUB_" + word] = os.path.join(commands, f"{word.lower()}_{len(self.ran)}")
            open(files["GITHUB_" + word], "w").close()
        file = os.path.join(self.temp, "script.sh")
        with open(file, "w") as text:
            text.write(script)
        environment = self.environment({**files, **env})
        if action:
            environment["GITHUB_ACTION_PATH"] = action
        if self.token in environment.values():
            self.told_the_token.append(name)
        options = ["--noprofile", "--norc", "-eo", "pipefail"] if shell == "bash" else ["-e"]
        done = subprocess.run(["bash", *options, file], cwd=place, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.log += f"=== {name}\n{done.stdout}"
        self.failed = self.failed or done.returncode != 0
        for word in ("ENV", "PATH"):
            if os.path.getsize(files["GITHUB_" + word]) > 0:
                raise ValueError(f"the step {name} changes what later steps are given")
        with open(files["GITHUB_STEP_SUMMARY"]) as summary:
            self.summary += summary.read()
        with open(files["GITHUB_OUTPUT"]) as outputs:
            return dict(line.rstrip("\n").split("=", 1) for line in outputs)
