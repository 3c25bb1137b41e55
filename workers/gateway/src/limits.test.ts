import { expect, test } from 'vitest';
import { admit, admitOperator } from './limits.ts';

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

const ofLink = '/sign-in/a-link-from-a-mail';
const visitorToken = `Bearer ${['{"alg":"HS256"}', '{}', 'x'].map((part) => btoa(part)).join('.')}`;

test.each([
  ['without a network or a link share one limit', '/login', undefined, 100],
  ['of one link have their own limit', ofLink, undefined, 1],
  ['of one network have their own limit', '/login', '192.0.2.3', 1],
])('sign-ins %s, whatever token they contain', async (_, pathname, address, most) => {
  const visit = { kind: 'sign-ins' as const, site: undefined, requestId: 'req', client: {} };
  const env = { OCTAVO_RATE_LIMITS: 'sign-ins=1', OCTAVO_ONE_ISOLATE: '1' } as OperatorVisit['env'];
  const identify = async () => new Response();
  const signIn = async (authorization: string | null) =>
    (await admit({ ...visit, pathname, address, env, identify, authorization }, async () => new Response())).status;
  const createTokens = (index: number) => [
    null,
    `Bearer octavo_${String(index).padStart(40, 'a')}`,
    `Basic ${index}`,
    visitorToken,
  ];
  const statuses: number[] = [];
  for (let index = 0; index <= most; index += 1) statuses.push(await signIn(createTokens(index)[index % 4] ?? null));

  expect(new Set(statuses.slice(0, -1))).toEqual(new Set([200]));
  for (const authorization of createTokens(most + 1)) expect(await signIn(authorization)).toBe(429);
});
