import { normalizePath, type OutlineSource, readRepository } from '@octavo/outline';
import type { File } from '@octavo/schema';
import type { Api } from '../api.ts';
import { walkPresent } from '../import/present.ts';
import { isSummary } from './file-names.ts';
import { givesTree } from './gives-tree.ts';
import { download, type Known, readTexts, type SpaceContent } from './read-space.ts';
import { withRelativeTargets } from './relative-targets.ts';
import { summaryOfTree } from './summary-of-tree.ts';
import { writeVariables } from './write-variables.ts';

/** A file as it is to stand in the folder. */
export type Exported = { text: string } | { file: File };

/** The files of a space by their paths. */
export interface ExportedSpace {
  content: SpaceContent;
  files: Map<string, Exported>;
  pages: number;
  /** The table of contents, where one is needed or there was one; `isNew` where there was none. */
  summary?: { path: string; isNew: boolean };
}

export interface ExportSettings {
  /** What is in the folder already: its configuration and summary stay as they are as far as they fit. */
  target?: OutlineSource;
  known?: Known;
  onRead?: () => void;
}

const encoder = new TextEncoder();

/**
 * The pages, reusable contents, files and variables of a space as files. Texts are as they are written, byte for byte, but
 * for targets that name a page or a file by its id, or that lead elsewhere by now: they become relative paths. A summary is
 * among them where the folder has one, or where nothing else in it gives the tree of the space.
 */
export async function exportedFiles(
  api: Api,
  content: SpaceContent,
  { target = emptyFolder, ...reading }: ExportSettings = {},
): Promise<ExportedSpace> {
  const { names } = content;
  const texts = await readTexts(api, content, reading);
  const files = new Map<string, Exported>();
  const unwritten = [...walkPresent(content.pages)].filter((page) => !page.git && texts.get(page.id)?.text === '');
  const present = new Map(names);
  for (const { id } of unwritten) present.delete(id);
  for (const [id, read] of texts) {
    const path = present.get(id);
    if (path !== undefined) files.set(path, { text: withRelativeTargets({ ...read, path }, present) });
  }
  const pages = files.size - content.reusableContents.length;
  for (const file of content.files) files.set(names.get(file.id) ?? '', { file });
  const source = over(target, files);
  await setVariables(content, files, source);
  const summary = await setSummary(content, { files, source, present });
  return { content, files, pages, ...(summary && { summary }) };
}

const emptyFolder: OutlineSource = {
  name: '',
  paths: [],
  sizeOf: () => 0,
  read: async () => new Uint8Array(),
};

/** A folder with the exported files written over it; its own summaries stay. */
function over(target: OutlineSource, files: Map<string, Exported>): OutlineSource {
  const own = new Set(target.paths);
  for (const path of own) if (isSummary(path)) files.delete(path);
  const bytesOf = async (path: string): Promise<Uint8Array> => {
    const exported = files.get(path);
    if (exported === undefined) return target.read(path);
    return 'text' in exported ? encoder.encode(exported.text) : download(exported.file);
  };
  const sizeOf = (path: string): number => {
    const exported = files.get(path);
    if (exported === undefined) return target.sizeOf(path);
    return 'text' in exported ? encoder.encode(exported.text).length : exported.file.size;
  };
  return { name: target.name, paths: [...new Set([...own, ...files.keys()])], sizeOf, read: bytesOf };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const variablesPath = /^(?:.*\/)?\.gitbook\/vars\.ya?ml$/;

async function setVariables({ variables }: SpaceContent, files: Map<string, Exported>, source: OutlineSource) {
  const path = source.paths.find((each) => variablesPath.test(each));
  if (path === undefined && Object.keys(variables).length === 0) return;
  const former = path === undefined ? '' : decoder.decode(await source.read(path));
  files.set(path ?? '.gitbook/vars.yaml', { text: writeVariables(former, variables) });
}

interface Around {
  files: Map<string, Exported>;
  source: OutlineSource;
  present: Map<string, string>;
}

async function setSummary(
  { pages }: SpaceContent,
  { files, source, present }: Around,
): Promise<ExportedSpace['summary']> {
  const paths = new Set([...walkPresent(pages)].flatMap(({ id }) => present.get(id) ?? []));
  const { roots, convention } = await readRepository(source);
  const own = convention.path !== undefined && isSummary(convention.path) ? convention.path : undefined;
  const former = own === undefined ? '' : decoder.decode(await source.read(own));
  const path = own ?? 'SUMMARY.md';
  if (givesTree(roots, { pages, names: present, paths })) {
    if (own !== undefined) files.set(own, { text: former });
    return own === undefined ? undefined : { path: own, isNew: false };
  }
  const texts = new Map([...present].flatMap(([id, at]) => textOf(id, at, files)));
  const folder = normalizePath(path.split('/').slice(0, -1).join('/'));
  files.set(path, { text: summaryOfTree(pages, texts, { former, folder, paths: new Set(source.paths) }) });
  return { path, isNew: own === undefined };
}

function textOf(id: string, path: string, files: Map<string, Exported>): [string, { path: string; text: string }][] {
  const exported = files.get(path);
  return exported && 'text' in exported ? [[id, { path, text: exported.text }]] : [];
}
