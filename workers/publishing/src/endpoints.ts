import { implement } from '@octavo/runtime';
import { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from './environment.ts';
import { handlers } from './handlers.ts';

/** The API of this worker without its pages, which call it. */
export const endpoints = implement<typeof publishing, PublishingEnvironment>(publishing, handlers);
