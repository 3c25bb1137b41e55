import * as z from 'zod';
import { auditedFields } from '../audited.ts';
import type { EventType } from '../events.ts';

/** The types of events that are delivered to webhooks and installations: those in the audit log. */
export const deliveredTypes = (Object.keys(auditedFields) as EventType[]).filter(
  (type) => auditedFields[type] !== null,
);

/** Returns how many characters two words share at their beginning and end. */
function countCommonLetters(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let [begin, end] = [0, 0];
  while (begin < shorter && one[begin] === other[begin]) begin += 1;
  while (end < shorter - begin && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return begin + end;
}

/** Error message for an unknown type. It suggests the most similar type, since there are too many to list. */
function describeUnknownType({ input }: { input?: unknown }): string {
  const reason = 'is not an event type';
  if (typeof input !== 'string') return reason;
  const [nearestType] = deliveredTypes
    .map((type) => ({ type, like: countCommonLetters(type, input) / Math.max(type.length, input.length) }))
    .toSorted((one, other) => other.like - one.like);
  return nearestType !== undefined && nearestType.like > 0.6 ? `${reason}: did you mean ${nearestType.type}?` : reason;
}

/** Schema of a delivered event type or one of `words`, such as a wildcard for several types. */
export const deliveredType = <const Words extends string[]>(...words: Words) =>
  z.enum([...words, ...deliveredTypes] as [...Words, ...EventType[]], { error: describeUnknownType });
