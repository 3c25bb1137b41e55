import { ArchiveError, readArchive, sourceOfArchive } from '@octavo/archive';
import { isMarkdown, isOrdinary } from '@octavo/outline';
import type { ContentEnvironment } from '../../environment.ts';
import { importLimits } from './import-record.ts';
import { UnfitContent } from './reading.ts';

export const isImage = (path: string): boolean => /\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)$/i.test(path);
const takes = (path: string): boolean => isOrdinary(path) && (isMarkdown(path) || isImage(path));

export const archiveFolder = 'imports/';

/** Where an import's archive is kept while it is read. */
export const archiveKey = (id: string): string => archiveFolder + id;

/** The files of an archive that are imported. @throws UnfitContent */
export function openArchive(bytes: Uint8Array) {
  try {
    const archive = readArchive(bytes, {
      entries: importLimits.pages + importLimits.files,
      totalBytes: importLimits.totalBytes,
      takes,
    });
    return sourceOfArchive(archive, 'the archive');
  } catch (error) {
    if (error instanceof ArchiveError) throw new UnfitContent(error.problem);
    throw error;
  }
}

/** The archive as it was kept. */
export async function keptArchive(env: ContentEnvironment, id: string): Promise<ReturnType<typeof openArchive>> {
  const kept = await env.FILES.get(archiveKey(id));
  if (kept === null) throw new UnfitContent('is gone');
  return openArchive(new Uint8Array(await kept.arrayBuffer()));
}
