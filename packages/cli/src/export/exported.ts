import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { OutlineSource } from '@octavo/outline';
import { type Api, type ApiConnection, connect } from '../api.ts';
import { Failure } from '../failure.ts';
import { walkPresent } from '../import/present.ts';
import { readFolder } from '../import/source.ts';
import { makeTargetsRelative } from './file-names.ts';
import {
  downloadFile,
  type Exported,
  type FindKnownText,
  type NodeText,
  readSpace,
  readTexts,
  type SpaceContent,
} from './read-space.ts';
import { SharedFiles, type Unwritable, type WrittenSummary } from './shared-files.ts';
import { overlayFiles, writePages } from './write-pages.ts';

/** The content of a space as files, by path. */
export interface ExportedSpace {
  content: SpaceContent;
  files: Map<string, Exported>;
  pages: number;
  /** The table of contents, if one is needed or exists. `isNew` is set if it did not exist. */
  summary?: WrittenSummary;
  /** Files that describe the whole space and cannot be edited. They are left unchanged. */
  unwritable: Unwritable[];
  /** Files that cannot express some content of the space: links that work only in the space, and fields. */
  incomplete: Unwritable[];
  /** Paths of files that describe the whole space, not one node. */
  shared: Set<string>;
}

interface ExportSettings extends Reading {
  /** Names of the variables that the space had. Only these are deleted. */
  heldVariables?: ReadonlySet<string>;
  /** Whether the summary may omit pages that have a file in the target but are not listed there. */
  keepsUnlisted?: boolean;
}

interface Reading {
  /**
   * The existing files in the folder. Parts of the configuration and the summary that match the space are left
   * unchanged.
   */
  target?: OutlineSource;
  findKnownText?: FindKnownText;
  onRead?: () => void;
}

/** The texts, reusable contents and files of a space, by path. */
export interface ExportedNodes {
  files: Map<string, Exported>;
  /** Texts as stored in the space, by node ID. */
  texts: Map<string, NodeText>;
  /** Paths of all written files, by node ID. */
  present: Map<string, string>;
  pages: number;
  /** Content that files cannot express. */
  incomplete: Unwritable[];
  /** Former paths of deleted nodes that are still linked to, by node ID. */
  deletedPaths: Map<string, string>;
}

/** Exports the nodes of a space as files, without the files that describe the whole space. */
export async function exportNodes(api: Api, content: SpaceContent, options: Reading = {}): Promise<ExportedNodes> {
  const { names, outputLocations, deletedPaths } = content;
  const { servedFolder } = outputLocations;
  const texts = await readTexts(api, content, options);
  const files = new Map<string, Exported>();
  const unwritten = [...walkPresent(content.pages)].filter((page) => !page.git && texts.get(page.id)?.text === '');
  const present = new Map(names);
  for (const { id } of unwritten) present.delete(id);
  const titles = new Map([...walkPresent(content.pages)].map(({ id, title }) => [id, title]));
  const incomplete: Unwritable[] = [];
  const linkedDeletedPaths = new Map<string, string>();
  const onDeletedTarget = (to: string) => linkedDeletedPaths.set(to, deletedPaths.get(to) ?? '');
  for (const [id, text] of texts) {
    const path = present.get(id);
    if (path === undefined) continue;
    const unresolvedLinks = new Set<string>();
    const onPathless = (to: string) => titles.has(to) && unresolvedLinks.add(titles.get(to) ?? '');
    files.set(path, {
      text: makeTargetsRelative(
        { ...text, path },
        { paths: present, deletedPaths, servedPaths: servedFolder, onDeletedTarget, onPathless },
      ),
    });
    if (unresolvedLinks.size > 0) incomplete.push({ path, message: formatBrokenLinks([...unresolvedLinks]) });
  }
  const pages = files.size - content.reusableContents.length;
  for (const file of content.files) files.set(names.get(file.id) ?? '', { file });
  incomplete.push(...reportNumberedNames(content, present));
  incomplete.push(...(await writePages(content, files, { texts, present, target: options.target ?? emptyFolder })));
  return { files, texts, present, pages, incomplete, deletedPaths: linkedDeletedPaths };
}

