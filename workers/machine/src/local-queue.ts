import type { Delivery } from '@octavo/schema';

interface Waiting {
  id: string;
  body: unknown;
  /** The number of previous deliveries. */
  attempts: number;
}

interface QueuedMessage {
  body: unknown;
  delaySeconds?: number;
}

/** Handlers for batches and for dead letters. Without `deadLetters`, dead letters are logged and dropped. */
interface QueueHandlers {
  consume(batch: MessageBatch): Promise<void>;
  deadLetters?: ((body: unknown) => Promise<void>) | undefined;
}

const usualConcurrency = 2;

/**
 * An in-memory queue on one machine. The outbox resends messages that are lost when the process is killed. The number
 * of concurrent batches is configured (default: two). Each batch starts in its own turn of the event loop, so that
 * requests run in between.
 */
export class LocalQueue {
  readonly #name: string;
  readonly #delivery: Delivery;
  readonly #ends: QueueHandlers;
  #messages: Waiting[] = [];
  #running = 0;
  #timer: { handle: ReturnType<typeof setTimeout>; isFull: boolean } | undefined;

  constructor(name: string, delivery: Delivery, ends: QueueHandlers) {
    this.#name = name;
    this.#delivery = delivery;
    this.#ends = ends;
  }

  async send(body: unknown, { delaySeconds }: { delaySeconds?: number } = {}): Promise<void> {
    this.#addMessage({ id: crypto.randomUUID(), body, attempts: 0 }, delaySeconds);
  }

  async sendBatch(messages: Iterable<QueuedMessage>): Promise<void> {
    for (const { body, delaySeconds } of messages)
      this.#addMessage({ id: crypto.randomUUID(), body, attempts: 0 }, delaySeconds);
  }

  #addMessage(message: Waiting, delaySeconds = 0): void {
    if (delaySeconds > 0) {
      setTimeout(() => this.#addMessage(message), delaySeconds * 1000);
      return;
    }
    this.#messages.push(message);
    this.#schedule();
  }

  /** Sends a full batch immediately, and a partial one after the configured wait. */
  #schedule(): void {
    const isFull = this.#messages.length >= this.#delivery.maxBatchSize;
    if (
      this.#messages.length === 0 ||
      this.#running >= (this.#delivery.maxConcurrency ?? usualConcurrency) ||
      this.#timer?.isFull
    )
      return;
    if (this.#timer !== undefined && !isFull) return;
    clearTimeout(this.#timer?.handle);
    const milliseconds = isFull ? 0 : this.#delivery.maxBatchTimeout * 1000;
    this.#timer = { handle: setTimeout(() => this.#run(), milliseconds), isFull };
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    const batch = this.#messages.splice(0, this.#delivery.maxBatchSize);
    this.#running += 1;
    this.#schedule();
    try {
      await this.#deliver(batch);
    } catch (error) {
      this.#log('messages lost', { messages: batch.length, cause: String(error) });
    }
    this.#running -= 1;
    this.#schedule();
  }

  /**
   * Messages that the consumer does not settle are acknowledged, or retried if the consumer fails. If the consumer
   * settles a message several times, only the first call counts.
   */
  async #deliver(batch: Waiting[]): Promise<void> {
    const unsettled = new Set(batch);
    const back = new Map<Waiting, number>();
    const messages = batch.map((waiting) => ({
      ...waiting,
      attempts: waiting.attempts + 1,
      timestamp: new Date(),
      ack: () => void unsettled.delete(waiting),
      retry: ({ delaySeconds = 0 }: { delaySeconds?: number } = {}) => {
        if (unsettled.delete(waiting)) back.set(waiting, delaySeconds);
      },
    }));
    try {
      await this.#ends.consume({ queue: this.#name, messages } as unknown as MessageBatch);
    } catch (error) {
      const cause = error instanceof Error ? error.stack : String(error);
      this.#log('batch failed', { cause });
      for (const waiting of unsettled) back.set(waiting, 0);
    }
    for (const [waiting, delaySeconds] of back) await this.#retry(waiting, delaySeconds);
  }

  async #retry(message: Waiting, delaySeconds: number): Promise<void> {
    const { id, body } = message;
    const attempts = message.attempts + 1;
    if (attempts <= this.#delivery.maxRetries) this.#addMessage({ ...message, attempts }, delaySeconds);
    else if (this.#ends.deadLetters === undefined) this.#log('message dropped', { id, attempts, body });
    else await this.#ends.deadLetters(body);
  }

  #log(message: string, details: Record<string, unknown>): void {
    console.error(
      JSON.stringify({ time: new Date().toISOString(), level: 'error', message, queue: this.#name, ...details }),
    );
  }
}
