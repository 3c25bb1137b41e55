import type { Issue } from '@octavo/schema';
import { invalid } from '@octavo/schema';

const maxDepth = 64;

const refuse = (message: string): Error => invalid([{ path: 'body', message } satisfies Issue]);

/**
 * Parses JSON as RFC 8259 has it, and refuses what `JSON.parse` lets through but two readers may read differently:
 * a repeated key, `__proto__`, a lone surrogate, nesting over 64 levels. Linear in the text.
 * @throws ApiError invalid
 */
export function parseStrictJson(text: string): unknown {
  let value: unknown;
  inspect(text);
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(`is not JSON: ${error instanceof Error ? error.message.slice(0, 120) : 'it cannot be read'}`);
  }
  return value;
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
  const value = token.includes('\\') ? decoded(token) : token.slice(1, -1);
  if (value === undefined) return;
  if (!value.isWellFormed()) throw refuse('holds a lone surrogate');
  if (level?.keys === undefined || !level.expectsKey) return;
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
