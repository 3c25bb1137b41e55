import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { pickFreePort } from '../../support/free-port.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { holdsSlowly } from '../../support/random.ts';
import { getWebhooks, makeDeliveriesDue } from './webhook-client.ts';

interface ReceivedEvent {
  id: string;
  delivery: string;
  space: string;
  isTaken: boolean;
}

type Mode = 'fine' | 'fails' | 'closes' | 'forgets';
const modes: Mode[] = ['fine', 'fine', 'fails', 'closes', 'forgets'];

/**
 * A receiver that can be stopped and restarted on its port. In mode `forgets`, it accepts the event but its response is
 * lost.
 */
class Receiver {
  readonly taken: ReceivedEvent[] = [];
  mode: Mode = 'fine';
  readonly #port: number;
  #server: Server | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  async start(): Promise<void> {
    this.#server = createServer(this.#listener).listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    const closed = this.#server?.listening ? once(this.#server, 'close') : undefined;
    this.#server?.close();
    await closed;
  }

  readonly #listener: RequestListener = async (request, response) => {
    const { id, space } = JSON.parse(await text(request)) as { id: string; space: string };
    const { mode } = this;
    const delivery = String(request.headers['x-octavo-delivery']);
    this.taken.push({ id, space, delivery, isTaken: mode === 'fine' || mode === 'forgets' });
    if (mode === 'closes' || mode === 'forgets') request.socket.destroy();
    else response.writeHead(mode === 'fails' ? 500 : 204).end();
  };
}

type Step = { write: number } | { mode: Mode } | 'restart' | 'pause' | 'go on' | 'pass time';
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ write: fc.nat({ max: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ mode: fc.constantFrom(...modes) }) },
  { weight: 2, arbitrary: fc.constantFrom<Step>('restart', 'pause', 'go on', 'pass time') },
);

/** Creates a webhook with a receiver and three spaces, and the actions of the random steps. */
async function createRandomReceivers() {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  const receiver = new Receiver(await pickFreePort());
  await receiver.start();
  onTestFinished(() => receiver.stop());
  const spaces = await Promise.all([0, 1, 2].map(() => platform().makeSpace({ organization })));
  const { id } = await hooks.create(receiver.url, { events: ['space.updated'] });
  const [own, expectedEvents] = [{ isActive: true, titles: 0 }, new Set<string>()];
  const readWrittenEvents = () =>
    query<{ id: string; space: string }>(
      "SELECT id, space FROM outbox WHERE organization = ? AND type = 'space.updated' ORDER BY created_at, id",
      organization.id,
    );

  async function write(index: number): Promise<void> {
    const before = new Set(readWrittenEvents().map((each) => each.id));
    own.titles += 1;
    const change = { token: organization.token, method: 'PATCH', body: { title: `Title ${own.titles}` } };
    await json(`/v1/spaces/${spaces[index]?.id}`, change);
    for (const each of readWrittenEvents()) if (own.isActive && !before.has(each.id)) expectedEvents.add(each.id);
  }

  const isFeedDistributed = () => query('SELECT 1 FROM feed WHERE organization = ?', organization.id).length === 0;

  async function activate(isActive: boolean): Promise<void> {
    own.isActive = isActive;
    await hooks.update(id, { active: isActive });
  }

  async function runStep(each: Step): Promise<void> {
    if (each === 'restart') await receiver.stop().then(() => receiver.start());
    else if (each === 'pass time') await makeDeliveriesDue(id);
    else if (typeof each === 'string') await activate(each === 'go on');
    else if ('mode' in each) receiver.mode = each.mode;
    else await write(each.write);
  }

  const isDelivered = () =>
    query("SELECT 1 FROM deliveries WHERE subscription = ? AND status <> 'delivered'", id).length === 0;
  const drain = () =>
    until(async () => {
      if (isFeedDistributed() && isDelivered()) return true;
      await makeDeliveriesDue(id);
      return undefined;
    });
  return { id, receiver, spaces, wanted: expectedEvents, written: readWrittenEvents, runStep, activate, drain };
}

test('with random failures, restarts and pauses, nothing is lost, objects are in order, and repeats have the same ID', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
    const {
      id,
      receiver,
      spaces,
      wanted: expectedEvents,
      written,
      runStep,
      activate,
      drain,
    } = await createRandomReceivers();
    for (const each of steps) await runStep(each);
    receiver.mode = 'fine';
    await activate(true);
    await drain();

    const { taken } = receiver;
    const got = taken.filter(({ isTaken }) => isTaken);
    expect(new Set(got.map((each) => each.id))).toEqual(expectedEvents);
    for (const { id: space } of spaces) {
      const firsts = [...new Set(got.filter((each) => each.space === space).map((each) => each.id))];
      expect(firsts).toEqual(
        written().flatMap((each) => (expectedEvents.has(each.id) && each.space === space ? [each.id] : [])),
      );
    }
    const deliveries = new Set(taken.map((each) => `${each.id} ${each.delivery}`));
    expect(deliveries.size).toBe(expectedEvents.size);
    expect(query('SELECT COUNT(*) AS n FROM deliveries WHERE subscription = ?', id)).toEqual([
      { n: expectedEvents.size },
    ]);
    expect(query('SELECT waiting FROM subscriptions WHERE id = ?', id)).toEqual([{ waiting: 0 }]);
  });
  await holdsSlowly(property, { numRuns: 40, fewest: 10, milliseconds: 90_000 });
}, 240_000);
