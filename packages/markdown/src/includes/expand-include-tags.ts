import { readFrontmatter } from '../frontmatter.ts';
import { getOccurrences } from '../links/find-links.ts';
import { isSelfContained } from '../sections.ts';
import { maxIncludeDepth } from '../tree/evaluate-tree.ts';
import { getResult } from '../tree/steps.ts';

/** An included text with its id. `find` finds what its own tags include. */
export interface TaggedText {
  id: string;
  text: string;
  find: FindTagged;
}

export type FindTagged = (address: string) => TaggedText | undefined;

const includeTag = /\{%-?[ \t]{0,9}include/;
const maxAdded = 256 * 1024;
const maxVisits = 300;

interface Expansion {
  budget: { characters: number; visits: number };
  /** The ids of the texts that include this one. */
  within: string[];
}

/**
 * Replaces `{% include %}` tags by the texts that they include, for search. Tags stay as they are if their text is
 * unknown, if its conditions or code end outside of it, if it includes itself, and beyond 5 levels, 300 texts or 256 KiB.
 */
export const expandIncludeTags = (markdown: string, find: FindTagged): string =>
  expand(markdown, find, { budget: { characters: maxAdded, visits: maxVisits }, within: [] });

function expand(markdown: string, find: FindTagged, expansion: Expansion): string {
  if (!includeTag.test(markdown)) return markdown;
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, target, relation } of getResult(getOccurrences(markdown))) {
    if (relation !== 'dependsOn') continue;
    const [open, close] = [markdown.lastIndexOf('{%', start), markdown.indexOf('%}', end)];
    const text = open < position || close < 0 ? undefined : getText(find(target), expansion);
    if (text === undefined) continue;
    parts.push(markdown.slice(position, open), `\n\n${text}\n\n`);
    position = close + 2;
  }
  return [...parts, markdown.slice(position)].join('');
}

function getText(included: TaggedText | undefined, { budget, within }: Expansion): string | undefined {
  if (included === undefined || within.includes(included.id) || within.length >= maxIncludeDepth) return undefined;
  const body = included.text.slice(readFrontmatter(included.text).bodyOffset);
  budget.characters -= body.length;
  budget.visits -= 1;
  if (budget.characters < 0 || budget.visits < 0 || !isSelfContained(body)) return undefined;
  return expand(body, included.find, { budget, within: [...within, included.id] });
}
