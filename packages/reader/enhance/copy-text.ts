import { copyButton } from './copy-button.ts';

/** A button that copies a text, or what is at an address of the site. */
export class CopyText extends HTMLElement {
  connectedCallback(): void {
    // The text is given as a promise: a browser may allow no writing once it was waited for.
    const write = () => navigator.clipboard.write([new ClipboardItem({ 'text/plain': this.#read() })]);
    this.replaceChildren(...copyButton(this.dataset, write));
  }

  async #read(): Promise<Blob> {
    const { text, from = '' } = this.dataset;
    const read = text ?? (await (await fetch(from)).text());
    return new Blob([read], { type: 'text/plain' });
  }
}
