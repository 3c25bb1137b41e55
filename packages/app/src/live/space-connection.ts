import type { LiveConnection, LiveEvent, LiveMessage, LiveRequest, liveCloseCodes, Presence } from '@octavo/schema';
import { ApiRequestError, api } from '../api.ts';

/** Another user who edits a page of the same change request. */
export interface Participant {
  user: string;
  presence: Presence;
}

export interface ConnectionListener {
  onEvent: (event: LiveEvent) => void;
  /** Called when the connection is open again after events may have been missed, and when the user has lost access. */
  onGap: () => void;
  onParticipants: (participants: Participant[]) => void;
}

const replacedCode: (typeof liveCloseCodes)['replaced'] = 4002;
const second = 1000;
const heartbeat = 30 * second;
/** The server ignores a presence that follows another one within 0.3 seconds. */
const presencePause = 0.5 * second;
/** The server and clients stop showing a user whose presence was not repeated for this time. */
const presenceLifetime = 75 * second;
const maxRetry = 60 * second;
/** Time after which a tab in the background is disconnected. */
const hiddenTime = 5 * 60 * second;

/** A live connection to a space. It is opened again after it was lost, and when a hidden page is shown again. */
export class SpaceConnection {
  readonly space: string;
  readonly #listener: ConnectionListener;
  readonly #participants = new Map<string, Participant & { seen: number }>();
  readonly #ending = new AbortController();
  #socket: WebSocket | undefined;
  #presence: Presence | null = null;
  #failures = 0;
  /** Whether events may be missed before the next socket is open. */
  #hasGap = false;
  #isAlive = false;
  #isPaused = false;
  #isOpening = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #hiding: ReturnType<typeof setTimeout> | undefined;
  #moving: ReturnType<typeof setTimeout> | undefined;

  constructor(space: string, listener: ConnectionListener) {
    this.space = space;
    this.#listener = listener;
    const { signal } = this.#ending;
    const checkHeartbeat = setInterval(() => this.#beat(), heartbeat);
    signal.addEventListener('abort', () => clearInterval(checkHeartbeat));
    window.addEventListener('online', () => this.#open(), { signal });
    window.addEventListener('offline', () => this.#closeLost(), { signal });
    document.addEventListener('visibilitychange', () => this.#handleVisibility(), { signal });
    this.#open();
  }

  /** Shows other users which page the user edits; null if the user edits no page. */
  setPresence(presence: Presence | null): void {
    if (JSON.stringify(presence) === JSON.stringify(this.#presence)) return;
    if (presence?.changeRequest !== this.#presence?.changeRequest) this.#clearParticipants();
    this.#presence = presence;
    this.#sendPresenceSoon();
  }

  /** Sends the presence after a pause, because the cursor can move through many blocks in a moment. */
  #sendPresenceSoon(): void {
    this.#moving ??= setTimeout(() => this.#sendPresence(), presencePause);
  }

  #sendPresence(): void {
    clearTimeout(this.#moving);
    this.#moving = undefined;
    this.#send({ type: 'presence', presence: this.#presence });
  }

  close(): void {
    this.#ending.abort();
    this.#closeLost();
    clearTimeout(this.#retry);
    clearTimeout(this.#hiding);
    clearTimeout(this.#moving);
  }

  get #isEnded(): boolean {
    return this.#ending.signal.aborted;
  }

  #send(request: LiveRequest): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(request));
  }

  #createUrl = async (): Promise<string> =>
    (await api<LiveConnection>('POST', `/spaces/${this.space}/live`, { body: {}, isBackground: true })).url;

  async #open(): Promise<void> {
    clearTimeout(this.#retry);
    if (this.#isEnded || this.#isPaused || this.#isOpening || this.#socket !== undefined) return;
    this.#isOpening = true;
    try {
      this.#connect(await this.#createUrl());
    } catch (error) {
      this.#retryLater(error);
    } finally {
      this.#isOpening = false;
    }
  }

  #connect(url: string): void {
    if (this.#isEnded) return;
    const socket = new WebSocket(url);
    this.#socket = socket;
    this.#isAlive = true;
    socket.onmessage = ({ data }) => {
      this.#isAlive = true;
      if (data !== 'pong') this.#receive(JSON.parse(String(data)) as LiveMessage);
    };
    socket.onclose = ({ code }) => {
      if (this.#socket !== socket) return;
      this.#closeLost();
      // Newer connections of the user replaced this one. This tab connects again when the user next returns to it.
      if (code === replacedCode) this.#isPaused = true;
      this.#retryLater();
    };
  }

  /** Tries again after a growing pause, unless the user has no access. */
  #retryLater(error?: unknown): void {
    if (this.#isEnded) return;
    if (error instanceof ApiRequestError && [401, 403, 404].includes(error.status)) {
      if (this.#hasGap) this.#listener.onGap();
      return;
    }
    const pause = Math.min(maxRetry, second * 2 ** this.#failures);
    this.#failures += 1;
    this.#retry = setTimeout(() => this.#open(), pause * (0.5 + Math.random()));
  }

  #closeLost(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#clearParticipants();
  }

  #receive(message: LiveMessage): void {
    if (message.type === 'connected') this.#handleConnected();
    else if (message.type === 'event') this.#listener.onEvent(message.event);
    else if (message.type === 'presence') {
      const { participant, user, presence } = message;
      if (presence === null) this.#participants.delete(participant);
      else this.#participants.set(participant, { user, presence, seen: Date.now() });
      this.#listParticipants();
    }
  }

  #handleConnected(): void {
    if (this.#presence !== null) this.#sendPresence();
    if (this.#hasGap || this.#failures > 0) this.#listener.onGap();
    this.#failures = 0;
    this.#hasGap = true;
  }

  #beat(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    if (!this.#isAlive) {
      this.#closeLost();
      this.#retryLater();
      return;
    }
    this.#isAlive = false;
    this.#socket.send('ping');
    if (this.#presence !== null) this.#sendPresenceSoon();
    this.#listParticipants();
  }

  #handleVisibility(): void {
    clearTimeout(this.#hiding);
    if (document.visibilityState === 'hidden') {
      this.#hiding = setTimeout(() => {
        this.#isPaused = true;
        this.#closeLost();
      }, hiddenTime);
    } else if (this.#isPaused) {
      this.#isPaused = false;
      void this.#open();
    }
  }

  #clearParticipants(): void {
    if (this.#participants.size === 0) return;
    this.#participants.clear();
    this.#listener.onParticipants([]);
  }

  #listParticipants(): void {
    const since = Date.now() - presenceLifetime;
    for (const [id, { seen }] of this.#participants) if (seen < since) this.#participants.delete(id);
    this.#listener.onParticipants([...this.#participants.values()]);
  }
}
