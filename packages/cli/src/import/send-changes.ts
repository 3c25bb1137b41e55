import { type ContentChange, type Issue, isApiError, maxChanges } from '@octavo/schema';
import type { Api } from '../api.ts';
import type { ImportProblem } from './source.ts';

/**
 * Returns the server's message for each rejected change, by index in the batch.
 * @throws the given error if it does not name a rejected change
 */
export function parseRefusedChanges(error: unknown): Map<number, string> {
  const messagesByIndex = new Map<number, string>();
  for (const { path, message } of (isApiError(error) && error.issues) || []) {
    const [, index, field] = /^(?:body\.)?changes\.(\d+)\.?(.*)$/.exec(path) ?? [];
    if (index === undefined) continue;
    messagesByIndex.set(
      Number(index),
      [messagesByIndex.get(Number(index)), field ? `${field}: ${message}` : message].filter(Boolean).join('; '),
    );
  }
  if (messagesByIndex.size === 0) throw error;
  return messagesByIndex;
}

/** Returns the warnings about accepted changes: the index of the change, and the part of it that has no effect. */
export const parseWarnedChanges = (response: object): { index: number; message: string }[] =>
  ((response as { warnings?: Issue[] }).warnings ?? []).flatMap(({ path, message }) => {
    const [, index, field = ''] = /^(?:body\.)?changes\.(\d+)\.(?:document\.markdown\.)?(.*)$/.exec(path) ?? [];
    return index === undefined ? [] : [{ index: Number(index), message: `${field}: ${message}` }];
  });

const maxBatchBytes = 4 * 1024 * 1024;

/** The change request that an import writes to. */
export interface ImportDestination {
  api: Api;
  params: { spaceId: string; changeRequestId: string };
}

/** A change, the path of its subject, and the number of items that it creates and updates. */
export interface NamedChange {
  path: string;
  change: ContentChange;
  created: number;
  updated: number;
}

/**
 * Sends changes in batches and in order. A change that the server rejects is reported and removed, and the rest of the
 * batch is sent again. `onWarning` receives the parts of accepted changes that have no effect.
 */
export async function sendChanges(
  destination: ImportDestination,
  changes: NamedChange[],
  onWarning: (problem: ImportProblem) => void = () => {},
): Promise<ImportProblem[]> {
  const problems: ImportProblem[] = [];
  let remaining = changes;
  while (remaining.length > 0) {
    const batch = getFirst(remaining);
    const refusals = await sendBatch(destination, batch, (index, message) =>
      onWarning({ path: batch[index]?.path ?? '', kind: 'warning', message }),
    );
    for (const [index, message] of refusals) problems.push({ path: batch[index]?.path ?? '', kind: 'failed', message });
    remaining =
      refusals.size === 0 ? remaining.slice(batch.length) : remaining.filter((_, index) => !refusals.has(index));
  }
  return problems;
}

/** Returns as many changes as one request accepts. */
function getFirst(changes: NamedChange[]): NamedChange[] {
  let bytes = 0;
  const end = changes.findIndex(({ change }, index) => {
    bytes += Buffer.byteLength(JSON.stringify(change));
    return index === maxChanges || (index > 0 && bytes > maxBatchBytes);
  });
  return end === -1 ? changes : changes.slice(0, end);
}

async function sendBatch(
  { api, params }: ImportDestination,
  batch: NamedChange[],
  onWarning: (index: number, message: string) => void,
): Promise<Map<number, string>> {
  try {
    const changes = batch.map(({ change }) => change);
    const response = await api.updateChangeRequestContent({ params, body: { changes } });
    for (const { index, message } of parseWarnedChanges(response)) onWarning(index, message);
    return new Map();
  } catch (error) {
    return parseRefusedChanges(error);
  }
}
