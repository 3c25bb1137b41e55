import { maxIncludeDepth } from '../tree/evaluate-tree.ts';
import { fillProperties } from './component-uses.ts';
import { findIncludes } from './find-includes.ts';
import { type Include, selectPart } from './select-part.ts';

/** A file that texts include. */
export interface IncludedFile {
  path: string;
  text: string;
  /** Returns the file that an address in this file refers to. */
  find: FindIncluded;
}

export type FindIncluded = (address: string) => IncludedFile | undefined;

const maxAdded = 1024 * 1024;
const maxVisits = 300;

/**
 * Replaces the includes of a text with the contents of the files. An include is left unchanged if its file or part is
 * unknown, if it includes itself, or if it exceeds 5 levels, 300 files or 1 MiB.
 */
export function expandIncludes(markdown: string, find: FindIncluded): string {
  const budget = { characters: maxAdded, visits: maxVisits };
  return expand(markdown, find, { budget, within: [] });
}

interface Expansion {
  budget: { characters: number; visits: number };
  /** The paths of the files that include this text. */
  within: string[];
}

function expand(markdown: string, find: FindIncluded, expansion: Expansion): string {
  const includes = findIncludes(markdown).map((include) => ({
    ...include,
    content: getContent(include, find, expansion),
  }));
  if (includes.every(({ content }) => content === undefined)) return markdown;
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, address, content } of includes) {
    // An include without an address is a marker around a list of files. It is removed.
    const text = address === '' ? '' : content;
    if (text === undefined) continue;
    parts.push(markdown.slice(position, start), text);
    position = end;
  }
  return [...parts, markdown.slice(position)].join('');
}

function getContent(include: Include, find: FindIncluded, { budget, within }: Expansion): string | undefined {
  const file = include.address === '' ? undefined : find(include.address);
  if (file === undefined || within.includes(file.path) || within.length >= maxIncludeDepth) return undefined;
  const selected = selectPart(file.path, file.text, include);
  if (selected === undefined) return undefined;
  const { info, indent = '', properties } = include;
  const filled = properties === undefined ? selected : fillProperties(selected, include);
  const lines = filled.split('\n');
  budget.characters -= filled.length + indent.length * lines.length;
  budget.visits -= 1;
  if (budget.characters < 0 || budget.visits < 0) return undefined;
  // Includes in a file that is shown as code are not expanded.
  const text = info === undefined ? expand(filled, file.find, { budget, within: [...within, file.path] }) : filled;
  if (properties !== undefined) return placeComponent(text.trim(), include.indent);
  return indentLines(info === undefined ? text : toCode(text, info), indent);
}

const indentLines = (text: string, indent: string): string =>
  indent === '' ? text : text.replace(/^(?=[^\r\n])/gm, indent);

/** A component that is alone on its line becomes blocks, with the same indentation. */
const placeComponent = (text: string, indent: string | undefined): string =>
  indent === undefined ? text : `\n${indentLines(text, indent)}\n`;

/** Returns text as a code block. Its fence is longer than any backtick run in the text. */
function toCode(text: string, info: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(({ 0: { length } }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${text}\n${fence}`;
}
