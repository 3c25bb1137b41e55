/** A text as the server has it, with the revision of the change request that contains it. */
export interface SavedText {
  title: string;
  markdown: string;
  revision: string;
}

/** A changed text in this browser, with the version that it is based on. */
export interface LocalDraft {
  base: SavedText;
  title: string;
  markdown: string;
  /** Fingerprints of sent texts without a response. The server may have stored one of them. */
  sent?: string[];
}

/** The text of one user in a browser. Other users of the browser neither see nor send it. */
export interface DraftOwner {
  user: string;
  changeRequest: string;
  page: string;
}

const getPrefix = ({ user, changeRequest, page }: DraftOwner): string =>
  `octavo-draft:${user}:${changeRequest}:${page}:`;

/** Returns the key of the draft of one editor. Other tabs with the same page have other drafts. */
export const createDraftKey = (owner: DraftOwner): string =>
  getPrefix(owner) + crypto.getRandomValues(new Uint32Array(2)).join('-');

const isText = (value: unknown): value is { title: string; markdown: string } =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { title?: unknown }).title === 'string' &&
  typeof (value as { markdown?: unknown }).markdown === 'string';

function readDraft(key: string): LocalDraft | undefined {
  try {
    const draft: unknown = JSON.parse(localStorage.getItem(key) ?? '');
    return isText(draft) && isText((draft as unknown as LocalDraft).base)
      ? (draft as unknown as LocalDraft)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns a text that was not sent, for example because its tab was closed, and moves it to a key of the caller. If the
 * tab is still open, it stores its text again with the next change.
 */
export function takeLocalDraft(owner: DraftOwner, ownKey: string): LocalDraft | undefined {
  const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '');
  for (const key of keys.filter((each) => each.startsWith(getPrefix(owner)))) {
    const draft = readDraft(key);
    if (draft === undefined) continue;
    localStorage.removeItem(key);
    storeLocalDraft(ownKey, draft);
    return draft;
  }
  return undefined;
}

/** Stores a text in this browser. Returns whether there was enough space. */
export function storeLocalDraft(key: string, draft: LocalDraft | undefined): boolean {
  try {
    if (draft === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}
