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
  selectSpaceRank,
  spaceJoins,
  spaceWithRoleRow,
  splitIntoJson,
  toActingMember,
} from '@octavo/db';
import { decodeAnchor, getAnchorNames, hashText, maxAnchorLength, removeAnchor, slugify } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { getRecordedLink, getRenamedAnchor } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { mapInSlices, presentChangeRequest, presentOrganization, presentSpace } from '@octavo/runtime';
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
import { formatTimestamp } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { getPageFields } from '../store/nodes.ts';
import type { Lookup, Origin, ParsedTarget } from './targets.ts';
import { readTarget, toIdLookup } from './targets.ts';

/** The caller and the revision for which links are read. */
export interface LinksReading {
  db: Database;
  env: Pick<ContentEnvironment, 'OCTAVO_SECRET'>;
  urls: Urls;
  space: SpaceRecord;
  role: Role | null;
  actor: CallerRecord;
  point: RevisionPoint;
  /** The change request that is read; if absent, references name the revision. */
  context?: VersionContext;
}

export const toLinksReading = ({
  changeRequest,
  ...reading
}: Omit<LinksReading, 'context'> & { changeRequest?: ChangeRequestRecord }): LinksReading => ({
  ...reading,
  ...(changeRequest && {
    context: { type: 'changeRequest', changeRequest: presentChangeRequest(changeRequest, reading.urls) },
  }),
});

const d = aliasedTable(documentLinks, 'd');

/** A stored link, from `document_links d`. */
export const linkRow = selection({ hash: d.hash, relation: d.relation, target: d.target });
export type LinkRow = RecordOf<typeof linkRow>;

/** Reads the other spaces that links refer to, as far as the caller may view them. */
export async function loadOtherSpaces({ db, space, actor, urls }: LinksReading, links: CollectedLink[]) {
  const spaceIds = links.flatMap(({ resolved }) => resolved.space ?? []).filter((id) => id !== space.id);
  if (spaceIds.length === 0) return new Map();
  const rows = await readRows(db, queryOtherSpaces([...new Set(spaceIds)], actor));
  return toOtherSpaces(rows, { actor, urls });
}

/** A link target with the nodes that link to it, in order. */
export interface CollectedLink {
  /** The id is derived only from the target, so it is the same in each listing. */
  id: string;
  relation: NodeLink['relation'];
  target: string;
  resolved: ResolvedLink;
  nodes: Node[];
  /** Whether the target is also missing in the base of the change request. */
  isBrokenAtBase: boolean;
}

/** A link of a node with its target, and whether it is also broken in the base. */
interface FoundLink {
  node: Node;
  link: NodeLink;
  resolved: ResolvedLink;
  isBrokenAtBase: boolean;
}

/**
 * Groups links by target, in order of their first occurrence. Dependencies and plain references to the same target are
 * separate.
 */
export async function collectLinks(links: FoundLink[]): Promise<CollectedLink[]> {
  const collected = new Map<string, CollectedLink>();
  await mapInSlices(links, ({ node: place, link, resolved, isBrokenAtBase }) => {
    const key = `${link.relation} ${resolved.key}`;
    const collectedLink = collected.get(key);
    if (collectedLink === undefined) {
      const { relation, target } = link;
      collected.set(key, { id: hashText(key), relation, target, resolved, nodes: [place], isBrokenAtBase });
    } else if (collectedLink.nodes.at(-1) !== place) collectedLink.nodes.push(place);
  });
  return [...collected.values()];
}

export const toLinkStats = (links: CollectedLink[], inChangeRequest: boolean): LinkStats => {
  const broken = links.filter(({ resolved }) => resolved.status === 'broken');
  const changeRequest = broken.filter(({ isBrokenAtBase }) => !isBrokenAtBase).length;
  return {
    total: links.length,
    broken: { total: broken.length, ...(inChangeRequest ? { changeRequest } : {}) },
  };
};

export const filterByStatus = (links: CollectedLink[], status: LinkStatus | undefined): CollectedLink[] =>
  status === undefined ? links : links.filter(({ resolved }) => resolved.status === status);

/** A link as written in a node. */
export interface NodeLink {
  relation: 'reference' | 'dependsOn';
  target: string;
  parsed: ParsedTarget;
}

/** The target of a link. `key` is equal for links to the same target. */
export interface ResolvedLink {
  key: string;
  status: LinkStatus;
  /** The reason why the link is broken. */
  reason?: BrokenLinkReason;
  url?: string;
  space?: SpaceId;
  node?: Node;
  anchor?: string;
}

