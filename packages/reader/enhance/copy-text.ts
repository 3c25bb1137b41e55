import { createCopyButton } from './copy-button.ts';

/** A button that copies a text or the content of a URL of the site. */
export class CopyText extends HTMLElement {
  connectedCallback(): void {
    // The text is passed as a promise: browsers may reject a clipboard write that starts after an `await`.
    const write = () => navigator.clipboard.write([new ClipboardItem({ 'text/plain': this.#readBlob() })]);
    this.replaceChildren(...createCopyButton(this.dataset, write));
  }

  async #readBlob(): Promise<Blob> {
    const { text, from = '' } = this.dataset;
    const textToCopy = text ?? (await (await fetch(from)).text());
    return new Blob([textToCopy], { type: 'text/plain' });
  }
}
