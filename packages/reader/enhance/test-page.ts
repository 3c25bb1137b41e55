/* The page on which an operation is tried: it runs in a sandbox, where nothing is kept, beside the client of the API. */

declare const Scalar: { createApiReference(element: Element, configuration: object): unknown };

const mostMilliseconds = 15_000;

/** What stands for the storage of a browser, of which a sandbox has none. It is forgotten with the page. */
class Forgetful implements Storage {
  readonly #kept = new Map<string, string>();
  get length(): number {
    return this.#kept.size;
  }
  key = (index: number): string | null => [...this.#kept.keys()][index] ?? null;
  getItem = (key: string): string | null => this.#kept.get(key) ?? null;
  setItem = (key: string, value: string): void => void this.#kept.set(key, value);
  removeItem = (key: string): void => void this.#kept.delete(key);
  clear = (): void => this.#kept.clear();
}

/** The client would try whether it may make functions of texts: its policy says no, and would be told of each try. */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { value: new Forgetful(), configurable: true });

/** Opens the client as soon as it is there: its page shows nothing else that a reader has not seen. */
function open(): void {
  const watch = new MutationObserver(() => {
    const button = document.querySelector<HTMLElement>('.show-api-client-button');
    if (button === null) return;
    watch.disconnect();
    button.click();
  });
  watch.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watch.disconnect(), mostMilliseconds);
}

/** A browser does not tell a page why a call has failed; the client shows what is thrown. */
function explainFailures(words: string): void {
  const { fetch } = window;
  window.fetch = async (...call) => {
    try {
      return await fetch(...call);
    } catch (error) {
      throw error instanceof TypeError ? new TypeError(words, { cause: error }) : error;
    }
  };
}

document.addEventListener('DOMContentLoaded', () => {
  const main = document.querySelector<HTMLElement>('#client');
  if (main === null) return;
  const { configuration = '{}', unreachable = '' } = main.dataset;
  explainFailures(unreachable);
  open();
  Scalar.createApiReference(main, JSON.parse(configuration) as object);
});
