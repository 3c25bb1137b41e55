import { assignHeadingIds, createGitBookIds, createGitHubIds } from '@octavo/markdown/anchors';
import type { PageNode } from './document.ts';
import { getNodes, getText, toPlainText } from './document.ts';
import type { PageView } from './view.ts';

/** Heading ids and levels of a page. */
export interface PageHeadings {
  /** Additional ids that link to the page's title, if the title was a heading in the imported text. */
  title: string[];
  /** Additional ids of headings and other blocks, by block. */
  aliases: ReadonlyMap<PageNode, string[]>;
  /** All ids that are in use on the page, so that no other element gets one of them. */
  ids: ReadonlySet<string>;
  /** HTML level of `heading-1`. The title is the only `h1`, and levels are not skipped. */
  first: 1 | 2;
}

/** Headings in these blocks get no ids from the document, and never take an id that another heading can use. */
const separateBlocks = new Set(['blockquote', 'list-item', 'table']);

export const getAnchor = (node: PageNode): string | undefined => node.meta?.id ?? getText(node.data ?? {}, 'id');

/** Additional ids written in the document. */
const readAliases = ({ data: { aliases } = {} }: PageNode): string[] =>
  Array.isArray(aliases) ? aliases.filter((each) => typeof each === 'string') : [];

/** Returns the blocks that have additional ids from HTML in the source text, including blocks in fragments. */
const findNamedBlocks = (nodes: PageNode[]): PageNode[] =>
  nodes.flatMap((node) => [
    ...((node.meta?.aliases?.length ?? 0) > 0 ? [node] : []),
    ...findNamedBlocks([...getNodes(node), ...(node.fragments ?? [])].filter(({ object }) => object !== 'text')),
  ]);

interface Headings {
  ownHeadings: PageNode[];
  separateHeadings: PageNode[];
}

function collect(nodes: PageNode[], headings: Headings, group: keyof Headings): void {
  for (const node of nodes) {
    if (node.type?.startsWith('heading-')) headings[group].push(node);
    else collect(getNodes(node), headings, separateBlocks.has(node.type ?? '') ? 'separateHeadings' : group);
  }
}

function findHeadings(nodes: PageNode[]): PageNode[] {
  const headings: Headings = { ownHeadings: [], separateHeadings: [] };
  collect(nodes, headings, 'ownHeadings');
  return [...headings.ownHeadings, ...headings.separateHeadings];
}

/**
 * Collects the additional ids that link to a page's headings: aliases from the document, slugs, and the ids that GitHub
 * and other generators create for them (docs/guides/write-pages.md). The first heading to claim an id gets it; headings
 * in quotations, lists and tables come last because they have no ids of their own. Ids in `others` are already taken.
 */
export function collectHeadings({ page }: Pick<PageView, 'page'>, others: Iterable<string> = []): PageHeadings {
  const headings = findHeadings(page.document.nodes);
  const texts = [page.title, ...headings.map((heading) => toPlainText(getNodes(heading)))];
  const namedHeadings = texts.map((text) => ({ text, level: 1, ids: [] }));
  const [slugs, github, family] = [assignHeadingIds(namedHeadings), createGitHubIds(texts), createGitBookIds(texts)];
  const takenIds = new Set([...headings.flatMap((heading) => getAnchor(heading) ?? []), ...others]);
  const filterFree = (ids: string[]): string[] =>
    ids.filter((id) => {
      const isAvailable = id !== '' && !/\s/.test(id) && !takenIds.has(id);
      takenIds.add(id);
      return isAvailable;
    });
  const writtenIds = headings.map((heading) => filterFree(readAliases(heading)));
  const blocks = findNamedBlocks(page.document.nodes).map((node): [PageNode, string[]] => [
    node,
    filterFree(node.meta?.aliases ?? []),
  ]);
  const [title = [], ...rest] = texts.map((_, index) =>
    filterFree([slugs[index] ?? '', github[index] ?? '', ...(family[index] ?? [])]),
  );
  const headingIds = headings.map((heading, index): [PageNode, string[]] => [
    heading,
    [...(writtenIds[index] ?? []), ...(rest[index] ?? [])],
  ]);
  return {
    title,
    ids: takenIds,
    aliases: new Map(
      [...Map.groupBy([...blocks, ...headingIds], ([node]) => node)].map(([node, all]) => [
        node,
        all.flatMap(([, ids]) => ids),
      ]),
    ),
    first: headings.some(({ type }) => type === 'heading-1') ? 2 : 1,
  };
}

function findUpdates(nodes: PageNode[]): PageNode[] {
  return nodes.flatMap((node) => (node.type === 'update' ? [node] : findUpdates(getNodes(node))));
}

/**
 * Returns the ids of the updates of a page. They are derived from dates, so that adding an update changes no other id.
 */
export function getUpdateIds({ page }: Pick<PageView, 'page'>): Map<PageNode, string> {
  const counts = new Map<string, number>();
  const ids = findUpdates(page.document.nodes)
    .toReversed()
    .map((node): [PageNode, string] => {
      const day = (getText(node.data ?? {}, 'date') ?? '').replace(/T.*$/, '').replace(/[^\w-]+/g, '-');
      const count = (counts.get(day) ?? 0) + 1;
      counts.set(day, count);
      return [node, count === 1 ? `update-${day}` : `update-${day}-${count}`];
    });
  return new Map(ids.toReversed());
}

/** Whether one of the blocks, or a block in them, has this id. */
export const hasAnchor = (nodes: PageNode[], id: string): boolean =>
  nodes.some((node) => getAnchor(node) === id || hasAnchor(getNodes(node), id));

/** A heading in the outline. */
export interface OutlineHeading {
  id: string;
  level: number;
  text: string;
  /** HTTP method. Set for operations and webhooks. */
  method?: string;
}
