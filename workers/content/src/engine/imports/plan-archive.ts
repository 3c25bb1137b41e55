import type { ArchiveSource, ByteSource } from '@octavo/archive';
import { ArchiveError, createArchiveSource, readArchive, readInWindows } from '@octavo/archive';
import { createOrderKeyAtEnd } from '@octavo/db';
import { createSlugAllocator, getTitle } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { maxPageDepth } from '@octavo/merge';
import type { OutlineSource, Repository, WantedEntry, WantedLink } from '@octavo/outline';
import {
  getNewFields,
  getOwnSlug,
  isDocsPath,
  isMarkdown,
  limitLinks,
  readRepository,
  toPageTarget,
  walkOutlineEntries,
} from '@octavo/outline';
import { createId, findProblem, LinkTarget, VariableName, VariableValue } from '@octavo/schema';
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
      takes: isDocsPath,
      counts: (path) => isMarkdown(path) || isImage(path),
    });
    return createArchiveSource(archive, 'the archive');
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
  const object = await files.head(key);
  if (object === null) throw new UnsupportedContent('does not exist any more');
  const readRange = async (start: number, end: number) => {
    if (start === end) return new Uint8Array();
    const part = await files.get(key, { range: { offset: start, length: end - start } });
    if (part === null) throw new UnsupportedContent('does not exist any more');
    return new Uint8Array(await part.arrayBuffer());
  };
  return openArchive(readInWindows({ size: object.size, read: readRange }, windowBytes));
}

/** The order of reading: link targets before the texts that link to them. */
const ranks = { file: 0, content: 1, page: 2, problem: 9 };

/**
 * Plans the import of an archive: its pages with their positions but without texts, its reusable contents without
 * texts, its variables, and the files and texts that will be read one by one.
 */
