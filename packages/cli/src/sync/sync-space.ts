import { type Api, connect } from '../api.ts';
import { readSpace, type SpaceContent } from '../export/read-space.ts';
import { Failure } from '../failure.ts';
import { bringBack } from './bring-back.ts';
import { gitText } from './git.ts';
import { mergeWhatGoes } from './merge-change-request.ts';
import type { SyncPlan } from './plan-changes.ts';
import { planSync } from './plan-sync.ts';
import { Remote, type RepositoryState, type SyncState } from './remote.ts';
import { isEmptyPlan, sendPlan } from './send-plan.ts';
import type { SyncOptions, SyncReport } from './sync-report.ts';
import { type Tree, Trees } from './tree.ts';

const roundsAtMost = 6;
const maxSubjectLength = 100;

/** Brings a branch of a repository and a space together: each side's changes go to the other, three ways. */
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

  constructor(api: Api, remote: Remote, options: SyncOptions) {
    this.#api = api;
    this.#remote = remote;
    this.#options = options;
    this.#root = rootOf(options.root);
    this.#trees = new Trees(remote.folder, this.#root);
    this.#report = { space: options.space, branch: remote.branch, changeRequests: [], commits: [], problems: [] };
  }

  /** Goes round again where somebody else has pushed meanwhile. */
  async run(): Promise<SyncReport> {
    for (let round = 0; round < roundsAtMost; round += 1) if (await this.#round()) return this.#report;
    throw new Failure('The repository moves faster than it can be brought: try again later.');
  }

  async #round(): Promise<boolean> {
    this.#report.problems = [];
    const standing = await this.#standing();
    const tree = await this.#trees.read(standing.tip);
    const sent = await this.#send(standing, tree);
    if (sent === undefined) return false;
    if (this.#options.dryRun || this.#report.waits !== undefined) return true;
    const settled = sent.state.changeRequest === undefined ? 'merged' : await this.#settle(sent.state);
    if (settled === undefined) return true;
    return this.#bringBack({ ...sent, former: standing, tree, isRefused: settled === 'archived' });
  }

  /** @throws Failure where the branch or the folder is not the one that has something in common with the space */
  async #standing(): Promise<RepositoryState> {
    const standing = await this.#remote.fetch();
    const { state, tip } = standing;
    if (state === undefined) return standing;
    const { root = this.#root, branch = this.#remote.branch } = state;
    if (root !== this.#root || branch !== this.#remote.branch) {
      const folder = root === '' ? 'the whole repository' : `the folder ${root.slice(0, -1)}`;
      throw new Failure(
        `The space is synced with ${folder}, branch ${branch}: name them with --root and --branch, or delete the ref of the state.`,
      );
    }
    if (tip === undefined) throw new Failure(`The repository has no branch ${branch}.`);
    if (!state.isWriting || state.changeRequest === undefined) return this.#shortened(standing);
    const { revision } = await this.#api.getChangeRequestById({ params: this.#params(state.changeRequest) });
    return { ...standing, state: { ...state, revision } };
  }

  /** Where a change request is merged and the live content is what it was, that is what is in common: chains stay short. */
  async #shortened(standing: RepositoryState): Promise<RepositoryState> {
    const { state, tip, kept } = standing;
    if (this.#options.dryRun || state?.changeRequest === undefined || tip === state.commit) return standing;
    const { status } = await this.#api.getChangeRequestById({ params: this.#params(state.changeRequest) });
    if (status !== 'merged') return standing;
    const tree = await this.#trees.read(kept);
    const content = await readSpace(this.#api, this.#options.space, state.revision, tree);
    const end = { folder: this.#remote.folder, root: this.#root, tip: kept };
    const common = { content, tree, former: tree, isLive: false, isAlone: false, mayGo: () => true };
    const { commits, revision, problems } = await bringBack(this.#api, end, common);
    if (commits.length + problems.length > 0) return standing;
    const next = this.#stateOf({ commit: state.commit, revision });
    const pushed = await this.#remote.push(next, { kept, tree: kept });
    return pushed === undefined ? standing : { ...standing, state: next, kept: pushed };
  }

  #stateOf = (state: Pick<SyncState, 'commit' | 'revision' | 'changeRequest' | 'isWriting'>): SyncState => ({
    ...state,
    root: this.#root,
    branch: this.#remote.branch,
  });

  /** Brings what the repository has changed into a change request. Undefined where somebody else was faster. */
  async #send(standing: RepositoryState, tree: Tree): Promise<Brought | undefined> {
    const { state, kept, tip } = standing;
    const former = await this.#trees.read(kept);
    const content = await readSpace(this.#api, this.#options.space, state?.revision, former);
    const { folder } = this.#remote;
    const plan = await planSync(this.#api, content, { folder, root: this.#root, standing, former, tree });
    if (isEmptyPlan(plan)) {
      this.#report.problems.push(...plan.repository.problems.filter(({ kind }) => kind === 'failed'));
      const { changeRequest } = state ?? {};
      const commit = tip ?? (await this.#empty());
      const same = this.#stateOf({ commit, revision: content.revision, ...(changeRequest && { changeRequest }) });
      return { state: same, kept, content, formerTree: former };
    }
    if (this.#options.dryRun) {
      this.#report.planned = { changes: changesIn(plan) };
      return { state: this.#stateOf({ commit: '', revision: '' }), kept, content, formerTree: former };
    }
    const into = await this.#changeRequestFor(state, content, tip);
    if (into === undefined)
      return { state: this.#stateOf({ commit: '', revision: '' }), kept, content, formerTree: former };
    const begun = into.isNew || state === undefined ? kept : await this.#beginWriting(state, kept);
    if (!into.isNew && begun === undefined) return undefined;
    await this.#write(plan, into);
    const { revision } = await this.#api.getChangeRequestById({ params: this.#params(into.id) });
    const next = this.#stateOf({ commit: tip ?? (await this.#empty()), revision, changeRequest: into.id });
    const pushed = await this.#remote.push(next, { kept: begun });
    if (pushed !== undefined) return { state: next, kept: pushed, content, formerTree: former };
    if (into.isNew) await this.#archive(into.id);
    return undefined;
  }

  /** What a run that ends on its way has written into a change request that waits is not what somebody has edited. */
  #beginWriting = (state: SyncState, kept: string | undefined): Promise<string | undefined> =>
    this.#remote.push({ ...state, isWriting: true }, { kept, tree: kept });

  async #archive(changeRequest: string): Promise<void> {
    await this.#api.updateChangeRequestById({ params: this.#params(changeRequest), body: { status: 'archived' } });
  }

  #empty = (): Promise<string> => gitText(this.#remote.folder, ['hash-object', '-t', 'tree', '-w', '--stdin'], '');
  #params = (changeRequestId: string) => ({ spaceId: this.#options.space, changeRequestId });

  /** One that waits and that nobody has changed is gone on with, else a new one begins where both were the same. */
  async #changeRequestFor(state: SyncState | undefined, content: SpaceContent, tip: string | undefined) {
    if (state?.changeRequest !== undefined) {
      const waiting = await this.#api.getChangeRequestById({ params: this.#params(state.changeRequest) });
      if (waiting.status === 'draft' || waiting.status === 'open') {
        if (waiting.revision === state.revision) return { id: waiting.id, isNew: false };
        if (this.#options.review || (await this.#settle(state)) === undefined) {
          this.#report.waits = `The change request ${waiting.number} was changed in Octavo: merge or archive it, then the newer commits come.`;
          return undefined;
        }
      }
    }
    const said = tip === undefined ? '' : await gitText(this.#remote.folder, ['log', '-1', '--format=%s', tip]);
    const subject = `${said || 'Changes'} (${tip?.slice(0, 10)})`;
    const body = { subject: subject.slice(-maxSubjectLength).toWellFormed(), revision: content.revision };
    return {
      id: (await this.#api.createChangeRequest({ params: { spaceId: this.#options.space }, body })).id,
      isNew: true,
    };
  }

  /** @throws Failure where something cannot be moved or taken away: then nothing may go back over it. */
  async #write(plan: SyncPlan, { id, isNew }: { id: string; isNew: boolean }): Promise<void> {
    const { problems, undone } = await sendPlan(plan, this.#api, this.#params(id));
    this.#report.problems.push(...problems);
    if (undone.length === 0) return;
    if (isNew) await this.#archive(id);
    throw new Failure(`Nothing was brought: ${undone.map(({ path, message }) => `${path}: ${message}`).join('; ')}`);
  }

  /** Merges the change request where that may be: what became of it; undefined where it waits for somebody. */
  async #settle({ changeRequest = '' }: SyncState): Promise<'merged' | 'archived' | undefined> {
    const params = this.#params(changeRequest);
    const found = await this.#api.getChangeRequestById({ params });
    const { id, number, status } = found;
    if (status === 'merged' || status === 'archived') return status;
    const { changeRequests } = this.#report;
    if (this.#options.review) {
      if (status === 'draft') await this.#api.updateChangeRequestById({ params, body: { status: 'open' } });
      changeRequests.push({ id, number, status: 'open', conflicts: [] });
      return undefined;
    }
    const { isMerged, conflicts, waits, held } = await mergeWhatGoes(this.#api, params);
    const isWhole = isMerged || conflicts.length === 0;
    const became = isMerged ? 'merged' : conflicts.length > 0 ? 'conflicts' : 'open';
    changeRequests.push({ id, number, status: became, conflicts: isWhole ? [] : conflicts });
    if (held) changeRequests.push({ id: held.id, number: held.number, status: 'conflicts', conflicts });
    if (waits !== undefined) this.#report.waits = waits;
    return isMerged ? 'merged' : undefined;
  }

  /** Writes what the space holds over the newest commit. False where somebody else was faster. */
  async #bringBack(brought: Brought & Back): Promise<boolean> {
    const { state, kept, former, tree, content, formerTree, isRefused } = brought;
    const { space } = this.#options;
    const known = new Set(content.names.keys());
    const { commits, revision, problems } = await bringBack(
      this.#api,
      { folder: this.#remote.folder, root: this.#root, tip: former.tip },
      {
        content: await readSpace(this.#api, space, state.revision, tree),
        tree,
        former: formerTree,
        isLive: state.changeRequest === undefined && former.state !== undefined,
        isAlone: former.tip === former.state?.commit,
        // What was refused as a whole is not known to be wanted nowhere.
        mayGo: (id) => !isRefused || known.has(id),
      },
    );
    const told = new Set(this.#report.problems.map(({ path }) => path));
    this.#report.problems.push(...problems.filter(({ path }) => !told.has(path)));
    const commit = commits.at(-1)?.id;
    const next = this.#stateOf({ commit: commit ?? state.commit, revision });
    if (JSON.stringify(next) === JSON.stringify(former.state)) return true;
    if ((await this.#remote.push(next, { kept, commit })) === undefined) return false;
    this.#report.commits.push(...commits);
    return true;
  }
}

interface Back {
  former: RepositoryState;
  tree: Tree;
  isRefused: boolean;
}

/** What is in common once the repository's changes have been sent; `content` is what was in common before. */
interface Brought {
  state: SyncState;
  kept: string | undefined;
  content: SpaceContent;
  /** The tree before the repository's changes. */
  formerTree: Tree;
}

const changesIn = ({ steps, files, contents, variables, moves, deletions }: SyncPlan): number =>
  [steps, files, contents.changes, variables.changes, moves, deletions].reduce((sum, { length }) => sum + length, 0);

function rootOf(root = ''): string {
  const parts = root.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new Failure(`The folder ${root} is outside of the repository.`);
  return parts.map((part) => `${part}/`).join('');
}