/** Returns the links of a node: those of its document, and the target of a link page. */
export function getNodeLinks(origin: Origin, documentLinks: Pick<NodeLink, 'relation' | 'target'>[]): NodeLink[] {
  const { node } = origin;
  const ofDocument = documentLinks.map((link) => ({ ...link, parsed: readTarget(link.target, origin) }));
  const target = node.kind === 'page' ? getPageFields(node).target : undefined;
  if (target === undefined) return ofDocument;
  return [...ofDocument, { relation: 'reference', ...toLinkTarget(target, origin) }];
}

function toLinkTarget(target: LinkTarget, origin: Origin): Pick<NodeLink, 'target' | 'parsed'> {
  if (target.kind === 'url') return { target: target.url, parsed: readTarget(target.url, origin) };
  if (target.kind === 'space')
    return { target: `/spaces/${target.space}`, parsed: { kind: 'app', space: target.space } };
  if (target.kind === 'file') return toNodeTarget('file', target.file);
  const anchor = target.kind === 'anchor' ? target.anchor : '';
  const { space } = target;
  const nodeTarget = toNodeTarget('page', target.page, anchor);
  return space === undefined || space === origin.space ? nodeTarget : { ...nodeTarget, parsed: { kind: 'app', space } };
}

function toNodeTarget(kind: 'page' | 'file', id: string, anchor = ''): Pick<NodeLink, 'target' | 'parsed'> {
  const lookups: Lookup[] = [{ by: 'id', kind, id }];
  const suffix = anchor === '' ? '' : `#${anchor}`;
  return { target: `/${kind}s/${id}${suffix}`, parsed: { kind: 'node', lookups, anchor, inApp: false } };
}

/** Returns the ways to find a link's target: the stored node first, then the text of the link. */
export function getLookups(link: NodeLink, node: Node): Lookup[] {
  if (link.parsed.kind !== 'node') return [];
  const recordedLink = getRecordedLink(node, removeAnchor(link.target));
  return [...(recordedLink === undefined ? [] : [toIdLookup(recordedLink)]), ...link.parsed.lookups];
}

export function resolveLink(link: NodeLink, node: Node, find: (lookup: Lookup) => Node | undefined): ResolvedLink {
  const { parsed } = link;
  if (parsed.kind === 'url') return { key: `url ${parsed.url}`, status: 'ok', url: parsed.url };
  if (parsed.kind === 'app') {
    return {
      key: `app ${link.target}`,
      status: 'in-app',
      ...(parsed.space === undefined ? {} : { space: parsed.space }),
    };
  }
  if (parsed.kind === 'self') return toResolvedLink(node, parsed.anchor, 'ok');
  for (const lookup of getLookups(link, node)) {
    const target = find(lookup);
    if (target !== undefined) return toResolvedLink(target, parsed.anchor, parsed.inApp ? 'in-app' : 'ok');
  }
  const folder = typeof node.fields.gitPath === 'string' ? node.fields.gitPath.replace(/[^/]*$/, '') : node.parent;
  const from = link.target.startsWith('/') ? '' : folder;
  return { key: `broken ${from} ${removeAnchor(link.target)}`, status: 'broken', reason: 'no-target' };
}

/** Resolves a link with the former anchor of a renamed heading to the current anchor. */
function toResolvedLink(node: Node, target: string, status: LinkStatus): ResolvedLink {
  const anchor = getRenamedAnchor(node, decodeAnchor(target)) ?? target;
  return { key: `${status} ${node.id} ${anchor}`, status, node, ...(anchor === '' ? {} : { anchor }) };
}

/** Maximum number of distinct anchors checked in one listing; links beyond it count as working. */
const maxCheckedAnchors = 20_000;

/** Maximum number of anchors of a document in one row of the parameter, because rows are never split. */
const anchorsPerRow = 50;

const missingRow = selection({ hash: fromQuery(String), anchor: fromQuery(String) });

interface AnchorCheck {
  hash: string;
  anchor: string;
  names: string[];
}

/**
 * Marks links as broken if their page does not have the anchor. One round trip, none if no link has an anchor; rows
 * read are proportional to the linked pages. Anchors that cannot be checked count as working.
 */
export async function checkAnchors(db: Database, links: ResolvedLink[]): Promise<ResolvedLink[]> {
  const checksByKey = new Map<string, AnchorCheck>();
  await mapInSlices(links, (link) => {
    const check = toAnchorCheck(link);
    if (check !== undefined && checksByKey.size < maxCheckedAnchors) checksByKey.set(toAnchorKey(check), check);
  });
  if (checksByKey.size === 0) return links;
  const rows = await runBatch(db, toAnchorChunks([...checksByKey.values()]).map(queryMissingAnchors));
  const missing = new Set(rows.map(toAnchorKey));
  return mapInSlices(links, (link): ResolvedLink => {
    const check = toAnchorCheck(link);
    if (check === undefined || !missing.has(toAnchorKey(check)) || link.node === undefined) return link;
    const key = `broken ${link.node.id} ${link.anchor}`;
    return { ...link, key, status: 'broken', reason: 'no-anchor' };
  });
}