/**
 * Returns warnings about pages without a source path whose file name got a number, because another page has the same
 * file name.
 */
function reportNumberedNames({ pages }: SpaceContent, present: ReadonlyMap<string, string>): Unwritable[] {
  const takenPaths = new Set(present.values());
  return [...walkPresent(pages)].flatMap(({ id, git, slug, title }) => {
    const path = present.get(id) ?? '';
    const plain = path.replace(/-\d+(?=\.\w+$)/, '');
    if (git !== undefined || plain === path || !plain.endsWith(`/${slug}.md`.slice(path.includes('/') ? 0 : 1)))
      return [];
    if (!takenPaths.has(plain)) return [];
    return [
      { path, message: `${title} was written to this path, because another page has ${plain}. Merge the two pages.` },
    ];
  });
}

function formatBrokenLinks([title = '', ...others]: string[]): string {
  const suffix = others.length > 0 ? ` and ${others.length} more` : '';
  return `It links to ${title}${suffix}, which has no file. The link is broken outside of Octavo.`;
}

/**
 * Exports the pages, reusable contents, files and variables of a space as files. Texts are preserved byte for byte,
 * except for targets that contain the ID of a page or file, or that no longer resolve to the same file. These targets
 * become relative paths. Includes a summary if the folder has one, or if the other files do not define the tree of the
 * space.
 */
export async function exportFiles(
  api: Api,
  content: SpaceContent,
  settings: ExportSettings = {},
): Promise<ExportedSpace & ExportedNodes> {
  const { target = emptyFolder, keepsUnlisted, heldVariables } = settings;
  const nodes = await exportNodes(api, content, settings);
  const { files } = nodes;
  const source = overlayFiles(target, files);
  const shared = new SharedFiles(files, source);
  await shared.setVariables(content, heldVariables);
  const unlistable = new Set(keepsUnlisted ? target.paths : []);
  const summary = await shared.setSummary(content, { ...nodes, unlistable });
  const { unwritable, paths } = shared;
  return { content, ...nodes, unwritable, shared: paths, ...(summary && { summary }) };
}

const emptyFolder: OutlineSource = {
  name: '',
  paths: [],
  getSize: () => 0,
  read: async () => new Uint8Array(),
};

export interface ExportOptions {
  api: ApiConnection;
  space: string;
  folder: string;
  /** Writes into a folder that is not empty. Existing files with the same paths are overwritten. */
  force?: boolean;
  onProgress?: (done: number, total: number) => void;
}

/**
 * Writes the pages of a space as markdown files, with all other content, so that an import reads back the same content.
 */
export async function exportSpace({
  api: connection,
  space,
  folder,
  force,
  onProgress,
}: ExportOptions): Promise<ExportedSpace> {
  const isEmpty = (await listFolder(folder)).length === 0;
  if (!force && !isEmpty) {
    throw new Failure(`The folder ${folder} is not empty. Use --force to write to it anyway.`);
  }
  const api = connect(connection);
  const target = isEmpty ? undefined : await readFolder(folder);
  const content = await readSpace(api, space, undefined, target && { blobs: new Set(target.paths), source: target });
  const total = content.names.size;
  let exportedCount = 0;
  const onRead = () => {
    exportedCount += 1;
    onProgress?.(exportedCount, total);
  };
  const exported = await exportFiles(api, content, { onRead, ...(target && { target }) });
  for (const [path, file] of exported.files) {
    await writeOutput(folder, path, await getBytes(file));
    if ('file' in file) onRead();
  }
  return exported;
}

/** Returns the content of an exported file. */
export const getBytes = async (exported: Exported): Promise<string | Uint8Array> =>
  'text' in exported ? exported.text : downloadFile(exported.file);

async function writeOutput(folder: string, file: string, content: string | Uint8Array): Promise<void> {
  const target = path.join(folder, ...file.split('/'));
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, content);
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new Failure(`The folder ${folder} could not be read.`);
  }
}
