#!/usr/bin/env python3
"""From nothing to a first verdict: the file that README.md shows, as it stands there, on the repository of the demo.

    first_file_test.py github|gitlab|pushes|shards|queue PROGRAM SOURCE_FOLDER SERVICE_PROGRAM

Imitations of the runners (github_runner.py, gitlab_runner.py) take the block of YAML, look for what it names in this
repository, the workflow, the action, the component, and run the steps that these have. The demo's request is its third
commit, which makes tokenize slower; what the steps tell goes to a local service. The second workflow judges again what
that left, as of a fork. Then, with programs that only note how they were called, the pipelines that calibrate
(docs/guide/calibration.md). pushes: the workflow of the default branch (docs/guide/pull_requests.md), whose store keeps
an alert from the push that opens it to the one that closes it. shards: the workflow of several machines, there too.
queue: the first file again, by the groups of a merge queue.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

try:
    from github_runner import GithubRunner
    from gitlab_runner import GitlabPipeline
except ImportError as error:
    print(f"skipped: {error}: install the package python3-yaml")
    sys.exit(1 if "yaml" in os.environ.get("STEELYARD_TESTS_PROMISED", "").split() else 77)
if not shutil.which("valgrind"):
    print("skipped: no Valgrind")
    sys.exit(1 if "valgrind" in os.environ.get("STEELYARD_TESTS_PROMISED", "").split() else 77)

SERVICE, PROGRAM, SOURCE, SERVICE_PROGRAM = sys.argv[1], *map(os.path.abspath, sys.argv[2:])
SECRET = "a-secret-token"


def expect(holds, what, log=""):
    if not holds:
        print(log[-6000:], file=sys.stderr)
        sys.exit(f"FAILED: {what}")


def block_of(page, word):
    """The block of YAML on that page of the repository that has this word."""
    with open(os.path.join(SOURCE, page)) as file:
        found = [block for block in re.findall(r"^```yaml\n(.*?)^```$", file.read(), re.S | re.M) if word in block]
    expect(len(found) == 1, f"{page} has {len(found)} blocks with {word}, wanted one")
    return found[0]


def git(folder, *words):
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    for who in ("AUTHOR", "COMMITTER"):
        environment.update({f"GIT_{who}_NAME": "Textkit", f"GIT_{who}_EMAIL": "textkit@example.invalid"})
    return subprocess.run(["git", *words], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def rewrite(path, change):
    with open(path) as file:
        text = file.read()
    changed = change(text)
    expect(changed != text, f"{path} is not what it was")
    with open(path, "w") as file:
        file.write(changed)


def tokenize_alone(bench):
    """The benchmark that the third commit makes slower; the others cost each build of a test a second."""
    others = re.compile(r'#include "textkit/(?!tokenize).*\n')
    end = "BENCHMARK(tokenize);\n"
    return others.sub("", bench[:bench.index(end)]) + end + "\n}  // namespace\n\nBENCHMARK_MAIN();\n"


def make_demo(folder, file, text):
    """The demo's second and third commit as a branch and a request of it; they have the program's name of README.md,
    that one file more, the benchmark alone that changes, and a shorter measurement. The commits: base, head, and both
    merged."""
    subprocess.run([os.path.join(SOURCE, "ci/demo/make_repository.sh"), folder], check=True)
    commits = git(folder, "rev-list", "--reverse", "HEAD").split()
    git(folder, "checkout", "-q", "-B", "main", commits[1])
    other_sources = re.compile(r"  textkit/(?!tokenize)\w+\.cpp(\)?)\n")
    rewrite(os.path.join(folder, "CMakeLists.txt"),
            lambda listing: other_sources.sub("", listing).replace("tokenize.cpp", "tokenize.cpp)")
            .replace("(textkit_bench", "(my_bench"))
    rewrite(os.path.join(folder, "bench/textkit_bench.cpp"), tokenize_alone)
    with open(os.path.join(folder, "steelyard.toml"), "w") as toml:
        toml.write('[project]\nname = "textkit"\n[run]\nrounds = 12\nrepetitions = 1\nmin_time = "2ms"\n')
    os.makedirs(os.path.dirname(os.path.join(folder, file)), exist_ok=True)
    with open(os.path.join(folder, file), "w") as added:
        added.write(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Gate it")
    base = git(folder, "rev-parse", "HEAD")
    git(folder, "checkout", "-q", "-b", "feature")
    git(folder, "checkout", commits[2], "--", "textkit")
    git(folder, "commit", "-q", "-m", "tokenize: stop guessing")
    head = git(folder, "rev-parse", "HEAD")
    git(folder, "checkout", "-q", "--detach", base)
    git(folder, "merge", "-q", "--no-ff", "-m", "Merge feature into main", "feature")
    git(folder, "update-ref", "refs/pull/1/merge", "HEAD")
    return base, head, git(folder, "rev-parse", "HEAD")


class Service:
    """GitHub's or GitLab's API, and what it has when it was ended."""

    def __init__(self, folder, head, *more):
        os.mkdir(folder)
        self.folder = folder
        environment = dict(os.environ, **({"CI_SERVICE_IS_GITLAB": "1"} if SERVICE == "gitlab" else {}))
        self.process = subprocess.Popen([SERVICE_PROGRAM, folder, f"1={head}", *more], stdin=subprocess.PIPE,
                                        env=environment)
        while not os.path.exists(os.path.join(folder, "address")):
            expect(self.process.poll() is None, "the service does not start")
            time.sleep(0.01)
        self.address = self.text("address")

    def text(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return file.read()

    def end(self):
        self.process.communicate()
        expect(not self.text("faults"), "requests that the service does not take: " + self.text("faults"))


def noting_programs(folder):
    """What the jobs install packages by: each notes its arguments in FOLDER/installed."""
    os.mkdir(folder)
    for name in ("sudo", "apt-get"):
        with open(os.path.join(folder, name), "w") as script:
            script.write(f'#!/bin/sh\necho "{name} $*" >>"{folder}/installed"\n')
        os.chmod(os.path.join(folder, name), 0o755)
    open(os.path.join(folder, "installed"), "w").close()
    return f"{folder}:{os.environ['PATH']}"


def installed(work):
    with open(os.path.join(work, "bin", "installed")) as file:
        return file.read()


def github_event(head, merge, address):
    pull = {"number": 1, "head": {"sha": head, "repo": {"full_name": "acme/shop"}}}
    return {"event_name": "pull_request", "event": {"pull_request": pull, "repository": {"default_branch": "main"}},
            "api_url": address, "server_url": "https://github.com", "repository": "acme/shop", "run_id": "5",
            "run_attempt": "1", "job": "gate", "sha": merge, "ref": "refs/pull/1/merge", "ref_name": "1/merge",
            "base_ref": "main", "head_ref": "feature", "workflow": "Performance"}


def expect_told(service, head, log):
    expect(service.text("comments").count("\n----\n") == 1, "not one comment", log + service.text("requests"))
    expect("tokenize" in service.text("comments"), "the comment does not name tokenize")
    if SERVICE == "github":
        expect(re.match(f"{head} failure [12] regression", service.text("checks")), "no failed check at the head",
               service.text("checks"))
        expect("  textkit/tokenize.cpp:" in service.text("checks"), "no note at a line", service.text("checks"))


def github(work):
    demo = os.path.join(work, "origin")
    text = block_of("README.md", "gate.yml@v0")
    base, head, merge = make_demo(demo, ".github/workflows/performance.yml", text)
    service = Service(os.path.join(work, "service"), head)
    path = noting_programs(os.path.join(work, "bin"))
    event = github_event(head, merge, service.address)
    runner = GithubRunner(work, SOURCE, PROGRAM, event, demo, SECRET, {"PATH": path})
    runner.run_workflow(text)
    service.end()
    expect(runner.failed and runner.outputs["gate"]["status"] == "1", "the gate's status is not 1", runner.log)
    expect("textkit::tokenize" in runner.summary, "the job's summary does not name the function", runner.log)
    expect_told(service, head, runner.log)
    expect(runner.artifacts == {"steelyard-report": ["baseline.syrun", "candidate.syrun", "comparison.json",
                                                     "report.html", "report.md"]}, f"artifacts: {runner.artifacts}")
    expect(runner.told_the_token == ["Read what was accepted", "Publish"], f"have the token: {runner.told_the_token}")
    expect("libbenchmark-dev" in installed(work), "the packages are not installed")
    fork(work, demo, head, os.path.join(work, "artifacts", "steelyard-report"))


def fork(work, demo, head, measured):
    """The second workflow, with rights, of what that job would have left of a fork's request."""
    text = block_of("docs/guide/pull_requests.md", "report.yml@v0")
    with open(os.path.join(measured, "report.html"), "w") as page:
        page.write("a stranger's page")
    runs = (("mallory", "failure"), ("acme", "failure"), ("mallory", "cancelled"))
    for number, (owner, conclusion) in enumerate(runs):
        folder = os.path.join(work, f"report{number}")
        os.mkdir(folder)
        shutil.copytree(measured, os.path.join(folder, "artifacts", "steelyard-report"))
        service = Service(os.path.join(folder, "service"), head, f"{owner}:feature=1")
        run = {"id": 4, "run_attempt": 1, "event": "pull_request", "head_sha": head, "head_branch": "feature",
               "conclusion": conclusion, "html_url": "https://github.com/acme/shop/actions/runs/4",
               "head_repository": {"full_name": owner + "/shop", "owner": {"login": owner}}}
        event = {"event_name": "workflow_run", "event": {"workflow_run": run}, "api_url": service.address,
                 "server_url": "https://github.com", "repository": "acme/shop", "run_id": "6", "run_attempt": "1",
                 "job": "report", "sha": git(demo, "rev-parse", "main"), "ref": "refs/heads/main", "ref_name": "main"}
        runner = GithubRunner(folder, SOURCE, PROGRAM, event, demo, SECRET, {"PATH": os.environ["PATH"]})
        runner.artifacts["steelyard-report"] = []
        runner.run_workflow(text)
        service.end()
        expect(not runner.failed, "the report fails", runner.log)
        if number > 0:
            expect(not runner.log and not service.text("requests"), f"told of {owner}'s {conclusion} run", runner.log)
            continue
        expect(runner.outputs["judge"]["status"] == "1", "the archives of a regression, judged again", runner.log)
        expect_told(service, head, runner.log)
        expect("comes from a fork; judged here again" in service.text("comments"), "whose figures is not told")
        expect(runner.told_the_token == ["Read what was accepted", "Publish"], f"have it: {runner.told_the_token}")
        expect("report.html" in runner.artifacts["steelyard-report"], f"kept: {runner.artifacts}", runner.log)
        with open(os.path.join(folder, "artifacts", "steelyard-report", "report.html")) as page:
            kept = page.read()
        expect("tokenize" in kept and "stranger's page" not in kept, "the page is the fork's own", runner.log)


