export type { Client, ClientError, Input } from './client.ts';
export { createClient } from './client.ts';
export { mapConcurrently } from './concurrency.ts';
export { paginate } from './paginate.ts';
