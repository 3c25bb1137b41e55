/** Sends the rating of a page without leaving the page. If that fails, the form is submitted in the usual way. */
export class PageFeedback extends HTMLElement {
  connectedCallback(): void {
    const form = this.querySelector('form');
    form?.addEventListener('submit', (event) => {
      const { submitter } = event;
      if (!(submitter instanceof HTMLButtonElement)) return;
      event.preventDefault();
      void this.#send(form, submitter);
    });
  }

  async #send(form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
    const body = new URLSearchParams(new FormData(form, button) as unknown as Record<string, string>);
    const response = await fetch(form.action, { method: 'POST', body, redirect: 'manual' }).catch(() => undefined);
    // A redirect means success. It is not followed, because its target is this page.
    if (response?.type !== 'opaqueredirect') {
      const field = Object.assign(document.createElement('input'), { type: 'hidden', name: button.name });
      field.value = button.value;
      form.append(field);
      form.submit();
      return;
    }
    this.classList.add('rated');
    this.querySelector<HTMLElement>('.thanks')?.focus();
  }
}
