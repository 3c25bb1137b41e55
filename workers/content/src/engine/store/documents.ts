import type { Database, Parameter, Statement } from '@octavo/db';
import { documents, prepareQuery, readRows, selection, splitIntoJson } from '@octavo/db';
import type { LinkConditions } from '@octavo/markdown';
import { findConditionalLinks, findSpecs, getLinks, toStoredAnchors } from '@octavo/markdown';
import type { OrganizationId } from '@octavo/schema';
import { inArray, sql } from 'drizzle-orm';

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

/**
 * Returns the statements that store texts with their links. An organization stores each text once, however many
 * versions and spaces use it.
 */
export function writeDocuments(db: Database, texts: Iterable<StoredText>): Statement[] {
  const distinct = [...new Map([...texts].map((text) => [text.hash, text])).values()];
  return [
    ...distinct.map(({ hash, markdown, bytes, anchors }) =>
      db.insert(documents).values({ hash, markdown, bytes, anchors }).onConflictDoNothing(),
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
