import { ArchiveError, readArchive, sourceOfArchive } from '@octavo/archive';
import { orderKeyAtEnd } from '@octavo/db';
import { readFrontmatter, slugAllocator, titleOf } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { maxPageDepth } from '@octavo/merge';
import type { Repository, WantedEntry, WantedLink } from '@octavo/outline';
import { fieldsOfNew, isMarkdown, isOrdinary, ownSlug, readRepository, walkWanted } from '@octavo/outline';
import { LinkTarget, newId } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import type { PageFields } from '../nodes/stored-node.ts';
import { nodeFields } from '../nodes/stored-node.ts';
import type { NodeWrite } from '../nodes/write-nodes.ts';
import { newAddress } from './address-book.ts';
import type { AddressRow, ImportRecord } from './import-record.ts';
import { importLimits } from './import-record.ts';
import { UnfitContent } from './reading.ts';

export const isImage = (path: string): boolean => /\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)$/i.test(path);
const takes = (path: string): boolean => isOrdinary(path) && (isMarkdown(path) || isImage(path));

export const archiveFolder = 'imports/';

/** Where an import's archive is kept while it is read. */
export const archiveKey = (id: string): string => archiveFolder + id;

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

/** The archive as it was kept. */
export async function keptArchive(env: ContentEnvironment, id: string): Promise<ReturnType<typeof openArchive>> {
  const kept = await env.FILES.get(archiveKey(id));
  if (kept === null) throw new UnfitContent('is gone');
  return openArchive(new Uint8Array(await kept.arrayBuffer()));
}

type Source = ReturnType<typeof openArchive>;

/** The pages that an archive asks for, in their places and still without text, and its files, to be read one by one. */
export async function planOf(
  record: ImportRecord,
  source: Source,
): Promise<{ writes: NodeWrite[]; rows: AddressRow[] }> {
  const { roots, files, problems: found } = await readTree(source);
  const failed = found.filter(({ kind }) => kind === 'failed');
  const problems = new Map(failed.map(({ path, message }) => [path, message]));
  const all = [...walkWanted(roots)];
  for (const each of all) {
    const problem = problemOf(each);
    if (problem !== undefined) problems.set(problem.path, problem.message);
  }
  const isLost = (each: WantedEntry) => each.kind === 'page' && each.path !== undefined && problems.has(each.path);
  const planner = new Planner(record, { wanted: all.filter((each) => !isLost(each)), isLost });
  if (planner.wanted.length === 0) throw new UnfitContent('holds no markdown file that can be read');
  const rows: AddressRow[] = [];
  const add = (row: Pick<AddressRow, 'address' | 'kind'> & Partial<AddressRow>) =>
    rows.push(newAddress(record.id, { ...row, ordinal: rows.length }));
  const writes = planner.wanted.map((each) => {
    const node = planner.nodeOf(each);
    if (each.kind === 'page' && each.path !== undefined) {
      const { parent, position, slug, id } = node;
      add({ address: each.path, kind: 'page', node: id, parent, position, slug });
    }
    return { key: node, node };
  });
  for (const [path, error] of problems) add({ address: path, kind: 'page', status: 'failed', error });
  for (const path of files) add({ address: path, kind: 'file' });
  return { writes, rows };
}

/** What is wrong with the frontmatter of a file, so that no page can be made of it. */
function problemOf(wanted: WantedEntry): { path: string; message: string } | undefined {
  if (wanted.kind !== 'page' || wanted.file === undefined) return undefined;
  const [problem] = readFrontmatter(wanted.file.text).problems;
  return problem && { path: wanted.file.path, message: `${problem.path}: ${problem.message}` };
}

/** Makes the pages of a tree, each after those above it; what hangs on a lost one hangs on the next above. */
class Planner {
  readonly wanted: WantedEntry[];
  readonly #now: number;
  readonly #ids: Map<WantedEntry, string>;
  readonly #idOfPath: Map<string, string>;
  readonly #levels = new Map<WantedEntry, number>();
  readonly #slugs = new Map<string, (slug: string) => string>();
  readonly #isLost: (wanted: WantedEntry) => boolean;

  constructor(
    { createdAt }: ImportRecord,
    { wanted, isLost }: { wanted: WantedEntry[]; isLost: (wanted: WantedEntry) => boolean },
  ) {
    this.wanted = wanted;
    this.#isLost = isLost;
    this.#now = createdAt;
    this.#ids = new Map(wanted.map((each) => [each, newId('page')]));
    this.#idOfPath = new Map(
      wanted.flatMap((each) =>
        each.kind === 'page' && each.path !== undefined ? [[each.path, this.#idOf(each)]] : [],
      ),
    );
  }

  nodeOf(wanted: WantedEntry): Node {
    const parent = this.#holderOf(wanted);
    const allocate = this.#slugs.get(parent) ?? slugAllocator();
    this.#slugs.set(parent, allocate);
    return {
      kind: 'page',
      id: this.#idOf(wanted),
      parent,
      position: orderKeyAtEnd(this.#now),
      slug: wanted.kind === 'link' ? '' : allocate((wanted.kind === 'page' && ownSlug(wanted.file)) || wanted.slug),
      fields: nodeFields(this.#fieldsOf(wanted)),
      document: null,
      createdAt: this.#now,
      updatedAt: this.#now,
    };
  }

  #idOf(wanted: WantedEntry | undefined): string {
    return (wanted && this.#ids.get(wanted)) ?? '';
  }

  /** The page above; beyond the deepest level the pages of a branch stand beside each other. */
  #holderOf(wanted: WantedEntry): string {
    let { parent } = wanted;
    while (parent !== undefined && (this.#isLost(parent) || (this.#levels.get(parent) ?? 1) >= maxPageDepth))
      parent = parent.parent;
    this.#levels.set(wanted, parent === undefined ? 1 : (this.#levels.get(parent) ?? 1) + 1);
    return this.#idOf(parent);
  }

  #fieldsOf(wanted: WantedEntry): PageFields {
    if (wanted.kind === 'group') return { type: 'group', title: wanted.title };
    if (wanted.kind === 'link') return linkFields(wanted, this.#idOfPath);
    const { title, hidden } = fieldsOfNew(wanted);
    const own = wanted.file && titleOf(wanted.file.text);
    return {
      type: 'document',
      title: title ?? own ?? wanted.fallbackTitle,
      ...(hidden ? { hidden: true as const } : {}),
      ...(wanted.path === undefined ? {} : { gitPath: wanted.path }),
    };
  }
}

/** A link to a page or an address; one that leads nowhere is an empty page, as a line of a summary without a target is. */
function linkFields({ title, target }: WantedLink, idOfPath: Map<string, string>): PageFields {
  const page = target.kind === 'file-of-page' ? idOfPath.get(target.path) : undefined;
  const read = LinkTarget.safeParse(page === undefined ? target : { kind: 'page', page });
  return read.success ? { type: 'link', title, target: read.data } : { type: 'document', title };
}

async function readTree(source: Source): Promise<Repository> {
  const texts = source.paths.filter(isMarkdown);
  if (texts.length === 0) throw new UnfitContent('holds no markdown file');
  if (texts.length > importLimits.pages) throw new UnfitContent(`holds more than ${importLimits.pages} markdown files`);
  const bytes = texts.reduce((sum, path) => sum + source.sizeOf(path), 0);
  if (bytes > importLimits.archiveTextBytes)
    throw new UnfitContent(`holds more than ${importLimits.archiveTextBytes} bytes of markdown`);
  try {
    return await readRepository(source);
  } catch (error) {
    throw new UnfitContent(`holds ${error instanceof Error ? error.message : String(error)}`);
  }
}
