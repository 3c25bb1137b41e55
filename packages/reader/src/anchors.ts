import { githubIds, placeIds } from '@octavo/markdown';
import type { ShownNode } from './document.ts';
import { nodesOf, plainText, textOf } from './document.ts';
import type { PageView } from './view.ts';

/** What the headings of a page have together. */
export interface PageHeadings {
  /** Further ids by which links find the page's title, which was a heading of its text. */
  title: string[];
  /** Further ids by which links find its headings. */
  aliases: ReadonlyMap<ShownNode, string[]>;
  /** All ids of headings. */
  ids: ReadonlySet<string>;
  /** The level of `heading-1` in HTML: the title is the only one of the first, and no level is passed over. */
  first: 1 | 2;
}

/** What stands in these is set apart: headings in them have no ids of the document, and take none from others. */
const apart = new Set(['blockquote', 'list-item', 'table']);

export const anchorOf = (node: ShownNode): string | undefined => node.meta?.id ?? textOf(node.data ?? {}, 'id');

/** Further ids that are written for a heading. */
const writtenAliases = ({ data: { aliases } = {} }: ShownNode): string[] =>
  Array.isArray(aliases) ? aliases.filter((each) => typeof each === 'string') : [];

interface Headings {
  own: ShownNode[];
  apart: ShownNode[];
}

function collect(nodes: ShownNode[], into: Headings, at: keyof Headings): void {
  for (const node of nodes) {
    if (node.type?.startsWith('heading-')) into[at].push(node);
    else collect(nodesOf(node), into, apart.has(node.type ?? '') ? 'apart' : at);
  }
}

function headingsIn(nodes: ShownNode[]): ShownNode[] {
  const found: Headings = { own: [], apart: [] };
  collect(nodes, found, 'own');
  return [...found.own, ...found.apart];
}

/**
 * What else leads to the headings of a page than the ids that the document gives them: others that are written for them,
 * their slugs, and the ids that GitHub gives them (`docs/pages.md`, "Anchors"). The first to have an id keeps it; headings in quotations, lists and tables, which
 * have no other, come last. `others` are ids that something else has.
 */
export function headingsOf({ page }: Pick<PageView, 'page'>, others: Iterable<string> = []): PageHeadings {
  const headings = headingsIn(page.document.nodes);
  const texts = [page.title, ...headings.map((heading) => plainText(nodesOf(heading)))];
  const named = texts.map((text) => ({ text, level: 1, ids: [] }));
  const [slugs, github] = [placeIds(named), githubIds(texts)];
  const taken = new Set([...headings.flatMap((heading) => anchorOf(heading) ?? []), ...others]);
  const free = (ids: string[]): string[] =>
    ids.filter((id) => {
      const isFree = id !== '' && !/\s/.test(id) && !taken.has(id);
      taken.add(id);
      return isFree;
    });
  const written = headings.map((heading) => free(writtenAliases(heading)));
  const [title = [], ...rest] = texts.map((_, index) => free([slugs[index] ?? '', github[index] ?? '']));
  return {
    title,
    ids: taken,
    aliases: new Map(headings.map((heading, index) => [heading, [...(written[index] ?? []), ...(rest[index] ?? [])]])),
    first: headings.some(({ type }) => type === 'heading-1') ? 2 : 1,
  };
}

function updatesIn(nodes: ShownNode[]): ShownNode[] {
  return nodes.flatMap((node) => (node.type === 'update' ? [node] : updatesIn(nodesOf(node))));
}

/** The ids of the updates of a page, by their days, so that others that come later change none. */
export function updateIdsOf({ page }: Pick<PageView, 'page'>): Map<ShownNode, string> {
  const counts = new Map<string, number>();
  const ids = updatesIn(page.document.nodes)
    .toReversed()
    .map((node): [ShownNode, string] => {
      const day = (textOf(node.data ?? {}, 'date') ?? '').replace(/T.*$/, '').replace(/[^\w-]+/g, '-');
      const count = (counts.get(day) ?? 0) + 1;
      counts.set(day, count);
      return [node, count === 1 ? `update-${day}` : `update-${day}-${count}`];
    });
  return new Map(ids.toReversed());
}

/** Whether something in nodes has an id. */
export const anchorIsIn = (nodes: ShownNode[], id: string): boolean =>
  nodes.some((node) => anchorOf(node) === id || anchorIsIn(nodesOf(node), id));

/** Something that the outline leads to. */
export interface ShownHeading {
  id: string;
  level: number;
  text: string;
}
