"""A pipeline of GitLab on this machine: components and their inputs, includes, `extends`, rules, needs, artifacts.

    pipeline = GitlabPipeline(text_of_the_file, source)
    pipeline.run(work, repository, commit, predefined, project_variables, scoped_variables, path)
    pipeline.status["performance"], pipeline.logs["performance"], pipeline.artifacts["performance"]

As far as our own files go; what they do not use is refused, so that a file which begins to use it fails. A job's
folder is cloned anew, under one path for all, and has the artifacts of what it needs. `scoped_variables`: by the name
of the environment whose jobs have them.
"""
import glob
import os
import re
import shutil
import subprocess

import yaml

COMPONENT = re.compile(r"\$CI_SERVER_FQDN/steelyard/steelyard/([a-z]+)@v0")
REMOTE = re.compile(r"https://gitlab\.com/steelyard/steelyard/-/raw/v0/(.+)")
INPUT = re.compile(r"\$\[\[ inputs\.([\w-]+) \]\]")
VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
STAGES = [".pre", "build", "test", "deploy", ".post"]
KEYS = {"artifacts", "before_script", "cache", "environment", "extends", "id_tokens", "image", "interruptible", "needs",
        "parallel", "resource_group", "rules", "script", "stage", "variables"}


def merged(below, above):
    """As `extends` merges: mappings into each other, all else in place of what was there."""
    result = dict(below)
    for name, value in above.items():
        both = isinstance(value, dict) and isinstance(result.get(name), dict)
        result[name] = merged(result[name], value) if both else value
    return result


def with_inputs(value, inputs):
    if isinstance(value, dict):
        return {with_inputs(name, inputs): with_inputs(one, inputs) for name, one in value.items()}
    if isinstance(value, list):
        return [with_inputs(one, inputs) for one in value]
    return INPUT.sub(lambda match: inputs[match.group(1)], value)