def gitlab_variables(base, head, address):
    return {"CI": "true", "GITLAB_CI": "true", "CI_PIPELINE_SOURCE": "merge_request_event", "CI_API_V4_URL": address,
            "CI_MERGE_REQUEST_IID": "1", "CI_PROJECT_ID": "17", "CI_MERGE_REQUEST_PROJECT_ID": "17",
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "feature",
            "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": head, "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_COMMIT_SHA": head,
            "CI_COMMIT_REF_SLUG": "feature", "CI_DEFAULT_BRANCH": "main",
            "CI_PROJECT_URL": "https://gitlab.example/acme/shop", "CI_SERVER_FQDN": "gitlab.example"}


def steelyard_repository(folder, program):
    """What the jobs clone: this ci/, and the program as it was built already."""
    shutil.copytree(os.path.join(SOURCE, "ci"), os.path.join(folder, "ci"))
    for name in ("cmake", "bench", "regress", "storage"):
        os.makedirs(os.path.join(folder, name))
        open(os.path.join(folder, name, "nothing"), "w").close()
    for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE"):
        open(os.path.join(folder, name), "w").close()
    place = os.path.join(folder, "build/release/bin")
    os.makedirs(place)
    with open(os.path.join(place, "steelyard"), "w") as script:
        script.write(program)
    os.chmod(os.path.join(place, "steelyard"), 0o755)
    git(folder, "init", "-q")
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-q", "-m", "Steelyard")
    git(folder, "tag", "v0")
    return {"STEELYARD_REPOSITORY": f"file://{folder}"}


