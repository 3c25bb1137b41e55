export { type Api, createClient } from './api.ts';
export { getResponseValue, paginate, type TextResponse } from './client.ts';
export { mapConcurrently } from './concurrency.ts';
