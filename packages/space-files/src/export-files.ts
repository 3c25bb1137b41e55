import type { OutlineSource } from '@octavo/outline';
import { makeTargetsRelative } from './file-names.ts';
import { walkPresent } from './present.ts';
import {
  downloadFile,
  type ExportApi,
  type Exported,
  type FindKnownText,
  type NodeText,
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
  /**
   * Files that describe the whole space but cannot be edited, so they are left unchanged. Also page files that these
   * files do not list.
   */
  unwritable: Unwritable[];
  /**
   * Files that lack content of the space because they cannot express it: fields, and links that work only in the space.
   */
  incomplete: Unwritable[];
  /** Paths of files that describe the whole space, not one node. */
  shared: Set<string>;
}

interface ExportSettings extends Reading {
  /** Names of the variables that the space had before. Only these variables can be deleted from the file. */
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
export async function exportNodes(
  api: ExportApi,
  content: SpaceContent,
  options: Reading = {},
): Promise<ExportedNodes> {
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
    const onTargetWithoutPath = (to: string) => titles.has(to) && unresolvedLinks.add(titles.get(to) ?? '');
    files.set(path, {
      text: makeTargetsRelative(
        { ...text, path },
        { paths: present, deletedPaths, servedPaths: servedFolder, onDeletedTarget, onTargetWithoutPath },
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
 * Returns warnings about pages without a source path that share a file name with another page, so that their file names
 * got a number.
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
  api: ExportApi,
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

/** Returns the content of an exported file. */
export const getBytes = async (exported: Exported): Promise<string | Uint8Array> =>
  'text' in exported ? exported.text : downloadFile(exported.file);
