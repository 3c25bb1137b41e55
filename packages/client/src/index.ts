export type { Answer, Client } from './client.ts';
export { createClient, mapConcurrently, paginate, readAnswer } from './client.ts';
