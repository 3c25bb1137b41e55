import { invalid } from '@octavo/schema';

const maxDepth = 64;

/** What is JSON, and refused all the same. */
class Refusal extends Error {}

const refuse = (message: string): Error => new Refusal(message);

/**
 * Parses JSON as RFC 8259 has it, and refuses what `JSON.parse` lets through but two readers may read differently:
 * a repeated key, `__proto__`, a lone surrogate, nesting over 64 levels. Linear in the text. `place` says where it stood.
 * @throws ApiError invalid
 */
export function parseStrictJson(text: string, place: string): unknown {
  try {
    inspect(text);
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 120) : 'it cannot be read';
    throw invalid([{ path: place, message: error instanceof Refusal ? error.message : `is not JSON: ${why}` }]);
  }
}

interface Level {
  keys: Set<string> | undefined;
  expectsKey: boolean;
}

/** Looks at structure only; what is not JSON at all is left to the parser. */
function inspect(text: string): void {
  const levels: Level[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    const level = levels.at(-1);
    if (char === '"') {
      const end = endOfString(text, index);
      if (end === -1) return;
      inspectString(text.slice(index, end + 1), level);
      index = end;
    } else if (char === '{' || char === '[') {
      if (levels.length >= maxDepth) throw refuse(`is nested deeper than ${maxDepth} levels`);
      levels.push({ keys: char === '{' ? new Set() : undefined, expectsKey: char === '{' });
    } else if (char === '}' || char === ']') levels.pop();
    else if (char === ',' && level !== undefined) level.expectsKey = level.keys !== undefined;
  }
}

/** Where the string that starts at `start` ends, or -1. A regular expression would run out of stack in a long string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

function inspectString(token: string, level: Level | undefined): void {
  const isKey = level?.keys !== undefined && level.expectsKey;
  // A text may have many MB, and only this escape says anything of surrogates: it is decoded for nothing else.
  const value = token.includes(isKey ? '\\' : '\\u') ? decoded(token) : token.slice(1, -1);
  if (value === undefined) return;
  if (!value.isWellFormed()) throw refuse('holds a lone surrogate');
  if (level?.keys === undefined || !isKey) return;
  level.expectsKey = false;
  if (value === '__proto__') throw refuse('holds the key __proto__');
  if (level.keys.has(value)) throw refuse(`repeats the key ${JSON.stringify(value.slice(0, 64))}`);
  level.keys.add(value);
}

function decoded(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}
