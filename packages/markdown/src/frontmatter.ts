import { coverMasks, coverSizes, type PageLayout, pageWidths } from '@octavo/schema';
import { isMap, parseDocument, type YAMLMap } from 'yaml';
import {
  cover,
  emoji,
  type FrontmatterProblem,
  type FrontmatterReader,
  fields,
  flag,
  number,
  oneOf,
  text,
  title,
  variables,
  visible,
} from './frontmatter-readers.ts';

/** How a page is laid out; what is not named is absent. */
type FrontmatterLayout = Partial<PageLayout>;

/** The page fields a document may set itself; `cover` is an address or a file reference. */
type Frontmatter = {
  title?: string;
  slug?: string;
  emoji?: string;
  icon?: string;
  description?: string;
  hidden?: boolean;
  noIndex?: boolean;
  noRobotsIndex?: boolean;
  condition?: string;
  layout?: FrontmatterLayout;
  cover?: string;
  coverY?: number;
  variables?: Record<string, string | number | boolean>;
};

const readers: { [Key in keyof Required<Frontmatter>]: FrontmatterReader<Required<Frontmatter>[Key]> } = {
  title,
  slug: text(100),
  emoji,
  icon: text(50),
  description: text(2048),
  hidden: flag,
  noIndex: flag,
  noRobotsIndex: flag,
  condition: text(1024),
  layout,
  cover: text(2048),
  coverY: number,
  variables,
};

const layoutReaders = {
  width: oneOf(pageWidths),
  cover,
  coverSize: oneOf(coverSizes),
  coverMask: oneOf(coverMasks),
  title: visible,
  description: visible,
  tableOfContents: visible,
  outline: visible,
  pagination: visible,
  metadata: visible,
  tags: visible,
  actions: visible,
  anchors: visible,
} satisfies Record<keyof PageLayout, FrontmatterReader<unknown>>;

function layout(node: unknown, path: string, problems: FrontmatterProblem[]): FrontmatterLayout | undefined {
  const read = fields(node, path, { problems, read: layoutReaders });
  if (read === undefined) return undefined;
  const { cover: ofCover, ...rest } = read;
  const given = Object.entries({ ...ofCover, ...rest }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

/**
 * Reads a leading YAML block of at most 64 KiB; `bodyOffset` (UTF-16 units) is where the text after it begins, 0 when
 * there is none. Never throws: a known key with an unusable value is left out and named in `problems`.
 */
export function readFrontmatter(markdown: string): {
  values: Frontmatter;
  bodyOffset: number;
  problems: FrontmatterProblem[];
} {
  const block = findFrontmatterBlock(markdown);
  if (!block) return { values: {}, bodyOffset: 0, problems: [] };
  const problems: FrontmatterProblem[] = [];
  const values: Frontmatter = fields(block.map, 'frontmatter', { problems, read: readers }) ?? {};
  return { values, bodyOffset: block.bodyOffset, problems };
}

const MAX_BLOCK_BYTES = 64 * 1024;
const FENCE = /^---[ \t]*\r?$/;

/** The YAML mapping at the start of a document, and the UTF-16 offsets of its source and of the text after its block. */
type FrontmatterBlock = { map: YAMLMap; sourceOffset: number; bodyOffset: number };

/** Finds the frontmatter block; a block over 64 KiB, of unusable YAML or of no mapping is not one. */
export function findFrontmatterBlock(markdown: string): FrontmatterBlock | undefined {
  const start = markdown.startsWith('\ufeff') ? 1 : 0;
  const first = lineAt(markdown, start);
  if (!FENCE.test(first.text)) return undefined;
  for (let line = lineAt(markdown, first.end); line.end > line.start; line = lineAt(markdown, line.end)) {
    if (line.end - first.end > MAX_BLOCK_BYTES + 8) return undefined;
    if (!FENCE.test(line.text)) continue;
    const map = parseMapping(markdown.slice(first.end, line.start));
    return map && { map, sourceOffset: first.end, bodyOffset: line.end };
  }
  return undefined;
}

function lineAt(text: string, start: number): { text: string; start: number; end: number } {
  const newline = text.indexOf('\n', start);
  const stop = newline < 0 ? text.length : newline;
  return { text: text.slice(start, Math.min(stop, start + 100)), start, end: Math.min(stop + 1, text.length) };
}

function parseMapping(source: string): YAMLMap | undefined {
  if (new TextEncoder().encode(source).length > MAX_BLOCK_BYTES) return undefined;
  try {
    const document = parseDocument(source, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
    return document.errors.length === 0 && isMap(document.contents) ? document.contents : undefined;
  } catch {
    return undefined;
  }
}
