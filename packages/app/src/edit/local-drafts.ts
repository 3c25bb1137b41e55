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

const getKey = ({ user, changeRequest, page }: DraftOwner): string => `octavo-draft:${user}:${changeRequest}:${page}`;

const isText = (value: unknown): value is { title: string; markdown: string } =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { title?: unknown }).title === 'string' &&
  typeof (value as { markdown?: unknown }).markdown === 'string';

/** Reads the text that was not sent, for example because the tab was closed. */
export function readLocalDraft(owner: DraftOwner): LocalDraft | undefined {
  const text = localStorage.getItem(getKey(owner));
  if (text === null) return undefined;
  try {
    const draft: unknown = JSON.parse(text);
    return isText(draft) && isText((draft as unknown as LocalDraft).base)
      ? (draft as unknown as LocalDraft)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a text in this browser. Returns whether there was enough space. */
export function storeLocalDraft(owner: DraftOwner, draft: LocalDraft | undefined): boolean {
  try {
    if (draft === undefined) localStorage.removeItem(getKey(owner));
    else localStorage.setItem(getKey(owner), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}
