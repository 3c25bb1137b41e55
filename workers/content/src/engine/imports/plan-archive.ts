import type { ArchiveSource, ByteSource } from '@octavo/archive';
import { ArchiveError, inWindows, readArchive, sourceOfArchive } from '@octavo/archive';
import { orderKeyAtEnd } from '@octavo/db';
import { getTitle, slugAllocator } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { maxPageDepth } from '@octavo/merge';
import type { OutlineSource, Repository, WantedEntry, WantedLink } from '@octavo/outline';
import {
  fieldsOfNew,
  isMarkdown,
  isOrdinary,
  keptLinks,
  ownSlug,
  readRepository,
  targetOfPage,
  walkWanted,
} from '@octavo/outline';
import { findProblem, LinkTarget, newId, VariableName, VariableValue } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import type { PageFields } from '../store/nodes.ts';
import { createBlankNode, toNodeFields } from '../store/nodes.ts';
import type { NodeWrite } from '../store/revisions.ts';
import { newAddress, UnfitContent } from './address-book.ts';
import type { AddressRow, ImportRecord } from './import-record.ts';
import { importLimits } from './import-record.ts';

const isImage = (path: string): boolean => /\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)$/i.test(path);

export const archiveFolder = 'imports/';

/** Where an import's archive is kept while it is read. */
export const archiveKey = (id: string): string => archiveFolder + id;

/** How much of an archive in the bucket is read at once. */
const windowBytes = 2 * 1024 * 1024;

/** The files of an archive that may be imported. @throws UnfitContent */
export async function openArchive(bytes: Uint8Array | ByteSource): Promise<ArchiveSource> {
  try {
    const archive = await readArchive(bytes, {
      entries: importLimits.archiveEntries,
      totalBytes: importLimits.totalBytes,
      takes: isOrdinary,
      counts: (path) => isMarkdown(path) || isImage(path),
    });
    return sourceOfArchive(archive, 'the archive');
  } catch (error) {
    if (error instanceof ArchiveError) throw new UnfitContent(error.problem);
    throw error;
  }
}

/** The archive as it was kept. @throws UnfitContent */
export const keptArchive = ({ FILES }: ContentEnvironment, id: string) => archiveIn(FILES, archiveKey(id));

/** An archive in the bucket; of its bytes only those are read that are asked for. @throws UnfitContent */
export async function archiveIn(files: R2Bucket, key: string): Promise<ArchiveSource> {
  const kept = await files.head(key);
  if (kept === null) throw new UnfitContent('does not exist any more');
  const read = async (start: number, end: number) => {
    if (start === end) return new Uint8Array();
    const some = await files.get(key, { range: { offset: start, length: end - start } });
    if (some === null) throw new UnfitContent('does not exist any more');
    return new Uint8Array(await some.arrayBuffer());
  };
  return openArchive(inWindows({ size: kept.size, read }, windowBytes));
}

/** What is read first: texts find by then what they lead to. */
const ranks = { file: 0, content: 1, page: 2, problem: 9 };

/**
 * What an archive asks for: the pages in their places and still without text, the reusable contents so, the variables;
 * and its files and texts, to be read one by one.
 */
export async function planOf(
  record: ImportRecord,
  source: ArchiveSource,
): Promise<{ writes: NodeWrite[]; rows: AddressRow[] }> {
  const repository = await readTree(source);
  const failed = new Map(
    repository.problems.flatMap(({ kind, path, message }) => (kind === 'failed' ? [[path, message]] : [])),
  );
  const isLost = (each: WantedEntry) => each.kind === 'page' && each.path !== undefined && failed.has(each.path);
  const wanted = [...walkWanted(repository.roots)].filter((each) => !isLost(each));
  const planner = new Planner(record, { wanted, isLost, meanings: repository.meanings });
  if (wanted.length === 0) throw new UnfitContent('has no readable markdown file');
  const pages = wanted.map((each) => ({
    path: each.kind === 'page' ? each.path : undefined,
    node: planner.nodeOf(each),
  }));
  const parts = planParts(record, source, repository);
  const rows: AddressRow[] = [];
  const add = (row: Pick<AddressRow, 'address' | 'kind'> & Partial<AddressRow>) =>
    rows.push(newAddress(record.id, { rank: ranks[row.kind as keyof typeof ranks], ...row, ordinal: rows.length }));
  for (const { path, node } of pages) {
    const { id, parent, position, slug } = node;
    if (path !== undefined) add({ address: path, kind: 'page', node: id, parent, position, slug });
  }
  for (const { path, node } of parts.contents) add({ address: path, kind: 'content', node: node.id });
  for (const [path, error] of failed) add({ address: path, kind: 'page', status: 'failed', error });
  for (const path of parts.files) if (!failed.has(path)) add({ address: path, kind: 'file' });
  for (const { path, kind, message } of parts.problems)
    add({ address: `problem ${rows.length}`, url: path, kind: 'problem', status: 'done', title: kind, error: message });
  const nodes = [...pages, ...parts.contents].map(({ node }) => node);
  return { writes: [...nodes, ...parts.variables].map((node) => ({ key: node, node })), rows };
}

interface Planned {
  wanted: WantedEntry[];
  isLost: (wanted: WantedEntry) => boolean;
  meanings: Repository['meanings'];
}

/** Makes the pages of a tree, each after those above it; what hangs on a lost one hangs on the next above. */
class Planner {
  readonly #now: number;
  readonly #ids: Map<WantedEntry, string>;
  readonly #idOfPath: Map<string, string>;
  readonly #levels = new Map<WantedEntry, number>();
  readonly #slugs = new Map<string, (slug: string) => string>();
  readonly #isLost: Planned['isLost'];
  readonly #meanings: Repository['meanings'];

