/** Embedded content of another site. Nothing is requested from that site until the reader asks for it. */
export class EmbedFrame extends HTMLElement {
  connectedCallback(): void {
    const { source, title = '', load = '' } = this.dataset;
    if (source === undefined) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'load';
    button.textContent = load;
    button.addEventListener('click', () => {
      const frame = document.createElement('iframe');
      frame.title = title;
      frame.allow = 'fullscreen; encrypted-media; picture-in-picture';
      frame.referrerPolicy = 'strict-origin-when-cross-origin';
      frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-popups allow-forms allow-presentation');
      frame.src = source;
      button.replaceWith(frame);
      frame.focus();
    });
    this.prepend(button);
  }
}
