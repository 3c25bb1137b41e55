import { type ChangeRequest, type ContentChange, isApiError, type MergeConflict } from '@octavo/schema';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import type { NamedConflict } from '../import/report.ts';
import { sendChanges } from '../import/send-changes.ts';
import { FileSender } from '../import/send-files.ts';
import { ConflictRequests, Sides } from './local-changes.ts';

const attemptsAtMost = 4;

interface ChangeRequestParams {
  spaceId: string;
  changeRequestId: string;
}

interface MergeOutcome {
  isMerged: boolean;
  conflicts: NamedConflict[];
  /** The change request with the conflicts. */
  heldRequest?: ChangeRequest;
  /** The reason why the merge has to wait. */
  waits?: string;
}

/**
 * Merges a change request. Conflicts are moved to a separate change request with the repository's version, and the rest
 * is merged. `revisionId` is the revision of the change request that the sync wrote. An interrupted run is continued.
 */
export async function mergeNonConflicting(
  api: Api,
  params: ChangeRequestParams,
  revisionId: string,
): Promise<MergeOutcome> {
  const holder = new ConflictRequestWriter(api, params, revisionId);
  for (let attempt = 0; ; attempt += 1) {
    const merged = await merge(api, params);
    const { conflicts, outcome } = { conflicts: merged.conflicts ?? [], outcome: holder.outcome };
    if (merged.waits !== undefined) return { isMerged: false, ...outcome, waits: merged.waits };
    if (conflicts.length === 0) return { isMerged: true, ...outcome };
    if (attempt === attemptsAtMost)
      return {
        isMerged: false,
        ...outcome,
        conflicts,
        waits: 'The change request has conflicts. The sync continues when they are resolved.',
      };
    await holder.createChangeRequest(conflicts, merged.isUpdated === true);
    const { conflicts: open = [] } = await api.updateChangeRequest({ params });
    await holder.createChangeRequest(open, true);
    await holder.decide(open);
  }
}

interface Merged {
  conflicts?: MergeConflict[];
  /** Whether the conflicts remained after the change request was updated. */
  isUpdated?: boolean;
  /** The reason why the change request cannot be merged. */
  waits?: string;
}

async function merge(api: Api, params: ChangeRequestParams): Promise<Merged> {
  try {
    const { result, conflicts = [] } = await api.mergeChangeRequest({ params });
    return { conflicts: result === 'merge' ? [] : conflicts };
  } catch (error) {
    if (!isApiError(error) || (error.type !== 'precondition_failed' && error.type !== 'conflict')) throw error;
    return error.conflicts?.length ? { conflicts: error.conflicts, isUpdated: true } : { waits: error.message };
  }
}

/** Fills a conflict change request while the rest of another change request is merged. Each item is added once. */
class ConflictRequestWriter {
  readonly #api: Api;
  readonly #params: ChangeRequestParams;
  readonly #revisionId: string;
  readonly #conflictsByKey = new Map<string, NamedConflict>();
  readonly #knownKeys = new Set<string>();
  #heldRequest: ChangeRequest | undefined;
  #sides: Sides | undefined;

  constructor(api: Api, params: ChangeRequestParams, revisionId: string) {
    this.#api = api;
    this.#params = params;
    this.#revisionId = revisionId;
  }

