import type { PageSuggestion } from '@octavo/editor';
import type { AppliedChange, ChangeRequest, DocumentPage, File, Revision, Space } from '@octavo/schema';
import { api, get, listAll } from '../api.ts';
import { describeSize } from '../file-size.ts';
import { rememberRevision } from '../live/changed-values.ts';
import { uploadFile } from '../upload.ts';
import { expirePath } from '../use-api.ts';
import type { EditedText } from './autosave.ts';
import type { SavedText } from './local-drafts.ts';
import { getFileTarget, getPageTarget, getReusableTarget } from './targets.ts';

/** The page of a change request that is edited. */
export interface EditedPage {
  space: string;
  changeRequest: string;
  page: string;
}

const getPath = ({ space, changeRequest }: EditedPage): string => `/spaces/${space}/change-requests/${changeRequest}`;

export interface LoadedText extends SavedText {
  changeRequest: ChangeRequest;
  /** The ids of the pages, files and reusable content that the text links to, by the target as written in the text. */
  links: Record<string, string>;
  /** Whether readers see the title above the text. */
  showsTitle: boolean;
}

/** Loads the text of a page as it was written, at the current revision of the change request. */
export async function loadText(edited: EditedPage): Promise<LoadedText> {
  const { space, page } = edited;
  const changeRequest = await get<ChangeRequest>(getPath(edited));
  const { revision } = changeRequest;
  const text = await get<DocumentPage>(`/spaces/${space}/revisions/${revision}/page/${page}`, { depth: 0 });
  const { title, markdown = '', links = {}, layout } = text;
  return { title, markdown, revision, changeRequest, links, showsTitle: layout.title };
}

interface ContentResult {
  changeRequest: ChangeRequest;
  changes: AppliedChange[];
  insertedFiles?: File[];
}

async function sendChange(
  edited: EditedPage,
  change: Record<string, unknown>,
  revision?: string,
): Promise<ContentResult> {
  const result = await api<ContentResult>('POST', `${getPath(edited)}/content`, {
    query: { compat: false },
    body: { changes: [change], ...(revision !== undefined && { revision }) },
  });
  rememberRevision(result.changeRequest.revision);
  expirePath(`${getPath(edited)}/content/pages`);
  return result;
}

/** Sends a changed text as one revision, and returns this revision. */
export async function sendText(
  edited: EditedPage,
  { title, markdown }: Partial<EditedText>,
  revision: string,
): Promise<string> {
  const change = {
    operation: 'update_page',
    page: edited.page,
    ...(title !== undefined && { title }),
    ...(markdown !== undefined && { document: { markdown } }),
  };
  return (await sendChange(edited, change, revision)).changeRequest.revision;
}

/** Uploads the bytes of a file. Returns the key that adds it to a change request. */
export async function uploadPageFile(
  { space }: EditedPage,
  file: globalThis.File,
  reportProgress: (fraction: number) => void,
): Promise<string> {
  const { organization } = await get<Space>(`/spaces/${space}`);
  return (await uploadFile(organization, file, { reportProgress })).key;
}

/** Adds an uploaded file to the change request. */
export async function insertFile(
  edited: EditedPage,
  file: { name: string; upload: string },
  revision: string | undefined,
): Promise<{ file: File; revision: string }> {
  const { changeRequest, insertedFiles } = await sendChange(
    edited,
    { operation: 'insert_files', files: [file] },
    revision,
  );
  if (insertedFiles?.[0] === undefined) throw new Error('The file could not be added.');
  return { file: insertedFiles[0], revision: changeRequest.revision };
}

/** The files of a change request by the targets that link to them in a text. */
export type LinkedFiles = Map<string, File>;

export async function loadLinkedFiles(edited: EditedPage, links: Record<string, string>): Promise<LinkedFiles> {
  const files = await listAll<File>(`${getPath(edited)}/content/files`);
  const byId = new Map(files.map((file) => [file.id, file]));
  const linked = Object.entries(links).flatMap(([target, id]): [string, File][] => {
    const file = byId.get(id);
    return file === undefined ? [] : [[target, file]];
  });
  return new Map([...linked, ...files.map((file): [string, File] => [getFileTarget(file.id), file])]);
}

/** Returns the name and the size of a file as its block shows them; undefined if the target is not a known file. */
export function describeFile(files: LinkedFiles, target: string): { name: string; detail: string } | undefined {
  const file = files.get(target);
  return file && { name: file.name, detail: describeSize(file.size) };
}

/** Lists the reusable content of the change request, with its address in Markdown. */
export async function listReusableContent(edited: EditedPage): Promise<{ title: string; target: string }[]> {
  const query = { depth: 0, metadata: false };
  const { reusableContents } = await get<Revision>(`${getPath(edited)}/content`, query);
  return reusableContents.map(({ id, title }) => ({ title, target: getReusableTarget(id) }));
}

/** Adds reusable content to the change request. Returns its address in Markdown. */
export async function insertReusableContent(
  edited: EditedPage,
  { title, markdown }: EditedText,
  revision: string | undefined,
): Promise<{ target: string; revision: string }> {
  const change = { operation: 'insert_reusable_content', title, document: { markdown } };
  const { changeRequest, changes } = await sendChange(edited, change, revision);
  const created = changes.find((each) => each.object === 'created_reusable_content');
  if (created === undefined) throw new Error('The reusable content could not be created.');
  return { target: getReusableTarget(created.reusableContent), revision: changeRequest.revision };
}

const maxFound = 8;

interface TitledPage {
  id: string;
  title: string;
  path?: string | undefined;
  type: string;
}

/** Finds pages whose title starts with or contains a query. */
export function findPages(pages: Iterable<TitledPage>, query: string): PageSuggestion[] {
  const prefix = query.toLowerCase();
  const found: { page: TitledPage; rank: number }[] = [];
  for (const page of pages) {
    const rank = page.type === 'document' ? page.title.toLowerCase().indexOf(prefix) : -1;
    if (rank >= 0) found.push({ page, rank });
  }
  return found
    .sort((one, other) => one.rank - other.rank || one.page.title.length - other.page.title.length)
    .slice(0, maxFound)
    .map(({ page: { id, title, path } }) => ({
      title,
      target: getPageTarget(id),
      ...(path !== undefined && { location: path }),
    }));
}
