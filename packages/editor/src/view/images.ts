import { type Command, Plugin, PluginKey } from 'prosemirror-state';
import { Decoration, DecorationSet, type EditorView } from 'prosemirror-view';
import { schema } from '../model/schema.ts';
import { createElement } from './dom.ts';
import type { Upload } from './options.ts';

type Change = { add: { id: number; position: number; element: HTMLElement } } | { remove: number };

const key = new PluginKey<DecorationSet>('uploads');
let lastId = 0;

/** Uploads files that are pasted or dropped, and shows their progress where they will be. */
export function createUploads(upload: Upload): Plugin {
  return new Plugin<DecorationSet>({
    key,
    upload,
    state: {
      init: () => DecorationSet.empty,
      apply(tr, former) {
        const set = former.map(tr.mapping, tr.doc);
        const change = tr.getMeta(key) as Change | undefined;
        if (change === undefined) return set;
        if ('add' in change) {
          const { id, position, element } = change.add;
          return set.add(tr.doc, [Decoration.widget(position, element, { id, ignoreSelection: true })]);
        }
        return set.remove(set.find(undefined, undefined, (spec) => spec.id === change.remove));
      },
    },
    props: {
      decorations: (state) => key.getState(state),
      handlePaste: (view, { clipboardData }) =>
        !hasFormattedText(clipboardData) && startUploads(view, upload, clipboardData?.files, view.state.selection.from),
      handleDrop(view, event) {
        const position = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos;
        return startUploads(view, upload, event.dataTransfer?.files, position ?? view.state.selection.from);
      },
    },
  });
}

/** Whether a clipboard has text with its format. Spreadsheets and word processors add a picture of this text. */
const hasFormattedText = (data: DataTransfer | null): boolean =>
  ['text/html', 'text/plain'].every((type) => (data?.getData(type) ?? '') !== '');

/** Uploads files, and inserts each at a position or below its block. Returns whether there are any. */
export function startUploads(
  view: EditorView,
  upload: Upload,
  files: FileList | null | undefined,
  position: number,
): boolean {
  const all = [...(files ?? [])];
  for (const file of all) new RunningUpload(view, upload, file).start(position);
  return all.length > 0;
}

/** Lets the user choose images, and inserts them at the cursor. */
export const chooseImages: Command = (state, dispatch, view) => {
  const upload = key.get(state)?.spec.upload as Upload | undefined;
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
  readonly #id: number;
  readonly #progress = createElement('progress', { max: '1', value: '0' });
  readonly #element: HTMLElement;

  constructor(view: EditorView, upload: Upload, file: File) {
    lastId += 1;
    this.#view = view;
    this.#upload = upload;
    this.#file = file;
    this.#id = lastId;
    this.#progress.setAttribute('aria-label', `Uploading ${file.name}`);
    this.#element = createElement('span', { class: 'editor-upload', contenteditable: 'false' });
  }

  start(position: number): void {
    this.#view.dispatch(
      this.#view.state.tr.setMeta(key, { add: { id: this.#id, position, element: this.#element } } satisfies Change),
    );
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
    const { state } = this.#view;
    const [found] = key.getState(state)?.find(undefined, undefined, (spec) => spec.id === this.#id) ?? [];
    if (found === undefined || this.#view.isDestroyed) return;
    const { name, type } = this.#file;
    const data = { ref: { kind: 'url', url: target } };
    const alt = name.replace(/\.\w+$/, '').replace(/[-_]+/g, ' ');
    const $found = state.doc.resolve(found.from);
    const tr = type.startsWith('image/')
      ? state.tr.insert(found.from, schema.node('inline_image', { data: { ...data, alt } }))
      : state.tr.insert(
          $found.depth === 0 ? $found.pos : $found.after(1),
          schema.node('file', { data }, [schema.node('paragraph')]),
        );
    this.#view.dispatch(tr.setMeta(key, { remove: this.#id } satisfies Change));
  }

  #showError(message: string): void {
    const retry = createElement('button', { type: 'button', class: 'editor-button' }, ['Retry']);
    const remove = createElement('button', { type: 'button', class: 'editor-button' }, ['Remove']);
    retry.addEventListener('click', () => void this.#run());
    remove.addEventListener('click', () => {
      this.#view.dispatch(this.#view.state.tr.setMeta(key, { remove: this.#id } satisfies Change));
      this.#view.focus();
    });
    const text = createElement('span', { role: 'alert' }, [`${this.#file.name}: ${message} `]);
    this.#element.replaceChildren(text, retry, remove);
  }
}
