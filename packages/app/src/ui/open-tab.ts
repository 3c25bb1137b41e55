import { ApiRequestError } from '../api.ts';
import { notifyError } from './notice.tsx';

/** Opens an address in a new tab after a request for it. Call it when the user clicks. */
export async function openTab(requestAddress: () => Promise<string>): Promise<void> {
  // Browsers block a tab that is opened after the request, so open it before.
  const tab = window.open('', '_blank');
  try {
    if (tab === null) throw new ApiRequestError(0, 'The browser blocked the new tab. Allow pop-ups and try again.');
    const address = await requestAddress();
    tab.opener = null;
    tab.location.replace(address);
  } catch (error) {
    tab?.close();
    notifyError(error);
  }
}