  get outcome(): Pick<MergeOutcome, 'conflicts' | 'heldRequest'> {
    return {
      conflicts: [...this.#conflictsByKey.values()],
      ...(this.#heldRequest && { heldRequest: this.#heldRequest }),
    };
  }

  /**
   * Adds conflicts to the conflict change request.
   * @throws Failure if an item cannot be added: then no conflict is resolved either
   */
  async createChangeRequest(conflicts: MergeConflict[], isUpdated: boolean): Promise<void> {
    const sides = await this.#begin(conflicts, isUpdated);
    const newConflicts = conflicts.filter((each) => !this.#conflictsByKey.has(getKey(each)));
    for (const each of newConflicts) this.#conflictsByKey.set(getKey(each), sides.addConflictPath(each));
    const unheld = newConflicts.filter(({ kind, id }) => !this.#knownKeys.has(`${kind} ${id}`));
    if (unheld.length === 0 || this.#heldRequest === undefined) return;
    const params = { ...this.#params, changeRequestId: this.#heldRequest.id };
    const { changes, files } = await sides.createChanges(unheld);
    const refusals = await this.#send(params, changes);
    const sender = new FileSender({ api: this.#api, params });
    await sender.send(yieldItems(files));
    const [failure] = [...refusals, ...sender.failed];
    if (failure)
      throw new Failure(
        `A conflicting change could not be moved to a separate change request: ${failure.path} ${failure.message}`,
      );
    await this.#api.updateChangeRequest({ params });
    if (this.#heldRequest.status === 'draft')
      this.#heldRequest = await this.#api.updateChangeRequestById({ params, body: { status: 'open' } });
  }

  /** Reuses the conflict change request of a previous run if it is complete, else creates a new one. */
  async #begin(conflicts: MergeConflict[], isUpdated: boolean): Promise<Sides> {
    if (this.#sides !== undefined) return this.#sides;
    const api = this.#api;
    const { id, subject, revision, revisionInitial } = await api.getChangeRequestById({ params: this.#params });
    const { spaceId } = this.#params;
    const sides = await Sides.read(api, spaceId, {
      base: revisionInitial,
      source: isUpdated ? this.#revisionId : revision,
    });
    const heldRequests = new ConflictRequests(api, spaceId);
    const existing = await heldRequests.find(id);
    if (existing?.status === 'open') {
      this.#heldRequest = existing;
      await this.#loadChangeRequest(existing.id);
    } else {
      if (existing)
        await api.updateChangeRequestById({
          params: { spaceId, changeRequestId: existing.id },
          body: { status: 'archived' },
        });
      const namedConflicts = conflicts.map((each) => sides.addConflictPath(each));
      this.#heldRequest = await heldRequests.begin(id, {
        subject,
        revision: revisionInitial,
        conflicts: namedConflicts,
      });
    }
    this.#sides = sides;
    return sides;
  }

  /** Records the items that the conflict change request already contains, because a user may be resolving them. */
  async #loadChangeRequest(changeRequestId: string): Promise<void> {
    const params = { spaceId: this.#params.spaceId, changeRequestId };
    const { changes } = await this.#api.getChangeRequestChanges({ params, query: { limit: '1000' } });
    for (const change of changes) {
      if ('page' in change) this.#knownKeys.add(`page ${change.page.id}`);
      else if ('file' in change) this.#knownKeys.add(`file ${change.file.id}`);
      else if ('reusableContent' in change) this.#knownKeys.add(`reusable-content ${change.reusableContent.id}`);
      else {
        const { before, after } = change.variables;
        for (const name of Object.keys({ ...before, ...after })) this.#knownKeys.add(`variable ${name}`);
      }
    }
  }

  /**
   * Resolves conflicts by keeping the live content. Pages are deleted bottom-up, so that no page below a deleted one
   * remains.
   */
  async decide(conflicts: MergeConflict[]): Promise<void> {
    const getDepth = ({ kind, id, field }: MergeConflict) =>
      kind === 'page' ? (this.#sides?.getDepth(id) ?? 0) * (field === 'parent' ? 1 : -1) : 0;
    const ranked = conflicts.toSorted((one, other) => getRank(one) - getRank(other) || getDepth(one) - getDepth(other));
    await this.#send(
      this.#params,
      ranked.map((each) => this.#decide(each)),
    );
  }

  /**
   * Resolves a conflict. If the parent of a new page was deleted, the page moves to the top level with its new
   * subpages, because no user deleted the page itself.
   */
  #decide({ kind, id, field }: MergeConflict): ContentChange {
    if (kind === 'page' && field === 'parent' && this.#sides?.isNew(id)) {
      const parent = this.#sides.getParent(id);
      return {
        operation: 'update_page',
        page: id,
        into: parent !== undefined && this.#sides.isNew(parent) ? parent : null,
      };
    }
    return { operation: 'resolve', kind, id, field, keep: 'live' };
  }

  #send = (params: ChangeRequestParams, changes: ContentChange[]) =>
    sendChanges(
      { api: this.#api, params },
      changes.map((change) => ({ path: '', change, created: 0, updated: 1 })),
    );
}

const getKey = ({ kind, id, field }: MergeConflict): string => `${kind} ${id} ${field}`;

/** Deletions are resolved last. */
const getRank = ({ field }: MergeConflict): number => (field === 'parent' ? 0 : field === 'node' ? 2 : 1);

async function* yieldItems<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items;
}
