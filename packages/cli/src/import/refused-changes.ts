import { isApiError } from '@octavo/schema';

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
