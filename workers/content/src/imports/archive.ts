import type { Wanted } from '@octavo/document';
import {
  ArchiveError,
  fieldsOfNew,
  isMarkdown,
  isOrdinary,
  ownSlug,
  readArchive,
  slugAllocator,
  sourceOfArchive,
  titleOf,
  treeOfFiles,
  walkWanted,
} from '@octavo/document';
import { LinkTarget, newId } from '@octavo/schema';
import type { ContentEnvironment } from '../environment.ts';
import { orderKeyAtEnd } from '../nodes/order-key.ts';
import type { PageFields } from '../nodes/stored-node.ts';
import { nodeFields } from '../nodes/stored-node.ts';
import type { NodeWrite } from '../nodes/write-nodes.ts';
import type { AddressRow, ImportRecord } from './import-record.ts';
import { importLimits } from './limits.ts';
import { UnfitContent } from './reading.ts';

const isImage = (path: string): boolean => /\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)$/i.test(path);
const takes = (path: string): boolean => isOrdinary(path) && (isMarkdown(path) || isImage(path));

/** Where an import's archive is kept while it is read. */
export const archiveKey = (id: string): string => `imports/${id}`;

/** The files of an archive that are imported. @throws UnfitContent */
export function openArchive(bytes: Uint8Array) {
  try {
    const archive = readArchive(bytes, {
      entries: importLimits.pages + importLimits.files,
      totalBytes: importLimits.totalBytes,
      takes,
    });
    return sourceOfArchive(archive, 'the archive');
  } catch (error) {
    if (error instanceof ArchiveError) throw new UnfitContent(error.problem);
    throw error;
  }
}

type Source = ReturnType<typeof openArchive>;

/** The archive as it was kept. */
export async function keptArchive(env: ContentEnvironment, id: string): Promise<Source> {
  const kept = await env.FILES.get(archiveKey(id));
  if (kept === null) throw new UnfitContent('is gone');
  return openArchive(new Uint8Array(await kept.arrayBuffer()));
}

/** The pages that an archive asks for, in their places and still without text, and its files, to be read one by one. */
export async function planOf(
  record: ImportRecord,
  source: Source,
): Promise<{ writes: NodeWrite[]; rows: AddressRow[] }> {
  const { roots, failed } = await readTree(source);
  const rows: AddressRow[] = [];
  const writes: NodeWrite[] = [];
  const ids = new Map<Wanted, string>();
  const slugs = new Map<Wanted | undefined, (slug: string) => string>();
  const wanted = [...walkWanted(roots)];
  for (const each of wanted) ids.set(each, newId('page'));
  const ofPath = new Map(
    wanted.flatMap((each) => ('path' in each && each.path !== undefined ? [[each.path, ids.get(each)]] : [])),
  );
  for (const each of wanted) {
    const id = ids.get(each) ?? '';
    const allocate = slugs.get(each.parent) ?? slugAllocator();
    slugs.set(each.parent, allocate);
    const now = record.createdAt;
    const place = {
      parent: each.parent === undefined ? '' : (ids.get(each.parent) ?? ''),
      position: orderKeyAtEnd(now),
      slug: each.kind === 'link' ? '' : allocate((each.kind === 'page' && ownSlug(each.file)) || each.slug),
    };
    const fields = nodeFields(fieldsOf(each, ofPath));
    const key = { kind: 'page' as const, id };
    writes.push({ key, node: { ...key, ...place, fields, document: null, createdAt: now, updatedAt: now } });
    if (each.kind === 'page' && each.path !== undefined)
      rows.push(
        rowOf(record, rows.length, {
          ...place,
          address: each.path,
          kind: 'page',
          node: id,
          title: String(fields.title),
        }),
      );
  }
  for (const path of source.paths.filter(isImage))
    rows.push(rowOf(record, rows.length, { address: path, kind: 'file' }));
  for (const { path, message } of failed) {
    const row = rows.find(({ address }) => address === path);
    if (row !== undefined) Object.assign(row, { status: 'failed', error: message });
  }
  return { writes, rows };
}

async function readTree(source: Source): ReturnType<typeof treeOfFiles> {
  const texts = source.paths.filter(isMarkdown);
  if (texts.length === 0) throw new UnfitContent('holds no markdown file');
  if (texts.length > importLimits.pages) throw new UnfitContent(`holds more than ${importLimits.pages} markdown files`);
  const bytes = texts.reduce((sum, path) => sum + source.sizeOf(path), 0);
  if (bytes > importLimits.archiveTextBytes)
    throw new UnfitContent(`holds more than ${importLimits.archiveTextBytes} bytes of markdown`);
  try {
    return await treeOfFiles(source);
  } catch (error) {
    throw new UnfitContent(`holds ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fieldsOf(wanted: Wanted, ofPath: Map<string, string | undefined>): PageFields {
  const { hidden, title } = fieldsOfNew(wanted);
  if (wanted.kind === 'group') return { type: 'group', title: wanted.title };
  if (wanted.kind === 'link') {
    const { target } = wanted;
    const page = target.kind === 'file-of-page' ? ofPath.get(target.path) : undefined;
    const read = LinkTarget.safeParse(page === undefined ? target : { kind: 'page', page });
    return read.success
      ? { type: 'link', title: wanted.title, target: read.data }
      : { type: 'document', title: wanted.title };
  }
  const own = wanted.file && titleOf(wanted.file.text);
  return {
    type: 'document',
    title: title ?? own ?? wanted.fallbackTitle,
    ...(hidden ? { hidden: true as const } : {}),
    ...(wanted.path === undefined ? {} : { gitPath: wanted.path }),
  };
}

const ranks = { sitemap: 0, page: 1, file: 2 };

const rowOf = (
  { id }: ImportRecord,
  index: number,
  row: Pick<AddressRow, 'address'> & { kind: 'page' | 'file' } & Partial<AddressRow>,
): AddressRow => ({
  import: id,
  url: row.address,
  rank: ranks[row.kind],
  ordinal: index,
  depth: 0,
  status: 'pending',
  attempts: 0,
  node: null,
  title: null,
  sameAs: null,
  error: null,
  parent: '',
  position: '',
  slug: '',
  ...row,
});
