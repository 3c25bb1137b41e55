export { type Api, createClient } from './api.ts';
export { type Answer, mapConcurrently, paginate, readAnswer } from './client.ts';
