import { mapConcurrently } from '@octavo/client/concurrency';
import { isMarkdown, type OutlineSource, type OutputLocations, readOutputLocations } from '@octavo/outline';
import type { File, Page, ReusableContent, Revision, Variables } from '@octavo/schema';
import { chooseFileNames } from './file-names.ts';
import { type Present, presentTree, walkPresent } from './present.ts';

const concurrency = 8;

type Version<Ids extends string = never> = { params: Record<'spaceId' | 'revisionId' | Ids, string> };

/** The operations of the API that an export calls. */
export interface ExportApi {
  getCurrentRevision(input: { params: { spaceId: string }; query: { computed: 'false' } }): Promise<Revision>;
  getRevisionById(input: Version & { query: { computed: 'false' } }): Promise<Revision>;
  getPageInRevisionById(input: Version<'pageId'>): Promise<Page>;
  getReusableContentInRevisionById(input: Version<'reusableContentId'>): Promise<ReusableContent>;
}

/** The content of a space at a revision, without texts and the bytes of files. `names` are the export paths, by ID. */
export interface SpaceContent {
  space: string;
  revision: string;
  pages: Present[];
  files: File[];
  reusableContents: ReusableContent[];
  variables: Variables;
  names: Map<string, string>;
  /** Former paths of items that the space no longer contains, by ID. Includes only paths that the target lists. */
  deletedPaths: ReadonlyMap<string, string>;
  /** Locations for items without a source path. */
  outputLocations: OutputLocations;
}

/** A tree that a space is exported to: all its paths, and the files that may be documentation. */
export interface TargetTree {
  blobs: { has: (path: string) => boolean };
  source: OutlineSource;
  /** Paths that earlier exports generated for this tree, by item ID. */
  givenPaths?: ReadonlyMap<string, string>;
  /** Paths of the former content of the space, by ID. */
  formerPaths?: ReadonlyMap<string, string>;
}

/** An exported file: its text, or a file to download. */
export type Exported = { text: string } | { file: File };

/** The text of a node in the space, and the IDs of the targets that its links had when it was written. */
export interface NodeText {
  text: string;
  links?: Record<string, string> | undefined;
  /** For each address that is not itself a path, the path of the file that it refers to. */
  resolvedLinks?: Record<string, string> | undefined;
}

/**
 * Reads the content of a space at a revision, by default the current one. `target` is the tree that the content is
 * exported to.
 */
export async function readSpace(
  api: ExportApi,
  spaceId: string,
  revisionId?: string,
  target?: TargetTree,
): Promise<SpaceContent> {
  const query = { computed: 'false' } as const;
  const revision: Revision =
    revisionId === undefined
      ? await api.getCurrentRevision({ params: { spaceId }, query })
      : await api.getRevisionById({ params: { spaceId, revisionId }, query });
  const { files, reusableContents, variables } = revision;
  const pages = presentTree(revision.pages);
  const outputLocations = await readOutputLocations(getSource({ pages, files }, target?.source));
  const { blobs: existingBlobs = new Set(), givenPaths = new Map(), formerPaths = new Map() } = target ?? {};
  const names = chooseFileNames(pages, files, reusableContents, {
    outputLocations,
    existingPaths: existingBlobs,
    givenNames: givenPaths,
  });
  const deletedPaths = new Map([...givenPaths, ...formerPaths].filter(([id]) => !names.has(id)));
  return {
    space: spaceId,
    revision: revision.id,
    pages,
    files,
    reusableContents,
    variables,
    names,
    deletedPaths,
    outputLocations,
  };
}

/**
 * Returns the files of a target, and the files of a space that the target does not have. The texts of pages are empty.
 */
function getSource({ pages, files }: Pick<SpaceContent, 'pages' | 'files'>, target?: OutlineSource): OutlineSource {
  const existingPaths = new Set(target?.paths);
  const filesByPath = new Map(files.flatMap((file) => (file.git ? [[file.git.path, file] as const] : [])));
  const texts = [...walkPresent(pages)].flatMap(({ git }) =>
    git !== undefined && isMarkdown(git.path) ? git.path : [],
  );
  return {
    name: '',
    paths: [...new Set([...existingPaths, ...filesByPath.keys(), ...texts])],
    getSize: (path) => (existingPaths.has(path) ? target?.getSize(path) : filesByPath.get(path)?.size) ?? 0,
    read: async (path) => {
      if (target !== undefined && existingPaths.has(path)) return target.read(path);
      const file = filesByPath.get(path);
      return file === undefined ? new Uint8Array() : downloadFile(file);
    },
  };
}

/**
 * Returns the texts of pages and reusable contents, by ID. `findKnownText` returns the texts that need not be fetched.
 */
export async function readTexts(
  api: ExportApi,
  { space, revision, pages, reusableContents, names }: SpaceContent,
  { findKnownText = async () => undefined, onRead }: { findKnownText?: FindKnownText; onRead?: () => void } = {},
): Promise<Map<string, NodeText>> {
  const version = { spaceId: space, revisionId: revision };
  const readPageText = async (id: string): Promise<NodeText> => {
    const page = await api.getPageInRevisionById({ params: { ...version, pageId: id } });
    return page.type === 'document'
      ? { text: page.markdown ?? '', links: page.links, resolvedLinks: page.git?.links }
      : { text: '' };
  };
  const readContentText = async (id: string): Promise<NodeText> => {
    const content = await api.getReusableContentInRevisionById({ params: { ...version, reusableContentId: id } });
    return { text: content.markdown ?? '', links: content.links, resolvedLinks: content.git?.links };
  };
  const requests = [
    ...[...walkPresent(pages)]
      .filter(({ id }) => names.has(id))
      .map(({ id, document }) => ({ id, document, read: readPageText })),
    ...reusableContents.map(({ id, document }) => ({ id, document, read: readContentText })),
  ];
  const texts = await mapConcurrently(requests, concurrency, async ({ id, document, read }) => {
    const text = (await findKnownText(id, document)) ?? (await read(id));
    onRead?.();
    return [id, text] as const;
  });
  return new Map(texts);
}

export type FindKnownText = (id: string, document: string | undefined) => Promise<NodeText | undefined>;

/** An error of a download, with a message for the user that names the file. */
export class FileDownloadError extends Error {
  override name = 'FileDownloadError';

  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`The file ${file} could not be read: ${reason}.`, options);
  }
}

/** Downloads a file. @throws FileDownloadError */
export async function downloadFile({ name, downloadURL }: File): Promise<Uint8Array> {
  const reportBrokenConnection = (cause: unknown): never => {
    throw new FileDownloadError(name, 'the connection to the server failed', { cause });
  };
  const response = await fetch(downloadURL).catch(reportBrokenConnection);
  if (!response.ok) throw new FileDownloadError(name, `the server returned ${response.status}`);
  return new Uint8Array(await response.arrayBuffer().catch(reportBrokenConnection));
}
