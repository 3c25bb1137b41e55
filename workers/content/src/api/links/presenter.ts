import { decodeCursor, paginate } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { ContentReference, LinkItem, List, PageQuery, VersionContext } from '@octavo/schema';
import { maxNamedLocations, maxPageSize } from '@octavo/schema';
import type { CollectedLink, LinkReferenceContext, toOtherSpaces } from '../../engine/links/document-links.ts';
import { presentFile } from '../../engine/reading/file-presenter.ts';
import type { InheritedState, Presentation } from '../../engine/reading/page-presenter.ts';
import { inheritState, presentPage, presentReusableContent, rootState } from '../../engine/reading/page-presenter.ts';
import { getPageFields } from '../../engine/store/nodes.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** The context in which references are presented. `getParent` returns a page's parent, as far as it is loaded. */
export interface References {
  env: Pick<ContentEnvironment, 'OCTAVO_SECRET'>;
  to: Presentation;
  referenceContext: LinkReferenceContext;
  context: VersionContext;
  others: ReturnType<typeof toOtherSpaces>;
  getParent: (page: Node) => Node | undefined;
}

export async function presentLink(link: CollectedLink, references: References): Promise<LinkItem> {
  const { id, relation, target, resolved, nodes } = link;
  const reference = await presentTarget(resolved, references);
  return {
    id,
    status: resolved.status,
    ...(resolved.reason === undefined ? {} : { reason: resolved.reason }),
    relation,
    target,
    ...(reference === undefined ? {} : { targetReference: reference }),
    locations: nodes.length,
    locationReferences: await Promise.all(
      nodes.slice(0, maxNamedLocations).map((node) => presentReference(node, references)),
    ),
  };
}

async function presentTarget(
  { url, space, node, anchor }: CollectedLink['resolved'],
  references: References,
): Promise<ContentReference | undefined> {
  if (url !== undefined) return { kind: 'url', url };
  if (node !== undefined) {
    const reference = await presentReference(node, references);
    if (reference.kind !== 'page' || anchor === undefined) return reference;
    return { ...reference, internalLocation: { type: 'anchor', anchor } };
  }
  if (space === undefined) return undefined;
  if (space === references.referenceContext.space.id) return { kind: 'space', ...getSpace(references) };
  const other = references.others.get(space);
  return other && { kind: 'space', ...other };
}

const getSpace = ({ referenceContext: { organization, space } }: References) => ({ organization, space });

/** Presents a file, a reusable content, or a page without its text and children. */
export async function presentReference(node: Node, references: References): Promise<ContentReference> {
  const { env, to, context } = references;
  const inContent = { ...getSpace(references), versionContext: context };
  if (node.kind === 'file') {
    const { id: space } = inContent.space;
    const location = { space, branch: context.type === 'changeRequest' ? context.changeRequest.id : space };
    return { kind: 'file', ...inContent, file: await presentFile(node, { env, location, ...to }) };
  }
  if (node.kind === 'reusable-content')
    return { kind: 'reusable-content', ...inContent, reusableContent: presentReusableContent(node) };
  return {
    kind: 'page',
    ...inContent,
    page: presentPage(node, getInheritedState(node, references), { children: [], to }),
  };
}

/**
 * Returns the state that a page inherits. An update can leave two pages below each other, so the walk up stops at a
 * page that it has already visited.
 */
function getInheritedState(page: Node, { getParent }: References): InheritedState {
  const chain: Node[] = [];
  for (let node = getParent(page); node !== undefined && !chain.includes(node); node = getParent(node))
    chain.push(node);
  return chain.reduceRight<InheritedState>(
    (inherited, node) => inheritState(inherited, getPageFields(node), node.slug),
    rootState,
  );
}

/** Maximum number of locations on one page of a list, which bounds the size of the response. */
const maxLocationsPerPage = maxPageSize;

/** Paginates links in order. A page ends early if its links have many locations. */
export function paginateLinks<Item extends { nodes: unknown[] }>(
  items: Item[],
  { page, limit }: PageQuery,
): List<Item> {
  const start = Number(decodeCursor(page, ['index'])?.[0] ?? 0);
  let end = start;
  for (let locationCount = 0; end < items.length && end - start < limit; end += 1) {
    locationCount += Math.min(items[end]?.nodes.length ?? 0, maxNamedLocations);
    if (locationCount > maxLocationsPerPage && end > start) break;
  }
  const count = limit === 0 ? 0 : Math.max(1, end - start);
  return paginate(items.slice(start, start + count + 1), count, {
    item: (item) => item,
    getCursor: () => [start + count],
  });
}
