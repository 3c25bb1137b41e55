import { evaluate, isReadable, isShownTo, visitorScope } from '@octavo/expression';
import { never } from '@octavo/markdown';
import { hashOf } from '@octavo/runtime';
import type { Claims } from '@octavo/schema';

/*
 * What must hold for a section of the index to be shown, as texts: `=` and the condition of a page, `+` and a condition
 * in its text that must hold, `-` and one that must not, or `!`, which never holds. In the index a token stands for each,
 * and one for having any.
 */

/** A page's condition, or that of one above it. */
export const pageCondition = (condition: string): string => `=${condition}`;

/** How many conditions one section may have, in how many characters, and how many different ones a page. */
const maxOfSection = 32;
const maxCharacters = 4096;
const maxOfPage = 200;

/** Gives the conditions of sections of a page, with the page's; nobody is shown what has too many to be kept. */
export function boundedConditions(ofPage: string[]): (ofSection: string[]) => string[] {
  const known = new Set(ofPage);
  return (ofSection) => {
    const all = [...new Set([...ofPage, ...ofSection])];
    const fresh = all.filter((each) => !known.has(each));
    const isKept = all.length <= maxOfSection && all.join('').length <= maxCharacters;
    if (!isKept || known.size + fresh.length > maxOfPage) return [never];
    for (const each of fresh) known.add(each);
    return all;
  };
}

/** What stands in the index for having a condition: no part of an id. */
export const conditionalMark = 'conditional';
const tokenLength = 24;

/** What stands in the index for each of the conditions. */
export const tokensOf = async (conditions: string[]): Promise<Map<string, string>> =>
  new Map(
    await Promise.all(
      [...new Set(conditions)].map(
        async (each) => [each, `c${(await hashOf(each)).slice(0, tokenLength)}`] as [string, string],
      ),
    ),
  );

/** What the index holds of a section with these conditions. */
export const marksOf = (conditions: string[], tokens: Map<string, string>): string =>
  [conditionalMark, ...conditions.map((each) => tokens.get(each) ?? '')].join(' ');

/** Whether a condition is met by a visitor with these claims; one that may name variables of space or page never is. */
export function isMet(condition: string, claims: Claims): boolean {
  const [kind, source] = [condition.charAt(0), condition.slice(1)];
  if (kind === '=') return isReadable(source, ['visitor']) && isShownTo(source, claims);
  if (kind === never || mayNameMore(source)) return false;
  return Boolean(evaluate(source, visitorScope(claims)).value) === (kind === '+');
}

/** Whether a condition may name variables, which the index knows nothing of. */
const mayNameMore = (source: string): boolean =>
  !isReadable(source, ['visitor']) &&
  (isReadable(source, ['space', 'page', 'visitor']) || /\b(?:space|page)\b/.test(source));
