import { importSigningKey, type ServedPage } from '@octavo/runtime';
import { formatTimestamp, invalid, type SpaceId } from '@octavo/schema';
import { handler } from '../../handler.ts';
import { getHead } from '../../heads/call-head.ts';
import { readLiveUrl, signLiveUrl } from '../../heads/live-url.ts';
import type { HeadEnvironment } from '../../heads/space-head.ts';

/** Returns a URL for live events. Opening the connection reads nothing: access is checked before anything is sent. */
export const createLiveConnection = handler('createLiveConnection', async (_input, { env, space, actor, urls }) => {
  const subscriber = { space: space.id, user: actor.id, token: actor.token };
  const { address, expires } = await signLiveUrl(await importSigningKey(env), subscriber);
  const url = urls.page(address).replace(/^http/, 'ws');
  return { object: 'live-connection', url, expiresAt: formatTimestamp(expires * 1000) };
});

/** Opens a connection, which the Durable Object of the space serves. */
async function openConnection(request: Request, env: HeadEnvironment, space: SpaceId): Promise<Response> {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
    throw invalid([{ path: 'headers.upgrade', message: 'must be websocket' }]);
  await readLiveUrl(request.url, await importSigningKey(env));
  return getHead(env, space).fetch(request);
}

export const livePages: ServedPage<HeadEnvironment>[] = [
  {
    method: 'GET',
    path: '/live/:space',
    errors: 'json',
    handler: (request, { env, params }) => openConnection(request, env, params.space as SpaceId),
  },
];
