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
import { createAddress, UnsupportedContent } from './address-book.ts';
import type { AddressRow, ImportRecord } from './import-record.ts';
import { importLimits } from './import-record.ts';

const isImage = (path: string): boolean => /\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)$/i.test(path);

export const archiveFolder = 'imports/';

/** Returns the key of an import's stored archive. */
export const archiveKey = (id: string): string => archiveFolder + id;

/** Number of bytes read at once from an archive in the bucket. */
const windowBytes = 2 * 1024 * 1024;

/** Opens an archive with the files that may be imported. @throws UnsupportedContent */
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
    if (error instanceof ArchiveError) throw new UnsupportedContent(error.problem);
    throw error;
  }
}

/** Opens the stored archive of an import. @throws UnsupportedContent */
export const openStoredArchive = ({ FILES }: ContentEnvironment, id: string) =>
  openArchiveInBucket(FILES, archiveKey(id));

/** Opens an archive in the bucket; only the needed bytes are read. @throws UnsupportedContent */
export async function openArchiveInBucket(files: R2Bucket, key: string): Promise<ArchiveSource> {
  const kept = await files.head(key);
  if (kept === null) throw new UnsupportedContent('does not exist any more');
  const read = async (start: number, end: number) => {
    if (start === end) return new Uint8Array();
    const some = await files.get(key, { range: { offset: start, length: end - start } });
    if (some === null) throw new UnsupportedContent('does not exist any more');
    return new Uint8Array(await some.arrayBuffer());
  };
  return openArchive(inWindows({ size: kept.size, read }, windowBytes));
}

/** The order of reading: link targets before the texts that link to them. */
const ranks = { file: 0, content: 1, page: 2, problem: 9 };

/**
 * Plans the import of an archive: its pages in position but without text, its reusable contents without text, its
 * variables, and the files and texts to be read one by one.
 */
