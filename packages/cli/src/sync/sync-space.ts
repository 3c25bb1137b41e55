import { readSpace, type SpaceContent } from '@octavo/space-files';
import { type Api, connect } from '../api.ts';
import { Failure, getMessage } from '../failure.ts';
import { checkSpecifications } from '../import/check-specifications.ts';
import { ChangeRequests } from './change-requests.ts';
import { compareSides, planDirection } from './first-sync.ts';
import { runGitForText } from './git.ts';
import type { SyncPlan } from './plan-changes.ts';
import { planSync } from './plan-sync.ts';
import { getNames, getStoredPaths, Remote, type RepositoryState, type SyncState } from './remote.ts';
import { reportRepository } from './report-repository.ts';
import { restoreDeleted } from './restore-deleted.ts';
import { isUndecided, type SplitPlan, splitPlan } from './split-plan.ts';
import { countChanges, isEmptyPlan, type SyncOptions, type SyncReport } from './sync-report.ts';
import { type Tree, Trees } from './tree.ts';
import { getRoot } from './work-tree.ts';

const roundsAtMost = 6;

/** Syncs a branch of a repository with a space: each side's changes are applied to the other in a three-way merge. */
export async function syncSpace(options: SyncOptions): Promise<SyncReport> {
  const api = connect(options.api);
  const remote = await Remote.open(options.repository, options.space, options.branch);
  try {
    return await new Sync(api, remote, options).run();
  } finally {
    await remote.close();
  }
}

class Sync {
  readonly #api: Api;
  readonly #remote: Remote;
  readonly #options: SyncOptions;
  readonly #trees: Trees;
  readonly #root: string;
  readonly #report: SyncReport;
  readonly #changeRequests: ChangeRequests;
  #tip: string | undefined;

  constructor(api: Api, remote: Remote, options: SyncOptions) {
    this.#api = api;
    this.#remote = remote;
    this.#options = options;
    this.#root = getRoot(options.root);
    this.#trees = new Trees(remote.folder, this.#root);
    const { space } = options;
    this.#report = { space, branch: remote.branch, changeRequests: [], commits: [], problems: [], undecided: [] };
    this.#changeRequests = new ChangeRequests(api, options, this.#report);
  }

  /** Starts another round if another client has pushed in the meantime. */
  async run(): Promise<SyncReport> {
    for (let round = 0; round < roundsAtMost; round += 1) if (await this.#runRound()) return this.#finish();
    throw new Failure('The repository keeps changing during the sync. Try again later.');
  }

  async #finish(): Promise<SyncReport> {
    const { commits, problems } = this.#report;
    const tip = commits.at(-1)?.id ?? this.#tip;
    const reason = this.#options.dryRun || tip === undefined ? undefined : await this.#remote.follow(tip);
    if (reason !== undefined)
      problems.push({
        path: this.#remote.branch,
        kind: 'warning',
        message: `The working tree was not updated: ${reason}`,
      });
    if (!this.#options.dryRun && !this.#report.needsDirection) await this.#reportRepository();
    this.#report.undecided = await this.#changeRequests.getUndecided();
    return this.#report;
  }

  async #reportRepository(): Promise<void> {
    const repository = await this.#remote.getWebAddress();
    const { space } = this.#options;
    if (repository === undefined) return;
    const synced = { space, repository, branch: this.#remote.branch, root: this.#root };
    await reportRepository(this.#api, synced).catch((error: unknown) => {
      const message = `The repository could not be recorded in the space, so sites have no links to edit pages: ${getMessage(error)}`;
      this.#report.problems.push({ path: this.#remote.branch, kind: 'warning', message });
    });
  }

  async #runRound(): Promise<boolean> {
    this.#report.problems = [];
    const state = await this.#readState();
    this.#tip = state.tip;
    const tree = await this.#trees.read(state.tip);
    const sent = await this.#send(state, tree);
    if (sent === undefined) return false;
    const { waits, needsDirection } = this.#report;
    if (this.#options.dryRun || waits !== undefined || needsDirection) return true;
    const settled =
      sent.state.changeRequest === undefined ? 'merged' : await this.#changeRequests.settleChangeRequest(sent.state);
    if (settled === undefined) return true;
    return this.#commitSpace({ ...sent, formerState: state, tree, isRefused: settled === 'archived' });
  }

