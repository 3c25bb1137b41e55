import { decodeOutcome, headHeader, headText, textHeader } from '@octavo/script-isolate';
import type { RunForm } from './script-run.ts';

const address = 'http://scripts/';
const unknown = 404;

/** Has scripts run by the host beside the platform, which gets the text along with the form when it does not know it. */
export function runByHost(host: Fetcher): RunForm {
  return async (head, form, script) => {
    const headers = { [headHeader]: headText(head), 'content-type': form.headers.get('content-type') ?? '' };
    const body = await form.arrayBuffer();
    let answer = await host.fetch(address, { method: 'POST', headers, body });
    if (answer.status === unknown) {
      await answer.body?.cancel();
      const text = new TextEncoder().encode(await script());
      const withText = { ...headers, [textHeader]: String(text.length) };
      answer = await host.fetch(address, { method: 'POST', headers: withText, body: new Blob([text, body]) });
    }
    if (answer.status !== 200) throw new TypeError(`The script host answered ${answer.status}.`);
    return decodeOutcome(new Uint8Array(await answer.arrayBuffer()));
  };
}
