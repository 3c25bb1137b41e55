import * as z from 'zod';
import { auditedFields } from '../audited.ts';
import type { EventType } from '../events.ts';
import { findNearestWord } from '../nearest.ts';

/** The types of events that are delivered to webhooks and installations: those in the audit log. */
export const deliveredTypes = (Object.keys(auditedFields) as EventType[]).filter(
  (type) => auditedFields[type] !== null,
);

/** Error message for an unknown type. It suggests the most similar type, since there are too many to list. */
function describeUnknownType({ input }: { input?: unknown }): string {
  const reason = 'is not an event type';
  if (typeof input !== 'string') return reason;
  const nearest = findNearestWord(input, deliveredTypes);
  return nearest === undefined ? reason : `${reason}: did you mean ${nearest}?`;
}

/** Schema of a delivered event type or one of `words`, such as a wildcard for several types. */
export const createDeliveredType = <const Words extends string[]>(...words: Words) =>
  z.enum([...words, ...deliveredTypes] as [...Words, ...EventType[]], { error: describeUnknownType });
