import { expect } from 'vitest';
import { getPattern } from './documents.ts';
import type { openTerminal } from './terminal.ts';

interface Block {
  language: string;
  text: string;
}

const readBlocks = (document: string): Block[] =>
  [...document.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', language = '', text = '']) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));

/** Turns an example of output into a pattern. `...` matches any text, or any number of lines if it is a whole line. */
function toPattern(example: string, url: string): RegExp {
  const escaped = example
    .replaceAll('http://127.0.0.1:8787', url)
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replace(/^ *\\\.\\\.\\\.\n/gm, '[\\s\\S]*')
    .replace(/(?:\\\.){3}/g, '[^\\n]*');
  return new RegExp(escaped);
}

interface WalkOptions {
  /** Base URL of the server, which the document shows as `http://127.0.0.1:8787`. */
  url: string;
  /** Commands that are not run. */
  skip?: RegExp;
  /** Replaces parts of a command, such as paths that the reader chooses. */
  replace?: (command: string) => string;
}

/**
 * Runs the shell blocks of a document in order. A `text` or `json` block after a shell block is compared with the
 * output. A command that fails ends the walk, unless the documented output is an error.
 */
export async function runWalk(
  terminal: Pick<Awaited<ReturnType<typeof openTerminal>>, 'run'>,
  document: string,
  { url, skip, replace = (command) => command }: WalkOptions,
): Promise<void> {
  const blocks = readBlocks(document);
  for (const [index, { language, text }] of blocks.entries()) {
    if (language !== 'sh' || skip?.test(text)) continue;
    const next = blocks[index + 1];
    const isError = next?.language === 'json' && /^\{\s*"error"/.test(next.text);
    const lines = await terminal.run(`${isError ? 'set +e\n' : ''}${replace(text)}${isError ? '\ntrue\n' : ''}`);
    if (next?.language === 'json')
      expect(JSON.parse(lines.at(-1) ?? ''), text).toMatchObject(getPattern(next.text) as object);
    if (next?.language === 'text') expect(`${lines.join('\n')}\n`, text).toMatch(toPattern(next.text, url));
  }
}
