import type { ChangeRequest } from '@octavo/schema';
import type { Api } from '../api.ts';
import type { SpaceContent } from '../export/read-space.ts';
import { Failure } from '../failure.ts';
import { HeldApart } from './held-changes.ts';
import { mergeWhatGoes } from './merge-change-request.ts';
import type { SyncPlan } from './plan-changes.ts';
import type { SyncState } from './remote.ts';
import type { SplitPlan } from './split-plan.ts';
import { type SyncOptions, type SyncReport, sendPlan } from './sync-report.ts';

const maxSubjectLength = 100;
/** What the change request is of that holds apart what was otherwise when nothing was in common. */
const first = 'first';

interface Sent {
  id: string;
  isNew: boolean;
}

/** The change requests that bring what a repository has changed; what becomes of them is told in the report. */
export class ChangeRequests {
  readonly #api: Api;
  readonly #options: SyncOptions;
  readonly #report: SyncReport;
  readonly #apart: HeldApart;

  constructor(api: Api, options: SyncOptions, report: SyncReport) {
    this.#api = api;
    this.#options = options;
    this.#report = report;
    this.#apart = new HeldApart(api, options.space);
  }

  #params = (changeRequestId: string) => ({ spaceId: this.#options.space, changeRequestId });

  get = (id: string): Promise<ChangeRequest> => this.#api.getChangeRequestById({ params: this.#params(id) });

  undecided = () => this.#apart.undecided();

  async archive(id: string): Promise<void> {
    await this.#api.updateChangeRequestById({ params: this.#params(id), body: { status: 'archived' } });
  }

  /** One that waits and that nobody has changed is gone on with, else a new one begins where both were the same. */
  async begin(state: SyncState | undefined, revision: string, subject: string): Promise<Sent | undefined> {
    if (state?.changeRequest !== undefined) {
      const waiting = await this.get(state.changeRequest);
      if (waiting.status === 'draft' || waiting.status === 'open') {
        if (waiting.revision === state.revision) return { id: waiting.id, isNew: false };
        if (this.#options.review || (await this.settle(state)) === undefined) {
          this.#report.waits = `The change request ${waiting.number} was changed in Octavo: merge or archive it, then the newer commits come.`;
          return undefined;
        }
      }
    }
    const body = { subject: subject.slice(-maxSubjectLength).toWellFormed(), revision };
    return {
      id: (await this.#api.createChangeRequest({ params: { spaceId: this.#options.space }, body })).id,
      isNew: true,
    };
  }

  /** Sends a plan. @throws Failure where something cannot be moved or taken away: then nothing may go back over it. */
  async write(plan: SyncPlan, { id, isNew }: Sent): Promise<void> {
    const { problems, undone } = await sendPlan(plan, this.#api, this.#params(id));
    this.#report.problems.push(...problems);
    if (undone.length === 0) return;
    if (isNew) await this.archive(id);
    throw new Failure(`Nothing was brought: ${undone.map(({ path, message }) => `${path}: ${message}`).join('; ')}`);
  }

  /** Holds apart what both sides have otherwise; more of it comes to what is held. */
  async hold({ apart, conflicts }: SplitPlan, { revision }: SpaceContent, subject: string): Promise<void> {
    const found = await this.#apart.find(first);
    const goesOn = found !== undefined && (found.status === 'draft' || found.revisionInitial === revision);
    const { id, number } = goesOn ? found : await this.#apart.begin(first, { subject, revision, conflicts });
    const { problems, undone } = await sendPlan(apart, this.#api, this.#params(id));
    const lost = [...problems.filter(({ kind }) => kind === 'failed'), ...undone];
    this.#report.problems.push(...lost);
    await this.#api.updateChangeRequestById({ params: this.#params(id), body: { status: 'open' } });
    this.#tell({ id, number, status: 'conflicts', conflicts });
  }

  /** Each is told once, as it is in the end. */
  #tell(told: SyncReport['changeRequests'][number]): void {
    this.#report.changeRequests = [...this.#report.changeRequests.filter(({ id }) => id !== told.id), told];
  }

  /** Merges the change request where that may be: what became of it; undefined where it waits for somebody. */
  async settle({ changeRequest = '', revision, isForPerson }: SyncState): Promise<'merged' | 'archived' | undefined> {
    const { id, number, status } = await this.get(changeRequest);
    if (status === 'merged' || status === 'archived') return status;
    const params = this.#params(id);
    if (this.#options.review || isForPerson) {
      if (!this.#options.review)
        this.#report.waits = `The change request ${number} holds what both sides had otherwise at first: merge or archive it.`;
      if (status === 'draft') await this.#api.updateChangeRequestById({ params, body: { status: 'open' } });
      this.#tell({ id, number, status: 'open', conflicts: [] });
      return undefined;
    }
    const { isMerged, conflicts, waits, held } = await mergeWhatGoes(this.#api, params, revision);
    const isWhole = isMerged || conflicts.length === 0;
    const became = isMerged ? 'merged' : conflicts.length > 0 ? 'conflicts' : 'open';
    this.#tell({ id, number, status: became, conflicts: isWhole ? [] : conflicts });
    if (held) this.#tell({ id: held.id, number: held.number, status: 'conflicts', conflicts });
    if (waits !== undefined) this.#report.waits = waits;
    return isMerged ? 'merged' : undefined;
  }
}
