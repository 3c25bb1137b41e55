import { expect, test } from 'vitest';
import type { Attempt } from './post-event.ts';
import type { DueDelivery } from './rounds.ts';
import { sendRound } from './rounds.ts';

const toDelivery = (object: string, seq: number): DueDelivery => ({
  ...{ seq, id: `del_${seq}`, object, attempts: 0, tries: 0, redeliveries: 0, retryUntil: null, depth: 0 },
  event: {
    id: `evt_${seq}`,
    type: 'space.updated',
    organization: 'org_a',
    space: null,
    actor: '',
    data: {},
    createdAt: 0,
  },
  actorName: null,
});

test('a failed delivery delays only later ones of the same object', async () => {
  const groups = [
    [toDelivery('a', 1), toDelivery('a', 2)],
    [toDelivery('b', 3), toDelivery('b', 4)],
  ];
  const send = async ({ seq }: DueDelivery): Promise<Attempt> => ({
    ...{ at: 0, milliseconds: 0, status: seq === 1 ? 500 : 200, error: null, responseText: null, retryAfter: 0 },
  });

  const { sent } = await sendRound(groups, 0, send);

  expect(sent.map(({ delivery }) => delivery.seq).toSorted()).toEqual([1, 3, 4]);
});
