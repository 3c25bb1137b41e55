import { createCopyButton } from './copy-button.ts';

function createButton(name: string, text: string): HTMLButtonElement {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: name, textContent: text });
  return button;
}

/** A code block with a copy button and, when it is collapsed, a button that expands it. */
export class CodeBlock extends HTMLElement {
  connectedCallback(): void {
    this.#offerCopy();
    if (this.dataset.more !== undefined) this.#offerMore();
  }

  #offerCopy(): void {
    const [button, status] = createCopyButton(
      this.dataset,
      () => navigator.clipboard.writeText(this.querySelector('code')?.textContent?.replace(/\n$/, '') ?? ''),
      { isIcon: true },
    );
    button.classList.add('copy');
    this.append(button, status);
  }

  #offerMore(): void {
    const { more = '', fewer = '' } = this.dataset;
    const button = createButton('more', more);
    const show = (isCollapsed: boolean): void => {
      this.classList.toggle('collapsed', isCollapsed);
      button.setAttribute('aria-expanded', String(!isCollapsed));
      button.textContent = isCollapsed ? more : fewer;
    };
    button.addEventListener('click', () => show(!this.classList.contains('collapsed')));
    show(true);
    this.append(button);
  }
}