def gitlab(work):
    demo = os.path.join(work, "origin")
    text = block_of("README.md", "component:")
    base, head, _ = make_demo(demo, ".gitlab-ci.yml", text)
    service = Service(os.path.join(work, "service"), head)
    path = noting_programs(os.path.join(work, "bin"))
    project = steelyard_repository(os.path.join(work, "steelyard"), f'#!/bin/sh\nexec "{PROGRAM}" "$@"\n')
    pipeline = GitlabPipeline(text, SOURCE)
    scoped = {"steelyard": {"STEELYARD_GITLAB_TOKEN": SECRET}}
    pipeline.run(work, demo, head, gitlab_variables(base, head, service.address), project, scoped, path)
    service.end()
    logs = "\n".join(f"=== {name}: {pipeline.status[name]}\n{log}" for name, log in pipeline.logs.items())
    expect(pipeline.status == {"performance": 1, "performance-note": 0}, f"statuses {pipeline.status}", logs)
    expect("textkit::tokenize" in pipeline.logs["performance"], "the log does not name the function", logs)
    expect_told(service, head, logs)
    left = os.path.join(pipeline.artifacts["performance"], "steelyard-report")
    for name in ("junit.xml", "code-quality.json", "metrics.txt", "report.html", "baseline.syrun"):
        expect(os.path.getsize(os.path.join(left, name)) > 0, f"no {name} among the artifacts")
    with open(os.path.join(left, "code-quality.json")) as file:
        places = [issue["location"]["path"] for issue in json.load(file)]
    expect(places == ["textkit/tokenize.cpp"], f"code quality stands at {places}")
    expect(pipeline.tokens == {"performance": [], "performance-note": ["STEELYARD_GITLAB_TOKEN"]},
           f"tokens: {pipeline.tokens}")
    expect("cmake g++ make libbenchmark-dev" in installed(work), "the packages are not installed")
    expect(not any("id_tokens" in job for job in pipeline.jobs.values()), "ID tokens that nobody asked for")
    push = dict(gitlab_variables(base, head, ""), CI_PIPELINE_SOURCE="push", CI_COMMIT_BRANCH="main")
    expect(pipeline.order(push) == ["performance"], f"a push has the jobs {pipeline.order(push)}")
    for component in ("gate", "shards"):
        keeping(component, gitlab_variables(base, head, ""), push)


