-- Who descends from whom among a project's commits, and where the measured commits of each branch stand by that. The
-- parents are facts and only ever added to; the order is derived from them and from the runs, and can be rebuilt.

create table steelyard.commit_parents (
  project_key integer not null references steelyard.projects,
  sha text collate "C" not null,
  is_complete boolean not null,
  parents text[] collate "C" not null,
  primary key (project_key, sha, is_complete)
);
create index commit_parents_by_parent on steelyard.commit_parents using gin (parents);
comment on table steelyard.commit_parents is
  'The parents of commits, measured or not, as git and the runs told them. A commit without a row: its parents are not '
  'known, as at the end of a shallow clone.';
comment on column steelyard.commit_parents.project_key is 'Of the project whose repository this is.';
comment on column steelyard.commit_parents.sha is 'Full hash of the commit.';
comment on column steelyard.commit_parents.is_complete is
  'True: git told all parents. False: a run told the first one, and there may be more.';
comment on column steelyard.commit_parents.parents is
  'Full hashes in git''s order, the first parent first. Empty: a root.';

create table steelyard.branches (
  project_key integer not null references steelyard.projects,
  branch text collate "C" not null,
  tip text collate "C" not null,
  tip_committed_at_unix_s bigint not null,
  tip_first_run_at_unix_ns bigint not null,
  commits integer not null,
  off integer not null,
  is_whole boolean not null,
  primary key (project_key, branch)
);
comment on table steelyard.branches is 'Branches with runs. Derived: from commit_parents and runs.';
comment on column steelyard.branches.project_key is 'Of the project.';
comment on column steelyard.branches.branch is
  'As the runs name it; at most 500 bytes, longer ones are not put in order.';
comment on column steelyard.branches.tip is 'Full hash of the newest measured commit that no other descends from.';
comment on column steelyard.branches.tip_committed_at_unix_s is 'Seconds since 1970-01-01 UTC; 0: unknown.';
comment on column steelyard.branches.tip_first_run_at_unix_ns is
  'When a run of the tip was measured first, nanoseconds since 1970-01-01 UTC.';
comment on column steelyard.branches.commits is 'Commits with a position on the branch.';
comment on column steelyard.branches.off is 'Measured commits that are off the branch.';
comment on column steelyard.branches.is_whole is
  'True: one line, all by the graph. False: a part of it is placed by dates, or something is off the branch.';

create table steelyard.branch_positions (
  project_key integer not null references steelyard.projects,
  branch text collate "C" not null,
  sha text collate "C" not null,
  position integer not null,
  on_branch boolean not null,
  primary key (project_key, sha, branch)
);
create index branch_positions_by_position on steelyard.branch_positions (project_key, branch, position);
comment on table steelyard.branch_positions is
  'Where commits stand on a branch: the measured ones and those between them on the line of first parents. Derived: '
  'from commit_parents and runs. A measured commit without a row has no place yet and is ordered by its date.';
comment on column steelyard.branch_positions.project_key is 'Of the project.';
comment on column steelyard.branch_positions.branch is 'As the runs name it.';
comment on column steelyard.branch_positions.sha is 'Full hash of the commit.';
comment on column steelyard.branch_positions.position is
  '0-based, the oldest measured commit first. Off the branch: that of the last older commit on it; -1: none.';
comment on column steelyard.branch_positions.on_branch is
  'False: the commit was measured on the branch and is not on it any more, as after a force-push.';

-- By the hash of the branch, since an index row is too short for the longest names.
create index runs_by_branch on steelyard.runs (project_key, hashtextextended(branch, 0), run_key);

create index comparisons_by_candidate_commit on steelyard.comparisons (candidate_commit);

insert into steelyard.commit_parents (project_key, sha, is_complete, parents)
select distinct on (r.project_key, c.sha) r.project_key, c.sha, false, array[c.parent]
from steelyard.runs r
join steelyard.commits c using (commit_key)
where c.sha ~ '^[0-9a-f]{40,64}$' and c.parent ~ '^[0-9a-f]{40,64}$'
order by r.project_key, c.sha, c.parent;

create view steelyard.commit_order as
select p.name as project, o.branch, o.sha as commit, o.position, o.on_branch
from steelyard.branch_positions o
join steelyard.projects p using (project_key);
comment on view steelyard.commit_order is
  'Where commits stand on the branches that were measured: join it with steelyard.history on project, branch and '
  'commit.';
comment on column steelyard.commit_order.project is 'Of the runs.';
comment on column steelyard.commit_order.branch is 'As the runs name it.';
comment on column steelyard.commit_order.commit is 'Full hash.';
comment on column steelyard.commit_order.position is
  '0-based, the oldest measured commit first. Off the branch: that of the last older commit on it; -1: none.';
comment on column steelyard.commit_order.on_branch is
  'False: the commit was measured on the branch and is not on it any more, as after a force-push.';
