import * as z from 'zod';
import { audited } from '../audited.ts';
import type { EventType } from '../events.ts';

/** The types of events that webhooks and installations are sent: what the audit log tells. */
export const deliveredTypes = (Object.keys(audited) as EventType[]).filter((type) => audited[type] !== null);

/** How many characters two words have in common at their beginnings and at their ends. */
function likeness(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let [begin, end] = [0, 0];
  while (begin < shorter && one[begin] === other[begin]) begin += 1;
  while (end < shorter - begin && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return begin + end;
}

/** What is said of a word that is no type: which one it is most like, for they are too many to name all. */
function notAType({ input }: { input?: unknown }): string {
  const none = 'is no type of event';
  if (typeof input !== 'string') return none;
  const [nearest] = deliveredTypes
    .map((type) => ({ type, like: likeness(type, input) / Math.max(type.length, input.length) }))
    .toSorted((one, other) => other.like - one.like);
  return nearest !== undefined && nearest.like > 0.6 ? `${none}: did you mean ${nearest.type}?` : none;
}

/** A type of event that is delivered, or one of these words that stand for more than one. */
export const deliveredType = <const Words extends string[]>(...words: Words) =>
  z.enum([...words, ...deliveredTypes] as [...Words, ...EventType[]], { error: notAType });
