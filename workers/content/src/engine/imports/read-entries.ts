import { readRows } from '@octavo/db';
import type { Node } from '@octavo/merge';
import { storeText } from '../store/documents.ts';
import { findNodes, selectKeys } from '../store/lineage.ts';
import { nodesOf, pageFields } from '../store/nodes.ts';
import { importLimits } from './import-limits.ts';
import type { AddressRow, ImportContext, ImportRecord } from './import-record.ts';
import { perStep } from './import-record.ts';
import { keptArchive } from './plan-archive.ts';
import { readMarkdownPage, readMarkdownText } from './read-markdown.ts';
import type { AddressReading } from './reading.ts';
import { UnfitContent, unread } from './reading.ts';

/** Reads files out of the archive, as many as may be held at once: the pages have their places already, and get their texts. */
export async function readEntries(
  { db, env }: ImportContext,
  record: ImportRecord,
  rows: AddressRow[],
): Promise<AddressReading[]> {
  const archive = await keptArchive(env, record.id);
  const keys = rows.flatMap(({ kind, node }) =>
    node === null ? [] : [{ kind: kind === 'content' ? 'reusable-content' : 'page', id: node }],
  );
  const lineage = JSON.stringify([[record.id, record.seq]]);
  const stored = nodesOf(await readRows(db, findNodes(lineage, selectKeys(keys))));
  const planned = new Map(stored.map((node) => [node.id, node]));
  const readings: AddressReading[] = [];
  let held = 0;
  for (const row of rows) {
    if (held >= perStep.unpackedBytes) break;
    const reading = await readEntry(record, row, { archive, planned: planned.get(row.node ?? '') }).catch(
      (error: unknown) => unread(row, unpacked(error)),
    );
    held += reading.bytes ?? 0;
    readings.push(reading);
  }
  return readings;
}

interface EntrySource {
  archive: Awaited<ReturnType<typeof keptArchive>>;
  planned: Node | undefined;
}

async function readEntry(
  record: ImportRecord,
  row: AddressRow,
  { archive, planned }: EntrySource,
): Promise<AddressReading> {
  const path = row.address;
  const size = archive.sizeOf(path);
  if (size > importLimits.fileBytes) throw new UnfitContent(`is larger than ${importLimits.fileBytes} bytes`);
  const bytes = await archive.read(path);
  if (row.kind === 'file') {
    const name = path.split('/').at(-1) ?? path;
    return { row, status: 'done', bytes: bytes.length, file: { bytes, name, gitPath: path } };
  }
  const markdown = readMarkdownText(bytes);
  if (row.kind === 'content' && planned !== undefined) {
    const stored = await storeText(record.organization, markdown);
    const node = { ...planned, document: stored.hash, oid: stored.oid };
    return { row, status: 'done', bytes: bytes.length, content: { node, stored } };
  }
  const { title = '', ...told } = planned === undefined ? {} : pageFields(planned);
  const page = await readMarkdownPage(record, markdown, { title, gitPath: path });
  const fields = { ...told, ...page.fields, title: page.ownTitle ?? (title || page.fields.title) };
  return { row, status: 'done', bytes: bytes.length, page: { ...page, fields } };
}

/** What an archive says of a file that it cannot give is a fault of the archive. */
const unpacked = (error: unknown): unknown =>
  error instanceof Error && /archive|packed/.test(error.message) ? new UnfitContent(error.message) : error;
