import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { resolveAddress } from './resolve-address.ts';

export const getPublishedContentByUrl: Handler<typeof publishing.getPublishedContentByUrl, PublishingEnvironment> = (
  { query: { url, visitorAuthToken, redirectOnError } },
  context,
) => resolveAddress({ url, jwt: visitorAuthToken, unsigned: {}, redirectOnError }, context);
