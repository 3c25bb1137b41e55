const shownMilliseconds = 1500;

/** A button that copies a text, or what is at an address of the site. */
export class CopyText extends HTMLElement {
  connectedCallback(): void {
    const button = document.createElement('button');
    const { copy = '', copied = '' } = this.dataset;
    button.type = 'button';
    button.textContent = copy;
    button.addEventListener('click', async () => {
      // The text is given as a promise: a browser may allow no writing once it was waited for.
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': this.#read() })]);
      button.textContent = copied;
      setTimeout(() => {
        button.textContent = copy;
      }, shownMilliseconds);
    });
    this.replaceChildren(button);
  }

  async #read(): Promise<Blob> {
    const { text, from = '' } = this.dataset;
    const read = text ?? (await (await fetch(from)).text());
    return new Blob([read], { type: 'text/plain' });
  }
}
