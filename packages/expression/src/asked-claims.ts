import type { Claims } from '@octavo/schema';

/** Names of unsigned claims; `all` if they cannot be told from the text of the expressions. */
export type AskedClaims = ReadonlySet<string> | 'all';

/** Maximum number of unsigned claims that a visitor can have. */
const maxUnsignedClaims = 20;

/** Matches a member of an object in an expression. The first two groups are its name; without them it is computed. */
const member = /^\s*(?:\?\.|\.)?\s*(?:\[\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\]|\[|(?<=\.\s*)([\w$\u0080-\uffff]+))/;

/** The member after a position, and the position after it. `name` is undefined for a computed member. */
interface Member {
  name: string | undefined;
  end: number;
}

function readMember(text: string, start: number): Member | undefined {
  const found = member.exec(text.slice(start, start + maxMemberLength));
  if (found === null) return undefined;
  const [whole, quoted, single, plain] = found;
  return { name: quoted ?? single ?? plain, end: start + whole.length };
}

const maxMemberLength = 1024;

/** Whether a position is in an expression of a markdown text, as far as its line shows. */
function isInExpression(text: string, index: number): boolean {
  const line = text.slice(Math.max(text.lastIndexOf('\n', index) + 1, index - maxMemberLength), index);
  return /\{[{%]|expression/.test(line);
}

/**
 * Returns the unsigned claims that conditions, and expressions in markdown texts, can depend on. Texts that are no
 * expressions only add claims.
 */
export function getAskedClaims(texts: Iterable<string>): AskedClaims {
  const asked = new Set<string>();
  for (const text of texts)
    for (const { index } of text.matchAll(/\bvisitor\b/g)) {
      const name = getAskedName(text, index);
      if (name === true) return 'all';
      if (name !== undefined) asked.add(name);
    }
  return asked;
}

/** Returns the unsigned claim that is read after `visitor`; undefined if none is, true if it may be any. */
function getAskedName(text: string, index: number): string | true | undefined {
  const claims = readMember(text, index + 'visitor'.length);
  if (claims === undefined) return isInExpression(text, index) ? true : undefined;
  if (claims.name !== 'claims') return claims.name === undefined ? true : undefined;
  const unsigned = readMember(text, claims.end);
  if (unsigned === undefined || unsigned.name === undefined) return true;
  if (unsigned.name !== 'unsigned') return undefined;
  return readMember(text, unsigned.end)?.name ?? true;
}

/** Returns the claims that are asked for, at most a few. */
export const selectAskedClaims = (claims: Claims, asked: AskedClaims): Claims =>
  Object.fromEntries(
    Object.entries(claims)
      .filter(([name]) => asked === 'all' || asked.has(name))
      .slice(0, maxUnsignedClaims),
  );