def keeping(component, request, push):
    """A job of its own keeps what a push measured: it alone has the ID token, and runs none of what is built."""
    text = ("include:\n  - component: $CI_SERVER_FQDN/steelyard/steelyard/%s@v0\n"
            "    inputs: {keep: true, id-token: true, forks: true}\n")
    pipeline = GitlabPipeline(text % component, SOURCE)
    tokens = {name: job["id_tokens"] for name, job in pipeline.jobs.items() if "id_tokens" in job}
    expect(tokens == {"performance-keep": {"STEELYARD_TOKEN": {"aud": "$STEELYARD_STORE"}}}, f"ID tokens: {tokens}")
    job = pipeline.jobs["performance-keep"]
    expect(pipeline.order(push)[-1] == "performance-keep" and job["needs"] == ["performance"],
           f"{component}: a push has the jobs {pipeline.order(push)}")
    expect("performance-keep" not in pipeline.order(request), f"{component}: a request's run is kept")
    expect(job["script"] == ['"$CI_PROJECT_DIR.tmp/steelyard/ci/keep.sh" steelyard-report'] and "cache" not in job and
           job["environment"]["name"] == "steelyard", f"{component}: {job}")
    measuring = {"gate": "performance", "shards": "performance-shard"}[component]
    expect(pipeline.jobs[measuring]["variables"]["STEELYARD_KEEP"] == "true", f"{component}: {measuring} keeps itself")
    # What a schedule does is to tell forks' requests, by a job that runs none of theirs.
    schedule = dict(push, CI_PIPELINE_SOURCE="schedule")
    expect(pipeline.order(schedule) == ["performance-forks"], f"{component}: a schedule has {pipeline.order(schedule)}")
    job = pipeline.jobs["performance-forks"]
    expect(job["script"] == ['"$CI_PROJECT_DIR.tmp/steelyard/ci/gitlab/forks.sh"'] and "cache" not in job and
           job["environment"]["name"] == "steelyard" and job["variables"]["STEELYARD_JOB"] == "performance" and
           "jq" in job["variables"]["STEELYARD_PACKAGES"].split(), f"{component}: {job}")
    expect(job.get("resource_group") == "steelyard-forks", f"{component}: two schedules write notes at once")
    without = GitlabPipeline(text.replace(", forks: true", "") % component, SOURCE)
    expect(without.order(schedule) == [], f"{component}: a schedule has {without.order(schedule)}")


