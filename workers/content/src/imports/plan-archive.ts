import type { Node, Wanted, WantedLink } from '@octavo/document';
import {
  fieldsOfNew,
  isMarkdown,
  maxPageDepth,
  ownSlug,
  slugAllocator,
  titleOf,
  treeOfFiles,
  walkWanted,
} from '@octavo/document';
import { LinkTarget, newId } from '@octavo/schema';
import { orderKeyAtEnd } from '../nodes/order-key.ts';
import type { PageFields } from '../nodes/stored-node.ts';
import { nodeFields } from '../nodes/stored-node.ts';
import type { NodeWrite } from '../nodes/write-nodes.ts';
import type { openArchive } from './archive.ts';
import { isImage } from './archive.ts';
import type { AddressRow, ImportRecord } from './import-record.ts';
import { importLimits } from './limits.ts';
import { UnfitContent } from './reading.ts';

type Source = ReturnType<typeof openArchive>;

/** The pages that an archive asks for, in their places and still without text, and its files, to be read one by one. */
export async function planOf(
  record: ImportRecord,
  source: Source,
): Promise<{ writes: NodeWrite[]; rows: AddressRow[] }> {
  const { roots, failed } = await readTree(source);
  const problems = new Map(failed.map(({ path, message }) => [path, message]));
  const planner = new Planner(record, [...walkWanted(roots)]);
  const rows: AddressRow[] = [];
  const add = (row: Pick<AddressRow, 'address' | 'kind'> & Partial<AddressRow>) =>
    rows.push(rowOf(record, rows.length, row));
  const writes = planner.wanted.map((each) => {
    const node = planner.nodeOf(each);
    if (each.kind === 'page' && each.path !== undefined) {
      const { parent, position, slug, id } = node;
      const error = problems.get(each.path);
      const state = error === undefined ? {} : { status: 'failed' as const, error };
      add({ address: each.path, kind: 'page', node: id, parent, position, slug, ...state });
    }
    return { key: node, node };
  });
  for (const path of source.paths.filter(isImage)) add({ address: path, kind: 'file' });
  return { writes, rows };
}

/** Makes the pages of a tree, each after those above it. */
class Planner {
  readonly wanted: Wanted[];
  readonly #now: number;
  readonly #ids: Map<Wanted, string>;
  readonly #idOfPath: Map<string, string>;
  readonly #levels = new Map<Wanted, number>();
  readonly #slugs = new Map<string, (slug: string) => string>();

  constructor({ createdAt }: ImportRecord, wanted: Wanted[]) {
    this.wanted = wanted;
    this.#now = createdAt;
    this.#ids = new Map(wanted.map((each) => [each, newId('page')]));
    this.#idOfPath = new Map(
      wanted.flatMap((each) =>
        each.kind === 'page' && each.path !== undefined ? [[each.path, this.#idOf(each)]] : [],
      ),
    );
  }

  nodeOf(wanted: Wanted): Node {
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

  #idOf(wanted: Wanted | undefined): string {
    return (wanted && this.#ids.get(wanted)) ?? '';
  }

  /** The page above; beyond the deepest level the pages of a branch stand beside each other. */
  #holderOf(wanted: Wanted): string {
    let { parent } = wanted;
    while (parent !== undefined && (this.#levels.get(parent) ?? 1) >= maxPageDepth) parent = parent.parent;
    this.#levels.set(wanted, parent === undefined ? 1 : (this.#levels.get(parent) ?? 1) + 1);
    return this.#idOf(parent);
  }

  #fieldsOf(wanted: Wanted): PageFields {
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

const rowOf = (
  { id }: ImportRecord,
  index: number,
  row: Pick<AddressRow, 'address' | 'kind'> & Partial<AddressRow>,
): AddressRow => ({
  import: id,
  url: row.address,
  rank: row.kind === 'page' ? 1 : 2,
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
