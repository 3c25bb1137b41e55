import {
  downloadFile,
  type ExportApi,
  type Exported,
  exportFiles,
  FileDownloadError,
  readSpace,
  type SpaceContent,
  type Unwritable,
} from '@octavo/space-files';
import type { get } from '../api.ts';
import { packFiles } from './pack-files.ts';

/** The browser holds the whole archive in memory. */
const maxBytes = 500_000_000;

interface ExportedArchive {
  archive: Blob;
  /** Content that the files do not contain, with the path of the file that lacks it. */
  notes: Unwritable[];
}

/** The input of the export. This script is bundled separately from the app, so it receives functions of the app. */
interface Exporting {
  get: typeof get;
  createError: (message: string) => Error;
  signal: AbortSignal;
  reportProgress: (done: number, total: number) => void;
}

const createExportApi = ({ get, signal }: Exporting): ExportApi => {
  const getRevisionPath = ({ spaceId, revisionId }: Record<'spaceId' | 'revisionId', string>): string =>
    `/spaces/${spaceId}/revisions/${revisionId}`;
  return {
    getCurrentRevision: ({ params, query }) => get(`/spaces/${params.spaceId}/content`, query, { signal }),
    getRevisionById: ({ params, query }) => get(getRevisionPath(params), query, { signal }),
    getPageInRevisionById: ({ params }) => get(`${getRevisionPath(params)}/page/${params.pageId}`, {}, { signal }),
    getReusableContentInRevisionById: ({ params }) =>
      get(`${getRevisionPath(params)}/reusable-contents/${params.reusableContentId}`, {}, { signal }),
  };
};

/**
 * Packs the live content of a space as Markdown files, as the command `octavo export` writes them.
 * @throws ApiRequestError
 */
export async function exportSpaceArchive(space: string, exporting: Exporting): Promise<ExportedArchive> {
  try {
    return await exportSpace(space, exporting);
  } catch (error) {
    throw error instanceof FileDownloadError ? exporting.createError(error.message) : error;
  }
}

async function exportSpace(space: string, exporting: Exporting): Promise<ExportedArchive> {
  const { signal, reportProgress, createError } = exporting;
  const api = createExportApi(exporting);
  const content = await readSpace(api, space);
  if (isTooLarge(content))
    throw createError('The files of this space exceed 500 MB. Export it with the command octavo export.');
  let done = 0;
  const countRead = (): void => {
    done += 1;
    reportProgress(done, content.names.size);
  };
  const { files, incomplete, unwritable } = await exportFiles(api, content, { onRead: countRead });
  const archive = await packFiles(readExportedFiles(files, { signal, countRead }));
  return { archive, notes: [...incomplete, ...unwritable] };
}

const isTooLarge = ({ files }: SpaceContent): boolean => files.reduce((sum, { size }) => sum + size, 0) > maxBytes;

async function* readExportedFiles(
  files: ReadonlyMap<string, Exported>,
  { signal, countRead }: { signal: AbortSignal; countRead: () => void },
): AsyncGenerator<[path: string, bytes: Uint8Array]> {
  const encoder = new TextEncoder();
  for (const [path, exported] of files) {
    signal.throwIfAborted();
    if ('text' in exported) yield [path, encoder.encode(exported.text)];
    else {
      yield [path, await downloadFile(exported.file)];
      countRead();
    }
  }
}
