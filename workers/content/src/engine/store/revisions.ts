import type { Database, Lineage, Parameter, RecordOf, Statement } from '@octavo/db';
import {
  documents,
  foreverSeq,
  insertRevision,
  prepareQuery,
  prepareStatement,
  rawQuery,
  readRows,
  selection,
  splitIntoJson,
} from '@octavo/db';
import type { LinkConditions } from '@octavo/markdown';
import { findConditionalLinks, findSpecs, getLinks, toStoredAnchors } from '@octavo/markdown';
import type { Node, Undecided } from '@octavo/merge';
import { isSameNode } from '@octavo/merge';
import type {
  BranchId,
  ChangeRequestId,
  NewEvent,
  OrganizationId,
  RevisionType,
  SpaceId,
  UserId,
} from '@octavo/schema';
import { createId, maxPagesPerEvent } from '@octavo/schema';
import type { SQL, SQLWrapper } from 'drizzle-orm';
import { inArray, sql } from 'drizzle-orm';
import { toRow } from './nodes.ts';

/** A document to be stored: its text, key and git blob id. */
export interface StoredText {
  hash: string;
  oid: string;
  markdown: string;
  bytes: number;
  links: StoredLink[];
  specs: StoredSpec[];
  /** The result of `toStoredAnchors`. */
  anchors: string;
}

/** A specification that blocks of a document refer to. The conditions are like those of a link. */
interface StoredSpec {
  spec: string;
  conditions?: LinkConditions | undefined;
}

/** A link of a document as stored: `url` is an absolute address, `internal` is any other address. */
interface StoredLink {
  relation: 'reference' | 'dependsOn';
  kind: 'url' | 'internal';
  target: string;
  /** The link is shown only under these conditions; absent if it also occurs without conditions. */
  conditions?: LinkConditions | undefined;
}

/**
 * Maximum number of stored links of a document; only the first ones are stored. Longer targets are not stored as links.
 */
const maxLinks = 2_000;
const maxTargetLength = 2_048;

const absoluteUrl = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;

function toStoredLinks(markdown: string): StoredLink[] {
  const conditional = findConditionalLinks(markdown);
  return getLinks(markdown)
    .filter(({ target }) => target.length <= maxTargetLength && target.isWellFormed())
    .slice(0, maxLinks)
    .map(({ relation, target }) => {
      const conditions = conditional.get(target);
      return {
        relation,
        kind: absoluteUrl.test(target) ? 'url' : 'internal',
        target,
        ...(conditions && { conditions }),
      };
    });
}

const extractReferences = (markdown: string): Pick<StoredText, 'links' | 'specs' | 'anchors'> => ({
  links: toStoredLinks(markdown),
  specs: findSpecs(markdown).map(([spec, conditions]) => ({ spec, ...(conditions && { conditions }) })),
  anchors: toStoredAnchors(markdown),
});

const toHex = (digest: ArrayBuffer): string =>
  [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Computes the git blob id of a text and its key, the SHA-256 of organization and text. The key includes the
 * organization because the cost of storing reveals whether a document exists already, and must not reveal anything
 * about another tenant.
 */
export async function toStoredText(organization: OrganizationId, markdown: string): Promise<StoredText> {
  const bytes = new TextEncoder().encode(markdown);
  const [hash, oid] = await Promise.all([
    computeDigest('SHA-256', `${organization}\0`, bytes),
    computeDigest('SHA-1', `blob ${bytes.length}\0`, bytes),
  ]);
  return { hash, oid, markdown, bytes: bytes.length, ...extractReferences(markdown) };
}

async function computeDigest(algorithm: string, prefix: string, bytes: Uint8Array): Promise<string> {
  const header = new TextEncoder().encode(prefix);
  const buffer = new Uint8Array(header.length + bytes.length);
  buffer.set(header);
  buffer.set(bytes, header.length);
  return toHex(await crypto.subtle.digest(algorithm, buffer));
}

/** Returns the SQL condition that the text of a document was moved to the bucket. */
export const isMovedText = (markdown: SQLWrapper): SQL => sql`(typeof(${markdown}) = 'blob')`;

/**
 * Returns the statements that store texts with their links. A text that was moved to the bucket is stored in the
 * database again. An organization stores each text once, however many versions and spaces use it.
 */
export function writeDocuments(db: Database, texts: Iterable<StoredText>): Statement[] {
  const distinct = [...new Map([...texts].map((text) => [text.hash, text])).values()];
  return [
    ...distinct.map(({ hash, markdown, bytes, anchors }) =>
      db
        .insert(documents)
        .values({ hash, markdown, bytes, anchors })
        .onConflictDoUpdate({ target: documents.hash, set: { markdown }, setWhere: isMovedText(documents.markdown) }),
    ),
    ...writeReferences(db, distinct),
  ];
}

const writeReferences = (db: Database, texts: StoredText[]): Statement[] => [
  ...splitIntoJson(texts.flatMap(({ hash, links }) => links.map((link, ordinal) => ({ hash, ordinal, ...link })))).map(
    (json) =>
      db.run(sql`
    INSERT INTO document_links (hash, ordinal, relation, kind, target, conditions)
    SELECT value->>'hash', value->>'ordinal', value->>'relation', value->>'kind', value->>'target', value->'conditions'
    FROM json_each(${json}) WHERE true
    ON CONFLICT (hash, ordinal) DO NOTHING`),
  ),
  ...splitIntoJson(texts.flatMap(({ hash, specs }) => specs.map((spec) => ({ hash, ...spec })))).map((json) =>
    db.run(sql`
    INSERT INTO document_specs (hash, spec, conditions)
    SELECT value->>'hash', value->>'spec', value->'conditions' FROM json_each(${json}) WHERE true
    ON CONFLICT (hash, spec) DO NOTHING`),
  ),
];

const textRow = selection({ hash: documents.hash, markdown: documents.markdown });

const readTextsByHash = prepareQuery(textRow, (select, hashes: Parameter<string>) =>
  select.from(documents).where(inArray(documents.hash, sql`(SELECT value FROM json_each(${hashes}))`)),
);

/** Reads the texts of documents by their hashes, in one round trip. */
export async function findTexts(db: Database, hashes: string[]): Promise<Map<string, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await readRows(db, readTextsByHash(JSON.stringify(hashes)));
  return new Map(rows.map((row) => [row.hash, row.markdown]));
}

