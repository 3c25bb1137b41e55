import {
  type Linked,
  type NamedPart,
  type NavigationNode,
  namedParts,
  type PageView,
  type SpecificationReference,
} from '@octavo/reader';
import type { DocumentPage } from '@octavo/schema';
import type { PageTree } from '../navigation.ts';
import type { ListedParts } from './listing.ts';

interface Listed {
  /** As the page would be if it showed its parts itself. */
  view: PageView;
  tree: PageTree;
  page: DocumentPage;
  listing: ListedParts;
}

/** So many parts of a page stand in the navigation, around the one that is read. */
const maxBeside = 100;

const aroundOf = <Item>(items: Item[], at: number): Item[] => {
  const start = Math.max(0, Math.min(at - maxBeside / 2, items.length - maxBeside));
  return items.slice(start, start + maxBeside);
};

const linkTo = ({ tree, page }: Listed, { title, slug }: NamedPart): Linked => ({
  title,
  to: tree.partPlaceOf(page, slug),
});

const entriesOf = (listed: Listed, parts: NamedPart[], current?: NamedPart): NavigationNode[] =>
  parts.map((part) => ({
    ...{ ...linkTo(listed, part), kind: 'page', method: part.method, isCurrent: part === current, children: [] },
  }));

/** The page that lists its parts: it is read before them. */
export function viewOfList(listed: Listed): PageView {
  const { view, tree, page, listing } = listed;
  const specifications = listing.heads(listing.references);
  const parts = namedParts(view.page.document, specifications);
  const places = new Map(parts.map(({ node, slug }) => [node, tree.partPlaceOf(page, slug)]));
  const [first] = parts;
  return {
    ...{ ...view, specifications },
    navigation: tree.around(page, entriesOf(listed, aroundOf(parts, 0))),
    ...(first && { next: linkTo(listed, first) }),
    page: { ...view.page, places },
  };
}

/** A part as a page of its own; undefined where the page has no such part. */
export function viewOfPart(listed: Listed, slug: string): PageView | undefined {
  const { view, tree, page, listing } = listed;
  const { references } = listing;
  const at = references.findIndex((each) => each.slug === slug);
  const beside = aroundOf(references, at);
  const parts = namedParts(documentOf(view, beside), listing.heads(beside));
  const index = parts.findIndex((each) => each.slug === slug);
  const [own, reference] = [parts[index], references[at]];
  if (own === undefined || reference === undefined) return undefined;
  const { title, to } = linkTo(listed, own);
  const [previous, next] = [parts[index - 1], parts[index + 1]];
  return {
    ...{ ...view, specifications: listing.parts([reference]), at: to, canonicalUrl: `${view.site.url}${to}` },
    ...{ alternates: [], breadcrumbs: [...view.breadcrumbs, tree.linked(page)] },
    navigation: tree.around(page, entriesOf(listed, parts, own)),
    previous: previous === undefined ? tree.linked(page) : linkTo(listed, previous),
    next: next === undefined ? view.next : linkTo(listed, next),
    page: { ...view.page, ...unsaid, title, document: documentOf(view, [reference]) },
  };
}

const documentOf = ({ page: { document } }: PageView, references: SpecificationReference[]) => ({
  ...document,
  nodes: references.map(({ node }) => node),
});

/** What is said of a page that lists parts is not said of each of them. */
const unsaid = { description: undefined, emoji: undefined, icon: undefined, cover: undefined };
