import type { CallerRecord, ChangeRequestRecord, Database, RecordOf, RevisionPoint, SpaceRecord } from '@octavo/db';
import {
  documentLinks,
  fromQuery,
  isActive,
  joinActingMember,
  limitMembership,
  limitRole,
  membershipRow,
  organizationRow,
  readRows,
  revisions,
  runBatch,
  selection,
  spaceJoins,
  spaceRank,
  spaceWithRoleRow,
  splitIntoJson,
  toActingMember,
} from '@octavo/db';
import { slugify, textKey, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptAnchor, keptLink } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { presentChangeRequest, presentOrganization, presentSpace } from '@octavo/runtime';
import type {
  BrokenLinkReason,
  LinkStats,
  LinkStatus,
  LinkTarget,
  Organization,
  RevisionContext,
  RevisionId,
  Role,
  Space,
  SpaceId,
  VersionContext,
} from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { getPageFields } from '../store/nodes.ts';
import type { Lookup, Origin, ReadTarget } from './targets.ts';
import { decoded, lookupId, maxAnchorLength, namesOfAnchor, readTarget } from './targets.ts';

/** Who reads links, where, and at which revision. */
export interface LinksReading {
  db: Database;
  env: Pick<ContentEnvironment, 'OCTAVO_SECRET'>;
  urls: Urls;
  space: SpaceRecord;
  role: Role | null;
  actor: CallerRecord;
  point: RevisionPoint;
  /** The change request that is read; else the references name the revision. */
  context?: VersionContext;
}

/** The reading of an operation, at any point. */
export const linksReading = ({
  changeRequest,
  ...reading
}: Omit<LinksReading, 'context'> & { changeRequest?: ChangeRequestRecord }): LinksReading => ({
  ...reading,
  ...(changeRequest && {
    context: { type: 'changeRequest', changeRequest: presentChangeRequest(changeRequest, reading.urls) },
  }),
});

const d = aliasedTable(documentLinks, 'd');

/** A link as it is stored, of `document_links d`. */
export const linkRow = selection({ hash: d.hash, relation: d.relation, target: d.target });
export type LinkRow = RecordOf<typeof linkRow>;

/** Other spaces that links name, as far as the caller may view them. */
export async function otherSpaces({ db, space, actor, urls }: LinksReading, links: CollectedLink[]) {
  const named = links.flatMap(({ resolved }) => resolved.space ?? []).filter((id) => id !== space.id);
  if (named.length === 0) return new Map();
  const rows = await readRows(db, readOtherSpaces([...new Set(named)], actor));
  return otherSpacesOf(rows, { actor, urls });
}

/** One target with the places that link to it, in order. */
export interface CollectedLink {
  /** Follows from what the link leads to alone: it is the same in each listing. */
  id: string;
  relation: PlacedLink['relation'];
  target: string;
  resolved: ResolvedLink;
  places: Node[];
  /** Whether the base of the change request lacks the target too. */
  isBrokenAtBase: boolean;
}

/** A link of a place with what it leads to, and whether the base lacks it as well. */
interface FoundLink {
  place: Node;
  link: PlacedLink;
  resolved: ResolvedLink;
  isBrokenAtBase: boolean;
}

/** Each target once, in the order of their first places. A target that is depended on stands apart from a mere reference. */
export function collectLinks(links: FoundLink[]): CollectedLink[] {
  const collected = new Map<string, CollectedLink>();
  for (const { place, link, resolved, isBrokenAtBase } of links) {
    const key = `${link.relation} ${resolved.key}`;
    const known = collected.get(key);
    if (known === undefined) {
      const { relation, target } = link;
      collected.set(key, { id: textKey(key), relation, target, resolved, places: [place], isBrokenAtBase });
    } else if (known.places.at(-1) !== place) known.places.push(place);
  }
  return [...collected.values()];
}

export const statsOf = (links: CollectedLink[], inChangeRequest: boolean): LinkStats => {
  const broken = links.filter(({ resolved }) => resolved.status === 'broken');
  const changeRequest = broken.filter(({ isBrokenAtBase }) => !isBrokenAtBase).length;
  return {
    total: links.length,
    broken: { total: broken.length, ...(inChangeRequest ? { changeRequest } : {}) },
  };
};

export const withStatus = (links: CollectedLink[], status: LinkStatus | undefined): CollectedLink[] =>
  status === undefined ? links : links.filter(({ resolved }) => resolved.status === status);

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
  const target = node.kind === 'page' ? getPageFields(node).target : undefined;
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

/** What one listing checks at most, of different anchors; further links are believed. */
const maxChecked = 20_000;

/** So many anchors of a document make one row of a parameter, which is never cut. */
const askedAtOnce = 50;

const missingRow = selection({ hash: fromQuery(String), anchor: fromQuery(String) });

interface Asked {
  hash: string;
  anchor: string;
  names: string[];
}

/**
 * Links as they were resolved, those to an anchor that its page has not broken. One round trip, and none where no link
 * has an anchor; rows read follow the pages that anchors are sought in. What cannot be known is believed.
 */
