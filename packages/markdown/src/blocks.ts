import MarkdownIt, { type Env, type Token } from 'markdown-it';
import { headingParts, htmlHeading, idsIn } from './headings.ts';
import { namesTarget } from './links/target-names.ts';
import { withOwnRules } from './tree/block-rules.ts';
import type { BlockReading } from './tree/block-state.ts';
import { isForeignText } from './tree/conditions.ts';
import { type TreeData, textAt } from './tree/document-tree.ts';
import { readExtents } from './tree/extents.ts';

/**
 * A piece of a document in reading order: a heading of the top level, with the ids that are written for it, or other
 * content of one kind, with the ids in it. `lines` are the first line and the one after the last; cells of tables have
 * none.
 */
export type SourceBlock = (
  | { kind: 'heading'; level: number; source: string; isHtml?: boolean }
  | { kind: 'text' | 'code' | 'html'; source: string }
) & { lines: [number, number] | undefined; ids: string[] };

const MAX_NESTING = 100;
const KINDS = new Map<string, 'text' | 'code' | 'html'>([
  ['inline', 'text'],
  ['fence', 'code'],
  ['code_block', 'code'],
  ['html_block', 'html'],
  ['math_block', 'text'],
  ['footnote', 'text'],
  ['details_open', 'text'],
  ['tag_open', 'text'],
  ['silent', 'html'],
]);

interface Reading extends Env, BlockReading {
  /** How many tags and `<details>` are open: what they hold counts as what stands beside them. */
  holders?: number;
}

const parser = new MarkdownIt({ html: true, maxNesting: MAX_NESTING });
parser.core.ruler.enableOnly(['normalize', 'block']);
withOwnRules(parser);

/** Keeps only the tokens that carry content: the others of a large document would fill a worker's memory. */
parser.block.State = class extends parser.block.State {
  override push(type: string, tag: string, nesting: -1 | 0 | 1) {
    const token = super.push(type, tag, nesting);
    const reading = this.env as Reading;
    const { holders = 0 } = reading;
    if (/^(?:tag|details)_(?:open|close)$/.test(type)) reading.holders = holders + nesting;
    const isTopHeading = type === 'heading_open' && token.level === holders;
    if (type === 'html_block' && token.level === holders) token.meta = { isTop: true };
    if (!isTopHeading && !KINDS.has(type)) this.tokens.pop();
    return token;
  }
};

/** The normalized labels of the reference definitions of a document, each with its address. */
export type Labels = ReadonlyMap<string, string>;

/** The content of a document and what it defines. */
export type Blocks = { blocks: SourceBlock[]; labels: Labels };

/** The content of a document without frontmatter, by markdown-it's block rules; the sources are not parsed further. */
export function blocksOf(markdown: string): Blocks {
  const text = markdown.replace(/^\ufeff/, '');
  const { extents } = readExtents(text.split(/\r\n?|\n/));
  const environment: Reading = { extents, isForeign: isForeignText(text) };
  const blocks: SourceBlock[] = [];
  let level = 0;
  for (const token of parser.parse(text, environment)) {
    if (token.type === 'heading_open') {
      level = Number(token.tag.slice(1));
      continue;
    }
    if (token.type === 'silent') {
      blocks.push({
        kind: 'html',
        source: String(token.meta?.shown ?? ''),
        lines: token.map ?? undefined,
        ids: idsIn(token.content, true),
      });
      continue;
    }
    if (token.type === 'tag_open') {
      const source = titlesOf(token.meta);
      if (source !== '') blocks.push({ kind: 'text', source, lines: undefined, ids: [] });
      continue;
    }
    const kind = isTag(token) ? 'text' : (KINDS.get(token.type) ?? 'text');
    const { content, map } = token;
    // The lines of a summary stand for themselves, and so does what it opens.
    const lines = token.type === 'details_open' ? undefined : (map ?? undefined);
    const source = token.type === 'details_open' ? String(token.meta?.title) : content;
    blocks.push(
      level > 0
        ? headingOf(level, source, lines)
        : (htmlHeadingOf(token, lines) ?? {
            kind,
            source,
            lines,
            ids: kind === 'code' ? [] : idsIn(source, kind === 'html'),
          }),
    );
    level = 0;
  }
  const references = Object.entries(environment.references ?? {});
  return { blocks, labels: new Map(references.map(([label, { href }]) => [label, href])) };
}

type Lines = SourceBlock['lines'];

function headingOf(level: number, content: string, lines: Lines): SourceBlock {
  const { text, ids } = headingParts(content);
  return { kind: 'heading', level, source: text, lines, ids };
}

/** A heading of the top level that is written in HTML. */
function htmlHeadingOf({ type, content, meta }: Token, lines: Lines): SourceBlock | undefined {
  const heading = type === 'html_block' && meta?.isTop === true ? htmlHeading(content) : undefined;
  return (
    heading && { kind: 'heading', level: heading.level, source: heading.inner, lines, ids: heading.ids, isHtml: true }
  );
}

/** Whether a token is a tag that nothing ends. */
const isTag = ({ type, meta }: Token): boolean => type === 'html_block' && meta?.name !== undefined;

/** The attributes that readers see of a tag of the family. */
const SEEN: Record<string, string[] | undefined> = {
  tab: ['title'],
  prompt: ['description'],
  swagger: ['summary', 'path'],
  'swagger-parameter': ['name'],
  'swagger-response': ['status', 'description'],
};

/** What readers see of the tag of a part or a card: its title, unless that only names what it leads to, and its description. */
function titlesOf(meta: Token['meta']): string {
  const { name, type, data } = (meta ?? {}) as { name?: string; type?: string; data?: TreeData };
  const isPart = type === 'tabs-item' || type === 'card';
  const seen = isPart ? ['title', 'description'] : Object.hasOwn(SEEN, name ?? '') ? SEEN[name ?? ''] : undefined;
  if (data === undefined || seen === undefined) return '';
  const address = textAt(data.ref, 'url') ?? '';
  const texts = seen.map((key) => textAt(data, key) ?? '');
  return texts.filter((text) => text !== '' && !namesTarget(address, text)).join(' ');
}
