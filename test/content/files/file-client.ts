import type { LiveEdit, SpaceClient, TestFile } from '../space-client.ts';

export interface GivenFile {
  name: string;
  url?: string;
  upload?: string;
  base64?: string;
  contentType?: string;
  ref?: string;
  git?: { path: string };
}

/** A PNG of 1 × 1 pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

export const createPixel = (name: string, more: Partial<GivenFile> = {}): GivenFile => ({
  name,
  base64: png,
  contentType: 'image/png',
  ...more,
});

export const createTextFile = (name: string, text: string, more: Partial<GivenFile> = {}): GivenFile => ({
  name,
  base64: Buffer.from(text).toString('base64'),
  contentType: 'text/plain',
  ...more,
});

export const createInsertion = (files: GivenFile[]) => ({ operation: 'insert_files', files });

export const insertFiles = (space: SpaceClient, files: GivenFile[], branch?: string) =>
  space.edit([createInsertion(files)], branch);

/** Returns the inserted files. Throws if the request fails. */
export async function createFiles(space: SpaceClient, files: GivenFile[], branch?: string): Promise<TestFile[]> {
  const at = branch === undefined ? '' : `/change-requests/${branch}`;
  const body = { changes: [createInsertion(files)] };
  return (await space.callJson<LiveEdit>(`${at}/content?compat=false`, { method: 'POST', body })).insertedFiles ?? [];
}