export async function planArchive(
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
  if (wanted.length === 0) throw new UnsupportedContent('has no readable markdown file');
  const pages = wanted.map((each) => ({
    path: each.kind === 'page' ? each.path : undefined,
    node: planner.createNode(each),
  }));
  const parts = planParts(record, source, repository);
  const rows: AddressRow[] = [];
  const add = (row: Pick<AddressRow, 'address' | 'kind'> & Partial<AddressRow>) =>
    rows.push(createAddress(record.id, { rank: ranks[row.kind as keyof typeof ranks], ...row, ordinal: rows.length }));
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

interface PlannerOptions {
  wanted: WantedEntry[];
  isLost: (wanted: WantedEntry) => boolean;
  meanings: Repository['meanings'];
}

/** Creates the pages of a tree, parents first. Children of a page that failed move to the next ancestor. */
class Planner {
  readonly #now: number;
  readonly #ids: Map<WantedEntry, string>;
  readonly #idOfPath: Map<string, string>;
  readonly #levels = new Map<WantedEntry, number>();
  readonly #slugs = new Map<string, (slug: string) => string>();
  readonly #isLost: PlannerOptions['isLost'];
  readonly #meanings: Repository['meanings'];

  constructor({ createdAt }: ImportRecord, { wanted, isLost, meanings }: PlannerOptions) {
    this.#isLost = isLost;
    this.#meanings = meanings;
    this.#now = createdAt;
    this.#ids = new Map(wanted.map((each) => [each, newId('page')]));
    this.#idOfPath = new Map(
      wanted.flatMap((each) =>
        each.kind === 'page' && each.path !== undefined ? [[each.path, this.#getId(each)]] : [],
      ),
    );
  }

  createNode(wanted: WantedEntry): Node {
    const parent = this.#findParent(wanted);
    const allocate = this.#slugs.get(parent) ?? slugAllocator();
    this.#slugs.set(parent, allocate);
    return {
      kind: 'page',
      id: this.#getId(wanted),
      parent,
      position: orderKeyAtEnd(this.#now),
      slug: wanted.kind === 'link' ? '' : allocate((wanted.kind === 'page' && ownSlug(wanted.file)) || wanted.slug),
      fields: toNodeFields(this.#getFields(wanted)),
      document: null,
      createdAt: this.#now,
      updatedAt: this.#now,
    };
  }

  #getId(wanted: WantedEntry | undefined): string {
    return (wanted && this.#ids.get(wanted)) ?? '';
  }

  /** Finds the parent; pages beyond the maximum depth become siblings of their ancestor. */
  #findParent(wanted: WantedEntry): string {
    let { parent } = wanted;
    while (parent !== undefined && (this.#isLost(parent) || (this.#levels.get(parent) ?? 1) >= maxPageDepth))
      parent = parent.parent;
    this.#levels.set(wanted, parent === undefined ? 1 : (this.#levels.get(parent) ?? 1) + 1);
    return this.#getId(parent);
  }

  #getFields(wanted: WantedEntry): PageFields {
    if (wanted.kind === 'group') return { type: 'group', title: wanted.title };
    if (wanted.kind === 'link') return toLinkFields(wanted, this.#idOfPath);
    const { title, hidden } = fieldsOfNew(wanted);
    const own = wanted.file && getTitle(wanted.file.text);
    return {
      type: 'document',
      title: title ?? own ?? wanted.fallbackTitle,
      ...(hidden ? { hidden: true as const } : {}),
      ...(wanted.path === undefined ? {} : getSourceFields(wanted.path, this.#meanings)),
    };
  }
}

/**
 * Returns the fields of a link to a page or address. A link with an invalid target becomes an empty page, like a line
 * of a summary without a target.
 */
function toLinkFields({ title, target }: WantedLink, idOfPath: Map<string, string>): PageFields {
  const page = target.kind === 'file-of-page' ? idOfPath.get(target.path) : undefined;
  const read = LinkTarget.safeParse(page === undefined ? target : targetOfPage(target, page));
  return read.success ? { type: 'link', title, target: read.data } : { type: 'document', title };
}

async function readTree(source: ArchiveSource): Promise<Repository> {
  const texts = source.paths.filter(isMarkdown);
  if (texts.length === 0) throw new UnsupportedContent('has no markdown file');
  if (texts.length > importLimits.pages)
    throw new UnsupportedContent(`has more than ${importLimits.pages} markdown files`);
  const bytes = texts.reduce((sum, path) => sum + source.sizeOf(path), 0);
  if (bytes > importLimits.archiveTextBytes)
    throw new UnsupportedContent(`has more than ${importLimits.archiveTextBytes} bytes of markdown`);
  try {
    return await readRepository(await preloadTexts(source, texts));
  } catch (error) {
    throw new UnsupportedContent(`has ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads texts in archive order and holds each until it is requested. */
async function preloadTexts(source: ArchiveSource, texts: string[]): Promise<ArchiveSource> {
  const held = new Map<string, Promise<Uint8Array>>();
  for (const path of source.sorted(texts)) {
    const bytes = source.read(path);
    held.set(path, bytes);
    // The error is reported to the caller that requests the text.
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

/** The parts of an archive besides its pages. */
interface PlannedParts {
  /** Reusable contents without their texts. */
  contents: { path: string; node: Node }[];
  variables: Node[];
  files: string[];
  /** Parts that are skipped or changed; failures are reported separately. */
  problems: Problem[];
}

function planParts(record: ImportRecord, source: OutlineSource, repository: Repository): PlannedParts {
  const { createdAt } = record;
  const { variables, problems } = planVariables(repository.variables, createdAt);
  const files = selectFiles(source, repository);
  const contents = repository.reusableContents.flatMap(({ path, title, file }) => {
    if (file === undefined) return [];
    const fields = { title, ...getSourceFields(path, repository.meanings) } as Node['fields'];
    return [{ path, node: { ...createBlankNode('reusable-content', newId('reusableContent'), createdAt), fields } }];
  });
  const told = repository.problems.filter(({ kind }) => kind !== 'failed');
  return {
    contents,
    variables,
    files: files.taken,
    problems: limitProblems([...told, ...files.problems, ...problems, ...reportRedirects(repository)]),
  };
}

/** Returns the path of a text's source, with the stored targets of its links. */
function getSourceFields(
  gitPath: string,
  meanings: Repository['meanings'],
): Pick<PageFields, 'gitPath' | 'gitLinks'> & { gitPath: string } {
  const gitLinks = keptLinks(meanings.get(gitPath) ?? {});
  return { gitPath, ...(Object.keys(gitLinks).length === 0 ? {} : { gitLinks }) };
}

/** Selects files within the limits, leaving room for the texts, which are read later. */
function selectFiles(source: OutlineSource, { files, roots: _, ...texts }: Repository) {
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

const reportRedirects = ({ redirects }: Repository): Problem[] =>
  [...Map.groupBy(redirects, ({ file }) => file)].map(([path, { length }]) => ({
    path,
    kind: 'skipped',
    message: `Its ${length} redirects were not imported: redirects belong to a site, not to a space.`,
  }));

function limitProblems(problems: Problem[]): Problem[] {
  const { length } = problems;
  if (length <= importLimits.problems) return problems;
  const most = importLimits.problems - 1;
  const rest: Problem = { path: '', kind: 'warning', message: `${length - most} more problems are not listed.` };
  return [...problems.slice(0, most), rest];
}
