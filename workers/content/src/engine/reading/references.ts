import type { ReferenceOf, TreeData } from '@octavo/markdown';
import { mayRunCode, urlReference, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptAnchor, keptLink } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import type { LinkedNodes } from '../links/late-links.ts';
import type { Lookup } from '../links/lookup.ts';
import { lookupId } from '../links/lookup.ts';
import type { ReadTarget } from '../links/read-target.ts';
import { readTarget } from '../links/read-target.ts';
import { decoded } from '../links/stored-anchors.ts';
import type { ForeignPlaces } from '../sites/foreign-places.ts';
import type { KeptAnchors } from './kept-anchors.ts';
import type { ShownPages } from './shown-pages.ts';

/** How references are given: as they are written, by ids in an address, or as objects that name what they lead to. */
export type ReferenceForm = 'written' | 'stable' | 'typed';

/** Where references stand and who reads them. */
export interface ReferenceReading {
  space: SpaceId;
  urls: Urls;
  /** The pages that a visitor is shown; undefined for members, who may know of all. */
  shown?: ShownPages | undefined;
  /** What a visitor is shown of other spaces; undefined where nothing refers to them. */
  foreign?: ForeignPlaces | undefined;
  /** What headings of pages that are linked to were called before; undefined where references stay as they are. */
  anchors?: KeptAnchors | undefined;
  /** The nodes of texts of which a target came later; undefined where references stay as they are. */
  late?: LinkedNodes | undefined;
}

/** A node with all that is known of what the targets of its text lead to. */
export const linkedNode = (node: Node, { late }: Pick<ReferenceReading, 'late'>): Node => late?.get(node.id) ?? node;

/** Gives what becomes of the addresses in the text of a node. What runs code is told to no renderer and no visitor. */
export const referencesOf = (written: Node, form: ReferenceForm, reading: ReferenceReading): ReferenceOf => {
  const node = linkedNode(written, reading);
  return (url) => {
    if ((form === 'typed' || reading.shown !== undefined) && mayRunCode(url)) return undefined;
    const read = readTarget(url, { ...reading, node });
    if (read.kind === 'node') return ofNode(url, read, { node, form, ...reading });
    if (read.kind === 'app')
      return reading.shown === undefined ? ofApp(url, read, form) : ofForeign(read, form, reading);
    if (read.kind === 'self' && form === 'typed' && read.anchor !== '')
      return {
        kind: 'anchor',
        anchor: anchorNow(node, read.anchor),
        ...(node.kind === 'page' ? { page: node.id } : {}),
      };
    return urlReference(url);
  };
};

type OfKind<Kind> = Extract<ReadTarget, { kind: Kind }>;

function ofApp(url: string, { space, page }: OfKind<'app'>, form: ReferenceForm): TreeData {
  if (space === undefined || form !== 'typed') return urlReference(url);
  return page === undefined ? { kind: 'space', space } : { kind: 'page', page, space };
}

/** Visitors follow no addresses of the application: what their site shows of a space has one there. */
function ofForeign(
  { foreign: target }: OfKind<'app'>,
  form: ReferenceForm,
  { foreign }: Pick<ReferenceReading, 'foreign'>,
): TreeData | undefined {
  if (target === undefined) return undefined;
  if (form === 'typed') return foreign?.referenceTo(target);
  const address = foreign?.addressOf(target);
  return address === undefined ? undefined : urlReference(address);
}

interface OfNode {
  node: Node;
  form: ReferenceForm;
  shown?: ShownPages | undefined;
  anchors?: KeptAnchors | undefined;
}

/** What cannot be told to lead to something that is shown is not told, where some pages are not shown. */
function ofNode(url: string, { lookups, anchor, inApp }: OfKind<'node'>, to: OfNode): TreeData | undefined {
  const { node, form, shown, anchors } = to;
  const kept = keptLink(node, withoutAnchor(url));
  const found = kept === undefined ? lookups.find((lookup) => lookup.by === 'id') : lookupId(kept);
  const target = found?.by === 'id' ? found : undefined;
  if (shown !== undefined && !mayBeTold(target, shown)) return undefined;
  if (target === undefined || (kept === undefined && form === 'typed'))
    return inApp && shown ? undefined : urlReference(url);
  const now = anchorNow({ anchors: target.id === node.id ? node.anchors : anchors?.get(target.id) }, anchor);
  if (form === 'typed') return typed(target, now);
  return form === 'stable' || (inApp && shown) ? urlReference(stable(target, now)) : urlReference(url);
}

/** A heading that was given another title since has the anchor of that, as far as its page is known. */
const anchorNow = (page: Pick<Node, 'anchors'>, anchor: string): string => keptAnchor(page, decoded(anchor)) ?? anchor;

type ById = Extract<Lookup, { by: 'id' }>;

function mayBeTold(target: ById | undefined, shown: ShownPages): boolean {
  if (target === undefined) return !shown.hasConditions;
  if (target.kind === 'reusable-content') return false;
  return target.kind === 'file' || shown.has(target.id);
}

const words = { page: 'pages', file: 'files', 'reusable-content': 'reusable-contents' };

const stable = ({ kind, id }: ById, anchor: string): string =>
  `/${words[kind]}/${id}${anchor === '' ? '' : `#${anchor}`}`;

function typed({ kind, id }: ById, anchor: string): TreeData {
  if (kind === 'file') return { kind, file: id };
  if (kind === 'reusable-content') return { kind, reusableContent: id };
  return anchor === '' ? { kind, page: id } : { kind: 'anchor', anchor, page: id };
}
