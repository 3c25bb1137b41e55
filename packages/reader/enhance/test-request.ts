/** A button that opens the page for testing an operation. That page needs scripts. */
export class TestRequest extends HTMLElement {
  connectedCallback(): void {
    const link = document.createElement('a');
    const { href = '', label = '' } = this.dataset;
    link.href = href;
    link.target = '_blank';
    link.rel = 'noopener';
    link.textContent = label;
    this.replaceChildren(link);
  }
}
