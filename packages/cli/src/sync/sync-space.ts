import { readRepository } from '@octavo/outline';
import type { MergeConflict } from '@octavo/schema';
import { type Api, type ApiConnection, connect } from '../api.ts';
import { readSpace, type SpaceContent } from '../export/read-space.ts';
import { Failure } from '../failure.ts';
import { planContent } from '../import/plan-content.ts';
import type { ImportProblem } from '../import/problem.ts';
import { bringBack } from './bring-back.ts';
import { gitText } from './git.ts';
import { mergeWhatGoes } from './merge-change-request.ts';
import { type Difference, planChanges, type SyncPlan } from './plan-changes.ts';
import { Remote, type RepositoryState, type SyncState } from './remote.ts';
import { isEmptyPlan, sendPlan } from './send-plan.ts';
import { type Tree, Trees } from './tree.ts';

const roundsAtMost = 6;
const maxSubjectLength = 100;

export interface SyncOptions {
  api: ApiConnection;
  /** An address or a folder of a git repository. */
  repository: string;
  space: string;
  branch?: string;
  /** The folder of the repository that the space is of. */
  root?: string;
  /** Leaves what the repository has changed open as a change request. */
  review?: boolean;
  dryRun?: boolean;
}

/** What a sync did. Its fields are what `--json` prints: they keep their names. */
export interface SyncReport {
  space: string;
  branch: string;
  /** The change requests that brought the repository's changes, and what became of them. */
  changeRequests: { id: string; number: number; status: 'merged' | 'open' | 'conflicts'; conflicts: MergeConflict[] }[];
  /** The commits that brought the changes of the space, the newest last. */
  commits: { id: string; subject: string; written: number; removed: number }[];
  problems: ImportProblem[];
  /** Whether something waits for a decision of a person. */
  waits?: string;
  /** With `--dry-run`: how many changes there are to be brought. */
  planned?: { changes: number };
}

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
    const standing = await this.#remote.fetch();
    const tree = await this.#trees.read(standing.tip);
    const sent = await this.#send(standing, tree);
    if (sent === undefined) return false;
    if (this.#options.dryRun || this.#report.waits !== undefined) return true;
    if (sent.state.changeRequest !== undefined && !(await this.#settle(sent.state))) return true;
    return this.#bringBack({ ...sent, former: standing, tree });
  }

  /** Brings what the repository has changed into a change request. Undefined where somebody else was faster. */
  async #send(standing: RepositoryState, tree: Tree): Promise<Brought | undefined> {
    const { state, kept, tip } = standing;
    const former = await this.#trees.read(kept);
    const content = await readSpace(this.#api, this.#options.space, state?.revision);
    const plan = await this.#plan(content, { standing, former, tree });
    if (isEmptyPlan(plan)) {
      const same = { ...state, commit: tip ?? (await this.#empty()), revision: content.revision };
      return { state: same, kept, content };
    }
    if (this.#options.dryRun) {
      this.#report.planned = {
        changes:
          plan.steps.length +
          plan.files.length +
          plan.contents.changes.length +
          plan.variables.changes.length +
          plan.moves.length +
          plan.deletions.length,
      };
      return { state: { commit: tip ?? '', revision: content.revision }, kept, content };
    }
    const into = await this.#changeRequestFor(state, content, tip);
    if (into === undefined) return { state: { commit: '', revision: '' }, kept, content };
    await this.#write(plan, into.id, content);
    const { revision } = await this.#api.getChangeRequestById({ params: this.#params(into.id) });
    const next: SyncState = { commit: tip ?? '', revision, changeRequest: into.id };
    const pushed = await this.#remote.push(next, { kept });
    if (pushed !== undefined) return { state: next, kept: pushed, content };
    if (into.isNew)
      await this.#api.updateChangeRequestById({ params: this.#params(into.id), body: { status: 'archived' } });
    return undefined;
  }

  async #plan(
    content: SpaceContent,
    { standing, former, tree }: { standing: RepositoryState; former: Tree; tree: Tree },
  ): Promise<SyncPlan> {
    const { state, tip } = standing;
    if (state !== undefined) {
      const renamed = tip === undefined ? new Map<string, string>() : await this.#renames(standing.kept ?? '', tip);
      const difference: Difference = { former, present: tree, renamed };
      return planChanges(content, difference);
    }
    const spaceId = this.#options.space;
    const repository = await readRepository(tree.source);
    const revision = await this.#api.getRevisionById({
      params: { spaceId, revisionId: content.revision },
      query: { computed: 'false' },
    });
    const plan = await planContent(tree.source, repository, { api: this.#api, revision, spaceId });
    return { ...plan, repository, moves: [], deletions: [] };
  }

  async #renames(former: string, tip: string): Promise<Map<string, string>> {
    const args = ['diff-tree', '-r', '-z', '-M', '--diff-filter=R', '--name-status', former, tip];
    const words = (await gitText(this.#remote.folder, args)).split('\0');
    const renamed = new Map<string, string>();
    for (let at = 0; at + 2 < words.length; at += 3) {
      const [from = '', to = ''] = words.slice(at + 1, at + 3);
      if (from.startsWith(this.#root) && to.startsWith(this.#root))
        renamed.set(from.slice(this.#root.length), to.slice(this.#root.length));
    }
    return renamed;
  }

  #empty = (): Promise<string> => gitText(this.#remote.folder, ['hash-object', '-t', 'tree', '-w', '--stdin'], '');
  #params = (changeRequestId: string) => ({ spaceId: this.#options.space, changeRequestId });

  /** One that waits and that nobody has changed is gone on with, else a new one begins where both were the same. */
  async #changeRequestFor(state: SyncState | undefined, content: SpaceContent, tip: string | undefined) {
    if (state?.changeRequest !== undefined) {
      const waiting = await this.#api.getChangeRequestById({ params: this.#params(state.changeRequest) });
      if (waiting.status === 'draft' || waiting.status === 'open') {
        if (waiting.revision === state.revision) return { id: waiting.id, isNew: false };
        if (this.#options.review || !(await this.#settle(state))) {
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

  /** @throws Failure where something that is there already cannot be changed: then nothing may go back over it. */
  async #write(plan: SyncPlan, changeRequest: string, { names }: SpaceContent): Promise<void> {
    const { problems } = await sendPlan(plan, this.#api, this.#params(changeRequest));
    const known = new Set(names.values());
    const lost = problems.filter(({ kind, path }) => kind === 'failed' && known.has(path));
    this.#report.problems.push(...problems);
    if (lost.length === 0) return;
    await this.#api.updateChangeRequestById({ params: this.#params(changeRequest), body: { status: 'archived' } });
    throw new Failure(`Nothing was brought: ${lost.map(({ path, message }) => `${path}: ${message}`).join('; ')}`);
  }

  /** Merges the change request where that may be: whether it waits for nobody. */
  async #settle({ changeRequest = '' }: SyncState): Promise<boolean> {
    const params = this.#params(changeRequest);
    const found = await this.#api.getChangeRequestById({ params });
    const { id, number, status } = found;
    if (status === 'merged' || status === 'archived') return true;
    const { changeRequests } = this.#report;
    if (this.#options.review) {
      if (status === 'draft') await this.#api.updateChangeRequestById({ params, body: { status: 'open' } });
      changeRequests.push({ id, number, status: 'open', conflicts: [] });
      return false;
    }
    const { isMerged, conflicts, waits, held } = await mergeWhatGoes(this.#api, params);
    const isWhole = isMerged || conflicts.length === 0;
    const became = isMerged ? 'merged' : conflicts.length > 0 ? 'conflicts' : 'open';
    changeRequests.push({ id, number, status: became, conflicts: isWhole ? [] : conflicts });
    if (held) changeRequests.push({ id: held.id, number: held.number, status: 'conflicts', conflicts });
    if (waits !== undefined) this.#report.waits = waits;
    return isMerged;
  }

  /** Writes what the space holds over the newest commit. False where somebody else was faster. */
  async #bringBack(brought: Brought & { former: RepositoryState; tree: Tree }): Promise<boolean> {
    const { state, kept, former, tree, content } = brought;
    const isLive = state.changeRequest === undefined && former.state !== undefined;
    const to = { folder: this.#remote.folder, root: this.#root, tip: former.tip };
    const { commits, revision } = await bringBack(this.#api, to, {
      content,
      tree,
      isLive,
      isAlone: former.tip === former.state?.commit,
    });
    const commit = commits.at(-1)?.id;
    const next: SyncState = { commit: commit ?? state.commit, revision };
    const isSame = JSON.stringify(next) === JSON.stringify(former.state);
    if (isSame) return true;
    if ((await this.#remote.push(next, { kept, commit })) === undefined) return false;
    this.#report.commits.push(...commits);
    return true;
  }
}

/** What is in common once the repository's changes have been sent; `content` is what was in common before. */
interface Brought {
  state: SyncState;
  kept: string | undefined;
  content: SpaceContent;
}

function rootOf(root = ''): string {
  const parts = root.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new Failure(`The folder ${root} is outside of the repository.`);
  return parts.map((part) => `${part}/`).join('');
}
