import MarkdownIt, { type Env } from 'markdown-it';

/**
 * A piece of a document in reading order: a heading of the top level, or other content of one kind. `lines` are the
 * first line and the one after the last; cells of tables have none.
 */
export type SourceBlock = (
  | { kind: 'heading'; level: number; source: string }
  | { kind: 'text' | 'code' | 'html'; source: string }
) & { lines: [number, number] | undefined };

const MAX_NESTING = 100;
const KINDS = new Map<string, 'text' | 'code' | 'html'>([
  ['inline', 'text'],
  ['fence', 'code'],
  ['code_block', 'code'],
  ['html_block', 'html'],
]);

const parser = new MarkdownIt({ html: true, maxNesting: MAX_NESTING });
parser.core.ruler.enableOnly(['normalize', 'block']);

/** Keeps only the tokens that carry content: the others of a large document would fill a worker's memory. */
parser.block.State = class extends parser.block.State {
  override push(type: string, tag: string, nesting: -1 | 0 | 1) {
    const token = super.push(type, tag, nesting);
    const isTopHeading = type === 'heading_open' && token.level === 0;
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
  const environment: Env = {};
  const blocks: SourceBlock[] = [];
  let level = 0;
  for (const token of parser.parse(markdown.replace(/^\ufeff/, ''), environment)) {
    if (token.type === 'heading_open') {
      level = Number(token.tag.slice(1));
      continue;
    }
    const kind = KINDS.get(token.type) ?? 'text';
    const { content: source, map } = token;
    const lines = map ?? undefined;
    blocks.push(level > 0 ? { kind: 'heading', level, source, lines } : { kind, source, lines });
    level = 0;
  }
  const references = Object.entries(environment.references ?? {});
  return { blocks, labels: new Map(references.map(([label, { href }]) => [label, href])) };
}
