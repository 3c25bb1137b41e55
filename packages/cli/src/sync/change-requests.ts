import type { ChangeRequest } from '@octavo/schema';
import type { SpaceContent } from '@octavo/space-files';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import { checkSpecifications } from '../import/check-specifications.ts';
import { ConflictRequests } from './local-changes.ts';
import { mergeNonConflicting } from './merge-change-request.ts';
import type { SyncPlan } from './plan-changes.ts';
import type { SyncState } from './remote.ts';
import type { SplitPlan } from './split-plan.ts';
import { type SyncOptions, type SyncReport, sendPlan } from './sync-report.ts';

const maxSubjectLength = 100;
/** Used in place of a change request ID for conflicts of the first sync, where both sides have no common state. */
const first = 'first';

interface SentChanges {
  id: string;
  isNew: boolean;
}

/** The change requests with the changes of a repository. Their results are added to the report. */
export class ChangeRequests {
  readonly #api: Api;
  readonly #options: SyncOptions;
  readonly #report: SyncReport;
  readonly #heldRequests: ConflictRequests;

  constructor(api: Api, options: SyncOptions, report: SyncReport) {
    this.#api = api;
    this.#options = options;
    this.#report = report;
    this.#heldRequests = new ConflictRequests(api, options.space);
  }

  #params = (changeRequestId: string) => ({ spaceId: this.#options.space, changeRequestId });

  get = (id: string): Promise<ChangeRequest> => this.#api.getChangeRequestById({ params: this.#params(id) });

  getUndecided = () => this.#heldRequests.getUndecided();

  async archive(id: string): Promise<void> {
    await this.#api.updateChangeRequestById({ params: this.#params(id), body: { status: 'archived' } });
  }

  /**
   * Continues the waiting change request if no user has changed it; otherwise creates one at the common revision.
   * Returns undefined if a user must first merge or archive the waiting one.
   */
  async begin(state: SyncState | undefined, revision: string, subject: string): Promise<SentChanges | undefined> {
    if (state?.changeRequest !== undefined) {
      const current = await this.get(state.changeRequest);
      if (current.status === 'draft' || current.status === 'open') {
        if (current.revision === state.revision) return { id: current.id, isNew: false };
        if (this.#options.review || (await this.settleChangeRequest(state)) === undefined) {
          this.#report.waits =
            `The change request ${current.number} was edited in Octavo. Merge or archive it to ` +
            'sync newer commits.';
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

  /**
   * Sends a plan. @throws Failure if a move or deletion is rejected, because the next step of the sync would undo that
   * move or deletion in the repository
   */
  async write(plan: SyncPlan, { id, isNew }: SentChanges): Promise<void> {
    const { problems, failures } = await sendPlan(plan, this.#api, this.#params(id));
    const { space } = this.#options;
    this.#report.problems.push(
      ...problems,
      ...(await checkSpecifications({ api: this.#api, ...plan, spaceId: space })),
    );
    if (failures.length === 0) return;
    if (isNew) await this.archive(id);
    throw new Failure(`Nothing was synced: ${failures.map(({ path, message }) => `${path}: ${message}`).join('; ')}`);
  }

  /**
   * Adds differences between both sides to the conflict change request of the first sync. Creates that change request
   * if necessary.
   */
  async createChangeRequest(
    { heldPlan, conflicts }: SplitPlan,
    { revision }: SpaceContent,
    subject: string,
  ): Promise<void> {
    const held = await this.#heldRequests.find(first);
    const continues = held !== undefined && (held.status === 'draft' || held.revisionInitial === revision);
    const { id, number } = continues ? held : await this.#heldRequests.begin(first, { subject, revision, conflicts });
    const { problems, failures } = await sendPlan(heldPlan, this.#api, this.#params(id));
    const heldFailures = [...problems.filter(({ kind }) => kind === 'failed'), ...failures];
    this.#report.problems.push(...heldFailures);
    await this.#api.updateChangeRequestById({ params: this.#params(id), body: { status: 'open' } });
    this.#addToReport({ id, number, status: 'conflicts', conflicts });
  }

  /**
   * Adds or replaces the entry of a change request in the report, so that each is reported once, with its final status.
   */
  #addToReport(entry: SyncReport['changeRequests'][number]): void {
    this.#report.changeRequests = [...this.#report.changeRequests.filter(({ id }) => id !== entry.id), entry];
  }

  /** Merges the change request if possible. Returns its status, or undefined if it waits for a user. */
  async settleChangeRequest({
    changeRequest = '',
    revision,
    isForPerson,
  }: SyncState): Promise<'merged' | 'archived' | undefined> {
    const { id, number, status } = await this.get(changeRequest);
    if (status === 'merged' || status === 'archived') return status;
    const params = this.#params(id);
    if (this.#options.review || isForPerson) {
      if (!this.#options.review)
        this.#report.waits = `The change request ${number} contains the initial differences between both sides. Merge or archive it.`;
      if (status === 'draft') await this.#api.updateChangeRequestById({ params, body: { status: 'open' } });
      this.#addToReport({ id, number, status: 'open', conflicts: [] });
      return undefined;
    }
    const { isMerged, conflicts, waits, heldRequest } = await mergeNonConflicting(this.#api, params, revision);
    const isComplete = isMerged || conflicts.length === 0;
    const became = isMerged ? 'merged' : conflicts.length > 0 ? 'conflicts' : 'open';
    this.#addToReport({ id, number, status: became, conflicts: isComplete ? [] : conflicts });
    if (heldRequest)
      this.#addToReport({ id: heldRequest.id, number: heldRequest.number, status: 'conflicts', conflicts });
    if (waits !== undefined) this.#report.waits = waits;
    return isMerged ? 'merged' : undefined;
  }
}
