import type { Database, OpenAPIEntryRecord } from '@octavo/db';
import { openapiEntryRow, readRows, statement } from '@octavo/db';
import type { Block, DocumentTree } from '@octavo/markdown';
import { block, parseTree, renderTree, treeOf } from '@octavo/markdown';
import type { OpenAPIVersionId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { MadePage } from './make-pages.ts';
import { isShort } from './short-description.ts';

/** How many operations, webhooks or models stand on one page. */
export const maxShown = 1000;

/** What stands on one page: the entry itself, and those of its operations, all webhooks or all models. */
const readParts = statement(
  (version: SQL<OpenAPIVersionId>, ordinal: SQL<number>, kind: SQL<string>, parent: SQL<number | null>) =>
    openapiEntryRow.query(sql`
      SELECT ${openapiEntryRow} FROM openapi_entries e WHERE e.version = ${version} AND e.ordinal = ${ordinal}
      UNION ALL SELECT * FROM (
        SELECT ${openapiEntryRow} FROM openapi_entries e INDEXED BY openapi_entries_of_kind
        WHERE e.version = ${version} AND e.kind = ${kind} AND e.parent IS ${parent} AND e.ordinal > ${ordinal}
        ORDER BY e.ordinal LIMIT ${sql.raw(String(maxShown))})`),
);

/** What a page that is made of a specification holds. */
export interface MadeParts {
  slug: string;
  /** What stands at the top of the text. */
  introduction: string;
  /** Operations, webhooks or models. */
  shown: OpenAPIEntryRecord[];
}

export async function readMadeParts(db: Database, { madeOf: { version, slug, entry } }: MadePage): Promise<MadeParts> {
  const [ordinal, kind] = entry;
  const isTag = kind === 'tag';
  const isAlone = kind === 'operation';
  const sought = isTag ? 'operation' : isAlone ? '' : kind;
  const [own, ...others] = await readRows(db, readParts(version, ordinal, sought, isTag ? ordinal : null));
  if (own === undefined) return { slug, introduction: '', shown: [] };
  const introduction = (isTag || isAlone) && !isShort(own.description) ? own.description : '';
  const shown = isTag ? others : [own, ...others];
  return { slug, introduction, shown };
}

/** The document of a page: blocks that name their parts of the specification, each by its anchor. */
export function madeTree({ slug, introduction, shown }: MadeParts): DocumentTree {
  return treeOf([...textBlocks(introduction), ...shown.map((entry) => blockOf(slug, entry))]);
}

/** The same as markdown, where each part has a heading and says what it is. */
export function madeMarkdown({ slug, introduction, shown }: MadeParts): string {
  const isAlone = shown.length === 1 && introduction !== '' && shown[0]?.description === introduction;
  return renderTree(
    treeOf([
      ...textBlocks(introduction),
      ...shown.flatMap((entry) => [
        headingOf(entry.title),
        ...(isAlone ? [] : textBlocks(entry.description)),
        blockOf(slug, entry),
      ]),
    ]),
  );
}

const headingOf = (title: string): Block =>
  block('heading-2', {}, [{ object: 'text', leaves: [{ object: 'leaf', text: title, marks: [] }] }]);

/** Text of others as blocks: no tag in it is one of ours, which might include or ask for something. */
const textBlocks = (text: string): Block[] => (text === '' ? [] : parseTree(withoutTags(text)).nodes);

const withoutTags = (text: string): string =>
  text.replace(/(`+)[^`]+\1|\{(?=[{%])/g, (found, code?: string) => (code === undefined ? '\\{' : found));

function blockOf(spec: string, { kind, slug, name, method, path }: OpenAPIEntryRecord): Block {
  const ref = { kind: 'openapi', spec };
  const made =
    kind === 'model'
      ? block('openapi-schemas', { ref, schemas: [name ?? ''], grouped: false })
      : kind === 'webhook'
        ? block('openapi-webhook', { ref, name: name ?? '', method: method ?? '' })
        : block('openapi-operation', { ref, path: path ?? '', method: method ?? '' });
  return { ...made, isVoid: true, meta: { id: slug } };
}
