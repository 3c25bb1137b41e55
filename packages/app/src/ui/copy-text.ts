import { ApiRequestError } from '../api.ts';
import { notify } from './notice.tsx';

function selectText(element: HTMLElement): void {
  if (element instanceof HTMLInputElement) {
    element.focus();
    element.select();
  } else window.getSelection()?.selectAllChildren(element);
}

/**
 * Copies a text and shows a notice. If the browser does not allow it, selects the text in the element that shows it.
 * @throws ApiRequestError
 */
export async function copyText(text: string, shown: HTMLElement | null, notice: string): Promise<void> {
  try {
    // The clipboard is undefined on pages without HTTPS.
    await navigator.clipboard.writeText(text);
  } catch {
    if (shown === null)
      throw new ApiRequestError(0, 'The browser does not allow copying. Copy the address from the address bar.');
    selectText(shown);
    throw new ApiRequestError(
      0,
      'The browser does not allow copying. The text is selected, so you can copy it yourself.',
    );
  }
  notify(notice);
}
