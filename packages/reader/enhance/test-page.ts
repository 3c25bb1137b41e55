/* The page for testing an API operation. It runs in a sandbox without storage, next to the API client. */

declare const Scalar: { createApiReference(element: Element, configuration: object): unknown };

const maxMilliseconds = 15_000;

/** In-memory replacement for the browser's storage, which a sandboxed page cannot use. */
class MemoryStorage implements Storage {
  readonly #values = new Map<string, string>();
  get length(): number {
    return this.#values.size;
  }
  key = (index: number): string | null => [...this.#values.keys()][index] ?? null;
  getItem = (key: string): string | null => this.#values.get(key) ?? null;
  setItem = (key: string, value: string): void => void this.#values.set(key, value);
  removeItem = (key: string): void => void this.#values.delete(key);
  clear = (): void => this.#values.clear();
}

/** Stops zod from testing `new Function`: the policy blocks it and each test would be reported as a violation. */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { value: new MemoryStorage(), configurable: true });

/**
 * Opens the client's dialog as soon as it is loaded, because the page behind it shows only what the reader has already
 * seen.
 */
function openClient(): void {
  const watch = new MutationObserver(() => {
    const button = document.querySelector<HTMLElement>('.show-api-client-button');
    if (button === null) return;
    watch.disconnect();
    button.click();
  });
  watch.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watch.disconnect(), maxMilliseconds);
}

/** Replaces the client's error message, because browsers do not show a page why its request failed. */
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
  openClient();
  Scalar.createApiReference(main, JSON.parse(configuration) as object);
});
