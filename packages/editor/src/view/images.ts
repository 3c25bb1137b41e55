import { type Command, type EditorState, Plugin } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { anchorBlock } from './anchors.ts';
import { createButton, createElement } from './dom.ts';
import type { Upload } from './options.ts';
import {
  addTextUpload,
  applyToUploads,
  type BlockUpload,
  changeUploads,
  createUploadId,
  drawUploads,
  finishUpload,
  insertRestored,
  insertUploaded,
  setUploaded,
  type UploadEntry,
  uploadKey,
} from './uploads.ts';

/** Uploads files that are pasted or dropped, and shows the progress where each file will be inserted. */
export function createUploads(upload: Upload): Plugin {
  return new Plugin<UploadEntry[]>({
    key: uploadKey,
    upload,
    state: { init: () => [], apply: applyToUploads },
    view: () => ({
      update(view) {
        const tr = insertRestored(view.state);
        if (tr !== undefined) view.dispatch(tr);
      },
    }),
    props: {
      decorations: drawUploads,
      handlePaste: (view, { clipboardData }) =>
        !hasFormattedText(clipboardData) && startUploads(view, upload, clipboardData?.files, view.state.selection.from),
      handleDrop(view, event) {
        const position = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos;
        return startUploads(view, upload, event.dataTransfer?.files, position ?? view.state.selection.from);
      },
    },
  });
}

/** Whether a clipboard has formatted text. Spreadsheets and word processors add a picture of this text. */
const hasFormattedText = (data: DataTransfer | null): boolean =>
  ['text/html', 'text/plain'].every((type) => (data?.getData(type) ?? '') !== '');

/**
 * Uploads files, and inserts them in order: images at a position if its block can contain them, others below the block.
 * Returns whether there are any files.
 */
export function startUploads(
  view: EditorView,
  upload: Upload,
  files: FileList | null | undefined,
  position: number,
): boolean {
  const all = [...(files ?? [])];
  const batch = createUploadId();
  for (const file of all) new RunningUpload(view, upload, file).start(position, batch);
  return all.length > 0;
}

/** Lets the user choose images, and inserts them at the cursor. */
export const chooseImages: Command = (state, dispatch, view) => {
  const upload = uploadKey.get(state)?.spec.upload as Upload | undefined;
  const { parent } = state.selection.$from;
  if (upload === undefined || !parent.inlineContent || parent.type.spec.code === true) return false;
  if (dispatch === undefined || view === undefined) return true;
  const input = createElement('input', { type: 'file', accept: 'image/*', multiple: true, hidden: true });
  input.addEventListener('cancel', () => input.remove());
  input.addEventListener('change', () => {
    startUploads(view, upload, input.files, view.state.selection.from);
    input.remove();
    view.focus();
  });
  view.dom.parentElement?.append(input);
  input.click();
  return true;
};

export const describeFailure = (error: unknown): string =>
  error instanceof Error ? error.message : 'The upload failed.';

class RunningUpload {
  readonly #view: EditorView;
  readonly #upload: Upload;
  readonly #file: File;
  readonly #id = createUploadId();
  readonly #progress = createElement('progress', { max: '1', value: '0' });
  readonly #element: HTMLElement;

  constructor(view: EditorView, upload: Upload, file: File) {
    this.#view = view;
    this.#upload = upload;
    this.#file = file;
    this.#progress.setAttribute('aria-label', `Uploading ${file.name}`);
    this.#element = createElement('span', { class: 'editor-upload', contenteditable: 'false' });
  }

  start(position: number, batch: number): void {
    const entry = { id: this.#id, batch, element: this.#element };
    this.#view.dispatch(addTextUpload(this.#view.state, position, entry));
    void this.#run();
  }

  async #run(): Promise<void> {
    this.#element.replaceChildren(`Uploading ${this.#file.name} `, this.#progress);
    try {
      const target = await this.#upload(this.#file, (fraction) => {
        this.#progress.value = fraction;
      });
      this.#insert(target);
    } catch (error) {
      this.#showError(describeFailure(error));
    }
  }

  #insert(target: string): void {
    if (this.#view.isDestroyed) return;
    const { name, type } = this.#file;
    const insert = (state: EditorState) => insertUploaded(state, this.#id, { name, type, target });
    this.#view.dispatch(finishUpload(this.#view.state, this.#id, insert));
  }

  #setFailed(hasFailed: boolean): void {
    if (!this.#view.isDestroyed)
      this.#view.dispatch(changeUploads(this.#view.state.tr, { upload: this.#id, hasFailed }));
  }

  #showError(message: string): void {
    this.#setFailed(true);
    const retry = createElement('button', { type: 'button', class: 'editor-button' }, ['Retry']);
    const remove = createElement('button', { type: 'button', class: 'editor-button' }, ['Remove']);
    retry.addEventListener('click', () => {
      this.#setFailed(false);
      void this.#run();
    });
    remove.addEventListener('click', () => {
      this.#view.dispatch(changeUploads(this.#view.state.tr, { remove: this.#id }));
      this.#view.focus();
    });
    const text = createElement('span', { role: 'alert' }, [`${this.#file.name}: ${message} `]);
    this.#element.replaceChildren(text, retry, remove);
  }
}

/** Uploads a file for the block at a position. The block gets the address of the file even if it was moved meanwhile. */
async function uploadForBlock(view: EditorView, upload: Upload, position: number, file: File): Promise<void> {
  const node = view.state.doc.nodeAt(position);
  if (node === null) return;
  const id = createUploadId();
  const element = createElement('span', {}, [`Uploading ${file.name}`]);
  const add = { id, batch: id, anchor: anchorBlock(node, position), block: { element, isRunning: true } };
  view.dispatch(changeUploads(view.state.tr, { add }));
  try {
    const target = await upload(file, (fraction) => {
      element.textContent = `Uploading ${file.name} (${Math.round(fraction * 100)} %)`;
    });
    if (!view.isDestroyed) view.dispatch(finishUpload(view.state, id, (state) => setUploaded(state, id, target)));
  } catch (error) {
    element.textContent = describeFailure(error);
    if (!view.isDestroyed) view.dispatch(changeUploads(view.state.tr, { upload: id, hasFailed: true }));
  }
}

/** A button that uploads a file for a block, and the text that shows the progress. */
export interface UploadControls {
  elements: HTMLElement[];
  /** Shows the block's upload, if there is one. `hasFile` is whether another upload would replace a file. */
  show(upload: BlockUpload | undefined, hasFile: boolean): void;
}

export function createUploadControls(
  view: EditorView,
  upload: Upload,
  getPosition: () => number | undefined,
): UploadControls {
  const input = createElement('input', { type: 'file', 'aria-label': 'File', hidden: true });
  const status = createElement('span', { role: 'status' });
  const button = createButton('Upload a file', 'Upload a file', () => input.click());
  input.addEventListener('change', () => {
    const [file, position] = [input.files?.[0], getPosition()];
    if (file !== undefined && position !== undefined) void uploadForBlock(view, upload, position, file);
    input.value = '';
  });
  return {
    elements: [button, input, status],
    show(shown, hasFile) {
      button.textContent = hasFile ? 'Replace' : 'Upload a file';
      for (const name of ['aria-label', 'title'])
        button.setAttribute(name, hasFile ? 'Replace the file' : 'Upload a file');
      button.disabled = shown?.isRunning === true;
      if (shown === undefined) status.replaceChildren();
      else if (shown.element.parentElement !== status) status.replaceChildren(shown.element);
    },
  };
}
