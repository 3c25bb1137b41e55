/* Queue tests that run in the runtime. Each case returns what its consumer received. */

interface Delivery {
  maxBatchSize: number;
  maxBatchTimeout: number;
  maxRetries: number;
  maxConcurrency: number;
}

interface Message {
  id: string;
  body: number;
  attempts: number;
  ack(): void;
  retry(options?: { delaySeconds: number }): void;
}

interface Queue {
  send(body: number, options?: { delaySeconds: number }): Promise<void>;
  sendBatch(messages: { body: number; delaySeconds?: number }[]): Promise<void>;
}

export interface MadeQueue {
  delivery?: Partial<Delivery>;
  consume(messages: Message[]): Promise<void> | void;
  /** Consumes dead letters. Without it, there is no dead letter queue. */
  bury?: (body: number) => void;
}

type Case = (make: (queue: MadeQueue) => Queue) => Promise<unknown>;

const toMessages = (bodies: number[]) => bodies.map((body) => ({ body }));
const listNumbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Collects `count` items. `all` resolves with them. */
function collect<Item>(count: number) {
  const items: Item[] = [];
  const { promise, resolve } = Promise.withResolvers<Item[]>();
  const add = (item: Item) => {
    items.push(item);
    if (items.length === count) resolve(items);
  };
  return { add, all: promise };
}

/** Sends 16 messages in batches of one. Returns the order in which they finish and the highest concurrency. */
async function expectConcurrency(make: (queue: MadeQueue) => Queue, delivery: Partial<Delivery>, expected: number) {
  let [running, most] = [0, 0];
  const { add, all } = collect<number>(16);
  const { promise: isFull, resolve: fill } = Promise.withResolvers<void>();
  const consume = async ([message]: Message[]) => {
    running += 1;
    most = Math.max(most, running);
    if (most >= expected) fill();
    await Promise.race([isFull, new Promise((resolve) => setTimeout(resolve, 10_000))]);
    await new Promise((resolve) => setTimeout(resolve, 60));
    running -= 1;
    add(message?.body ?? -1);
  };
  await make({ delivery: { maxBatchSize: 1, ...delivery }, consume }).sendBatch(toMessages(listNumbers(16)));
  return { order: await all, most };
}

const getBodies = (messages: Message[]) => messages.map(({ body }) => body);

export const cases = {
  async batches(make) {
    const { add, all } = collect<number[]>(3);
    await make({ consume: (messages) => add(getBodies(messages)) }).sendBatch(toMessages(listNumbers(25)));
    return all;
  },

  async 'messages that arrive in time'(make) {
    const { add, all } = collect<number[]>(1);
    const queue = make({ delivery: { maxBatchTimeout: 1 }, consume: (messages) => add(getBodies(messages)) });
    await queue.send(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await queue.send(2);
    return all;
  },

  async 'a full batch'(make) {
    const { add, all } = collect<number[]>(1);
    const delivery = { maxBatchSize: 2, maxBatchTimeout: 3600 };
    const queue = make({ delivery, consume: (messages) => add(getBodies(messages)) });
    await queue.send(1);
    await queue.send(2);
    return all;
  },

  async 'a delay'(make) {
    const { add, all } = collect<number>(3);
    const queue = make({ consume: (messages) => getBodies(messages).forEach(add) });
    await queue.send(1, { delaySeconds: 1 });
    await queue.sendBatch([{ body: 2, delaySeconds: 0.2 }, { body: 3 }]);
    return all;
  },

  async 'a retry'(make) {
    const { add, all } = collect<[number, number, string]>(5);
    const consume = (messages: Message[]) => {
      for (const { body, attempts, id, retry } of messages) {
        add([body, attempts, id]);
        if (body === 1 && attempts < 3) retry({ delaySeconds: 0.05 });
      }
    };
    await make({ consume }).sendBatch(toMessages([1, 2, 3]));
    const seen = await all;
    return { seen: seen.map(([body, attempts]) => [body, attempts]), ids: new Set(seen.map(([, , id]) => id)).size };
  },

  async 'a consumer that throws'(make) {
    const { add, all } = collect<[number, number]>(5);
    const consume = (messages: Message[]) => {
      for (const { body, attempts } of messages) add([body, attempts]);
      messages.find(({ body }) => body === 2)?.ack();
      if (messages.some(({ attempts }) => attempts === 1)) throw new Error('Not the first time.');
    };
    await make({ consume }).sendBatch(toMessages([1, 2, 3]));
    return all;
  },

  async 'what is said twice of a message'(make) {
    const { add, all } = collect<[number, number]>(3);
    const consume = (messages: Message[]) => {
      for (const message of messages) {
        add([message.body, message.attempts]);
        const both = [() => message.ack(), () => message.retry()];
        if (message.attempts === 1) for (const say of message.body === 1 ? both : both.reverse()) say();
      }
    };
    await make({ consume }).sendBatch(toMessages([1, 2]));
    return all;
  },

  async 'dead letters'(make) {
    const attempts: number[] = [];
    const { add: bury, all } = collect<number>(1);
    const consume = (messages: Message[]) => {
      for (const message of messages) attempts.push(message.attempts);
      throw new Error('Never.');
    };
    await make({ delivery: { maxRetries: 2 }, consume, bury }).send(7);
    return { buried: await all, attempts };
  },

  async 'no queue for dead letters'(make) {
    const { add, all } = collect<number>(5);
    const consume = (messages: Message[]) => {
      for (const message of messages) {
        add(message.body);
        if (message.body < 4) message.retry();
      }
    };
    const queue = make({ delivery: { maxBatchSize: 1, maxRetries: 0 }, consume });
    await queue.sendBatch(toMessages(listNumbers(5)));
    return all;
  },

  'two at once': (make) => expectConcurrency(make, {}, 2),

  async 'as many at once as are set'(make) {
    const mosts: number[] = [];
    for (const maxConcurrency of [1, 3, 8])
      mosts.push((await expectConcurrency(make, { maxConcurrency }, maxConcurrency)).most);
    return mosts;
  },

  async 'a turn of its own'(make) {
    const { add, all } = collect<string>(2);
    const queue = make({ consume: () => add('consumed') });
    await queue.send(1);
    add('sent');
    return all;
  },
} satisfies Record<string, Case>;
