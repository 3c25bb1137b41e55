import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { OutlineSource } from '@octavo/outline';
import { type Api, type ApiConnection, connect } from '../api.ts';
import { Failure } from '../failure.ts';
import { walkPresent } from '../import/present.ts';
import { readFolder } from '../import/source.ts';
import { withRelativeTargets } from './file-names.ts';
import {
  download,
  type Exported,
  type Known,
  type NodeText,
  readSpace,
  readTexts,
  type SpaceContent,
} from './read-space.ts';
import { SharedFiles, type Unwritable, type WrittenSummary } from './shared-files.ts';
import { over, writePages } from './write-pages.ts';

/** The files of a space by their paths. */
export interface ExportedSpace {
  content: SpaceContent;
  files: Map<string, Exported>;
  pages: number;
  /** The table of contents, where one is needed or there was one; `isNew` where there was none. */
  summary?: WrittenSummary;
  /** Files that say what is of the whole space, and that cannot be changed: they stay as they are. */
  unwritable: Unwritable[];
  /** Files that say otherwise than the space what they cannot say: links that lead somewhere in it alone, fields. */
  untold: Unwritable[];
  /** The paths of what is of the whole space and not of one node. */
  shared: Set<string>;
}

interface ExportSettings extends Reading {
  /** The names of variables that the space had: only these are taken away. */
  heldVariables?: ReadonlySet<string>;
  /** Pages whose files are in the target, which does not list them, need no summary. */
  keepsUnlisted?: boolean;
}

interface Reading {
  /** What is in the folder already: its configuration and summary stay as they are as far as they fit. */
  target?: OutlineSource;
  known?: Known;
  onRead?: () => void;
}

/** The texts, reusable contents and files of a space by their paths. */
export interface ExportedNodes {
  files: Map<string, Exported>;
  /** The texts as the space holds them, by their ids. */
  texts: Map<string, NodeText>;
  /** The paths of all that is written, by their ids. */
  present: Map<string, string>;
  pages: number;
  /** What files cannot say. */
  untold: Unwritable[];
  /** The paths of what is no more and is linked nevertheless, by the ids. */
  gone: Map<string, string>;
}

/** The nodes of a space as files, without what is of the whole space. */
export async function exportedNodes(api: Api, content: SpaceContent, reading: Reading = {}): Promise<ExportedNodes> {
  const { names, places, gone } = content;
  const { served } = places;
  const texts = await readTexts(api, content, reading);
  const files = new Map<string, Exported>();
  const unwritten = [...walkPresent(content.pages)].filter((page) => !page.git && texts.get(page.id)?.text === '');
  const present = new Map(names);
  for (const { id } of unwritten) present.delete(id);
  const titles = new Map([...walkPresent(content.pages)].map(({ id, title }) => [id, title]));
  const untold: Unwritable[] = [];
  const linkedGone = new Map<string, string>();
  const onGone = (to: string) => linkedGone.set(to, gone.get(to) ?? '');
  for (const [id, read] of texts) {
    const path = present.get(id);
    if (path === undefined) continue;
    const left = new Set<string>();
    const onPathless = (to: string) => titles.has(to) && left.add(titles.get(to) ?? '');
    files.set(path, {
      text: withRelativeTargets({ ...read, path }, { paths: present, gone, served, onGone, onPathless }),
    });
    if (left.size > 0) untold.push({ path, message: toldOf([...left]) });
  }
  const pages = files.size - content.reusableContents.length;
  for (const file of content.files) files.set(names.get(file.id) ?? '', { file });
  untold.push(...numbered(content, present));
  untold.push(...(await writePages(content, files, { texts, present, target: reading.target ?? emptyFolder })));
  return { files, texts, present, pages, untold, gone: linkedGone };
}

/** Pages that came from nowhere, whose names other files have. */
function numbered({ pages }: SpaceContent, present: ReadonlyMap<string, string>): Unwritable[] {
  const taken = new Set(present.values());
  return [...walkPresent(pages)].flatMap(({ id, git, slug, title }) => {
    const path = present.get(id) ?? '';
    const plain = path.replace(/-\d+(?=\.\w+$)/, '');
    if (git !== undefined || plain === path || !plain.endsWith(`/${slug}.md`.slice(path.includes('/') ? 0 : 1)))
      return [];
    if (!taken.has(plain)) return [];
    return [
      { path, message: `${title} is written here, since another page has ${plain}: make one of the two of them.` },
    ];
  });
}

function toldOf([title = '', ...others]: string[]): string {
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return `It links to ${title}${more}, of which there is no file: outside of Octavo that leads nowhere.`;
}

/**
 * The pages, reusable contents, files and variables of a space as files. Texts are as they are written, byte for byte, but
 * for targets that name a page or a file by its id, or that lead elsewhere by now: they become relative paths. A summary is
 * among them where the folder has one, or where nothing else in it gives the tree of the space.
 */
export async function exportedFiles(
  api: Api,
  content: SpaceContent,
  settings: ExportSettings = {},
): Promise<ExportedSpace & ExportedNodes> {
  const { target = emptyFolder, keepsUnlisted, heldVariables } = settings;
  const nodes = await exportedNodes(api, content, settings);
  const { files } = nodes;
  const source = over(target, files);
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
  sizeOf: () => 0,
  read: async () => new Uint8Array(),
};

export interface ExportOptions {
  api: ApiConnection;
  space: string;
  folder: string;
  /** Writes into a folder that is not empty; files that are in the way are replaced. */
  force?: boolean;
  onProgress?: (done: number, total: number) => void;
}

/** Writes the pages of a space as markdown files, with all else that it holds, so that an import reads back the same. */
export async function exportSpace({
  api: connection,
  space,
  folder,
  force,
  onProgress,
}: ExportOptions): Promise<ExportedSpace> {
  const isEmpty = (await listFolder(folder)).length === 0;
  if (!force && !isEmpty) {
    throw new Failure(`The folder ${folder} is not empty; --force writes into it nevertheless.`);
  }
  const api = connect(connection);
  const target = isEmpty ? undefined : await readFolder(folder);
  const content = await readSpace(api, space, undefined, target && { blobs: new Set(target.paths), source: target });
  const total = content.names.size;
  let done = 0;
  const onRead = () => {
    done += 1;
    onProgress?.(done, total);
  };
  const exported = await exportedFiles(api, content, { onRead, ...(target && { target }) });
  for (const [at, file] of exported.files) {
    await write(folder, at, await bytesOf(file));
    if ('file' in file) onRead();
  }
  return exported;
}

/** What is to be written. */
export const bytesOf = async (exported: Exported): Promise<string | Uint8Array> =>
  'text' in exported ? exported.text : download(exported.file);

async function write(folder: string, file: string, content: string | Uint8Array): Promise<void> {
  const target = path.join(folder, ...file.split('/'));
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, content);
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new Failure(`The folder ${folder} cannot be read.`);
  }
}
