export { readAnswer } from './answer.ts';
export type { Client } from './client.ts';
export { createClient } from './client.ts';
export { mapConcurrently } from './concurrency.ts';
export { paginate } from './paginate.ts';
export type { Answer } from './retry.ts';