/** Returns the checks as parameters, grouped by document so that each document is read once per chunk of anchors. */
export function toAnchorChunks(checks: AnchorCheck[]): string[] {
  const byHash = [...Map.groupBy(checks, ({ hash }) => hash)];
  return splitIntoJson(
    byHash.flatMap(([hash, all]) => {
      const starts = Array.from({ length: Math.ceil(all.length / anchorsPerRow) }, (_, index) => index * anchorsPerRow);
      return starts.map((start) => ({ hash, anchors: all.slice(start, start + anchorsPerRow) }));
    }),
  );
}

const toAnchorKey = ({ hash, anchor }: { hash: string; anchor: string }): string => `${hash} ${anchor}`;

function toAnchorCheck({ node, anchor }: ResolvedLink): AnchorCheck | undefined {
  if (anchor === undefined || node?.kind !== 'page' || node.document === null) return undefined;
  const names = getAnchorNames(anchor);
  const isTitle = names.includes(slugify(getPageFields(node).title));
  return names.length === 0 || isTitle
    ? undefined
    : { hash: node.document, anchor: anchor.slice(0, maxAnchorLength), names };
}

/**
 * Returns the query for anchors whose names are missing in their document. Documents with unknown anchors are skipped.
 */
const queryMissingAnchors = (json: string) =>
  missingRow.query(sql`
    SELECT ${missingRow.with({ hash: sql`d.hash`, anchor: sql`a.value->>'anchor'` })}
    FROM json_each(${json}) w CROSS JOIN documents d ON d.hash = w.value->>'hash'
    CROSS JOIN json_each(w.value->'anchors') a
    WHERE d.anchors <> '' AND NOT EXISTS (
      SELECT 1 FROM json_each(a.value->'names') n WHERE instr(d.anchors, char(10) || n.value || char(10)) > 0)`);

/** The organization, space and revision that references name. */
export interface LinkReferenceContext {
  organization: Organization;
  space: Space;
  revision: RevisionContext;
}

interface SpaceReader {
  space: SpaceRecord;
  role: Role | null;
  actor: CallerRecord;
  urls: Urls;
}

const r = aliasedTable(revisions, 'r');
const organizationFields = { organization: organizationRow.fields, membership: membershipRow.fields };
const referenceContextRow = selection({
  ...organizationFields,
  revision: { id: r.id, type: r.type, parents: r.parents, createdAt: r.createdAt },
});

const getMembershipColumns = (actor: CallerRecord) => ({ active: isActive(sql`${actor.organization}`) });

export const readReferenceContext = ({ space, actor }: SpaceReader, revision: RevisionId) =>
  referenceContextRow.query(sql`
    SELECT ${referenceContextRow.with({ membership: getMembershipColumns(actor) })}
    FROM revisions r CROSS JOIN organizations o ON o.id = ${space.organization}
    LEFT JOIN members m ON m.organization = o.id AND m.user = ${actor.id}
    WHERE r.id = ${revision}`);

export function toReferenceContext(
  row: RecordOf<typeof referenceContextRow> | undefined,
  { space, role, actor, urls }: SpaceReader,
): LinkReferenceContext {
  if (row === undefined) throw new Error('A space has no organization or no head.');
  const { id, createdAt } = row.revision;
  return {
    organization: presentOrganization(row.organization, limitMembership(actor, row.membership), urls),
    space: presentSpace(space, role, urls),
    revision: {
      object: 'revision',
      ...row.revision,
      createdAt: formatTimestamp(createdAt),
      urls: { app: urls.app(`/spaces/${space.id}/revisions/${id}`) },
    },
  };
}

const otherSpaceRow = selection({ ...spaceWithRoleRow.fields, ...organizationFields });
type OtherSpace = RecordOf<typeof otherSpaceRow>;

/** Returns the query for the spaces among `ids` that the caller may view, with their organizations. */
export function queryOtherSpaces(ids: string[], actor: CallerRecord) {
  const columns = otherSpaceRow.with({
    role: selectSpaceRank(toActingMember(actor)),
    membership: getMembershipColumns(actor),
  });
  return otherSpaceRow.query(sql`
    SELECT * FROM (
      SELECT ${columns}
      FROM json_each(${JSON.stringify(ids)}) wanted CROSS JOIN spaces s ON s.id = wanted.value
      ${joinActingMember(sql`s.organization`, actor)} ${spaceJoins}
      WHERE s.deleted_at IS NULL)
    WHERE ${otherSpaceRow.names.role} > 0`);
}

export const toOtherSpaces = (
  rows: OtherSpace[],
  { actor, urls }: Pick<SpaceReader, 'actor' | 'urls'>,
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