def counted_project(work, name, run=""):
    """A repository without commits. Its file `which` names the program that is built; what is told is instructions."""
    origin, bin_folder = os.path.join(work, "origin"), os.path.dirname(PROGRAM)
    os.makedirs(origin)
    git(origin, "init", "-q", "-b", "main")
    with open(os.path.join(origin, "steelyard.toml"), "w") as toml:
        toml.write(f'[project]\nname = "{name}"\n[build]\ncommand = "mkdir -p out && cp '
                   f"'{bin_folder}/ci_fixture_'$(cat which) out/bench\"\n[[program]]\ncommand = \"out/bench\"\n"
                   f'[run]\nrounds = 2\nmin_time = "1ms"\ncounts = "always"\n{run}'
                   '[policy]\nmetrics = ["instructions"]\n')
    return origin


def commit_file(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", f"{name}: {text}")


def pushes(work):
    """Three pushes: the second is slower, and the third as fast as the first was."""
    origin = counted_project(work, "pushed", 'filter = "varied"\n')
    state = {"PATH": os.environ["PATH"], "STEELYARD_STATE": os.path.join(work, "state")}
    workflow = block_of("docs/guide/pull_requests.md", "STEELYARD_STORE: ${{")
    service = Service(os.path.join(work, "service"), "0" * 40)
    secrets = {"STEELYARD_STORE": "embedded", "STEELYARD_SLACK_WEBHOOK_URL": service.address + "/hooks/chat"}
    try:
        for number, which in enumerate(("fast", "slow", "fast")):
            commit_file(origin, "which", which)
            if number == 0:
                continue
            before = git(origin, "rev-parse", "HEAD^1")
            event = {"event_name": "push", "event": {"before": before, "repository": {"default_branch": "main"}},
                     "run_attempt": "1",
                     "api_url": service.address, "server_url": "https://github.com", "repository": "acme/shop",
                     "run_id": str(number), "job": "keep", "sha": git(origin, "rev-parse", "HEAD"),
                     "ref": "refs/heads/main", "ref_name": "main", "workflow": "Performance history"}
            push = os.path.join(work, f"push{number}")
            runner = GithubRunner(push, SOURCE, PROGRAM, event, origin, SECRET, state, secrets)
            runner.run_workflow(workflow)
            expect(runner.outputs["gate"]["status"] == ("1" if which == "slow" else "0"), f"push {number}", runner.log)
            expect("bit for bit" in runner.log and runner.log.count("kept in the store: ") == 1,
                   f"push {number} is not kept once, by the job that verifies it", runner.log)
            listed = subprocess.run([PROGRAM, "alerts", "--all", "--project", "pushed", "--json"], env=state, cwd=work,
                                    check=True, stdout=subprocess.PIPE, text=True)
            states = [alert["state"] for alert in json.loads(listed.stdout)["alerts"]]
            expect(states == (["open"] if which == "slow" else ["resolved"]), f"push {number}: {states}", runner.log)
    finally:
        subprocess.run([PROGRAM, "db", "stop", "--quiet"], env=state, check=False)
    service.end()
    told = service.text("requests").count("POST /hooks/chat")
    expect(told == 2, f"the owners were told {told} times, wanted that it opened and that it closed")
    checks = [line.split()[1] for line in service.text("checks").splitlines() if not line.startswith(" ")]
    expect(checks == ["failure", "success"], f"checks: {checks}")
    expect(not service.text("comments"), "a push has a comment")


def shards(work):
    """The file of several machines, with two of them: each measures one benchmark, and a third job judges both."""
    origin = counted_project(work, "shared")
    for which in ("fast", "slow"):
        commit_file(origin, "which", which)
    head = git(origin, "rev-parse", "HEAD")
    git(origin, "checkout", "-q", "--detach", "HEAD~1")
    git(origin, "merge", "-q", "--no-ff", "-m", "Merge feature into main", head)
    merge = git(origin, "rev-parse", "HEAD")
    git(origin, "update-ref", "refs/pull/1/merge", merge)
    service = Service(os.path.join(work, "service"), head)
    path = noting_programs(os.path.join(work, "bin"))
    event = github_event(head, merge, service.address)
    runner = GithubRunner(work, SOURCE, PROGRAM, event, origin, SECRET, {"PATH": path})
    four = block_of("docs/guide/pull_requests.md", "shards.yml@v0")
    two = four.replace('"[1, 2, 3, 4]"', '"[1, 2]"')
    expect(two != four, "the guide's file has other shards")
    runner.run_workflow(two)
    service.end()
    expect(runner.failed and runner.outputs["gate"]["status"] == "1", "the gate's status is not 1", runner.log)
    expect(sorted(runner.artifacts) == ["steelyard-report", *(f"steelyard-report-shard-{i}" for i in range(2))],
           f"artifacts: {runner.artifacts}", runner.log)
    expect(service.text("comments").count("\n----\n") == 1, "not one comment", runner.log)
    for name in ("BM_varied", "BM_same"):
        expect(name in service.text("comments"), f"nothing of {name}", service.text("comments"))
    expect(service.text("checks").startswith(f"{head} failure 1 regression"), "the check", service.text("checks"))
    expect(runner.summary.count("### ") == 1, "not one report in the summaries", runner.summary)
    expect(runner.told_the_token == ["Read what was accepted", "Publish"], f"have the token: {runner.told_the_token}")


def queue(work):
    """Two groups of a merge queue: in each, a request that changes the program is merged before one that does not. All
    of the group is judged, where the first parent of its commit has the change already."""
    origin = counted_project(work, "queued", 'filter = "varied"\n')
    commit_file(origin, "which", "fast")
    text = block_of("README.md", "gate.yml@v0")
    workflow = text[:text.index("    with:\n")]  # steelyard.toml names the program and its build
    for number, (which, status, conclusion) in enumerate((("slow", "1", "failure"), ("fast", "0", "success"))):
        base = git(origin, "rev-parse", "main")
        for branch, file, content in (("changing", "which", which), ("noting", "notes", str(number))):
            git(origin, "checkout", "-q", "-B", branch, "main")
            commit_file(origin, file, content)
        git(origin, "checkout", "-q", "--detach", "main")
        for branch in ("changing", "noting"):
            git(origin, "merge", "-q", "--no-ff", "-m", f"Merge {branch} into main", branch)
        group, name = git(origin, "rev-parse", "HEAD"), f"gh-readonly-queue/main/pr-{number}-{base}"
        git(origin, "update-ref", "refs/heads/" + name, group)
        service = Service(os.path.join(work, f"service{number}"), "0" * 40)
        merge_group = {"head_sha": group, "head_ref": "refs/heads/" + name, "base_sha": base,
                       "base_ref": "refs/heads/main"}
        event = {"event_name": "merge_group", "event": {"action": "checks_requested", "merge_group": merge_group,
                                                        "repository": {"default_branch": "main"}},
                 "api_url": service.address, "server_url": "https://github.com", "repository": "acme/shop",
                 "run_id": str(number + 1), "run_attempt": "1", "job": "gate", "sha": group,
                 "ref": "refs/heads/" + name, "ref_name": name, "base_ref": "", "head_ref": "",
                 "workflow": "Performance"}
        runner = GithubRunner(os.path.join(work, f"group{number}"), SOURCE, PROGRAM, event, origin, SECRET,
                              {"PATH": os.environ["PATH"]})
        runner.run_workflow(workflow)
        service.end()
        expect(runner.outputs["gate"]["status"] == status, f"group {number}: wanted status {status}", runner.log)
        expect(f"baseline: {base[:9]}, the base of the merge queue's group (merge_group.base_sha)" in runner.log,
               f"group {number} has another baseline than {base}", runner.log)
        expect(service.text("checks").startswith(f"{group} {conclusion} "), f"group {number}: the check",
               service.text("checks"))
        expect(not service.text("comments"), "a merge queue's group has a comment", service.text("comments"))
        expect(runner.told_the_token == ["Publish"], f"have the token: {runner.told_the_token}")
        git(origin, "update-ref", "refs/heads/main", group)


# The pipelines that calibrate, of a project that builds nothing, with a program that says what it is told to do.

CALIBRATING = "calibrate --gates 20 --budget 30m --output runner.json"
NOTING = f'#!/bin/sh\necho "told: $*"\n[ "$*" = "{CALIBRATING}" ] && echo "{{}}" >runner.json\nexit 1\n'


def calibration(work):
    repository = os.path.join(work, "origin")
    os.makedirs(repository)
    with open(os.path.join(repository, "CMakeLists.txt"), "w") as cmake:
        cmake.write("cmake_minimum_required(VERSION 3.20)\nproject(nothing NONE)\n")
    git(repository, "init", "-q", "-b", "main")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "Start")
    head = git(repository, "rev-parse", "HEAD")
    path = noting_programs(os.path.join(work, "bin"))
    if SERVICE == "github":
        github = {"event_name": "schedule", "event": {}, "repository": "acme/shop", "ref": "refs/heads/main",
                  "sha": head}
        program = os.path.join(work, "noting")
        with open(program, "w") as script:
            script.write(NOTING)
        os.chmod(program, 0o755)
        runner = GithubRunner(work, SOURCE, program, github, repository, SECRET, {"PATH": path})
        runner.run_workflow(block_of("docs/guide/calibration.md", "schedule: [{cron"))
        expect(runner.failed and f"told: {CALIBRATING}\n" in runner.log, "no calibration", runner.log)
        expect(runner.artifacts == {"calibration": ["runner.json"]}, f"artifacts: {runner.artifacts}", runner.log)
        expect(not runner.told_the_token, f"have the token: {runner.told_the_token}")
        return
    pipeline = GitlabPipeline(block_of("docs/guide/calibration.md", "extends: .steelyard-program"), SOURCE)
    variables = dict(gitlab_variables("", head, ""), CI_PIPELINE_SOURCE="push", CI_COMMIT_BRANCH="main")
    expect(not pipeline.order(variables), "a push calibrates")
    variables["CI_PIPELINE_SOURCE"] = "schedule"
    expect(not pipeline.order(variables), "any schedule calibrates")
    variables["STEELYARD_SCHEDULE"] = "calibrate"
    project = steelyard_repository(os.path.join(work, "steelyard"), NOTING)
    pipeline.run(work, repository, head, variables, project, {}, path)
    log = pipeline.logs["calibrate"]
    expect(pipeline.status == {"calibrate": 1} and f"told: {CALIBRATING}\n" in log, "no calibration", log)
    expect(os.path.exists(os.path.join(pipeline.artifacts["calibrate"], "runner.json")), "no file is left", log)


for test in {"github": (calibration, github), "gitlab": (calibration, gitlab), "pushes": (pushes,),
             "shards": (shards,), "queue": (queue,)}[SERVICE]:
    with tempfile.TemporaryDirectory(prefix="steelyard-first-file.") as folder:
        os.chmod(folder, 0o711)
        began = time.monotonic()
        test(folder)
        print(f"ok: {SERVICE}, {test.__name__}, {time.monotonic() - began:.1f} s")
