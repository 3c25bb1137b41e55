import type { Node } from '@octavo/merge';
import { nodeKey } from '@octavo/merge';

/**
 * One way to find the node that a link leads to. `slug` begins at the page `from` ('' is the root), goes `up` some
 * levels and then down by slugs; without slugs it is that page itself, at the root the first page of all.
 */
export type Lookup =
  | { by: 'id'; kind: LinkedKind; id: string }
  | { by: 'git'; path: string }
  | { by: 'slug'; from: string; up: number; slugs: string[] };

/** The kinds of nodes that links lead to. */
export type LinkedKind = Exclude<Node['kind'], 'variable'>;

export const lookupKey = (lookup: Lookup): string => JSON.stringify(Object.values(lookup));

/** A node by an id that a link was resolved to when it was written. */
export const lookupId = (id: string): Lookup => ({ by: 'id', kind: kindOf(id), id });

function kindOf(id: string): LinkedKind {
  if (id.startsWith('file_')) return 'file';
  return id.startsWith('rc_') ? 'reusable-content' : 'page';
}

/** Of the nodes that come from one file the one that links mean: a page first, then the one with the least id. */
export const firstOf = (nodes: Node[]): Node | undefined =>
  nodes.toSorted((one, other) => rank(one) - rank(other) || (one.id < other.id ? -1 : 1))[0];

const rank = (node: Node): number => (node.kind === 'page' ? 0 : 1);

/** Live nodes in memory, as links find them. */
export class NodeIndex {
  readonly #byKey: Map<string, Node>;
  readonly #bySource: Map<unknown, Node | undefined>;
  readonly #byPlace: Map<string, Node>;
  readonly #firstPage: Node | undefined;

  /** @param isWhole Whether these are all pages: only then is it known which one comes first. */
  constructor(nodes: Node[], isWhole: boolean) {
    const pages = nodes.filter(({ kind }) => kind === 'page');
    this.#byKey = new Map(nodes.map((node) => [nodeKey(node), node]));
    const sources = Map.groupBy(nodes, ({ fields }) => fields.gitPath);
    this.#bySource = new Map([...sources].map(([path, from]) => [path, firstOf(from)]));
    this.#byPlace = new Map(
      pages.filter(({ slug }) => slug !== '').map((page) => [placeKey(page.parent, page.slug), page]),
    );
    const top = isWhole ? pages.filter(({ parent }) => parent === '') : [];
    this.#firstPage = top.sort(byPlace)[0];
  }

  find(lookup: Lookup): Node | undefined {
    if (lookup.by === 'id') return this.#byKey.get(nodeKey(lookup));
    if (lookup.by === 'git') return this.#bySource.get(lookup.path);
    const { from, up, slugs } = this.shorten(lookup);
    if (up > 0 || slugs.length > 0) return undefined;
    return from === '' ? this.#firstPage : this.#byKey.get(nodeKey({ kind: 'page', id: from }));
  }

  /** The walk from where the nodes here end. */
  shorten(lookup: Extract<Lookup, { by: 'slug' }>): Extract<Lookup, { by: 'slug' }> {
    let { from, up, slugs } = lookup;
    for (; up > 0; up -= 1) {
      const page = this.#byKey.get(nodeKey({ kind: 'page', id: from }));
      if (page === undefined) break;
      from = page.parent;
    }
    for (; up === 0 && slugs.length > 0; slugs = slugs.slice(1)) {
      const child = this.#byPlace.get(placeKey(from, slugs[0] ?? ''));
      if (child === undefined) break;
      from = child.id;
    }
    return { by: 'slug', from, up, slugs };
  }
}

const placeKey = (parent: string, slug: string): string => `${parent}/${slug}`;

const byPlace = (one: Node, other: Node): number =>
  one.position < other.position || (one.position === other.position && one.id < other.id) ? -1 : 1;
