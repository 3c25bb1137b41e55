import type { mountEditor } from '@octavo/editor';
import type { Autosave } from './autosave.ts';
import {
  describeFile,
  type EditedPage,
  insertFile,
  insertReusableContent,
  type LinkedFiles,
  type LoadedText,
  listReusableContent,
  uploadPageFile,
} from './edited-page.ts';
import type { AskForReusableContent } from './reusable-content-dialog.tsx';
import { getFileTarget, toStableTarget } from './targets.ts';

/** A page with the text and the files that are edited. */
export interface Opened {
  edited: EditedPage;
  /** The id of the user who edits. */
  user: string;
  text: LoadedText;
  files: LinkedFiles;
}

interface ContentSource {
  edited: EditedPage;
  opened: Opened;
  autosave: Autosave;
  ask: AskForReusableContent;
}

/** Returns the options with which an editor shows, uploads and creates content of the change request. */
export const createContentOptions = ({
  edited,
  opened: { files, text },
  autosave,
  ask,
}: ContentSource): Partial<Parameters<typeof mountEditor>[1]> => ({
  listReusableContent: () => listReusableContent(edited),
  createReusableContent: (markdown) =>
    ask(markdown, async (content) => {
      const insert = (revision?: string) => insertReusableContent(edited, content, revision);
      return (await autosave.runOtherChange(insert)).target;
    }),
  toStableTarget: (target) => toStableTarget(text.links, target),
  resolveImage: (target) => files.get(target)?.downloadURL ?? (/^https?:/i.test(target) ? target : undefined),
  describeFile: (target) => describeFile(files, target),
  upload: async (file, reportProgress) => {
    const upload = await uploadPageFile(edited, file, reportProgress);
    const insert = (revision?: string) => insertFile(edited, { name: file.name, upload }, revision);
    const { file: inserted } = await autosave.runOtherChange(insert);
    files.set(getFileTarget(inserted.id), inserted);
    return getFileTarget(inserted.id);
  },
});
