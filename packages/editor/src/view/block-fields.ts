import type { TreeData } from '@octavo/markdown/editing';
import type { EditorView } from 'prosemirror-view';
import { moveBelowField } from './commands.ts';
import { createElement } from './dom.ts';
import type { EditorOptions } from './options.ts';

export const getString = (data: TreeData, key: string): string => {
  const value = data[key];
  return typeof value === 'string' ? value : '';
};

export type GetPosition = () => number | undefined;

/** The key of the field for the address to which the data of a block refers. */
export const addressKey = 'ref';

export const getField = (data: TreeData, key: string): string =>
  key === addressKey ? getString((data.ref ?? {}) as TreeData, 'url') : getString(data, key);

/** Sets a value in the data of a node, or removes it if it is empty. */
export function setData(view: EditorView, getPosition: GetPosition, key: string, value: string | boolean): void {
  const position = getPosition();
  const node = position === undefined ? null : view.state.doc.nodeAt(position);
  if (position === undefined || node === null) return;
  const { [key]: _, ...rest } = node.attrs.data as TreeData;
  const written = key === addressKey ? { kind: 'url', url: value } : value;
  const data = value === '' && key !== addressKey ? rest : { ...rest, [key]: written };
  view.dispatch(view.state.tr.setNodeMarkup(position, undefined, { ...node.attrs, data }));
}

/** Moves from a field in the block to the text of the block, or to the block below if it has none. */
export function leaveField(view: EditorView, getPosition: GetPosition, field: HTMLElement): void {
  const position = getPosition();
  if (position !== undefined) view.dispatch(moveBelowField(view.state.tr, position));
  // Some fields change the text when they lose the focus, so they lose it before the text is focused.
  field.blur();
  view.focus();
}

/** Runs a function when the user presses Enter in a field. */
export const onEnter = (field: HTMLElement, run: () => void): void =>
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    run();
  });

/** A field in the head of a block: a text, or one of several values. */
export interface FieldSpec {
  key: string;
  label: string;
  values?: string[];
  /** Lists the values with their titles. */
  list?: EditorOptions['listReusableContent'];
  /** Adds an entry with this label to the list. `run` creates a new value and returns it. */
  create?: { label: string; run: () => Promise<string | undefined> } | undefined;
  placeholder?: string;
}

/** Sets the value of a field. Adds it as an option if the field is a list that lacks the value. */
export function setFieldValue(field: HTMLInputElement | HTMLSelectElement, value: string): void {
  if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value))
    field.append(createElement('option', { value }, [value || 'Choose…']));
  field.value = value;
}

/** The value of the entry that creates a new value. */
const newValue = '\0new';

/** Replaces the options of a field with the listed values. The selected value does not change. */
async function showOptions(select: HTMLSelectElement, { list, create }: FieldSpec): Promise<void> {
  const listed = await list?.().catch(() => undefined);
  const { value } = select;
  const createOption = (text: string, target: string) => createElement('option', { value: target }, [text]);
  const isEmpty = listed?.length === 0 && value === '';
  select.replaceChildren(
    ...(isEmpty ? [createOption('This space has no reusable content', '')] : []),
    ...(listed ?? []).map(({ title, target }) => createOption(title, target)),
  );
  setFieldValue(select, value);
  if (create !== undefined) select.append(createOption(create.label, newValue));
}

/** Creates a new value and selects it in the field, unless the user cancels. */
async function createValue(
  select: HTMLSelectElement,
  field: FieldSpec,
  { view, getPosition }: { view: EditorView; getPosition: GetPosition },
): Promise<void> {
  const { key, create } = field;
  const position = getPosition();
  const node = position === undefined ? null : view.state.doc.nodeAt(position);
  setFieldValue(select, node === null ? '' : getField(node.attrs.data, key));
  const created = await create?.run();
  if (created === undefined || view.isDestroyed) return;
  setData(view, getPosition, key, created);
  leaveField(view, getPosition, select);
  await showOptions(select, field);
}

export function createField(field: FieldSpec, view: EditorView, getPosition: GetPosition) {
  const { key, label, values, list, placeholder = label } = field;
  const isText = values === undefined && list === undefined;
  const element = isText
    ? createElement('input', { type: 'text', 'aria-label': label, placeholder, autocomplete: 'off' })
    : createElement(
        'select',
        { 'aria-label': label },
        (values ?? []).map((value) => createElement('option', { value }, [value])),
      );
  if (element instanceof HTMLSelectElement && list !== undefined) void showOptions(element, field);
  element.addEventListener(isText ? 'input' : 'change', () => {
    if (element instanceof HTMLSelectElement && element.value === newValue)
      void createValue(element, field, { view, getPosition });
    else setData(view, getPosition, key, element.value);
  });
  onEnter(element, () => leaveField(view, getPosition, element));
  return element;
}
