import { type ChangeRequest, type ContentChange, isApiError, type MergeConflict } from '@octavo/schema';
import type { Api } from '../api.ts';

const decisionsAtOnce = 50;

interface ChangeRequestParams {
  spaceId: string;
  changeRequestId: string;
}

export interface MergeOutcome {
  isMerged: boolean;
  conflicts: MergeConflict[];
  /** The change request that the conflicts are in. */
  held?: ChangeRequest;
  /** What it waits for. */
  waits?: string;
}

/**
 * Merges a change request. What is in conflict goes into a change request of its own, as the repository has it, and the
 * rest is merged; where it cannot be told apart, all of it waits.
 */
export async function mergeWhatGoes(api: Api, params: ChangeRequestParams): Promise<MergeOutcome> {
  const merged = await merge(api, params);
  if (typeof merged === 'string') return { isMerged: false, conflicts: [], waits: merged };
  if (merged.length === 0) return { isMerged: true, conflicts: [] };
  const whole = {
    isMerged: false,
    conflicts: merged,
    waits: 'The change request is in conflict: it is gone on with when that is decided.',
  };
  const changes = await changesOf(api, params, merged);
  if (changes === undefined) return whole;
  const held = await holdApart(api, params, changes);
  const updated = await api.updateChangeRequest({ params });
  const open = updated.conflicts ?? [];
  for (let start = 0; start < open.length; start += decisionsAtOnce) {
    const decided = open.slice(start, start + decisionsAtOnce);
    const keep = decided.map(({ kind, id, field }) => ({
      operation: 'resolve' as const,
      kind,
      id,
      field,
      keep: 'live' as const,
    }));
    await api.updateChangeRequestContent({ params, body: { changes: keep } });
  }
  const again = await merge(api, params);
  if (typeof again === 'string') return { isMerged: false, conflicts: merged, waits: again };
  return again.length > 0 ? { ...whole, conflicts: again } : { isMerged: true, conflicts: merged, held };
}

/** The conflicts, none where it was merged; why it may not be merged, where that is so. */
async function merge(api: Api, params: ChangeRequestParams): Promise<MergeConflict[] | string> {
  try {
    const { result, conflicts = [] } = await api.mergeChangeRequest({ params });
    return result === 'merge' ? [] : conflicts;
  } catch (error) {
    if (isApiError(error) && (error.type === 'precondition_failed' || error.type === 'conflict')) return error.message;
    throw error;
  }
}

/** A change request from where the first one began, with what is in conflict alone. */
async function holdApart(api: Api, params: ChangeRequestParams, changes: ContentChange[]): Promise<ChangeRequest> {
  const { spaceId } = params;
  const { subject, revisionInitial } = await api.getChangeRequestById({ params });
  const body = { subject: `Conflict: ${subject}`.slice(0, 100).toWellFormed(), revision: revisionInitial };
  const { id } = await api.createChangeRequest({ params: { spaceId }, body });
  const apart = { spaceId, changeRequestId: id };
  for (let start = 0; start < changes.length; start += decisionsAtOnce)
    await api.updateChangeRequestContent({
      params: apart,
      body: { changes: changes.slice(start, start + decisionsAtOnce) },
    });
  await api.updateChangeRequest({ params: apart });
  return api.updateChangeRequestById({ params: apart, body: { status: 'open' } });
}

/** What the change request says of what is in conflict; undefined where that cannot be said alone. */
async function changesOf(
  api: Api,
  params: ChangeRequestParams,
  conflicts: MergeConflict[],
): Promise<ContentChange[] | undefined> {
  const changes: ContentChange[] = [];
  for (const [, fields] of Map.groupBy(conflicts, ({ kind, id }) => `${kind} ${id}`)) {
    const change = await changeOf(api, params, fields);
    if (change === undefined) return undefined;
    changes.push(change);
  }
  return changes;
}

async function changeOf(
  api: Api,
  params: ChangeRequestParams,
  conflicts: MergeConflict[],
): Promise<ContentChange | undefined> {
  const [first] = conflicts;
  const says = (field: string) => conflicts.some((each) => each.field === field || each.field === 'node');
  if (
    first === undefined ||
    !conflicts.every(({ field }) => field === 'document' || field === 'title' || field === 'node')
  )
    return undefined;
  const { kind, id } = first;
  if (kind === 'page') {
    const page = await existing(api.getPageInChangeRequestById({ params: { ...params, pageId: id } }));
    if (page === undefined) return { operation: 'delete_page', page: id };
    const text = page.type === 'document' && says('document') ? { document: { markdown: page.markdown ?? '' } } : {};
    return { operation: 'update_page', page: id, ...text, ...(says('title') && { title: page.title }) };
  }
  if (kind !== 'reusable-content') return undefined;
  const content = await existing(
    api.getReusableContentInChangeRequestById({ params: { ...params, reusableContentId: id } }),
  );
  if (content === undefined) return { operation: 'delete_reusable_content', reusableContent: id };
  return {
    operation: 'update_reusable_content',
    reusableContent: id,
    title: content.title,
    document: { markdown: content.markdown ?? '' },
  };
}

/** Undefined where it is not there. */
async function existing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isApiError(error) && error.type === 'not_found') return undefined;
    throw error;
  }
}
