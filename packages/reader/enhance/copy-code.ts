const shownMilliseconds = 1500;

/** A button that copies the code beside it. */
export class CopyCode extends HTMLElement {
  connectedCallback(): void {
    const button = document.createElement('button');
    const { copy = '', copied = '' } = this.dataset;
    button.type = 'button';
    button.textContent = copy;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(this.querySelector('code')?.textContent?.replace(/\n$/, '') ?? '');
      button.textContent = copied;
      setTimeout(() => {
        button.textContent = copy;
      }, shownMilliseconds);
    });
    this.append(button);
  }
}
