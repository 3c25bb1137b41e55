import type { TreeData } from '@octavo/markdown/editing';
import type { Node, NodeType } from 'prosemirror-model';
import type { Decoration, EditorView, NodeView, NodeViewConstructor } from 'prosemirror-view';
import { schema } from '../model/schema.ts';
import {
  addressKey,
  createField,
  type FieldSpec,
  type GetPosition,
  getField,
  getString,
  leaveField,
  onEnter,
  setData,
  setFieldValue,
} from './block-fields.ts';
import { createButton, createElement } from './dom.ts';
import { createUploadControls, type UploadControls } from './images.ts';
import type { EditorOptions, Upload } from './options.ts';
import { addPart } from './parts.ts';
import { ReferenceView } from './reference-view.ts';
import { getBlockUpload } from './uploads.ts';

/** A block with a head, which names the block and has fields for its data, and editable content. */
class BlockView implements NodeView {
  readonly dom: HTMLElement;
  readonly contentDOM: HTMLElement | null = null;
  #node: Node;
  readonly #fields: { key: string; element: HTMLInputElement | HTMLSelectElement }[];
  readonly #upload: UploadControls | undefined;
  readonly #describe: BlockSpec['describe'];
  /** The name of the described target, which is shown instead of its address. */
  readonly #target = createElement('span', { class: 'editor-file', hidden: true });