const lengthRow = selection({ hash: documents.hash, bytes: documents.bytes, anchors: documents.anchors });
type TextLength = RecordOf<typeof lengthRow>;

const readTextLengths = prepareQuery(lengthRow, (select, hashes: Parameter<string>) =>
  select.from(documents).where(inArray(documents.hash, sql`(SELECT value FROM json_each(${hashes}))`)),
);

/**
 * Reads the lengths of the texts that a revision takes from other branches. Search needs them only to index the pages
 * of several events together, so this reads nothing if the pages are in one event.
 */
export async function findTextLengths(db: Database, writes: NodeWrite[]): Promise<TextLength[]> {
  const pages = writes.filter(({ key }) => key.kind === 'page');
  if (pages.length <= maxPagesPerEvent) return [];
  return readRows(db, readTextLengths(JSON.stringify(pages.flatMap(({ node }) => node?.document ?? []))));
}

/** A revision to be written. It has the number `seq` on its branch; `writes` are the nodes that it changes. */
interface NewRevision {
  space: SpaceId;
  organization: OrganizationId;
  branch: BranchId;
  seq: number;
  type: RevisionType;
  parents: string[];
  lineage: Lineage;
  author: UserId;
  summary?: string;
  changeRequest?: ChangeRequestId;
  /** Unix time in milliseconds; defaults to now. */
  createdAt?: number;
  writes: NodeWrite[];
  /** The texts of changed pages, as far as they are known. */
  texts?: TextLength[];
}

/**
 * Returns the statements and events of a revision, and its id. On main, the events name the pages that search must
 * re-index. Jobs name the changed reusable contents, so that search re-indexes the pages that include them.
 */
export function writeRevision(db: Database, revision: NewRevision) {
  const id = createId('revision');
  const {
    space,
    organization,
    branch,
    seq,
    writes,
    texts = [],
    summary = '',
    changeRequest = null,
    ...rest
  } = revision;
  const { type, parents, lineage, author, createdAt = Date.now() } = rest;
  const row = { id, space, branch, seq, type, parents, lineage, author, createdAt, summary, changeRequest };
  const statements: Statement[] = [...insertRevision(db, organization, row), ...writeNodes(branch, seq, writes)];
  const textEdits = findTextEdits(writes);
  const owner = { organization, space, texts: textEdits };
  const events: NewEvent[] = [{ type: 'revision.created', ...owner, data: { revision: id, branch } }];
  const pages = branch === space ? writes.filter(({ key }) => key.kind === 'page') : [];
  for (let start = 0; start < pages.length; start += maxPagesPerEvent) {
    const batch = pages.slice(start, start + maxPagesPerEvent);
    const data = { revision: id, pages: batch.map(({ key }) => key.id), bytes: getTextLength(batch, texts) };
    events.push({ type: 'content.changed', ...owner, data });
  }
  const contents = branch === space ? writes.filter(({ key }) => key.kind === 'reusable-content') : [];
  const changed = contents.map(({ key }) => key.id);
  events.push(
    ...createIncludeJobs({ organization, space }, contents.some(mayBeNamed) ? [unknownContent, ...changed] : changed),
  );
  return { id, statements, events, textEdits };
}

