import { coverMasks, coverSizes, type PageLayout, pageWidths } from '@octavo/schema';
import { findFrontmatterBlock } from './frontmatter-block.ts';
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
 * Reads a leading YAML or TOML block of at most 64 KiB; `bodyOffset` (UTF-16 units) is where the text after it begins, 0
 * when there is none. Never throws: a known key with an unusable value is left out and named in `problems`. A condition
 * that cannot be used is one that is never met.
 */
export function readFrontmatter(markdown: string): {
  values: Frontmatter;
  bodyOffset: number;
  problems: FrontmatterProblem[];
} {
  const block = findFrontmatterBlock(markdown);
  if (!block) return { values: {}, bodyOffset: 0, problems: [] };
  const problems: FrontmatterProblem[] = [];
  if (block.reading === 'lines')
    problems.push({ path: 'frontmatter', message: 'is no YAML: only its plain lines are read' });
  const values: Frontmatter = fields(block.map, 'frontmatter', { problems, read: readers }) ?? {};
  const isRefused = problems.some(({ path }) => path === 'frontmatter.condition');
  if (isRefused && values.condition === undefined) values.condition = 'false';
  return { values, bodyOffset: block.bodyOffset, problems };
}
