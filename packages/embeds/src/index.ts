export { type Provided, providedAt } from './providers.ts';
