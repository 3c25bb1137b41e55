import type { EditorView } from 'prosemirror-view';

type Attributes = Record<string, string | boolean | undefined>;

/** Creates an element. Attributes never contain scripts or styles, so a strict content security policy allows them. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  children: (Node | string)[] = [],
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : value);
  element.append(...children);
  return element;
}

/** Creates a button. Pressing it keeps the focus and the selection in the text. */
export function createButton(
  label: string,
  text: Node | string,
  run: () => void,
  className = 'editor-button',
): HTMLButtonElement {
  const button = createElement('button', { type: 'button', class: className, 'aria-label': label, title: label }, [
    text,
  ]);
  button.addEventListener('mousedown', (event) => event.preventDefault());
  button.addEventListener('click', run);
  return button;
}

/** Focuses the text, unless a form or a field of a block, for example of a new block, has the focus. */
export function focusText(view: EditorView): void {
  const { activeElement } = document;
  const isInForm = activeElement?.closest('.editor-link-form') !== null;
  if (activeElement === view.dom || !(isInForm || view.dom.contains(activeElement))) view.focus();
}

/** Creates an icon from the path of a line drawing in a square of 24 pixels. */
export function createIcon(path: string): SVGElement {
  const namespace = 'http://www.w3.org/2000/svg';
  const icon = document.createElementNS(namespace, 'svg');
  icon.setAttribute('viewBox', '0 0 24 24');
  icon.setAttribute('aria-hidden', 'true');
  icon.setAttribute('class', 'editor-icon');
  const line = document.createElementNS(namespace, 'path');
  line.setAttribute('d', path);
  icon.append(line);
  return icon;
}

/** Places a floating element below a rectangle of the window, within the window. */
export function placeBelow(
  element: HTMLElement,
  { left, bottom, top }: { left: number; bottom: number; top: number },
): void {
  const { offsetWidth: width, offsetHeight: height } = element;
  const fitsBelow = bottom + height + 8 <= window.innerHeight || top - height - 8 < 0;
  element.style.left = `${Math.max(8, Math.min(left, window.innerWidth - width - 8))}px`;
  // The rectangle itself can be outside the window.
  element.style.top = `${Math.max(8, Math.min(fitsBelow ? bottom + 4 : top - height - 4, window.innerHeight - height - 8))}px`;
}