/**
 * Returns the ids of the edited pages if a revision changes only texts of pages. Then no other page looks different,
 * except for links to renamed headings of these pages. Undefined for other revisions.
 */
function findTextEdits(writes: NodeWrite[]): string[] | undefined {
  const isTextEdit = ({ key, node, before }: NodeWrite): boolean =>
    key.kind === 'page' && before !== undefined && isSameNode(node, { ...before, document: node?.document ?? null });
  // The revision of an import has no writes, because its nodes are written separately.
  return writes.length > 0 && writes.every(isTextEdit) ? writes.map(({ key }) => key.id) : undefined;
}

/**
 * Returns the total length of the texts of pages; undefined if a text is not in `texts`, or has no stored anchors, for
 * example because it includes other texts.
 */
function getTextLength(pages: NodeWrite[], texts: TextLength[]): number | undefined {
  const lengths = new Map(texts.map(({ hash, bytes, anchors }) => [hash, anchors ? bytes : undefined]));
  let sum = 0;
  for (const { node } of pages) {
    const bytes = node?.document == null ? 0 : lengths.get(node.document);
    if (bytes === undefined) return undefined;
    sum += bytes;
  }
  return sum;
}

/** Whether includes that were not found may name the content: it is new, or its path is. */
const mayBeNamed = ({ node, before }: NodeWrite): boolean =>
  node !== undefined && (before === undefined || before.fields.gitPath !== node.fields.gitPath);

/** Returns the jobs that make search index the pages that include changed contents. */
export const createIncludeJobs = (
  owner: { organization: OrganizationId; space: SpaceId },
  contents: string[],
): NewEvent[] =>
  Array.from({ length: Math.ceil(contents.length / maxContentsPerJob) }, (_, index) => ({
    type: 'index_includes',
    ...owner,
    data: { contents: contents.slice(index * maxContentsPerJob, (index + 1) * maxContentsPerJob) },
  }));

/** Maximum number of contents in the data of a job. */
const maxContentsPerJob = 25;

/** The id under which search lists the pages with an include that was not found. */
export const unknownContent = '';

/** Returns the lineage of the next revision of a branch, based on `lineage`. */
export const advanceLineage = (lineage: Lineage, branch: BranchId, seq: number): Lineage => [
  [branch, seq],
  ...(lineage[0]?.[0] === branch ? lineage.slice(1) : lineage),
];

/** The new state of a node. If `node` is undefined, the node is deleted. `undecided` are its unresolved conflicts. */
export interface NodeWrite {
  key: Pick<Node, 'kind' | 'id'>;
  node: Node | undefined;
  /** The former state; undefined if the node is new. */
  before?: Node | undefined;
  undecided?: Undecided | undefined;
}

/** Removes unresolved conflicts from a state that a change request writes to live content, which never has any. */
export const omitConflicts = ({ key, node, before }: NodeWrite): NodeWrite => ({
  key,
  before,
  node: node && { ...node, undecided: undefined, documentBase: undefined },
});

const supersedeVersions = prepareStatement((branch: SQL<BranchId>, seq: SQL<number>, json: SQL<string>) =>
  rawQuery(sql`
    UPDATE versions SET until = ${seq}
    WHERE branch = ${branch} AND +until = ${foreverSeq} AND (kind, id, since) IN (
      SELECT value->>'kind', value->>'id', (SELECT MAX(x.since) FROM versions x
        WHERE x.branch = ${branch} AND x.kind = value->>'kind' AND x.id = value->>'id')
      FROM json_each(${json}))`),
);

const addVersions = prepareStatement((branch: SQL<BranchId>, seq: SQL<number>, json: SQL<string>) =>
  rawQuery(sql`
    INSERT INTO versions (branch, kind, id, since, until, parent, position, slug, deleted, data, document)
    SELECT ${branch}, value->>'kind', value->>'id', ${seq}, ${foreverSeq}, value->>'parent', value->>'position', value->>'slug',
      value->>'deleted', value->>'data', value->>'document'
    FROM json_each(${json})`),
);

/**
 * Supersedes the current versions of these nodes on the branch and adds their new states, valid from `seq`. Writes rows
 * in proportion to the change.
 */
const writeNodes = (branch: BranchId, seq: number, writes: NodeWrite[]): Statement[] =>
  splitIntoJson(writes.map(({ key, node, undecided }) => toRow(key, node, undecided))).flatMap((json) => [
    supersedeVersions(branch, seq, json),
    addVersions(branch, seq, json),
  ]);
