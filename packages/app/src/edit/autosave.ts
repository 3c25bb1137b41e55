import { mergeLines } from '@octavo/merge';
import { isFailedRequest, isTemporaryFailure } from '../failed-request.ts';
import type { LocalDraft, SavedText } from './local-drafts.ts';

/** The text in the editor. */
export type EditedText = Pick<SavedText, 'title' | 'markdown'>;

/** The state of the text in the editor. `isStored` is false if the browser had no space for it. */
export type SaveState =
  | { kind: 'saved' | 'saving' }
  | { kind: 'unsaved' | 'offline' | 'signed-out'; isStored: boolean }
  | { kind: 'failed'; message: string; isStored: boolean }
  | { kind: 'conflict'; theirs: SavedText; isStored: boolean };

export interface AutosaveHost {
  /** Sends a text that is based on a revision. Returns the new revision. @throws an error with `status` */
  send: (text: Partial<EditedText>, revision: string) => Promise<string>;
  load: () => Promise<SavedText>;
  store: (draft: LocalDraft | undefined) => boolean;
  /** Shows another text in the editor. */
  show: (text: EditedText) => void;
  onState: (state: SaveState) => void;
  onMerged: () => void;
  /** Calls a function after a pause. Returns a function that cancels this. */
  wait: (run: () => void, milliseconds: number) => () => void;
}

const pauseMilliseconds = 1500;
const retryMilliseconds = 5000;
const maxUnconfirmed = 100;
/** Attempts to send a text while others change the change request. */
const maxAttempts = 5;

const isSame = (one: EditedText, other: EditedText): boolean =>
  one.markdown === other.markdown && one.title === other.title;

/** Returns a short text that differs for almost all other texts. */
function createFingerprint({ title, markdown }: EditedText): string {
  const text = `${title}\n${markdown}`;
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x9e3779b1);
    other = Math.imul(other ^ code, 0x5f356495);
  }
  return `${text.length}.${(one >>> 0).toString(36)}.${(other >>> 0).toString(36)}`;
}

/** Merges the changes of two people. Returns undefined if they changed the same lines, or both changed the title. */
function mergeTexts(base: EditedText, mine: EditedText, theirs: EditedText): EditedText | undefined {
  const pieces = mergeLines({ base: base.markdown, main: theirs.markdown, incoming: mine.markdown });
  const title = mine.title === base.title ? theirs.title : mine.title;
  if (title !== theirs.title && theirs.title !== base.title) return undefined;
  return pieces.every((piece) => typeof piece === 'string') ? { title, markdown: pieces.join('') } : undefined;
}

/**
 * Stores each change in the browser at once, and sends the text after a pause as one revision. The text in the browser
 * is removed only when the server has it.
 */
export class Autosave {
  readonly #host: AutosaveHost;
  #base: SavedText;
  #current: EditedText;
  /** Fingerprints of sent texts without a response. The server may have stored one of them. */
  #unconfirmed: string[];
  #state: SaveState = { kind: 'saved' };
  #cancel: (() => void) | undefined;
  /** The last of the queued operations. They read and change the revision, so they run one after another. */
  #last: Promise<unknown> = Promise.resolve();
  #queued = 0;
  #isStopped = false;
  /** Whether the browser had space for the text when it was last stored. */
  #isStored = true;

  constructor(base: SavedText, host: AutosaveHost, sent: string[] = []) {
    this.#unconfirmed = sent;
    this.#base = base;
    this.#current = base;
    this.#host = host;
  }

  get state(): SaveState {
    return this.#state;
  }

  /** The text in the editor. */
  get current(): EditedText {
    return this.#current;
  }

  /** Whether the server has all changes. */
  get isSaved(): boolean {
    return isSame(this.#current, this.#base);
  }

  /** Whether the server or this browser has stored all changes. */
  get isStoredAnywhere(): boolean {
    return this.isSaved || this.#isStored;
  }

  #setState(state: SaveState): void {
    this.#state = state;
    this.#host.onState(state);
  }

  /** Stores a changed text in this browser, and schedules it to be sent unless there is a conflict. */
  change(text: EditedText): void {
    this.#current = text;
    const isStored = this.#store();
    if (this.#state.kind === 'conflict') {
      this.#setState({ ...this.#state, isStored });
      return;
    }
    if (this.#queued === 0 && this.isSaved) this.#setState({ kind: 'saved' });
    else this.#setState({ kind: this.#state.kind === 'offline' ? 'offline' : 'unsaved', isStored });
    this.#schedule(pauseMilliseconds);
  }

  #store(): boolean {
    const { title, markdown } = this.#current;
    const sent = this.#unconfirmed;
    this.#isStored = this.#host.store(this.isSaved ? undefined : { base: this.#base, title, markdown, sent });
    return this.#isStored;
  }

  #schedule(milliseconds: number): void {
    this.#cancel?.();
    if (!this.#isStopped) this.#cancel = this.#host.wait(() => void this.save(), milliseconds);
  }

  /** Runs an operation after all operations that were queued before it. */
  #enqueue<Result>(operation: () => Promise<Result>): Promise<Result> {
    const result = this.#queued === 0 ? operation() : this.#last.then(operation);
    this.#queued += 1;
    const end = (): void => {
      this.#queued -= 1;
      if (this.#queued === 0 && !this.isSaved && this.#state.kind === 'unsaved') this.#schedule(pauseMilliseconds);
    };
    this.#last = result.then(end, end);
    return result;
  }

