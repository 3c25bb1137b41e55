/** Zooming is offered if the image is at least this many times larger than shown. */
const minZoom = 1.05;

/** An image that can be opened at its full size, if that is larger than it is shown. */
export class ZoomImage extends HTMLElement {
  connectedCallback(): void {
    for (const image of this.querySelectorAll('img')) this.#watch(image);
  }

  #watch(image: HTMLImageElement): void {
    const update = (): void => {
      if (image.clientWidth === 0 || image.naturalWidth <= image.clientWidth * minZoom) return;
      watch.disconnect();
      image.removeEventListener('load', update);
      this.#offer(image);
    };
    const watch = new ResizeObserver(update);
    watch.observe(image);
    image.addEventListener('load', update);
  }

  #offer(image: HTMLImageElement): void {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'zoom';
    button.setAttribute('aria-label', [this.dataset.enlarge, image.alt].filter(Boolean).join(': '));
    button.setAttribute('aria-haspopup', 'dialog');
    for (const name of ['in-light', 'in-dark']) if (image.classList.contains(name)) button.classList.add(name);
    image.replaceWith(button);
    button.append(image);
    button.addEventListener('click', () => this.#open(image));
  }

  #open(image: HTMLImageElement): void {
    const dialog = document.createElement('dialog');
    dialog.className = 'zoomed';
    dialog.setAttribute('aria-label', image.alt || (this.dataset.enlarge ?? ''));
    const close = document.createElement('button');
    close.type = 'button';
    close.textContent = '✕';
    close.setAttribute('aria-label', this.dataset.close ?? '');
    const large = document.createElement('img');
    Object.assign(large, { src: image.currentSrc || image.src, alt: image.alt });
    dialog.append(large, close);
    dialog.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    close.focus();
  }
}
