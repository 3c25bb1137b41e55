import { type Client, createClient } from '@octavo/client';
import { collaboration, content, integrations, orgAdmin, publishing } from '@octavo/schema';

const contract = { ...content, ...collaboration, ...orgAdmin, ...publishing, ...integrations };

/** The URL of the API, without `/v1`, and the token of the caller. */
export interface ApiConnection {
  url: string;
  token: string;
}

export type Api = Client<typeof contract>;

export const connect = (connection: ApiConnection): Api =>
  createClient(contract, { ...connection, userAgent: 'octavo-cli/0.1.0' });
