import type { DocumentPage, File } from '@octavo/schema';
import { useMemo } from 'preact/hooks';
import { ApiRequestError, get, listAll } from '../api.ts';
import { type LoadedValue, type LoadOptions, useLoaded } from '../use-api.ts';
import { findFileIds, getContentPath } from './resolve-reference.ts';

/** If a page has references to more files, all files of the content are read instead, in fewer requests. */
const maxSingleReads = 50;
/** More than a space is expected to have. */
const maxFiles = 5000;
const listLimit = 1000;

const noFiles: ReadonlyMap<string, File> = new Map();

/** Returns undefined for an error that says that a file does not exist. A reference to it is a broken link. */
function omitMissing(error: unknown): undefined {
  if (!(error instanceof ApiRequestError) || error.status !== 404) throw error;
}

/** Reads the files that a page refers to, by their ids. Nothing is read if there are none. */
export function useFiles(path: string, page: DocumentPage | undefined): LoadedValue<ReadonlyMap<string, File>> {
  const ids = useMemo(() => findFileIds(page?.document), [page]);
  const files = `${getContentPath(path)}/files`;
  const key = ids.length === 0 ? undefined : `${files} {${ids.join()}}`;
  const load = async (options: LoadOptions): Promise<ReadonlyMap<string, File>> => {
    const found =
      ids.length > maxSingleReads
        ? await listAll<File>(files, { limit: listLimit }, maxFiles, options)
        : await Promise.all(ids.map((id) => get<File>(`${files}/${id}`, {}, options).catch(omitMissing)));
    return new Map(found.flatMap((file) => (file === undefined ? [] : [[file.id, file]])));
  };
  const loaded = useLoaded(key, load, { subject: `${path} ${page?.id}` });
  return key === undefined ? { ...loaded, value: noFiles } : loaded;
}
