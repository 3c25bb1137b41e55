import { type PublishedNode, paragraph, text } from './published-nodes.ts';

const wordsOf = (title: string): string => {
  const words = title.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu);
  return words === null ? title.trim() : words.join(' ');
};

/** Whether two titles say the same: a table of contents often writes one in another case than the heading. */
export const isSameTitle = (one: string, other: string | undefined): boolean =>
  other !== undefined && wordsOf(one) === wordsOf(other);

const maxDefinitions = 100_000;
const definitions =
  /^(?:\s*\[(?:[^[\]\\]|\\.)+\]:[ \t]*\n?[ \t]*(?:<[^<>\n]*>|\S+)(?:[ \t]*\n?[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*(?:\n|$))+$/;

/** What no block was read from: definitions of link references, which show nothing; else its text. */
export const unread = (markdown: string): PublishedNode[] =>
  markdown.length <= maxDefinitions && definitions.test(markdown) ? [] : [paragraph([text(markdown)])];
