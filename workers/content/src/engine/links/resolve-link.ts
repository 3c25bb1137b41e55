import { withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptAnchor, keptLink } from '@octavo/merge';
import type { BrokenLinkReason, LinkStatus, LinkTarget, SpaceId } from '@octavo/schema';
import { pageFields } from '../nodes/stored-node.ts';
import type { Lookup } from './lookup.ts';
import { lookupId } from './lookup.ts';
import type { Origin, ReadTarget } from './read-target.ts';
import { readTarget } from './read-target.ts';
import { decoded } from './stored-anchors.ts';

/** A link as it stands in a place. */
export interface PlacedLink {
  relation: 'reference' | 'dependsOn';
  target: string;
  read: ReadTarget;
}

/** What a link leads to. `key` is equal for links to one target. */
export interface ResolvedLink {
  key: string;
  status: LinkStatus;
  /** Why it is broken. */
  reason?: BrokenLinkReason;
  url?: string;
  space?: SpaceId;
  node?: Node;
  anchor?: string;
}

/** The links of a node: those of its document, and what a page of type link leads to. */
export function placedLinks(origin: Origin, documentLinks: Pick<PlacedLink, 'relation' | 'target'>[]): PlacedLink[] {
  const { node } = origin;
  const ofDocument = documentLinks.map((link) => ({ ...link, read: readTarget(link.target, origin) }));
  const target = node.kind === 'page' ? pageFields(node).target : undefined;
  if (target === undefined) return ofDocument;
  return [...ofDocument, { relation: 'reference', ...linkTarget(target, origin) }];
}

function linkTarget(target: LinkTarget, origin: Origin): Pick<PlacedLink, 'target' | 'read'> {
  if (target.kind === 'url') return { target: target.url, read: readTarget(target.url, origin) };
  if (target.kind === 'space') return { target: `/spaces/${target.space}`, read: { kind: 'app', space: target.space } };
  if (target.kind === 'file') return nodeTarget('file', target.file);
  const anchor = target.kind === 'anchor' ? target.anchor : '';
  const { space } = target;
  const placed = nodeTarget('page', target.page, anchor);
  return space === undefined || space === origin.space ? placed : { ...placed, read: { kind: 'app', space } };
}

function nodeTarget(kind: 'page' | 'file', id: string, anchor = ''): Pick<PlacedLink, 'target' | 'read'> {
  const lookups: Lookup[] = [{ by: 'id', kind, id }];
  const place = anchor === '' ? '' : `#${anchor}`;
  return { target: `/${kind}s/${id}${place}`, read: { kind: 'node', lookups, anchor, inApp: false } };
}

/** The ways to find what a link leads to: what it meant when it was written, as long as that is there, then its text. */
export function lookupsOf(link: PlacedLink, node: Node): Lookup[] {
  if (link.read.kind !== 'node') return [];
  const stored = keptLink(node, withoutAnchor(link.target));
  return [...(stored === undefined ? [] : [lookupId(stored)]), ...link.read.lookups];
}

export function resolveLink(link: PlacedLink, node: Node, find: (lookup: Lookup) => Node | undefined): ResolvedLink {
  const { read } = link;
  if (read.kind === 'url') return { key: `url ${read.url}`, status: 'ok', url: read.url };
  if (read.kind === 'app') {
    return { key: `app ${link.target}`, status: 'in-app', ...(read.space === undefined ? {} : { space: read.space }) };
  }
  if (read.kind === 'self') return found(node, read.anchor, 'ok');
  for (const lookup of lookupsOf(link, node)) {
    const target = find(lookup);
    if (target !== undefined) return found(target, read.anchor, read.inApp ? 'in-app' : 'ok');
  }
  const folder = typeof node.fields.gitPath === 'string' ? node.fields.gitPath.replace(/[^/]*$/, '') : node.parent;
  const from = link.target.startsWith('/') ? '' : folder;
  return { key: `broken ${from} ${withoutAnchor(link.target)}`, status: 'broken', reason: 'no-target' };
}

/** A heading that was given another title since is found under the anchor that it had. */
function found(node: Node, written: string, status: LinkStatus): ResolvedLink {
  const anchor = keptAnchor(node, decoded(written)) ?? written;
  return { key: `${status} ${node.id} ${anchor}`, status, node, ...(anchor === '' ? {} : { anchor }) };
}
