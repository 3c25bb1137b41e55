import type { Database, Parameter, Statement } from '@octavo/db';
import { documents, jsonChunks, prepared, readRows, selection } from '@octavo/db';
import type { LinkConditions } from '@octavo/markdown';
import { conditionalLinks, getLinks, specsIn } from '@octavo/markdown';
import type { OrganizationId } from '@octavo/schema';
import { inArray, sql } from 'drizzle-orm';
import { storedAnchors } from '../links/targets.ts';

/** A document to be stored: its text, its key and its git blob id. */
export interface StoredText {
  hash: string;
  oid: string;
  markdown: string;
  bytes: number;
  links: StoredLink[];
  specs: StoredSpec[];
  /** As `storedAnchors` gives them. */
  anchors: string;
}

/** A specification that blocks of a document refer to; conditions as of a link. */
interface StoredSpec {
  spec: string;
  conditions?: LinkConditions | undefined;
}

/** A link of a document as it is stored: `url` is an absolute address, `internal` all else. */
interface StoredLink {
  relation: 'reference' | 'dependsOn';
  kind: 'url' | 'internal';
  target: string;
  /** Under which alone it stands there; left out where it also does without. */
  conditions?: LinkConditions | undefined;
}

/** Of a document with more links the first are known; a longer target is none. */
const maxLinks = 2_000;
const maxTargetLength = 2_048;

const absolute = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;

function storedLinks(markdown: string): StoredLink[] {
  const conditional = conditionalLinks(markdown);
  return getLinks(markdown)
    .filter(({ target }) => target.length <= maxTargetLength && target.isWellFormed())
    .slice(0, maxLinks)
    .map(({ relation, target }) => {
      const conditions = conditional.get(target);
      return { relation, kind: absolute.test(target) ? 'url' : 'internal', target, ...(conditions && { conditions }) };
    });
}

/** What is kept beside a text of what it refers to. */
const keptOf = (markdown: string): Pick<StoredText, 'links' | 'specs' | 'anchors'> => ({
  links: storedLinks(markdown),
  specs: specsIn(markdown).map(([spec, conditions]) => ({ spec, ...(conditions && { conditions }) })),
  anchors: storedAnchors(markdown),
});

const hex = (digest: ArrayBuffer): string =>
  [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Hashes a text under both of its names: the id that git gives a blob with these bytes, and its key, the SHA-256 of
 * organization and text. Equal texts of two organizations are two documents: whether one exists already can be told
 * from what storing it costs, and must not tell anything of another tenant.
 */
export async function storeText(organization: OrganizationId, markdown: string): Promise<StoredText> {
  const bytes = new TextEncoder().encode(markdown);
  const [hash, oid] = await Promise.all([
    digest('SHA-256', `${organization}\0`, bytes),
    digest('SHA-1', `blob ${bytes.length}\0`, bytes),
  ]);
  return { hash, oid, markdown, bytes: bytes.length, ...keptOf(markdown) };
}

async function digest(algorithm: string, prefix: string, bytes: Uint8Array): Promise<string> {
  const header = new TextEncoder().encode(prefix);
  const whole = new Uint8Array(header.length + bytes.length);
  whole.set(header);
  whole.set(bytes, header.length);
  return hex(await crypto.subtle.digest(algorithm, whole));
}

/** A text is stored once in an organization, however many versions and spaces hold it; its links stand beside it. */
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
  ...jsonChunks(texts.flatMap(({ hash, links }) => links.map((link, ordinal) => ({ hash, ordinal, ...link })))).map(
    (json) =>
      db.run(sql`
    INSERT INTO document_links (hash, ordinal, relation, kind, target, conditions)
    SELECT value->>'hash', value->>'ordinal', value->>'relation', value->>'kind', value->>'target', value->'conditions'
    FROM json_each(${json}) WHERE true
    ON CONFLICT (hash, ordinal) DO NOTHING`),
  ),
  ...jsonChunks(texts.flatMap(({ hash, specs }) => specs.map((spec) => ({ hash, ...spec })))).map((json) =>
    db.run(sql`
    INSERT INTO document_specs (hash, spec, conditions)
    SELECT value->>'hash', value->>'spec', value->'conditions' FROM json_each(${json}) WHERE true
    ON CONFLICT (hash, spec) DO NOTHING`),
  ),
];

const textRow = selection({ hash: documents.hash, markdown: documents.markdown });

const textsByHash = prepared(textRow, (select, hashes: Parameter<string>) =>
  select.from(documents).where(inArray(documents.hash, sql`(SELECT value FROM json_each(${hashes}))`)),
);

/** The texts of documents by their hashes, in one round trip. */
export async function findTexts(db: Database, hashes: string[]): Promise<Map<string, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await readRows(db, textsByHash(JSON.stringify(hashes)));
  return new Map(rows.map((row) => [row.hash, row.markdown]));
}