  constructor({ createdAt }: ImportRecord, { wanted, isLost, meanings }: Planned) {
    this.#isLost = isLost;
    this.#meanings = meanings;
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
      fields: toNodeFields(this.#fieldsOf(wanted)),
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
    const own = wanted.file && getTitle(wanted.file.text);
    return {
      type: 'document',
      title: title ?? own ?? wanted.fallbackTitle,
      ...(hidden ? { hidden: true as const } : {}),
      ...(wanted.path === undefined ? {} : sourceOf(wanted.path, this.#meanings)),
    };
  }
}

/** A link to a page or an address; one that leads nowhere is an empty page, as a line of a summary without a target is. */
function linkFields({ title, target }: WantedLink, idOfPath: Map<string, string>): PageFields {
  const page = target.kind === 'file-of-page' ? idOfPath.get(target.path) : undefined;
  const read = LinkTarget.safeParse(page === undefined ? target : targetOfPage(target, page));
  return read.success ? { type: 'link', title, target: read.data } : { type: 'document', title };
}

async function readTree(source: ArchiveSource): Promise<Repository> {
  const texts = source.paths.filter(isMarkdown);
  if (texts.length === 0) throw new UnfitContent('has no markdown file');
  if (texts.length > importLimits.pages) throw new UnfitContent(`has more than ${importLimits.pages} markdown files`);
  const bytes = texts.reduce((sum, path) => sum + source.sizeOf(path), 0);
  if (bytes > importLimits.archiveTextBytes)
    throw new UnfitContent(`has more than ${importLimits.archiveTextBytes} bytes of markdown`);
  try {
    return await readRepository(await withTexts(source, texts));
  } catch (error) {
    throw new UnfitContent(`has ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads texts in the order in which they stand in the archive, and holds each until it is asked for. */
async function withTexts(source: ArchiveSource, texts: string[]): Promise<ArchiveSource> {
  const held = new Map<string, Promise<Uint8Array>>();
  for (const path of source.sorted(texts)) {
    const bytes = source.read(path);
    held.set(path, bytes);
    // What cannot be read is told by whoever asks for it.
    await bytes.catch(() => undefined);
  }
  const take = (path: string) => {
    const bytes = held.get(path);
    held.delete(path);
    return bytes;
  };
  return { ...source, read: (path) => take(path) ?? source.read(path) };
}

type Problem = Repository['problems'][number];

/** What an archive asks for beside its pages. */
interface PlannedParts {
  /** Still without their texts. */
  contents: { path: string; node: Node }[];
  variables: Node[];
  files: string[];
  /** What is left out, or not taken as it is written; what failed is told by itself. */
  problems: Problem[];
}

function planParts(record: ImportRecord, source: OutlineSource, repository: Repository): PlannedParts {
  const { createdAt } = record;
  const { variables, problems } = planVariables(repository.variables, createdAt);
  const files = withinLimits(source, repository);
  const contents = repository.reusableContents.flatMap(({ path, title, file }) => {
    if (file === undefined) return [];
    const fields = { title, ...sourceOf(path, repository.meanings) } as Node['fields'];
    return [{ path, node: { ...createBlankNode('reusable-content', newId('reusableContent'), createdAt), fields } }];
  });
  const told = repository.problems.filter(({ kind }) => kind !== 'failed');
  return {
    contents,
    variables,
    files: files.taken,
    problems: bounded([...told, ...files.problems, ...problems, ...tellRedirects(repository)]),
  };
}

/** Where a text comes from, with what its addresses mean as far as that is kept. */
function sourceOf(
  gitPath: string,
  meanings: Repository['meanings'],
): Pick<PageFields, 'gitPath' | 'gitLinks'> & { gitPath: string } {
  const gitLinks = keptLinks(meanings.get(gitPath) ?? {});
  return { gitPath, ...(Object.keys(gitLinks).length === 0 ? {} : { gitLinks }) };
}

/** The texts come after the files: those must leave room for them. */
function withinLimits(source: OutlineSource, { files, roots: _, ...texts }: Repository) {
  let room = importLimits.totalBytes - importLimits.archiveTextBytes;
  let count = importLimits.files - texts.reusableContents.length;
  const taken: string[] = [];
  const problems: Problem[] = [];
  for (const path of files) {
    const size = source.sizeOf(path);
    if (count > 0 && size <= room) {
      taken.push(path);
      count -= 1;
      room -= Math.min(size, importLimits.fileBytes);
    } else problems.push({ path, kind: 'skipped', message: 'The file exceeds the limits of one import.' });
  }
  return { taken, problems };
}

function planVariables(wanted: Repository['variables'], now: number) {
  const variables: Node[] = [];
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    const [nameProblem, valueProblem] = [findProblem(VariableName, name), findProblem(VariableValue, value)];
    if (nameProblem === undefined && valueProblem === undefined)
      variables.push({ ...createBlankNode('variable', name, now), fields: { name, value } });
    else {
      const message = nameProblem === undefined ? `The value ${valueProblem}.` : `The name ${nameProblem}.`;
      problems.push({ path: `variable ${name}`, kind: 'skipped', message });
    }
  }
  return { variables, problems };
}

const tellRedirects = ({ redirects }: Repository): Problem[] =>
  [...Map.groupBy(redirects, ({ file }) => file)].map(([path, { length }]) => ({
    path,
    kind: 'skipped',
    message: `Its ${length} redirects were not imported: redirects belong to a site, not to a space.`,
  }));

function bounded(problems: Problem[]): Problem[] {
  const { length } = problems;
  if (length <= importLimits.problems) return problems;
  const most = importLimits.problems - 1;
  const rest: Problem = { path: '', kind: 'warning', message: `${length - most} more problems are not listed.` };
  return [...problems.slice(0, most), rest];
}
