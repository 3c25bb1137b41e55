import { type Api, createClient } from '@octavo/client';
import manifest from '../package.json' with { type: 'json' };

export type { Api } from '@octavo/client';

/** The URL of the API, without `/v1`, and the token of the caller. */
export interface ApiConnection {
  url: string;
  token: string;
}

export const { version } = manifest;

export const connect = (connection: ApiConnection): Api =>
  createClient({ ...connection, userAgent: `octavo-cli/${version}` });