class GitlabPipeline:
    def __init__(self, text, source):
        self.source = source
        self.texts = self.included(yaml.load(text, Loader=yaml.BaseLoader))
        self.jobs = {name: self.extended(name) for name in self.texts if not name.startswith(".")}
        for name, job in self.jobs.items():
            if not set(job) <= KEYS:
                raise ValueError(f"{name}: {sorted(set(job) - KEYS)}")
        self.status, self.logs, self.artifacts, self.tokens = {}, {}, {}, {}

    def included(self, document):
        result = {}
        for one in document.pop("include", []):
            result = merged(result, self.file_of(one))
        return merged(result, document)

    def file_of(self, include):
        inputs = include.get("inputs", {})
        if "component" in include:
            name = f"templates/{COMPONENT.fullmatch(include['component']).group(1)}.yml"
        elif "remote" in include:
            name = REMOTE.fullmatch(include["remote"]).group(1)
        else:
            name = include["local"].lstrip("/")
        with open(os.path.join(self.source, name)) as file:
            head, found, body = file.read().partition("\n---\n")
        if not found:
            head, body = "{}", head
        declared = (yaml.load(head, Loader=yaml.BaseLoader) or {}).get("spec", {}).get("inputs", {})
        unknown = set(inputs) - set(declared)
        missing = {word for word, about in declared.items() if "default" not in about} - set(inputs)
        if unknown or missing:
            raise ValueError(f"{name}: inputs {sorted(unknown)} are not known, {sorted(missing)} are missing")
        for word, about in declared.items():
            value, options = inputs.get(word, about.get("default")), about.get("options")
            if about.get("type") == "boolean" and value not in ("true", "false"):
                raise ValueError(f"{name}: {word}: {value!r} is no boolean")
            if options and value not in options:
                raise ValueError(f"{name}: {word}: {value!r} is none of {options}")
        values = {word: inputs.get(word, about.get("default")) for word, about in declared.items()}
        return self.included(with_inputs(yaml.load(body, Loader=yaml.BaseLoader), values))

    def extended(self, name):
        job = dict(self.texts[name])
        parents = job.pop("extends", [])
        result = {}
        for parent in [parents] if isinstance(parents, str) else parents:
            result = merged(result, self.extended(parent))
        return merged(result, job)

    # Which jobs a pipeline has, and when each of them runs.

    def when(self, name, variables):
        """on_success or always; None: the pipeline has no such job."""
        rules = self.jobs[name].get("rules")
        if rules is None:
            return "on_success"
        for rule in rules:
            if self.holds(rule.get("if", ""), variables):
                when = rule.get("when", "on_success")
                return None if when == "never" else when
        return None

    @staticmethod
    def holds(condition, variables):
        def value(word):
            word = word.strip()
            return word[1:-1] if word[:1] == '"' else variables.get(word[1:])

        for part in condition.split("&&") if condition else []:
            left, right = part.split("==")
            if value(left) != value(right):
                return False
        return True

    @staticmethod
    def filled(variables):
        """Variables whose values name others."""
        for _ in range(5):
            variables = {name: VARIABLE.sub(lambda match: variables.get(match.group(1) or match.group(2), ""), value)
                         if "$" in value else value for name, value in variables.items()}
        return variables

    def order(self, variables):
        names = [name for name in self.jobs if self.when(name, variables)]
        return sorted(names, key=lambda name: (STAGES.index(self.jobs[name].get("stage", "test")),
                                               len(self.needed(name, names))))

    def needed(self, name, names):
        """Whose artifacts it has: those that it names, else all of earlier stages."""
        job, found = self.jobs[name], []
        if "needs" not in job:
            stage = STAGES.index(job.get("stage", "test"))
            return [other for other in names if STAGES.index(self.jobs[other].get("stage", "test")) < stage]
        for need in job["needs"]:
            other = need if isinstance(need, str) else need["job"]
            if other in names:
                found.append(other)
            elif isinstance(need, str) or need.get("optional") != "true":
                raise ValueError(f"{name} needs {other}, which the pipeline has not")
        return found

    # What a job does.

    def run(self, work, repository, commit, predefined, project, scoped, path):
        names = self.order(predefined)
        for number, name in enumerate(names):
            needs = self.needed(name, names)
            is_failed = any(self.status.get(other, 1) != 0 for other in needs)
            if is_failed and self.when(name, predefined) != "always":
                continue
            job = self.jobs[name]
            folder = os.path.join(work, "builds", "shop")
            shutil.rmtree(os.path.dirname(folder), ignore_errors=True)
            os.makedirs(os.path.dirname(folder))
            subprocess.run(["git", "clone", "-q", f"file://{repository}", folder], check=True,
                           stderr=subprocess.DEVNULL)
            subprocess.run(["git", "checkout", "-q", "--detach", commit], cwd=folder, check=True,
                           stderr=subprocess.DEVNULL)
            for other in needs:
                shutil.copytree(os.path.join(work, "artifacts", other), folder, dirs_exist_ok=True)
            variables = dict(predefined, CI_PROJECT_DIR=folder, CI_JOB_ID=str(number + 5), CI_JOB_NAME=name)
            variables.update(job.get("variables", {}))
            variables.update(project)
            variables.update(scoped.get(job.get("environment", {}).get("name"), {}))
            self.run_job(name, work, folder, self.filled(variables), path)

    def run_job(self, name, work, folder, variables, path):
        job = self.jobs[name]
        for token, about in job.get("id_tokens", {}).items():
            audience = VARIABLE.sub(lambda match: variables.get(match.group(1) or match.group(2), ""), about["aud"])
            variables[token] = f"token-for-{audience}"
        self.tokens[name] = sorted(word for word in variables if word.endswith("_TOKEN"))
        home = os.path.join(work, "home")
        os.makedirs(home, exist_ok=True)
        script = "\n".join(["set -eo pipefail", *job.get("before_script", []), *job["script"]])
        environment = {"PATH": path, "HOME": home, "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", **variables}
        done = subprocess.run(["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", env=environment)
        self.status[name], self.logs[name] = done.returncode, done.stdout
        kept = os.path.join(work, "artifacts", name)
        os.makedirs(kept)
        about = job.get("artifacts", {})
        if done.returncode != 0 and about.get("when", "on_success") != "always":
            return
        for pattern in about.get("paths", []):
            for found in glob.glob(os.path.join(folder, pattern.rstrip("/"))):
                to = os.path.join(kept, os.path.relpath(found, folder))
                shutil.copytree(found, to) if os.path.isdir(found) else shutil.copy(found, to)
        self.artifacts[name] = kept