  /** Fetches the state of the repository. @throws Failure if the state belongs to another branch or folder */
  async #readState(): Promise<RepositoryState> {
    const repositoryState = await this.#remote.fetch();
    const { state, tip } = repositoryState;
    if (state === undefined) return repositoryState;
    const { root = this.#root, branch = this.#remote.branch } = state;
    if (root !== this.#root || branch !== this.#remote.branch) {
      const folder = root === '' ? 'the whole repository' : `the folder ${root.slice(0, -1)}`;
      throw new Failure(
        `The space is already synced with ${folder} of the branch ${branch}. Sync it with the same --root and --branch. ` +
          `To sync with another one instead, delete the ref refs/octavo/${this.#options.space} of the repository.`,
      );
    }
    if (tip === undefined) throw new Failure(`The repository has no branch ${branch}.`);
    if (!state.isWriting || state.changeRequest === undefined) return this.#shortenHistory(repositoryState);
    const { revision } = await this.#changeRequests.get(state.changeRequest);
    return { ...repositoryState, state: { ...state, revision } };
  }

  /**
   * Moves the common state to the live revision if the change request is merged and the live content has not changed
   * since. This limits the number of revisions that later syncs have to follow.
   */
  async #shortenHistory(repositoryState: RepositoryState): Promise<RepositoryState> {
    const { state, tip, syncedCommit } = repositoryState;
    if (this.#options.dryRun || state?.changeRequest === undefined || tip === state.commit || state.apart)
      return repositoryState;
    const { status } = await this.#changeRequests.get(state.changeRequest);
    if (status !== 'merged') return repositoryState;
    const tree = await this.#trees.read(syncedCommit);
    const content = await this.#readContent(state, tree);
    const end = { folder: this.#remote.folder, root: this.#root, tip: syncedCommit, givenNames: getStoredPaths(state) };
    const common = {
      content,
      tree,
      formerTree: tree,
      isLive: false,
      isSingleWriter: false,
      canDelete: () => true,
      heldPaths: new Set<string>(),
      last: undefined,
      ownRequest: undefined,
    };
    const { commits, revision, givenNames, problems } = await restoreDeleted(this.#api, end, common);
    if (commits.length + problems.length > 0) return repositoryState;
    const next = this.#stateOf({ commit: state.commit, revision, ...getNames(givenNames) });
    const pushed = await this.#remote.push(next, { syncedCommit, tree: syncedCommit });
    return pushed === undefined ? repositoryState : { ...repositoryState, state: next, syncedCommit: pushed };
  }

  #readContent = (state: SyncState | undefined, tree: Tree): Promise<SpaceContent> =>
    readSpace(this.#api, this.#options.space, state?.revision, { ...tree, givenPaths: getStoredPaths(state) });

  #stateOf = (state: Omit<SyncState, 'root' | 'branch'>): SyncState => ({
    ...state,
    root: this.#root,
    branch: this.#remote.branch,
  });

  /** Writes the repository's changes to a change request. Undefined if another client has pushed first. */
  async #send(repositoryState: RepositoryState, tree: Tree): Promise<SentState | undefined> {
    const { state, syncedCommit, tip } = repositoryState;
    const formerTree = await this.#trees.read(syncedCommit);
    const content = await this.#readContent(state, formerTree);
    const repository = { folder: this.#remote.folder, root: this.#root, repositoryState };
    const fullPlan = await planSync(this.#api, content, { ...repository, formerTree, tree });
    const split = this.#split(fullPlan, content, state);
    const { plan } = split;
    const initialState = this.#stateOf({ commit: '', revision: '' });
    const unchanged = { state: initialState, syncedCommit, content, formerTree };
    if (state === undefined && this.#mustAskDirection(fullPlan, content)) return unchanged;
    if (this.#options.dryRun) {
      if (isEmptyPlan(fullPlan)) this.#reportPlan(plan);
      else await this.#foresee(fullPlan, split);
      return unchanged;
    }
    const subject = await this.#getSubject(tip);
    if (split.conflicts.length > 0) await this.#changeRequests.createChangeRequest(split, content, subject);
    const heldPaths = [...new Set([...(state?.apart ?? []), ...split.paths])];
    const commit = tip ?? (await this.#empty());
    const names = getNames(new Map([...getStoredPaths(state), ...plan.deletedPaths]));
    const also = { ...(heldPaths.length > 0 && { apart: heldPaths }), ...names };
    const isReviewed = state === undefined ? this.#options.review && isUndecided(fullPlan, content) : state.isForPerson;
    const isForPerson: true | undefined = isReviewed ? true : undefined;
    if (isEmptyPlan(plan)) {
      this.#reportPlan(plan);
      const { changeRequest } = state ?? {};
      const request = changeRequest && { changeRequest, isForPerson };
      const same = this.#stateOf({ commit, revision: content.revision, ...request, ...also });
      return { ...unchanged, state: same };
    }
    const target = await this.#changeRequests.begin(state, content.revision, subject);
    if (target === undefined) return unchanged;
    const startCommit =
      target.isNew || state === undefined ? syncedCommit : await this.#beginWriting(state, syncedCommit);
    if (!target.isNew && startCommit === undefined) return undefined;
    await this.#changeRequests.write(plan, target);
    const { revision } = await this.#changeRequests.get(target.id);
    const isNewRequest = state !== undefined && target.isNew;
    const result = { changeRequest: target.id, ...(!isNewRequest && { isForPerson }) };
    const next = this.#stateOf({ commit, revision, ...result, ...also });
    const pushed = await this.#remote.push(next, { syncedCommit: startCommit });
    if (pushed !== undefined) return { ...unchanged, state: next, syncedCommit: pushed };
    if (target.isNew) await this.#changeRequests.archive(target.id);
    return undefined;
  }

  /** Whether the first sync must stop because the user has not chosen a direction. */
  #mustAskDirection(fullPlan: SyncPlan, content: SpaceContent): boolean {
    const { from, yes, dryRun } = this.#options;
    const sides = compareSides(fullPlan, content);
    if (sides === undefined) return false;
    this.#report.firstSync = sides;
    if (dryRun || from !== undefined || yes) return false;
    this.#report.needsDirection = true;
    return true;
  }

  /**
   * With `--review`, the first sync separates no conflicts, because a user reviews all changes before they are merged.
   */
  #split(plan: SyncPlan, content: SpaceContent, state: SyncState | undefined): SplitPlan {
    const { from, review } = this.#options;
    if (state === undefined && from !== undefined) return planDirection(plan, content, from);
    if (state === undefined) return splitPlan(plan, content, review ? new Set() : 'all');
    return splitPlan(plan, content, new Set(state.apart));
  }

  async #foresee(plan: SyncPlan, { conflicts }: SplitPlan): Promise<void> {
    this.#report.planned = { changes: countChanges(plan), conflicts };
    const problems = plan.repository.problems.filter(({ kind }) => kind !== 'skipped');
    const { space } = this.#options;
    this.#report.problems.push(
      ...problems,
      ...(await checkSpecifications({ api: this.#api, ...plan, spaceId: space })),
    );
  }

  #reportPlan({ repository }: SyncPlan): void {
    this.#report.problems.push(...repository.problems.filter(({ kind }) => kind === 'failed'));
  }

  async #getSubject(tip: string | undefined): Promise<string> {
    const subject =
      tip === undefined ? '' : await runGitForText(this.#remote.folder, ['log', '-1', '--format=%s', tip]);
    return `${subject || 'Changes'} (${tip?.slice(0, 10)})`;
  }

  /**
   * Records that this run writes to a waiting change request. If the run is interrupted, its changes are not mistaken
   * for those of a user.
   */
  #beginWriting = (state: SyncState, commit: string | undefined): Promise<string | undefined> =>
    this.#remote.push({ ...state, isWriting: true }, { syncedCommit: commit, tree: commit });

  #empty = (): Promise<string> =>
    runGitForText(this.#remote.folder, ['hash-object', '-t', 'tree', '-w', '--stdin'], '');

  /** Commits the content of the space on top of the newest commit. Returns false if another client has pushed first. */
  async #commitSpace(input: SentState & SpaceToCommit): Promise<boolean> {
    const { state, syncedCommit, formerState, tree, content, formerTree, isRefused } = input;
    const knownIds = new Set(content.names.keys());
    const { commits, revision, givenNames, problems } = await restoreDeleted(
      this.#api,
      { folder: this.#remote.folder, root: this.#root, tip: formerState.tip, givenNames: getStoredPaths(state) },
      {
        content: await this.#readContent(state, tree),
        tree,
        formerTree,
        isLive: state.changeRequest === undefined && formerState.state !== undefined,
        isSingleWriter: formerState.tip === formerState.state?.commit,
        // If a user has archived the change request, the repository may still need its new files.
        canDelete: (id) => !isRefused || knownIds.has(id),
        heldPaths: new Set(state.apart),
        last: formerState.state,
        ownRequest: state.changeRequest,
        isFirst: formerState.state === undefined,
      },
    );
    const reportedPaths = new Set(this.#report.problems.map(({ path }) => path));
    this.#report.problems.push(...problems.filter(({ path }) => !reportedPaths.has(path)));
    const commit = commits.at(-1)?.id;
    const next = this.#stateOf({ commit: commit ?? state.commit, revision, ...getNames(givenNames) });
    if (JSON.stringify(next) === JSON.stringify(formerState.state)) return true;
    if ((await this.#remote.push(next, { syncedCommit, commit })) === undefined) return false;
    this.#report.commits.push(...commits);
    return true;
  }
}

/** The rest of the input of `#commitSpace`. */
interface SpaceToCommit {
  formerState: RepositoryState;
  tree: Tree;
  isRefused: boolean;
}

/** The common state after the repository's changes were sent. `content` is the content of the previous common state. */
interface SentState {
  state: SyncState;
  syncedCommit: string | undefined;
  content: SpaceContent;
  /** The tree before the repository's changes. */
  formerTree: Tree;
}
