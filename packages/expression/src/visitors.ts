import type { Claims } from '@octavo/schema';
import type { EvaluationScope } from './expression.ts';
import { evaluate, isReadable } from './expression.ts';

/** What a condition may name that decides whether a visitor is shown something. */
const names = ['visitor', 'space', 'page'];

/** The part of a scope that tells of a visitor; signed claims by their names, others under `unsigned`. */
export const visitorScope = (claims: Claims): EvaluationScope => ({ visitor: { claims } });

/** Whether a condition can be read: an expression over the visitor's claims, without calls. */
export const isCondition = (source: string): boolean => isReadable(source, names);

/** Whether a condition holds for a visitor with these claims; one that cannot be read does not, none does. */
export const isShownTo = (
  condition: string | null | undefined,
  claims: Claims,
  more: EvaluationScope = { space: {}, page: {} },
): boolean => condition == null || Boolean(evaluate(condition, { ...more, ...visitorScope(claims) }).value);