export async function checkAnchors(db: Database, links: ResolvedLink[]): Promise<ResolvedLink[]> {
  const asked = new Map<string, Asked>();
  for (const link of links) {
    const found = askedOf(link);
    if (found !== undefined && asked.size < maxChecked) asked.set(keyOf(found), found);
  }
  if (asked.size === 0) return links;
  const rows = await runBatch(db, askedChunks([...asked.values()]).map(missingAnchors));
  const missing = new Set(rows.map(keyOf));
  return links.map((link) => {
    const found = askedOf(link);
    if (found === undefined || !missing.has(keyOf(found)) || link.node === undefined) return link;
    const key = `broken ${link.node.id} ${link.anchor}`;
    return { ...link, key, status: 'broken', reason: 'no-anchor' };
  });
}

/** What is asked as parameters, by documents: each is read once for some of its anchors. */
export function askedChunks(asked: Asked[]): string[] {
  const byHash = [...Map.groupBy(asked, ({ hash }) => hash)];
  return splitIntoJson(
    byHash.flatMap(([hash, all]) => {
      const starts = Array.from({ length: Math.ceil(all.length / askedAtOnce) }, (_, index) => index * askedAtOnce);
      return starts.map((start) => ({ hash, anchors: all.slice(start, start + askedAtOnce) }));
    }),
  );
}

const keyOf = ({ hash, anchor }: { hash: string; anchor: string }): string => `${hash} ${anchor}`;

function askedOf({ node, anchor }: ResolvedLink): Asked | undefined {
  if (anchor === undefined || node?.kind !== 'page' || node.document === null) return undefined;
  const names = namesOfAnchor(anchor);
  const isTitle = names.includes(slugify(getPageFields(node).title));
  return names.length === 0 || isTitle
    ? undefined
    : { hash: node.document, anchor: anchor.slice(0, maxAnchorLength), names };
}

/** The anchors that are in no name among those of their document, of documents whose anchors are known. */
const missingAnchors = (json: string) =>
  missingRow.query(sql`
    SELECT ${missingRow.with({ hash: sql`d.hash`, anchor: sql`a.value->>'anchor'` })}
    FROM json_each(${json}) w CROSS JOIN documents d ON d.hash = w.value->>'hash'
    CROSS JOIN json_each(w.value->'anchors') a
    WHERE d.anchors <> '' AND NOT EXISTS (
      SELECT 1 FROM json_each(a.value->'names') n WHERE instr(d.anchors, char(10) || n.value || char(10)) > 0)`);

/** The organization of a space and the revision that is read, as references name them. */
export interface LinkSurroundings {
  organization: Organization;
  space: Space;
  revision: RevisionContext;
}

interface Reader {
  space: SpaceRecord;
  role: Role | null;
  actor: CallerRecord;
  urls: Urls;
}

const r = aliasedTable(revisions, 'r');
const organizationFields = { organization: organizationRow.fields, membership: membershipRow.fields };
const surroundingsRow = selection({
  ...organizationFields,
  revision: { id: r.id, type: r.type, parents: r.parents, createdAt: r.createdAt },
});

const membershipOf = (actor: CallerRecord) => ({ active: isActive(sql`${actor.organization}`) });

export const readSurroundings = ({ space, actor }: Reader, revision: RevisionId) =>
  surroundingsRow.query(sql`
    SELECT ${surroundingsRow.with({ membership: membershipOf(actor) })}
    FROM revisions r CROSS JOIN organizations o ON o.id = ${space.organization}
    LEFT JOIN members m ON m.organization = o.id AND m.user = ${actor.id}
    WHERE r.id = ${revision}`);

export function surroundingsOf(
  row: RecordOf<typeof surroundingsRow> | undefined,
  { space, role, actor, urls }: Reader,
): LinkSurroundings {
  if (row === undefined) throw new Error('A space has no organization or no head.');
  const { id, createdAt } = row.revision;
  return {
    organization: presentOrganization(row.organization, limitMembership(actor, row.membership), urls),
    space: presentSpace(space, role, urls),
    revision: {
      object: 'revision',
      ...row.revision,
      createdAt: timestamp(createdAt),
      urls: { app: urls.app(`/spaces/${space.id}/revisions/${id}`) },
    },
  };
}

const otherSpaceRow = selection({ ...spaceWithRoleRow.fields, ...organizationFields });
type OtherSpace = RecordOf<typeof otherSpaceRow>;

/** Of these spaces those that the caller may view, each with its organization. */
export function readOtherSpaces(ids: string[], actor: CallerRecord) {
  const columns = otherSpaceRow.with({ role: spaceRank(toActingMember(actor)), membership: membershipOf(actor) });
  return otherSpaceRow.query(sql`
    SELECT * FROM (
      SELECT ${columns}
      FROM json_each(${JSON.stringify(ids)}) wanted CROSS JOIN spaces s ON s.id = wanted.value
      ${joinActingMember(sql`s.organization`, actor)} ${spaceJoins}
      WHERE s.deleted_at IS NULL)
    WHERE ${otherSpaceRow.names.role} > 0`);
}

export const otherSpacesOf = (
  rows: OtherSpace[],
  { actor, urls }: Pick<Reader, 'actor' | 'urls'>,
): Map<string, { organization: Organization; space: Space }> =>
  new Map(
    rows.map(({ space, role, organization, membership }) => [
      space.id,
      {
        organization: presentOrganization(organization, limitMembership(actor, membership), urls),
        space: presentSpace(space, limitRole(actor, role), urls),
      },
    ]),
  );