export async function planArchive(
  record: ImportRecord,
  source: ArchiveSource,
): Promise<{ writes: NodeWrite[]; rows: AddressRow[] }> {
  const repository = await readTree(source);
  const failed = new Map(
    repository.problems.flatMap(({ kind, path, message }) => (kind === 'failed' ? [[path, message]] : [])),
  );
  const isEntryLost = (entry: WantedEntry) =>
    entry.kind === 'page' && entry.path !== undefined && failed.has(entry.path);
  const entries = [...walkOutlineEntries(repository.roots)].filter((entry) => !isEntryLost(entry));
  const planner = new Planner(record, { entries, isEntryLost, resolvedTargets: repository.resolvedTargets });
  if (entries.length === 0) throw new UnsupportedContent('has no readable markdown file');
  const pages = entries.map((entry) => ({
    path: entry.kind === 'page' ? entry.path : undefined,
    node: planner.createNode(entry),
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
  for (const { path, kind, message, line } of parts.problems) {
    const error = line === undefined ? message : `Line ${line}: ${message}`;
    add({ address: `problem ${rows.length}`, url: path, kind: 'problem', status: 'done', title: kind, error });
  }
  const nodes = [...pages, ...parts.contents].map(({ node }) => node);
  return { writes: [...nodes, ...parts.variables].map((node) => ({ key: node, node })), rows };
}

interface PlannerOptions {
  entries: WantedEntry[];
  isEntryLost: (entry: WantedEntry) => boolean;
  resolvedTargets: Repository['resolvedTargets'];
}

/** Creates the pages of a tree, parents first. Children of a page that failed move to the next ancestor. */
class Planner {
  readonly #now: number;
  readonly #ids: Map<WantedEntry, string>;
  readonly #idOfPath: Map<string, string>;
  readonly #levels = new Map<WantedEntry, number>();
  readonly #slugs = new Map<string, (slug: string) => string>();
  readonly #isEntryLost: PlannerOptions['isEntryLost'];
  readonly #resolvedTargets: Repository['resolvedTargets'];

  constructor({ createdAt }: ImportRecord, { entries, isEntryLost, resolvedTargets }: PlannerOptions) {
    this.#isEntryLost = isEntryLost;
    this.#resolvedTargets = resolvedTargets;
    this.#now = createdAt;
    this.#ids = new Map(entries.map((entry) => [entry, createId('page')]));
    this.#idOfPath = new Map(
      entries.flatMap((entry) =>
        entry.kind === 'page' && entry.path !== undefined ? [[entry.path, this.#getId(entry)]] : [],
      ),
    );
  }

  createNode(entry: WantedEntry): Node {
    const parent = this.#findParent(entry);
    const allocate = this.#slugs.get(parent) ?? createSlugAllocator();
    this.#slugs.set(parent, allocate);
    return {
      kind: 'page',
      id: this.#getId(entry),
      parent,
      position: createOrderKeyAtEnd(this.#now),
      slug: entry.kind === 'link' ? '' : allocate((entry.kind === 'page' && getOwnSlug(entry.file)) || entry.slug),
      fields: toNodeFields(this.#getFields(entry)),
      document: null,
      createdAt: this.#now,
      updatedAt: this.#now,
    };
  }

  #getId(entry: WantedEntry | undefined): string {
    return (entry && this.#ids.get(entry)) ?? '';
  }

  /** Finds the parent; pages beyond the maximum depth become siblings of their ancestor. */
  #findParent(entry: WantedEntry): string {
    let { parent } = entry;
    while (parent !== undefined && (this.#isEntryLost(parent) || (this.#levels.get(parent) ?? 1) >= maxPageDepth))
      parent = parent.parent;
    this.#levels.set(entry, parent === undefined ? 1 : (this.#levels.get(parent) ?? 1) + 1);
    return this.#getId(parent);
  }

  #getFields(entry: WantedEntry): PageFields {
    if (entry.kind === 'group') return { type: 'group', title: entry.title };
    if (entry.kind === 'link') return toLinkFields(entry, this.#idOfPath);
    const { title, hidden } = getNewFields(entry);
    const ownTitle = entry.file && getTitle(entry.file.text);
    return {
      type: 'document',
      title: title ?? ownTitle ?? entry.fallbackTitle,
      ...(hidden ? { hidden: true as const } : {}),
      ...(entry.path === undefined ? {} : getSourceFields(entry.path, this.#resolvedTargets)),
    };
  }
}

/**
 * Returns the fields of a link to a page or address. If the target is invalid, the entry becomes an empty page, like an
 * entry without a target in a `SUMMARY.md`.
 */
function toLinkFields({ title, target }: WantedLink, idOfPath: Map<string, string>): PageFields {
  const page = target.kind === 'file-of-page' ? idOfPath.get(target.path) : undefined;
  const parsedTarget = LinkTarget.safeParse(page === undefined ? target : toPageTarget(target, page));
  return parsedTarget.success ? { type: 'link', title, target: parsedTarget.data } : { type: 'document', title };
}

async function readTree(source: ArchiveSource): Promise<Repository> {
  const texts = source.paths.filter(isMarkdown);
  if (texts.length === 0) throw new UnsupportedContent('has no markdown file');
  if (texts.length > importLimits.pages)
    throw new UnsupportedContent(`has more than ${importLimits.pages} markdown files`);
  const bytes = texts.reduce((sum, path) => sum + source.getSize(path), 0);
  if (bytes > importLimits.archiveTextBytes)
    throw new UnsupportedContent(`has more than ${importLimits.archiveTextBytes} bytes of markdown`);
  try {
    return await readRepository(await preloadTexts(source, texts));
  } catch (error) {
    throw new UnsupportedContent(`has ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads texts in archive order and keeps each text in memory until it is requested. */
async function preloadTexts(source: ArchiveSource, texts: string[]): Promise<ArchiveSource> {
  const textsByPath = new Map<string, Promise<Uint8Array>>();
  for (const path of source.sorted(texts)) {
    const bytes = source.read(path);
    textsByPath.set(path, bytes);
    // The error is reported to the caller that requests the text.
    await bytes.catch(() => undefined);
  }
  const takeText = (path: string) => {
    const bytes = textsByPath.get(path);
    textsByPath.delete(path);
    return bytes;
  };
  return { ...source, read: (path) => takeText(path) ?? source.read(path) };
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
    const fields = { title, ...getSourceFields(path, repository.resolvedTargets) } as Node['fields'];
    return [{ path, node: { ...createBlankNode('reusable-content', createId('reusableContent'), createdAt), fields } }];
  });
  const warnings = repository.problems.filter(({ kind }) => kind !== 'failed');
  return {
    contents,
    variables,
    files: files.taken,
    problems: limitProblems([...warnings, ...files.problems, ...problems, ...reportRedirects(repository)]),
  };
}

/** Returns the path of a text's source, with the stored targets of its links. */
function getSourceFields(
  gitPath: string,
  resolvedTargets: Repository['resolvedTargets'],
): Pick<PageFields, 'gitPath' | 'gitLinks'> & { gitPath: string } {
  const gitLinks = limitLinks(resolvedTargets.get(gitPath) ?? {});
  return { gitPath, ...(Object.keys(gitLinks).length === 0 ? {} : { gitLinks }) };
}

/** Selects files within the limits, leaving room for the texts, which are read later. */
function selectFiles(source: OutlineSource, { files, roots: _, ...texts }: Repository) {
  let availableBytes = importLimits.totalBytes - importLimits.archiveTextBytes;
  let count = importLimits.files - texts.reusableContents.length;
  const selected: string[] = [];
  const problems: Problem[] = [];
  for (const path of files) {
    const size = source.getSize(path);
    if (count > 0 && size <= availableBytes) {
      selected.push(path);
      count -= 1;
      availableBytes -= Math.min(size, importLimits.fileBytes);
    } else problems.push({ path, kind: 'skipped', message: 'The file exceeds the limits of one import.' });
  }
  return { taken: selected, problems };
}

function planVariables(newVariables: Repository['variables'], now: number) {
  const variables: Node[] = [];
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(newVariables)) {
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