  constructor(
    node: Node,
    {
      view,
      getPosition,
      decorations,
    }: { view: EditorView; getPosition: GetPosition; decorations: readonly Decoration[] },
    { label, fields, content, part, upload, describe }: BlockSpec,
  ) {
    this.#describe = describe;
    this.#node = node;
    if (content === 'code') this.contentDOM = createElement('code', { spellcheck: 'false' });
    else if (content !== undefined) this.contentDOM = createElement('div');
    this.#fields = fields.map((field) => ({ key: field.key, element: createField(field, view, getPosition) }));
    this.#upload = upload && createUploadControls(view, upload, getPosition);
    const head = createElement('div', { class: 'editor-block-head', contenteditable: 'false' }, [
      createElement('span', {}, [label]),
      this.#target,
      ...this.#fields.map(({ element }) => element),
      ...(this.#upload?.elements ?? []),
    ]);
    const inside = this.contentDOM === null ? [] : [this.contentDOM];
    const body = content === 'code' ? [createElement('pre', {}, inside)] : inside;
    const foot = part === undefined ? [] : [createAddButton(part, view, getPosition)];
    this.dom = createElement('div', { class: 'editor-block' }, [head, ...body, ...foot]);
    this.#draw(decorations);
  }

  #draw(decorations: readonly Decoration[]): void {
    const data = this.#node.attrs.data as TreeData;
    this.dom.setAttribute('data-block', this.#node.type.name);
    const style = getString(data, 'style');
    if (this.#node.type.name === 'hint') this.dom.setAttribute('data-style', style || 'info');
    for (const { key, element } of this.#fields) setFieldValue(element, getField(data, key));
    const described = this.#describe?.(getField(data, addressKey));
    this.#showTarget(described);
    this.#upload?.show(getBlockUpload(decorations), described !== undefined);
  }

  #showTarget(described: ReturnType<NonNullable<BlockSpec['describe']>>): void {
    this.#target.hidden = described === undefined;
    if (described !== undefined)
      this.#target.replaceChildren(
        createElement('strong', {}, [described.name]),
        ' ',
        createElement('small', {}, [described.detail]),
      );
    for (const { key, element } of this.#fields) if (key === addressKey) element.hidden = described !== undefined;
  }

  update(node: Node, decorations: readonly Decoration[]): boolean {
    if (node.type !== this.#node.type) return false;
    this.#node = node;
    this.#draw(decorations);
    return true;
  }

  stopEvent(event: Event): boolean {
    return event.target instanceof Element && event.target.closest('.editor-block-head, .editor-add') !== null;
  }

  ignoreMutation(mutation: { type: string; target: globalThis.Node }): boolean {
    return mutation.type !== 'selection' && this.contentDOM?.contains(mutation.target) !== true;
  }
}

/** Creates a button at the end of a block that adds another part. */
function createAddButton(part: string, view: EditorView, getPosition: GetPosition): HTMLButtonElement {
  const add = (): void => {
    const position = getPosition();
    if (position !== undefined) view.dispatch(addPart(view.state.tr, position));
    view.focus();
  };
  const button = createButton(`Add ${part}`, `+ Add ${part}`, add, 'editor-button editor-add');
  button.contentEditable = 'false';
  return button;
}

interface BlockSpec {
  label: string;
  fields: FieldSpec[];
  /** The kind of its content; undefined if the block has only fields. */
  content?: 'code' | 'blocks';
  /** The name of the block's parts. The user can add more parts. */
  part?: string;
  /** Uploads the file that the block shows. */
  upload?: Upload | undefined;
  /** Describes the target of the block by its address. */
  describe?: EditorOptions['describeFile'];
}

const title = { key: 'title', label: 'Title' };
const address = { key: addressKey, label: 'Address' };

const specs: Record<string, BlockSpec> = {
  code_block: { label: 'Code', fields: [{ key: 'syntax', label: 'Language' }, title], content: 'code' },
  math: { label: 'Math', fields: [], content: 'code' },
  source: { label: 'Markdown', fields: [], content: 'code' },
  hint: {
    label: 'Hint',
    fields: [{ key: 'style', label: 'Style', values: ['info', 'success', 'warning', 'danger'] }],
    content: 'blocks',
  },
  embed: { label: 'Embed', fields: [{ ...address, placeholder: 'https://…' }], content: 'blocks' },
  reusable_content: { label: 'Reusable content', fields: [address] },
  images: { label: 'Image', fields: [], content: 'blocks' },
  expandable: { label: 'Expandable', fields: [title], content: 'blocks' },
  tabs: { label: 'Tabs', fields: [], content: 'blocks', part: 'tab' },
  tabs_item: { label: 'Tab', fields: [title], content: 'blocks' },
  stepper: { label: 'Steps', fields: [], content: 'blocks', part: 'step' },
  stepper_step: { label: 'Step', fields: [], content: 'blocks' },
  columns: { label: 'Columns', fields: [], content: 'blocks', part: 'column' },
  column: { label: 'Column', fields: [], content: 'blocks' },
};

/** An item of a list, with a check box if it is a task. */
class ItemView implements NodeView {
  readonly dom = createElement('li');
  readonly contentDOM = createElement('div');
  readonly #box: HTMLInputElement | undefined;
  #checked: unknown;

  constructor(node: Node, view: EditorView, getPosition: GetPosition) {
    this.#checked = (node.attrs.data as TreeData).checked;
    if (typeof this.#checked === 'boolean') {
      this.#box = createElement('input', { type: 'checkbox', 'aria-label': 'Done', contenteditable: 'false' });
      this.#box.checked = this.#checked;
      this.#box.addEventListener('change', () => setData(view, getPosition, 'checked', this.#box?.checked === true));
      this.dom.append(this.#box);
    }
    this.dom.append(this.contentDOM);
  }

  update(node: Node): boolean {
    const { checked } = node.attrs.data as TreeData;
    if (node.type.name !== 'list_item' || typeof checked !== typeof this.#checked) return false;
    this.#checked = checked;
    if (this.#box !== undefined) this.#box.checked = checked === true;
    return true;
  }

  stopEvent(event: Event): boolean {
    return event.target === this.#box;
  }

  ignoreMutation(mutation: { type: string; target: globalThis.Node }): boolean {
    return mutation.type !== 'selection' && !this.contentDOM.contains(mutation.target);
  }
}

/** Only these addresses of images are loaded. */
const isLoadable = (address: string): boolean => /^(?:https?:|blob:|\/(?!\/))/i.test(address);

/** Creates an image, or its name if it cannot be loaded. */
function createImage(data: TreeData, resolve: EditorOptions['resolveImage']): HTMLElement {
  const target = getField(data, addressKey);
  const source = resolve === undefined ? target : (resolve(target) ?? '');
  const alt = getString(data, 'alt');
  return isLoadable(source)
    ? createElement('img', { src: source, alt, loading: 'lazy' })
    : createElement('span', { class: 'editor-chip' }, [`Image: ${alt || target}`]);
}

/** An image with fields for its alternative text and its caption, which are shown while the image is selected. */
class ImageView implements NodeView {
  readonly dom: HTMLElement;
  #node: Node;
  readonly #fields: { key: string; label: string; element: HTMLInputElement }[];

  constructor(node: Node, view: EditorView, getPosition: GetPosition, resolve: EditorOptions['resolveImage']) {
    const data = node.attrs.data as TreeData;
    this.#node = node;
    const isFigure = node.type.name === 'image';
    const hasCaption = isFigure || isAlone(view, getPosition);
    const caption = { key: 'caption', label: 'Caption' };
    const fields = [{ key: 'alt', label: 'Alternative text' }, ...(hasCaption ? [caption] : [])];
    this.#fields = fields.map(({ key, label }) => {
      const element = createElement('input', { type: 'text', autocomplete: 'off' });
      element.value = getString(data, key);
      element.addEventListener('change', () => setImageText(view, getPosition, key, element.value));
      onEnter(element, () => leaveField(view, getPosition, element));
      return { key, label, element };
    });
    const tag = isFigure ? 'div' : 'span';
    this.dom = createElement(tag, { class: 'editor-image', contenteditable: 'false' }, [
      createImage(data, resolve),
      ...this.#fields.map(({ label, element }) => createElement('label', {}, [label, element])),
    ]);
  }

  /** Keeps the image and its fields, so that the focus can move between them. */
  update(node: Node): boolean {
    const [data, former] = [node.attrs.data as TreeData, this.#node.attrs.data as TreeData];
    if (node.type !== this.#node.type || getField(data, addressKey) !== getField(former, addressKey)) return false;
    this.#node = node;
    for (const { key, element } of this.#fields)
      if (element !== document.activeElement) element.value = getString(data, key);
    return true;
  }

  selectNode(): void {
    this.dom.classList.add('is-selected');
  }

  deselectNode(): void {
    if (!this.dom.contains(document.activeElement)) this.dom.classList.remove('is-selected');
  }

  stopEvent(event: Event): boolean {
    return this.#fields.some(({ element }) => element === event.target);
  }

  ignoreMutation(): boolean {
    return true;
  }
}

/** Whether an inline image is the only content of a paragraph, so that it can have a caption. */
function isAlone({ state }: EditorView, getPosition: GetPosition): boolean {
  const $position = state.doc.resolve(getPosition() ?? 0);
  const { parent, depth } = $position;
  if (parent.type.name !== 'paragraph' || parent.childCount !== 1) return false;
  const index = $position.index(depth - 1);
  return $position.node(depth - 1).canReplaceWith(index, index + 1, schema.nodes.images as NodeType);
}

/** Sets a text of an image. An inline image that gets a caption becomes a figure. */
function setImageText(view: EditorView, getPosition: GetPosition, key: string, value: string): void {
  const position = getPosition();
  const node = position === undefined ? null : view.state.doc.nodeAt(position);
  if (position === undefined || node === null) return;
  if (node.type.name === 'image') {
    setData(view, getPosition, key, value);
    return;
  }
  const { markup: _, ...former } = node.attrs.data as TreeData;
  const data = { ...former, [key]: value };
  const { tr, doc } = view.state;
  if (key !== 'caption') {
    view.dispatch(tr.setNodeMarkup(position, undefined, { data }, node.marks));
    return;
  }
  const $position = doc.resolve(position);
  if (value === '') return;
  const figure = schema.node('images', null, [schema.node('image', { data })]);
  view.dispatch(tr.replaceWith($position.before(), $position.after(), figure));
}

/** Returns the text that represents an inline. Users can only edit such an inline as a whole. */
function describeInline(node: { type?: string; data?: TreeData; nodes?: unknown }): string {
  const { type = '', data = {} } = node;
  if (type === 'emoji') return `:${getString(data, 'name')}:`;
  if (type === 'inline-math') return `$$${getString(data, 'formula')}$$`;
  if (type === 'expression') return `{{ ${getString(data, 'expression')} }}`;
  if (type === 'annotation') return `[^${getString(data, 'label')}]`;
  if (type === 'html') return getString((data.markup ?? {}) as TreeData, 'text') || getString(data, 'html');
  const texts = [...JSON.stringify(node.nodes ?? []).matchAll(/"text":("(?:[^"\\]|\\.)*")/g)];
  const text = texts.map(([, quoted = '""']) => JSON.parse(quoted) as string).join('');
  const { user } = (data.ref ?? {}) as { user?: unknown };
  return text || (typeof user === 'string' ? `@${user}` : getString(data, 'icon')) || type;
}

/** Returns a function whose callers share a running call, because many blocks can be created at once. */
function shareCalls<Result>(call: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= call().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Adds the blocks that need functions of the page around the editor. */
function completeSpecs(options: EditorOptions): Record<string, BlockSpec> {
  const { upload, describeFile, listReusableContent: list, createReusableContent: create } = options;
  const file: BlockSpec = { label: 'File', fields: [address], content: 'blocks', upload, describe: describeFile };
  if (list === undefined) return { ...specs, file };
  const included: FieldSpec = {
    ...{ key: addressKey, label: 'Reusable content', list: shareCalls(list) },
    create: create && { label: 'New reusable content…', run: () => create() },
  };
  return { ...specs, file, reusable_content: { label: 'Reusable content', fields: [included] } };
}

export function createNodeViews(options: EditorOptions): Record<string, NodeViewConstructor> {
  const { resolveImage } = options;
  const blocks = Object.entries(completeSpecs(options)).map(([name, spec]): [string, NodeViewConstructor] => [
    name,
    (node, view, getPosition, decorations) => new BlockView(node, { view, getPosition, decorations }, spec),
  ]);
  return {
    ...Object.fromEntries(blocks),
    list_item: (node, view, getPosition) => new ItemView(node, view, getPosition),
    inline_image: (node, view, getPosition) => new ImageView(node, view, getPosition, resolveImage),
    content_ref: (node, view, getPosition) => new ReferenceView(node, view, getPosition),
    image: (node, view, getPosition) => new ImageView(node, view, getPosition, resolveImage),
    inline_leaf: (node) => ({
      dom: createElement('span', { class: 'editor-chip' }, [describeInline(node.attrs.node)]),
    }),
  };
}