  /** Sends the text now. Returns when the server has it, or when an attempt has failed. */
  save(): Promise<void> {
    this.#cancel?.();
    return this.#enqueue(() => this.#save());
  }

  async #save(): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts && !this.isSaved && this.#state.kind !== 'conflict'; attempt += 1) {
      this.#setState({ kind: 'saving' });
      const sent = this.#current;
      this.#unconfirmed = [...this.#unconfirmed.slice(-maxUnconfirmed), createFingerprint(sent)];
      this.#store();
      try {
        const revision = await this.#host.send(getChanges(this.#base, sent), this.#base.revision);
        this.#base = { ...sent, revision };
        this.#unconfirmed = [];
        const isStored = this.#store();
        this.#setState(this.isSaved ? { kind: 'saved' } : { kind: 'unsaved', isStored });
        return;
      } catch (error) {
        if (!(await this.#recover(error))) return;
      }
    }
    if (this.#state.kind === 'saving')
      this.#setState(this.isSaved ? { kind: 'saved' } : { kind: 'unsaved', isStored: this.#store() });
  }

  /** Merges the changes of others if the text was not sent because of them. Returns whether it should be sent again. */
  async #recover(error: unknown): Promise<boolean> {
    let failure = error;
    try {
      if (isFailedRequest(error) && error.status === 409 && this.#mergeTheirs(await this.#host.load())) return true;
    } catch (loadFailure) {
      failure = loadFailure;
    }
    this.#handleError(failure);
    return false;
  }

  #handleError(error: unknown): void {
    if (!isFailedRequest(error)) {
      this.#setState({ kind: 'failed', message: 'The text could not be sent.', isStored: this.#store() });
      throw error;
    }
    if (isTemporaryFailure(error)) {
      this.#setState({ kind: 'offline', isStored: this.#store() });
      this.#schedule(retryMilliseconds);
    } else if (this.#state.kind === 'saving')
      this.#setState(
        error.status === 401
          ? { kind: 'signed-out', isStored: this.#store() }
          : { kind: 'failed', message: error.message, isStored: this.#store() },
      );
  }

  /** Loads and merges the changes of other users, unless the text is already based on `revision`. */
  refresh(revision?: string): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#isStopped || this.#base.revision === revision) return;
      // If the text cannot be loaded, the next event or the next change of the text loads it.
      const theirs = await this.#host.load().catch(() => undefined);
      const isMerged = theirs !== undefined && this.#mergeTheirs(theirs, { isReported: false });
      if (!isMerged && this.#state.kind === 'conflict') return;
      if (this.isSaved) this.#setState({ kind: 'saved' });
      else if (isMerged) this.#setState({ kind: 'unsaved', isStored: this.#store() });
    });
  }

  /**
   * Makes a change that is not a change of the text, such as adding a file. The next text is then based on the revision
   * of this change. If other users have changed the change request, `send` is called without a revision, and the next
   * text is merged. Throws an error if the user has left the editor, for example during an upload.
   */
  runOtherChange<Result extends { revision: string }>(
    send: (revision: string | undefined) => Promise<Result>,
  ): Promise<Result> {
    return this.#enqueue(async () => {
      if (this.#isStopped) throw new Error('The editor was closed.');
      try {
        const result = await send(this.#base.revision);
        this.#base = { ...this.#base, revision: result.revision };
        this.#store();
        return result;
      } catch (error) {
        if (isFailedRequest(error) && error.status === 409) return send(undefined);
        throw error;
      }
    });
  }

  /** Merges the text from the server. Returns whether it is newer and could be merged. */
  #mergeTheirs(theirs: SavedText, { isReported = true } = {}): boolean {
    if (theirs.revision === this.#base.revision) return false;
    if (this.#unconfirmed.includes(createFingerprint(theirs))) {
      this.#base = theirs;
      this.#store();
      return true;
    }
    const merged = mergeTexts(this.#base, this.#current, theirs);
    if (merged === undefined) {
      this.#setState({ kind: 'conflict', theirs, isStored: this.#store() });
      return false;
    }
    const isOthers = !isSame(this.#base, theirs);
    this.#base = theirs;
    if (!isSame(merged, this.#current)) {
      this.#current = merged;
      if (!this.#isStopped) this.#host.show(merged);
    }
    this.#store();
    if (isOthers && isReported) this.#host.onMerged();
    return true;
  }

  /** Resolves a conflict by keeping one of the two versions. */
  async resolve(keeps: 'mine' | 'theirs'): Promise<void> {
    if (this.#state.kind !== 'conflict') return;
    const { theirs } = this.#state;
    this.#base = theirs;
    this.#setState({ kind: 'unsaved', isStored: true });
    if (keeps === 'theirs') {
      this.#current = { title: theirs.title, markdown: theirs.markdown };
      this.#host.show(this.#current);
      this.#setState({ kind: 'saved' });
    }
    this.#store();
    await this.save();
  }

  /** Sends the text once more, for example when the screen is left. If that fails, the text stays in the browser. */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.save();
  }
}

const getChanges = (base: EditedText, { title, markdown }: EditedText): Partial<EditedText> => ({
  ...(title !== base.title && { title }),
  ...(markdown !== base.markdown && { markdown }),
});
