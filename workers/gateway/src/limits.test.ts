import { expect, test } from 'vitest';
import { admitOperator } from './limits.ts';

type OperatorVisit = Parameters<typeof admitOperator>[0];

test('limits calls of the operator that are not accepted, by network, and no others', async () => {
  const env = {} as OperatorVisit['env'];
  const send = (address: string | undefined, status: number) =>
    admitOperator({ env, address, requestId: 'req' }, async () => new Response(null, { status }));
  const repeat = async (address: string | undefined, status: number) => {
    const statuses: number[] = [];
    for (let call = 0; call < 61; call += 1) statuses.push((await send(address, status)).status);
    return statuses;
  };

  expect((await repeat('192.0.2.1', 200)).at(-1)).toBe(200);
  expect((await repeat('192.0.2.1', 404)).slice(-2)).toEqual([404, 429]);
  expect((await repeat(undefined, 404)).at(-1)).toBe(404);
  expect((await send('192.0.2.1', 200)).status).toBe(429);
  expect((await send('192.0.2.2', 200)).status).toBe(200);
});
