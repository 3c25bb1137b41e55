import { type Issue, isApiError } from '@octavo/schema';

/** The changes that the server refused, by their index in the batch, and why. @throws the error, if it names none */
export function refusedChanges(error: unknown): Map<number, string> {
  const refused = new Map<number, string>();
  for (const { path, message } of (isApiError(error) && error.issues) || []) {
    const [, index, field] = /^(?:body\.)?changes\.(\d+)\.?(.*)$/.exec(path) ?? [];
    if (index === undefined) continue;
    refused.set(
      Number(index),
      [refused.get(Number(index)), field ? `${field}: ${message}` : message].filter(Boolean).join('; '),
    );
  }
  if (refused.size === 0) throw error;
  return refused;
}

/** What the answer to a batch says of its changes that were taken: the index of each, and what of it sets nothing. */
export const warnedChanges = (answer: object): { index: number; message: string }[] =>
  ((answer as { warnings?: Issue[] }).warnings ?? []).flatMap(({ path, message }) => {
    const [, index, field = ''] = /^(?:body\.)?changes\.(\d+)\.(?:document\.markdown\.)?(.*)$/.exec(path) ?? [];
    return index === undefined ? [] : [{ index: Number(index), message: `${field}: ${message}` }];
  });
