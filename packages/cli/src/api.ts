import { type Client, createClient } from '@octavo/client';
import { collaboration, content, integrations, orgAdmin, publishing } from '@octavo/schema';

const contract = { ...content, ...collaboration, ...orgAdmin, ...publishing, ...integrations };

/** Where the API is and who calls; `url` has no `/v1`. */
export interface ApiConnection {
  url: string;
  token: string;
}

export type Api = Client<typeof contract>;

export const connect = (connection: ApiConnection): Api =>
  createClient(contract, { ...connection, userAgent: 'octavo-cli/0.1.0' });
